import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apply, plan, readCsv, readSheet, rowsOf, writeReport } from "../../../src/bulk/node.js";
import { exportTo } from "../../../src/export/node.js";
import { MainClient } from "../../../src/index.js";
import { createSandbox } from "../../../src/sandbox/index.js";
import { drawCases } from "../../support/amount.js";
import { testFolder } from "../support/folder.js";
import { changesOf, oddResource, RESOURCES, unchanged } from "../support/odd-school.js";

test("there are resources to export and plan", () => {
  expect(RESOURCES.length).toBeGreaterThanOrEqual(24);
});

test.each(drawCases(RESOURCES, 15))(
  "an export of $api $name, as CSV and as a workbook, changes no record",
  async (one) => {
    const at = testFolder();
    const { resource, columns, paths } = oddResource(one);
    const csv = await exportTo(at("a.csv"), resource.list(), { format: "csv", columns: paths });
    const sheet = await exportTo(at("a.xlsx"), resource.list(), { format: "xlsx", columns: paths });
    expect(sheet.records).toBe(csv.records);
    expect(await changesOf(resource, readCsv(at("a.csv")), columns, at("a.plan"))).toEqual(unchanged(csv.records));
    expect(await changesOf(resource, readSheet(at("a.xlsx")), columns, at("b.plan"))).toEqual(unchanged(csv.records));
  },
);

test("the report of a run, planned again with its columns, asks for nothing, as CSV and as a workbook", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
  const names = ["'t Hart", "=SUM(A1:A9)", "+31 20 555 01 00", "'=1+1", "-12.50", "Null"];
  const lines = names.map((name, row) => `r${row}@example.com,Jo,"${name}"`);
  writeFileSync(at("0.csv"), `email,first_name,last_name\n${lines.join("\n")}\n`);
  const files = ["0.csv", "1.csv", "2.xlsx", "3.xlsx", "4.csv", "5.csv"];
  for (const [turn, name] of files.slice(0, -1).entries()) {
    const to = at(`${turn}.plan`);
    const rows = name.endsWith("csv") ? readCsv(at(name)) : readSheet(at(name));
    const { create, leave } = await plan(client.users, rows, {
      to,
      key: "email",
      allow: ["text_formula"],
    });
    expect([create, leave]).toEqual(turn === 0 ? [names.length, 0] : [0, names.length]);
    await apply(client, to);
    await writeReport(to, at(files[turn + 1] ?? ""));
  }
  const users = await client.users.list().toArray();
  expect(users.slice(-names.length).map(({ last_name }) => last_name)).toEqual(names);
});

test("one cell that is changed in a spreadsheet is one change, in the form of the record", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
  const columns = ["id", "phone", "label_ids"] as const;
  await client.accounts.update(1, { name: "Firm", phone: "+31 20 555 01 00" });
  await exportTo(at("a.csv"), client.accounts.list(), { format: "csv", columns });
  const edited = readFileSync(at("a.csv"), "utf8").replace(/\r\n1,.*\r\n/, '\r\n1,+31 20 555 01 99,"[1,2]"\r\n');
  writeFileSync(at("a.csv"), edited);
  await plan(client.accounts, readCsv(at("a.csv")), { to: at("a.plan"), key: "id" });
  const changes: unknown[] = [];
  for await (const row of rowsOf(at("a.plan"))) if (row.do !== "leave") changes.push([row.id, row.do, row.send]);
  expect(changes).toEqual([[1, "update", { phone: "+31 20 555 01 99", label_ids: [1, 2] }]]);
});
