import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type BulkRow, plan, readCsv, rowsOf } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { testFolder } from "./support/folder.js";

async function rowsFor(text: string, options: object): Promise<BulkRow[]> {
  const at = testFolder();
  writeFileSync(at("tasks.csv"), text);
  const { tasks } = new MainClient(createSandbox({ empty: true, skipWaits: true }));
  const settings = { to: at("a.plan"), key: "name", ...options };
  await plan(tasks, readCsv(at("tasks.csv")), settings as never);
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(at("a.plan"))) rows.push(row);
  return rows;
}

test("the format of days reaches days that documents describe as text", async () => {
  const rows = await rowsFor("name,due_date\na,05-04-2027\nb,46141\n", { formats: { date: "dd-MM-yyyy" } });
  expect(rows.map(({ send, why }) => send.due_date ?? why[0]?.message)).toEqual([
    "2027-04-05",
    "is not a date written as dd-MM-yyyy",
  ]);
});

// Each option changes no cell of the file.
test.each<[string, object, string]>([
  ["name", { clear: ["due_date"] }, "clear names due_date, into which no column is read"],
  ["name", { find: { assignee_id: "email" } }, "find names assignee_id, into which no column is read"],
])("a file with the columns %s and the options %o is refused", async (header, options, message) => {
  await expect(rowsFor(`${header}\na,\n`, options)).rejects.toThrow(message);
});

test("conditions on the columns of a file compare cells in the form of the file", async () => {
  const text = "name,Fällig\na,05-04-2027\nb,31-12-2026\nc,\n";
  const options = { columns: { due_date: "Fällig" }, formats: { date: "dd-MM-yyyy", timeZone: "UTC" } };
  const namesFor = async (where: string) => (await rowsFor(text, { ...options, where })).map(({ send }) => send.name);
  expect(await namesFor("Fällig>=2027-01-01")).toEqual(["a"]);
  expect(await namesFor("Fällig=null or Fällig=2026")).toEqual(["b", "c"]);
  await expect(namesFor("Fällig>=soon")).rejects.toThrow('where Fällig: "soon" is not a day or a time');
  await expect(namesFor("Falling=1")).rejects.toThrow('names the column "Falling", which is not in the file');
});
