import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { erase } from "../../src/erase/node.js";
import { exportTo } from "../../src/export/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { runLine } from "../cli/run-support.js";
import { eraseIn, newFolder, ROSTER } from "./support/erase-in.ts";
import { CANARY, EMAIL, filesWith } from "./support/places.ts";

test("files that cannot be read, links and packed files are named, and the others are erased", async () => {
  const folder = newFolder();
  const elsewhere = newFolder();
  writeFileSync(join(elsewhere, "users.csv"), `id,email\n41,${EMAIL}\n`);
  symlinkSync(elsewhere, join(folder, "link"));
  symlinkSync(join(folder, "users.csv"), join(folder, "newest.csv"));
  const database = join(elsewhere, "a.sqlite");
  const connection = new DatabaseSync(database);
  connection.exec("CREATE TABLE one (a)");
  connection.close();
  const bytes = readFileSync(database);
  const { left, complete, textOf } = await eraseIn(
    {
      "cut.sqlite": bytes.subarray(0, 700),
      "cut.csv.gz": gzipSync("a,b\n1,2\n".repeat(99)).subarray(0, 30),
      "deep.ndjson": `{"a":${"[".repeat(50_000)}1${"]".repeat(50_000)}}\n`,
      "null.plan": '{"bulk":1,"resource":"users","key":["id"]}\nnull\n',
      "packed.gz": gzipSync(bytes),
      "old.xls": Buffer.from("d0cf11e0a1b11ae1", "hex"),
      "some.bz2": "BZh91AY&SY",
      "some.xz": Buffer.from("fd377a585a00", "hex"),
      "some.zst": Buffer.from("28b52ffd", "hex"),
      "users.csv": `id,email,first_name\n41,${EMAIL},Jo\n`,
    },
    {},
    folder,
  );
  expect(complete).toBe(false);
  expect(textOf("users.csv")).toBe("id,email,first_name\n");
  expect(left.map((one) => one.split(":")[0])).toEqual([
    "cut.csv.gz could not be read or changed",
    "cut.sqlite could not be read or changed",
    "deep.ndjson could not be read or changed",
    "link is a link, which was not followed",
    "null.plan is damaged",
    ...["old.xls", "packed.gz", "some.bz2", "some.xz", "some.zst"].map(
      (name) => `${name} is a workbook, a document, a packed file or too large, and was not read`,
    ),
  ]);
  expect(await erase({ user: 41 }, { in: join(folder, "link"), emails: [EMAIL] })).toMatchObject({
    places: [],
    left: [{ place: join(folder, "link"), why: expect.stringMatching(/^is a link/) }],
  });
  expect(filesWith(elsewhere, EMAIL)).toEqual(["users.csv"]);
});

test("a file with the name of its own is neither followed, quoted nor replaced", async () => {
  const folder = newFolder();
  const secret = join(newFolder(), "secret");
  const state = join(folder, ".education-admin-sdk-erase");
  writeFileSync(secret, CANARY);
  symlinkSync(secret, state);
  for (const isLink of [true, false]) {
    if (!isLink) {
      rmSync(state);
      writeFileSync(state, CANARY);
    }
    const failure = await erase({ user: 41 }, { in: folder, write: true }).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: "input", message: expect.stringContaining("move it away") });
    expect(String(failure)).not.toContain(CANARY);
    expect(readFileSync(state, "utf8")).toBe(CANARY);
  }
});

test("it reads UTF-16 and tables below a title, and finds an address in any case", async () => {
  const table = `id,email,first_name\n41,${EMAIL},Jo\n7,ada@example.com,Ada\n`;
  const wide = (mark: string) => Buffer.from(mark + table, "utf16le").swap16();
  const { left, textOf, folder } = await eraseIn({
    "users-1.csv": wide("\uFEFF"),
    "users-2.csv": wide(""),
    "users-3.csv": `Users of 2030\n\n${table}`,
    "note.md": `Write to ${EMAIL.toUpperCase()}`,
    "wide.md": Buffer.from(`\uFEFFWrite to ${EMAIL}`, "utf16le"),
  });
  const rest = table.replace(/41,.*\n/, "");
  for (const [name, text] of [
    ["users-1.csv", `\uFEFF${rest}`],
    ["users-2.csv", rest],
  ] as const)
    expect(readFileSync(join(folder, name)).swap16().toString("utf16le"), name).toBe(text);
  expect(textOf("users-3.csv")).toBe(`Users of 2030\n\n${rest}`);
  expect(left.map((one) => one.slice(0, 23))).toEqual(["note.md contains 1 text", "wide.md contains 1 text"]);
});

test("the command takes addresses, and prints names of files without control characters", async () => {
  const folder = newFolder();
  mkdirSync(join(folder, "\u001b[2J"));
  writeFileSync(join(folder, "\u001b[2J", "roster.csv"), ROSTER);
  writeFileSync(join(folder, "\u001b[2J", "a.pdf"), "%PDF");
  const { stdout, status } = await runLine(["erase", "user", "41", "--in", folder, "--email", EMAIL, "--yes"], {});
  expect(status).toBe(1);
  expect(stdout).toContain("roster.csv (table): 1 record\n");
  expect(stdout).toContain("a.pdf is a workbook, a document");
  expect(stdout).not.toContain("\u001b");
});

test("a whole list of users is recognized under any name, although another list has the same records", async () => {
  const folder = newFolder();
  const { users } = new MainClient(createSandbox({ size: "small" }));
  for (const format of ["csv", "ndjson"] as const)
    await exportTo(join(folder, `u.${format}`), users.list(), { format });
  const { places } = await erase({ user: 7 }, { in: folder });
  expect(places.map(({ place, records }) => [basename(place), records])).toEqual([
    ["u.csv", 1],
    ["u.ndjson", 1],
  ]);
});
