import { readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { apply, plan, readCsv, undo, writeReport } from "../../src/bulk/node.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { people, school } from "./support/school.js";

const lines = (path: string) => readFileSync(path, "utf8").split("\r\n").slice(0, -1);

test("has every field of any row if rows are objects, and each row's outcome", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const rows = [
    { email: "a@example.com", first_name: 'An "A"', last_name: "B, C" },
    { email: "b@example.com", last_name: "No first name" },
    { email: "c@example.com", first_name: "Refused", last_name: "Later", locale: "nl" },
    { email: "a@example.com", first_name: "Twice", last_name: "A" },
  ];
  await plan(client.users, [...rows, ...people(1)] as never, { to: at("a.plan"), key: "email" });
  sandbox.faults.next({ operation: "users.create", errors: { last_name: ["is taken", "is odd"] } });
  await apply(client, at("a.plan"));
  await writeReport(at("a.plan"), at("a.csv"));
  expect(lines(at("a.csv"))).toEqual([
    "email,first_name,last_name,locale,_row,_outcome,_id,_reason",
    'a@example.com,"An ""A""","B, C",,1,refused,,row 4 has the same key',
    "b@example.com,,No first name,,2,refused,,first_name is missing",
    "c@example.com,Refused,Later,nl,3,failed,,last_name is taken; last_name is odd",
    "a@example.com,Twice,A,,4,refused,,row 1 has the same key",
    "new-1@example.com,New,Person 1,,5,created,26,",
  ]);
  // The file holds personal data.
  expect(statSync(at("a.csv")).mode & 0o777).toBe(0o600);
});

test("names the values that the service stored differently", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  await plan(client.users, [{ id: 1, email: "other@example.com", middle_name: "de" }], { to: at("a.plan"), key: "id" });
  expect(sandbox.store.users.get(1)?.email).not.toBe("other@example.com");
  await apply(client, at("a.plan"));
  await writeReport(at("a.plan"), at("a.csv"));
  expect(lines(at("a.csv"))[1]).toBe(
    "1,other@example.com,de,1,updated,1,email was stored with a different value from the one sent",
  );
});

test("of an undo has the restored values, or only its own columns if nothing was restored", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const before = sandbox.store.users.get(2);
  await plan(client.users, [{ id: 2, first_name: "Changed" }], { to: at("a.plan"), key: "id" });
  await apply(client, at("a.plan"));
  await undo(at("a.plan"), { to: at("b.plan") });
  await writeReport(at("b.plan"), at("b.csv"));
  expect(lines(at("b.csv"))).toEqual(["first_name,_row,_outcome,_id,_reason", `${before?.first_name},1,,2,`]);
  await plan(client.users, people(1), { to: at("c.plan"), key: "email" });
  await apply(client, at("c.plan"));
  await undo(at("c.plan"), { to: at("d.plan") });
  await writeReport(at("d.plan"), at("d.csv"));
  expect(lines(at("d.csv"))).toEqual(["_row,_outcome,_id,_reason", "1,unchanged,26,the service deletes no users"]);
});

test("of a file with semicolons has semicolons and a byte order mark for Excel, and quotes a reason that contains a semicolon", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  writeFileSync(
    at("rows.csv"),
    'email;first_name;last_name;label_ids\na@example.com;"A;B";C;No label; x\nb@example.com;;;None\n',
  );
  await plan(client.users, readCsv(at("rows.csv")), { to: at("a.plan"), key: "email", find: { label_ids: "name" } });
  await writeReport(at("a.plan"), at("a.csv"));
  expect(lines(at("a.csv"))).toEqual([
    "\ufeffemail;first_name;last_name;label_ids;_row;_outcome;_id;_reason",
    'a@example.com;"A;B";C;No label;2;refused;;line 2 has more cells than the header',
    "b@example.com;;;None;3;refused;;label_ids cannot be found: none of the labels has the name None",
  ]);
  expect(sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  writeFileSync(at("rows.csv"), "email;first_name;last_name\nb@example.com;;\n");
  await plan(client.users, readCsv(at("rows.csv")), { to: at("b.plan"), key: "email" });
  await writeReport(at("b.plan"), at("b.csv"));
  expect(lines(at("b.csv"))[1]).toBe('b@example.com;;;2;refused;;"first_name is missing; last_name is missing"');
});

test("gives a reason once if two fields share a column", async () => {
  const at = testFolder();
  const { client } = school();
  const read = () => {
    throw new Error("no name");
  };
  const name = { from: "Name", read };
  const columns = { first_name: name, last_name: name };
  await plan(client.users, [{ email: "a@example.com", Name: "A" }], { to: at("a.plan"), key: "email", columns });
  await writeReport(at("a.plan"), at("a.csv"));
  expect(lines(at("a.csv"))[1]).toBe("a@example.com,A,1,refused,,Name cannot be read: no name");
});

test("has each row once and in order, even if they do not fit into memory together", async () => {
  const at = testFolder();
  const { client } = school();
  const rows = people(400).map((row) => ({ ...row, last_name: "x".repeat(700) }));
  await plan(client.users, rows, { to: at("a.plan"), key: "email" });
  await writeReport(at("a.plan"), at("a.csv"));
  const read = parse(readFileSync(at("a.csv")), { columns: true }) as { email: string; _row: string }[];
  expect(read.map(({ email }) => email)).toEqual(rows.map(({ email }) => email));
  expect(read.map(({ _row }) => Number(_row))).toEqual(rows.map((_, row) => row + 1));
});

test("never replaces its plan, whatever path is used", async () => {
  const at = testFolder();
  const { client } = school();
  await plan(client.users, people(1), { to: at("a.plan"), key: "email" });
  const before = readFileSync(at("a.plan"));
  symlinkSync(at(""), at("alias"));
  const names = [at("a.plan"), `${at("x")}/../a.plan`, relative(process.cwd(), at("a.plan")), at("alias/a.plan")];
  for (const path of names) {
    expect(await failure(writeReport(at("a.plan"), path))).toMatchObject({
      code: "input",
      operation: "writeReport",
      issues: [{ path: "path", message: "is the plan itself; name another file" }],
    });
  }
  expect(readFileSync(at("a.plan"))).toEqual(before);
});
