import { chmodSync, linkSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { plan, readCsv, run, writeReport } from "../../src/bulk/node.js";
import { failure } from "../support/manual-clock.js";
import { partOf, textsOf } from "../workbook/support/books.js";
import { testFolder } from "./support/folder.js";
import { people, school } from "./support/school.js";

const SOURCE = "email,first_name,last_name\nq@example.com,Q,Q\n";

test("the file of the rows is not replaced by the report, under whatever name it is given", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  mkdirSync(at("rows"));
  writeFileSync(at("rows/source.csv"), SOURCE);
  symlinkSync(at("rows/source.csv"), at("link.csv"));
  symlinkSync(at("rows"), at("folder"));
  const message = "run: report is the file of the rows; name another file";
  const sources = [at("rows/source.csv"), at("link.csv"), pathToFileURL(at("rows/source.csv"))];
  for (const source of sources) {
    for (const report of [at("rows/source.csv"), at("link.csv"), at("folder/source.csv"), at("rows/../link.csv")]) {
      const error = await failure(run(client.users, readCsv(source), { to: at("a.plan"), key: "email", report }));
      expect(error.message).toContain(message);
    }
  }
  expect(sandbox.requests).toEqual([]);
  expect(readFileSync(at("rows/source.csv"), "utf8")).toBe(SOURCE);
  linkSync(at("rows/source.csv"), at("other.csv"));
  const options = { to: at("a.plan"), key: "email", report: at("other.csv") } as const;
  expect(await run(client.users, readCsv(at("link.csv")), options)).toMatchObject({ created: 1 });
  expect(readFileSync(at("rows/source.csv"), "utf8")).toBe(SOURCE);
});

test("a report is written where a symbolic link leads, and replaces no plan, folder or device", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  await plan(client.users, people(1), { to: at("a.plan"), key: "email" });
  const before = readFileSync(at("a.plan"), "utf8");
  for (const [link, to] of [
    ["old", "old.csv"],
    ["new", "new.csv"],
    ["plan", "a.plan"],
    ["folder", "."],
  ] as const) {
    symlinkSync(to, at(link));
  }
  symlinkSync("/dev/null", at("null"));
  writeFileSync(at("old.csv"), "before");
  for (const name of ["old", "new"]) {
    await writeReport(at("a.plan"), at(name));
    expect(lstatSync(at(name)).isSymbolicLink(), `${name} is a symbolic link`).toBe(true);
    expect(readFileSync(at(`${name}.csv`), "utf8")).toContain("new-1@example.com,");
  }
  const reportError = async (name: string) => (await failure(writeReport(at("a.plan"), at(name)))).message;
  const linked = { to: at("a.plan"), key: "email", report: at("plan") } as const;
  expect((await failure(run(client.users, people(1), linked))).message).toContain(
    "report must be the name of a file other than the plan",
  );
  expect(await reportError("plan")).toContain("path is the plan itself; name another file");
  await plan(client.users, people(1), { to: at("b.plan"), key: "email" });
  expect(await reportError("b.plan")).toContain("path is another plan; name another file");
  expect(await reportError("none/a.csv")).toContain(`path cannot be written; the folder ${at("none")} does not exist`);
  const sent = sandbox.requests.length;
  for (const name of ["b.plan", "none/a.csv", "."]) {
    const error = await failure(run(client.users, people(1), { ...linked, to: at("c.plan"), report: at(name) }));
    expect(error).toMatchObject({ code: "input", outcome: "not_sent", issues: [{ path: "report" }] });
  }
  expect(sandbox.requests).toHaveLength(sent);
  expect(await reportError("folder")).toContain("path is a folder; name a file");
  expect(await reportError("null")).toContain("path is a device; name a file");
  expect(readFileSync(at("a.plan"), "utf8")).toBe(before);
});

test.skipIf(process.platform === "win32")(
  "a new report is for its owner only, and one that is replaced keeps its permissions",
  async () => {
    const at = testFolder();
    const { client } = school();
    const options = { to: at("a.plan"), key: "email", report: at("a.csv") } as const;
    const mode = () => (statSync(at("a.csv")).mode & 0o777).toString(8);
    await run(client.users, people(1), options);
    expect(mode()).toBe("600");
    // A process's umask usually removes the group's write permission from a new file.
    chmodSync(at("a.csv"), 0o664);
    const { plan: kept } = await run(client.users, people(2), options);
    expect([mode(), readFileSync(at("a.csv"), "utf8").includes("new-2@")]).toEqual(["664", true]);
    symlinkSync("a.csv", at("link.csv"));
    await writeReport(kept, at("link.csv"));
    expect(mode()).toBe("664");
  },
);

test("a CSV report keeps every row as it came; a workbook has its texts as text cells, and no formula", async () => {
  const at = testFolder();
  const { client } = school();
  const cells = ["=cmd|' /C calc'!A0", '"@a ""b"", c"', "-12.50", "+1"];
  const source = `\uFEFFemail,first_name,last_name,=notes\n${cells.map((cell, row) => `f${row}@example.com,${cell},B,-x`).join("\n")}\nx"y,=1\n`;
  writeFileSync(at("rows.csv"), source);
  const options = {
    to: at("a.plan"),
    key: "email",
    columns: { first_name: "first_name", last_name: "last_name" },
    confirm: () => false,
    allow: ["text_formula"],
  } as const;
  for (const report of [at("r.csv"), at("r.xlsx")])
    await run(client.users, readCsv(at("rows.csv")), { ...options, report });
  expect(readFileSync(at("r.csv"), "utf8").split("\r\n").slice(0, 2)).toEqual([
    "\uFEFFemail,first_name,last_name,=notes,_row,_outcome,_id,_reason",
    "f0@example.com,=cmd|' /C calc'!A0,B,-x,2,,,",
  ]);
  const rows = await textsOf(at("r.xlsx"));
  expect(rows.map((row) => [row.first_name, row["=notes"], row._row, row._outcome])).toEqual([
    ["=cmd|' /C calc'!A0", "-x", "2", ""],
    ['@a "b", c', "-x", "3", ""],
    ["-12.50", "-x", "4", ""],
    ["+1", "-x", "5", ""],
    ["=1", "", "6", "refused"],
  ]);
  expect(partOf(at("r.xlsx"), "xl/worksheets/sheet1.xml")).not.toContain("<f");
});

test("the report of rows that are objects is a workbook too, with their numbers as numbers", async () => {
  const at = testFolder();
  const { client } = school();
  const rows = [{ email: "f@example.com", first_name: "=1+1", last_name: "B" }];
  await plan(client.users, rows, { to: at("a.plan"), key: "email", allow: ["text_formula"] });
  await writeReport(at("a.plan"), at("a.xlsx"));
  expect(await textsOf(at("a.xlsx"))).toEqual([
    { email: "f@example.com", first_name: "=1+1", last_name: "B", _row: "1", _outcome: "", _id: "", _reason: "" },
  ]);
});
