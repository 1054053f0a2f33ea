import { linkSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { plan, readCsv, rowsOf, run, undo } from "../../src/bulk/node.js";
import { erase } from "../../src/erase/node.js";
import { ABOUT, BELOW } from "../../src/erase/person.js";
import { MainClient } from "../../src/index.js";
import { mirror, sqlite } from "../../src/mirror/index.js";
import { REFERENCES } from "../../src/resources/references.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { machineFiles } from "../../src/work/place/node-files.js";
import { FileLock } from "../../src/work/place/node-lock.js";
import { runLine } from "../cli/run-support.js";
import { eraseIn, LEFT_ROSTER, newFolder, ROSTER } from "./support/erase-in.ts";
import { CANARY, EMAIL, filesWith, fillPlaces } from "./support/places.ts";

describe("a folder with all that the library keeps", () => {
  let folder = "";
  let places: Awaited<ReturnType<typeof fillPlaces>>;
  let before = new Map<string, string>();
  const linesOf = (name: string) => readFileSync(join(folder, name), "utf8").split("\n");
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "erase-"));
    places = await fillPlaces(folder);
    before = new Map(filesWith(folder, "").map((name) => [name, readFileSync(join(folder, name), "latin1")]));
    return () => rmSync(folder, { recursive: true });
  });

  test("is only looked at without write, and the report says what is where", async () => {
    const report = await erase({ user: places.id }, { in: folder });
    expect(filesWith(folder, "").map((name) => [name, readFileSync(join(folder, name), "latin1")])).toEqual([
      ...before,
    ]);
    expect(report).toMatchObject({ person: `user ${places.id}`, written: false, complete: false, left: [] });
    const found = report.places.map(({ place, kind, records }) => [place.slice(folder.length + 1), kind, records]);
    expect(found.map(([name, ...rest]) => [String(name).replace(/\.[\da-f]{8}$/, ""), ...rest])).toEqual([
      ["exports/enrollments.csv", "table", 1],
      ["exports/invoices.ndjson", "records", 1],
      ["exports/users.csv", "table", 1],
      ["exports/users.csv.gz", "table", 1],
      ["exports/users.ndjson", "records", 1],
      ["result.csv", "table", 1],
      ["roster.csv", "table", 1],
      [expect.stringMatching(/^roster\.plan\.\d{4}/), "plan", 1],
      ["roster.plan.memory", "memory", 1],
      ["school.sqlite", "mirror", 6],
      ["school.sqlite", "inbox", 1],
      ["school.sqlite", "journal", 1],
    ]);
    expect(JSON.stringify(report)).not.toContain(CANARY);
  });

  test("is refused while another process uses one of its files, and nothing is written", async () => {
    const lock = await FileLock.of(join(folder, "exports/users.csv"), machineFiles);
    if (typeof lock === "string") throw new Error(lock);
    const failure = erase({ user: places.id }, { in: folder, write: true });
    await expect(failure).rejects.toMatchObject({ code: "bulk", reason: "in_use" });
    await lock.release();
    expect(filesWith(folder, "").map((name) => [name, readFileSync(join(folder, name), "latin1")])).toEqual([
      ...before,
    ]);
  });

  test("has no byte of the person afterwards, and all of the others", async () => {
    const report = await erase({ user: places.id }, { in: folder, write: true });
    expect(filesWith(folder, CANARY)).toEqual([]);
    expect(report).toMatchObject({ written: true, complete: true, left: [] });
    expect(report.service).toContainEqual({ resource: "users", records: 1, delete: null });
    expect(JSON.stringify(report)).not.toContain(CANARY);
    for (const name of [
      "exports/enrollments.csv",
      "exports/invoices.ndjson",
      "exports/users.csv",
      "exports/users.ndjson",
      "roster.csv",
    ]) {
      const earlier = Buffer.from(before.get(name) ?? "", "latin1")
        .toString()
        .split("\n");
      expect(linesOf(name), name).toEqual(earlier.filter((line) => !line.includes(CANARY)));
      expect(linesOf(name).length, name).toBe(earlier.length - 1);
    }
    expect((await rowsIn(places.kept)).map((row) => [row.row, row.do])).toEqual([
      [2, "create"],
      [3, "leave"],
      [4, "create"],
    ]);
    expect(statSync(places.kept).mode & 0o777).toBe(0o600);
    await undo(places.kept, { to: join(folder, "back.plan") });
    const again = await run(places.client.users, readCsv(places.at("roster.csv")), places.runOptions);
    expect(again).toMatchObject({ created: 0, unchanged: 2, complete: true });
    expect((await erase({ user: places.id }, { in: folder })).places).toEqual([]);
  });

  test("tells readers of the feed, who miss no number, that the person is gone", async () => {
    const connection = new DatabaseSync(join(folder, "school.sqlite"));
    const copy = mirror(places.client, sqlite(connection), { clock: places.sandbox.clock });
    const changes = [];
    for await (const change of copy.changes()) changes.push(change);
    connection.close();
    expect(changes.map(({ seq }) => seq)).toEqual(changes.map((_, at) => at + 1));
    const own = changes.filter(({ list, id }) => list === "users" && Number(id) === places.id);
    expect(new Set(own.map(({ kind, before: old, after }) => JSON.stringify([kind, old, after])))).toEqual(
      new Set(['["gone",null,null]']),
    );
    // A reader that had read everything before gets a change for each of the six records.
    expect(changes.slice(-6).map(({ kind }) => kind)).toEqual(Array.from({ length: 6 }, () => "gone"));
    expect(changes.slice(-6)).toContain(own.at(-1));
    expect(changes.filter(({ kind, after }) => kind === "added" && after).length).toBeGreaterThan(100);
  });
});

