import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type BulkRow, plan, readCsv, rowsOf } from "../../src/bulk/node.js";
import { planSentence } from "../../src/cli/tell/bulk-words.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { testFolder } from "./support/folder.js";

async function planFor(text: string, options: object, of: "tasks" | "users" = "tasks") {
  const at = testFolder();
  writeFileSync(at("rows.csv"), text);
  const client = new MainClient(createSandbox({ empty: true, skipWaits: true }));
  const settings = { to: at("a.plan"), key: of === "tasks" ? "name" : "email", ...options };
  const summary = await plan(client[of] as never, readCsv(at("rows.csv")), settings as never);
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(at("a.plan"))) rows.push(row);
  return { summary, rows };
}

const rowsFor = async (text: string, options: object) => (await planFor(text, options)).rows;

const FORMATS = {
  date: "dd-MM-yyyy",
  dateTime: "dd-MM-yyyy HH:mm",
  timeZone: "UTC",
  yes: "ja",
  decimal: ",",
  list: "|",
};

// Formats that the file does not need are not refused, because one set of formats may serve many files.
test.each<[string, "tasks" | "users", object, readonly string[] | undefined]>([
  ["name,due_date\na,05-04-2027\n", "tasks", {}, ["dateTime", "timeZone", "yes", "decimal", "list"]],
  ["name,due_date\na,05-04-2027\n", "tasks", { formats: { date: "dd-MM-yyyy" } }, undefined],
  ["name,due_date\n", "tasks", {}, undefined],
  ["email,wants_newsletter\na@example.com,ja\n", "users", {}, ["date", "dateTime", "timeZone", "decimal", "list"]],
  ["email,label_ids\na@example.com,1|2\n", "users", {}, ["date", "dateTime", "timeZone", "yes", "decimal"]],
  [
    "name,x\na,1\n",
    "tasks",
    { columns: { name: "name" }, where: "x=1" },
    ["date", "dateTime", "yes", "decimal", "list"],
  ],
])("a plan lists the formats that no column of %j of %s needs", async (text, of, options, unused) => {
  const { summary } = await planFor(text, { formats: FORMATS, ...options }, of);
  expect(summary.unusedFormats).toEqual(unused);
  const told = planSentence(summary, "a.plan");
  expect(told.includes("Not used: ")).toBe(unused !== undefined);
  expect(told.includes("--date-time")).toBe(unused !== undefined);
});

test("the format for days also applies to days that documents describe as text", async () => {
  const rows = await rowsFor("name,due_date\na,05-04-2027\nb,46141\n", { formats: { date: "dd-MM-yyyy" } });
  expect(rows.map(({ send, why }) => send.due_date ?? why[0]?.message)).toEqual([
    "2027-04-05",
    "is not a date written as dd-MM-yyyy",
  ]);
});

// Each of these options would change no cell of the file.
test.each<[string, object, string]>([
  ["name", { clear: ["due_date"] }, "clear names due_date, for which no column has values"],
  ["name", { find: { assignee_id: "email" } }, "find names assignee_id, for which no column has values"],
])("a file with the columns %s and the unused options %o is refused", async (header, options, message) => {
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
