import { expect, test } from "vitest";
import { type BulkRow, plan, rowsOf } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { defineSchool } from "../../src/school/index.js";
import { testFolder } from "./support/folder.js";
import { school } from "./support/school.js";

async function rowsIn(path: string): Promise<BulkRow[]> {
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(path)) rows.push(row);
  return rows;
}

const reasons = (rows: readonly BulkRow[]) =>
  rows.map(({ why }) => why.map(({ column, message }) => `${column} ${message}`).join("; "));

const FORMATS = { date: "dd-MM-yyyy", decimal: ",", list: "|" } as const;

test("days of planned courses are read by the format, and other text is refused", async () => {
  const at = testFolder();
  const { client } = school();
  const days = ["01-02-2027", "31-02-2027", "hello", "2027-02-01"];
  const rows = days.map((start_date, row) => ({ id: row + 1, start_date }));
  await plan(client.plannedCourses, rows, { to: at("a.plan"), key: "id", formats: FORMATS });
  const found = await rowsIn(at("a.plan"));
  expect(found.map(({ send }) => send.start_date)).toEqual(["2027-02-01", undefined, undefined, undefined]);
  const wrong = "start_date is not a date written as dd-MM-yyyy";
  expect(reasons(found)).toEqual(["", wrong, wrong, wrong]);
  await plan(client.plannedCourses, rows, { to: at("a.plan"), key: "id" });
  expect((await rowsIn(at("a.plan"))).map(({ send }) => send.start_date)).toEqual(days);
});

const CELLS = [
  { "custom.born": "03-04-2001", "custom.fee": "1.250", "custom.topics": "art|music", "custom.note": "03-04-2001" },
  { "custom.born": "31-02-2001" },
  { "custom.fee": "1.2" },
];
const own = defineSchool({
  users: {
    born: "datepicker",
    fee: "decimal",
    topics: { type: "multiselect", options: ["art", "music"] },
    note: "string",
  },
});

test.each([
  ["without", false],
  ["with", true],
])("custom fields %s the option school are read by the formats of what their questions ask for", async (_, isTold) => {
  const at = testFolder();
  const sandbox = createSandbox({ size: "small", skipWaits: true, school: own });
  const client = new MainClient({ ...sandbox, ...(isTold && { school: own }) }) as MainClient;
  const people = CELLS.map((cells, at) => ({
    email: `f-${at}@example.com`,
    first_name: "A",
    last_name: "B",
    ...cells,
  }));
  await plan(client.users, people as never, { to: at("a.plan"), key: "email", formats: FORMATS });
  const found = await rowsIn(at("a.plan"));
  expect(found[0]?.send.custom).toEqual({
    born: "2001-04-03",
    fee: "1250",
    topics: ["art", "music"],
    note: "03-04-2001",
  });
  expect(reasons(found)).toEqual([
    "",
    "custom.born is not a date written as dd-MM-yyyy",
    "custom.fee is not a number with a decimal comma, such as 1200,50 or 1.200,50",
  ]);
});

test("without a format cells of custom fields are sent as written", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true, school: own }));
  const [cells] = CELLS;
  const rows = [{ email: "f@example.com", first_name: "A", last_name: "B", ...cells }];
  await plan(client.users, rows as never, { to: at("a.plan"), key: "email" });
  expect((await rowsIn(at("a.plan")))[0]?.send.custom).toEqual({
    born: "03-04-2001",
    fee: "1.250",
    topics: "art|music",
    note: "03-04-2001",
  });
});