async function rowsIn(path: string) {
  const rows = [];
  for await (const row of rowsOf(path)) rows.push(row);
  return rows;
}

test("records of others stay: a company's order loses its item, staff and namesakes nothing", async () => {
  const folder = newFolder();
  const lines = [
    {
      id: 5,
      account_id: 9,
      status: "active",
      order_items: [
        { id: 1, student_id: 41 },
        { id: 2, student_id: 7 },
      ],
    },
    { id: 6, account_id: 9, creator_id: 41, status: "active" },
    { id: 41, account_id: 9, status: "active" },
  ];
  const write = (records: readonly object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join("");
  writeFileSync(join(folder, "orders.ndjson"), write(lines));
  writeFileSync(join(folder, "users.csv"), `id,email,first_name\r\n41,${EMAIL},Jo\r\n7,${EMAIL},Jo\r\n`);
  writeFileSync(join(folder, "any.csv"), "id;amount\n41;12.50\n");
  const report = await erase({ user: 41 }, { in: folder, write: true });
  expect(readFileSync(join(folder, "orders.ndjson"), "utf8")).toBe(
    write([{ ...lines[0], order_items: [{ id: 2, student_id: 7 }] }, ...lines.slice(1)]),
  );
  expect(readFileSync(join(folder, "users.csv"), "utf8")).toBe(`id,email,first_name\r\n7,${EMAIL},Jo\r\n`);
  expect(readFileSync(join(folder, "any.csv"), "utf8")).toBe("id;amount\n41;12.50\n");
  expect(report.left).toEqual([{ place: join(folder, "users.csv"), why: expect.stringMatching(/^contains 1 text /) }]);
  expect(report.complete).toBe(false);
});

test("a plan that is not finished, a delivery that waits and an interrupted export stay unless they are named", async () => {
  const folder = newFolder();
  const sandbox = createSandbox({ size: 40, rateLimit: false, skipWaits: true });
  const client = new MainClient(sandbox);
  const rows = [
    { id: 3, middle_name: `${CANARY} X` },
    { id: 4, middle_name: "of another" },
  ];
  await plan(client.users, rows, { to: join(folder, "open.plan"), key: "id" });
  writeFileSync(join(folder, "users.csv.part"), `id,email,first_name\n3,${EMAIL},${CANARY}\n`);
  writeFileSync(join(folder, "users.csv.state"), "{}");
  const report = await erase({ user: 3 }, { in: folder, write: true });
  expect(report).toMatchObject({
    complete: false,
    places: [
      { kind: "plan", open: 1 },
      { kind: "unfinished", open: 1 },
    ],
  });
  expect(filesWith(folder, CANARY)).toEqual(["open.plan", "users.csv.part"]);
  expect((await erase({ user: 3 }, { in: folder, write: true, unfinished: true })).complete).toBe(true);
  expect(filesWith(folder, "")).toEqual(["open.plan"]);
  expect((await rowsIn(join(folder, "open.plan"))).map(({ do: what }) => what)).toEqual(["leave", "update"]);
});

test("it says where a text of the person is left: a note, a workbook, another name of a file, a file's name", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "users.csv"), `id,email,first_name,last_name\n41,${EMAIL},Jo,Fox\n`);
  writeFileSync(join(folder, "notes.txt"), `call ${EMAIL}\n`);
  writeFileSync(join(folder, "list.xlsx"), "PK\u0003\u0004");
  writeFileSync(join(folder, `${EMAIL}.pdf`), "%PDF");
  linkSync(join(folder, "users.csv"), join(newFolder(), "other.csv"));
  const { left, complete } = await erase({ user: 41 }, { in: folder, write: true });
  expect(complete).toBe(false);
  expect(left.map(({ place, why }) => `${place.slice(folder.length + 1)} ${why}`).sort()).toEqual([
    expect.stringMatching(/^list\.xlsx is a workbook/),
    expect.stringMatching(/^notes\.txt contains 1 text of the person/),
    expect.stringMatching(/^users\.csv had another name/),
    expect.stringMatching(/^….pdf is a workbook, a document/),
    expect.stringMatching(/^….pdf its name contains a text/),
  ]);
});

test.each<[string, object, object]>([
  ["person must be one of user", {}, { in: "." }],
  ["person must be one of user", { user: 41, account: 7 }, { in: "." }],
  ["person must be one of user", { user: "41" }, { in: "." }],
  ["person must be one of user", { course: 41 }, { in: "." }],
  ["emails must be a list", { user: 41 }, { in: ".", emails: ["jo"] }],
  ["in must name a folder", { user: 41 }, { in: [] }],
  ["does not exist", { user: 41 }, { in: "/no/such/folder" }],
  ['is unknown; did you mean "write"', { user: 41 }, { in: ".", wirte: true }],
])("input is refused before anything is read: %s", async (message, person, options) => {
  await expect(erase(person as never, options as never)).rejects.toMatchObject({
    code: "input",
    message: expect.stringContaining(message),
  });
});

test("the command prints what it found, changes nothing without a yes, and erases with --yes", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "users.csv"), `id,email,first_name\n41,${EMAIL},Jo\n`);
  const run = (...args: string[]) => runLine(["erase", ...args], {});
  const asked = await run("user", "41", "--in", folder);
  expect(asked).toMatchObject({ status: 2, stdout: `${join(folder, "users.csv")} (table): 1 record\n` });
  expect(asked.stderr).toContain("needs --yes if there is no terminal to ask on. Nothing was changed");
  expect(filesWith(folder, EMAIL)).toEqual(["users.csv"]);
  const done = await run("user", "41", "--in", folder, "--yes");
  expect(done).toMatchObject({ status: 0, stderr: "Nothing of user 41 is left here\n" });
  expect(done.stdout).toContain(
    "The service may still have 1 record of users: no operation deletes one, so overwrite the values.\n",
  );
  expect(JSON.parse((await run("user", "41", "--in", folder, "--json")).stdout)).toMatchObject({ places: [] });
  expect(await run("course", "41", "--in", folder, "--yes")).toMatchObject({ status: 2 });
  expect(filesWith(folder, "")).toEqual(["users.csv"]);
});

test("a copy that is synchronized at the same time loses nobody else, and another start takes out what came back", async () => {
  const folder = newFolder();
  const { client, sandbox, id } = await fillPlaces(folder);
  const connection = new DatabaseSync(join(folder, "school.sqlite"));
  const copy = mirror(client, sqlite(connection), { resources: ["users", "accounts"], clock: sandbox.clock, share: 1 });
  const [report] = await Promise.all([erase({ user: id }, { in: folder, write: true }), copy.sync()]);
  expect(report.written).toBe(true);
  const others = await client.users.list().toArray({ max: 1_000 });
  for (const user of others) sandbox.store.users.update(user.id, { middle_name: user.middle_name });
  sandbox.store.users.delete(id);
  for (const account of sandbox.store.accounts.filter((one) => one.personal_user_id === id))
    sandbox.store.accounts.delete(account.id);
  await copy.sync();
  const again = await erase({ user: id }, { in: folder, emails: [EMAIL], write: true });
  expect(again).toMatchObject({ complete: true, left: [] });
  await copy.sync();
  const rows = connection.prepare("SELECT id FROM current_users").all();
  connection.close();
  expect(rows).toHaveLength(others.length - 1);
  expect(filesWith(folder, CANARY)).toEqual([]);
});

test("a row with the identifier, in a list that may be another one, stays and is reported", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "people.csv"), `id,email,first_name\n41,${EMAIL},Jo\n`);
  const { complete, places, left } = await erase({ user: 41 }, { in: folder, write: true });
  expect({ complete, places }).toEqual({ complete: false, places: [] });
  expect(left).toEqual([
    { place: join(folder, "people.csv"), why: expect.stringMatching(/^has 1 row that may be/) },
    { place: "user 41", why: expect.stringMatching(/^has no e-mail address that is known here.*pass `emails`/) },
  ]);
  expect(filesWith(folder, EMAIL)).toEqual(["people.csv"]);
});

test("doubtful rows in the tables of several prefixes in one SQLite file are counted together", async () => {
  const folder = newFolder();
  const connection = new DatabaseSync(join(folder, "jobs.sqlite"));
  const row = { row: 1, do: "leave", in: { email: EMAIL, parent: "parent@example.com" } };
  const lines = [{ bulk: 1, resource: "users", key: ["email"] }, row, { end: { digest: "" } }];
  for (const table of ["a_bulk_lines", "b_bulk_lines"]) {
    connection.exec(`CREATE TABLE ${table} (seq INTEGER PRIMARY KEY, name TEXT, line TEXT)`);
    const insert = connection.prepare(`INSERT INTO ${table} (name, line) VALUES ('names', ?)`);
    for (const line of lines) insert.run(JSON.stringify(line));
  }
  connection.close();
  const { left } = await erase({ user: 41 }, { in: folder, emails: [EMAIL] });
  expect(left.map(({ why }) => why)).toContainEqual(expect.stringMatching(/^has 2 rows that may be/));
});

test("rows without an identifier need a known address: of a plan, or of the caller; else it says so, each time", async () => {
  const unknown = await eraseIn({ "roster.csv": ROSTER });
  expect(unknown).toMatchObject({ complete: false, places: [] });
  expect(unknown.left).toEqual([expect.stringMatching(/^user 41 has no e-mail address that is known here/)]);
  const given = await eraseIn({}, { emails: [EMAIL.toUpperCase()] }, unknown.folder);
  expect(given).toMatchObject({ complete: true, left: [] });
  expect(given.textOf("roster.csv")).toBe(LEFT_ROSTER);
  expect((await eraseIn({}, {}, unknown.folder)).left).toEqual(unknown.left);

  const head = { bulk: 1, resource: "users", made: "2030-01-01T00:00:00Z" };
  const csv = {
    key: ["id"],
    columns: { id: "Nr", email: "E-mail" },
    input: { csv: { delimiter: ";", head: "Nr;E-mail" } },
  };
  const linesOf = (header: object, row: object) =>
    [{ ...head, ...header }, { row: 2, ...row }, { end: { digest: "0" } }]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("");
  for (const plan of [
    linesOf({ key: ["email"] }, { do: "leave", id: 41, key: EMAIL }),
    linesOf({ key: ["id"] }, { do: "leave", id: 41, key: "41", in: { id: 41, email: EMAIL } }),
    linesOf(csv, { do: "refuse", why: [{ message: CANARY }], in: `41;${EMAIL}` }),
    linesOf(
      { key: ["id"] },
      { do: "leave", id: 41, key: "41", before: { email: EMAIL }, send: { email: "new@example.com" } },
    ),
  ]) {
    const { complete, left, textOf } = await eraseIn({ "a.plan": plan, "roster.csv": ROSTER });
    expect([complete, left, textOf("roster.csv")], plan).toEqual([true, [], LEFT_ROSTER]);
    expect(textOf("a.plan"), plan).not.toContain(CANARY);
  }
});

test("a row that has another's address beside the person's stays and is reported", async () => {
  const contacts = `student;contact\n${EMAIL};mum@example.com\n${EMAIL};\n`;
  const nested = `${JSON.stringify({ name: "Kim", mail: "kim@example.com", guardian: { mail: EMAIL } })}\n`;
  const { left, textOf } = await eraseIn({ "contacts.csv": contacts, "own.ndjson": nested }, { emails: [EMAIL] });
  expect(textOf("contacts.csv")).toBe(`student;contact\n${EMAIL};mum@example.com\n`);
  expect(textOf("own.ndjson")).toBe(nested);
  expect(left.filter((one) => one.includes("another address")).map((one) => one.split(" ")[0])).toEqual([
    "contacts.csv",
    "own.ndjson",
  ]);
});

test("the address of a guardian in the person's record is not the person's", async () => {
  const users = `id,email,guardian.email\n41,${EMAIL},mum@example.com\n`;
  const { textOf } = await eraseIn({ "users.csv": users, "roster.csv": "E-mail\nmum@example.com\n" });
  expect(textOf("roster.csv")).toBe("E-mail\nmum@example.com\n");
});

// References to staff, and to a firm's account, only mention a person.
const MENTIONED = "administrator assigned_by assignee completed_by creator primary_account teacher".split(" ");
const PERSONAL = /^(users|accounts|leads|organization\.contacts|teachers|orders|invoices|enrollments)$/;

test("it knows of each reference of the service whether a record is about the person", () => {
  const names = Object.entries(REFERENCES).flatMap(([name, resource]) => (PERSONAL.test(resource) ? name : []));
  expect(names.filter((name) => ![...ABOUT, ...BELOW, ...MENTIONED].includes(name))).toEqual([]);
});

test("a file that another program saves while it is read keeps the new row, and loses the person's", async () => {
  const folder = newFolder();
  const path = join(folder, "users.csv");
  writeFileSync(path, `id,email,first_name\n41,${EMAIL},Jo\n`);
  const other = `id,email,first_name\n7,ada@example.com,Ada\n41,${EMAIL},Jo\n`;
  // The state is written after the files were looked at, and before they are changed.
  const { create } = machineFiles;
  const saving = vi.spyOn(machineFiles, "create").mockImplementation(async (...args) => {
    if (args[0].includes("users.csv") && !args[0].endsWith(".lock")) {
      saving.mockRestore();
      writeFileSync(path, other);
    }
    return create(...args);
  });
  const report = await erase({ user: 41 }, { in: folder, write: true });
  saving.mockRestore();
  expect(readFileSync(path, "utf8")).toBe("id,email,first_name\n7,ada@example.com,Ada\n");
  expect(report).toMatchObject({ written: true, complete: true });
});
