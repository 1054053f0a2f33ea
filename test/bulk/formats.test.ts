import { expect, test } from "vitest";
import { dayIn } from "../../src/bulk/file/times.js";
import { apply, type BulkRow, plan, rowsOf } from "../../src/bulk/node.js";
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
  const strict = await rowsIn(at("a.plan"));
  expect(strict.map(({ send }) => send.start_date)).toEqual([undefined, undefined, undefined, "2027-02-01"]);
  expect(reasons(strict)[0]).toBe(
    "start_date is not a date written as yyyy-MM-dd; set the `date` format to the way days are written",
  );
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

test("without a format, a list of a custom field has one text, and a text that is not a day is refused in a field for days", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true, school: own }));
  const rows = ["03-04-2001", "2001-04-03"].map((born, row) => ({
    email: `f${row}@example.com`,
    first_name: "A",
    last_name: "B",
    ...CELLS[0],
    "custom.fee": "12.50",
    "custom.born": born,
  }));
  await plan(client.users, rows as never, { to: at("a.plan"), key: "email" });
  const found = await rowsIn(at("a.plan"));
  expect(reasons(found)[0]).toMatch(/^custom.born is not a date written as yyyy-MM-dd/);
  expect(found[1]?.send.custom).toEqual({
    born: "2001-04-03",
    fee: "12.50",
    topics: ["art|music"],
    note: "03-04-2001",
  });
});

test("two digits of a year, no signs between and a midnight behind a day are read, and what is no day is not", () => {
  const read = (text: string, format: string) => dayIn(text, format);
  expect(read("3-4-29", "d-M-yy")).toBe("2029-04-03");
  expect(read("3-4-30", "d-M-yy")).toBe("1930-04-03");
  expect(read("20260403", "yyyyMMdd")).toBe("2026-04-03");
  expect(read("03-04-2026 00:00", "dd-MM-yyyy")).toBe("2026-04-03");
  expect(read("03-04-2026 0:00:00", "dd-MM-yyyy")).toBe("2026-04-03");
  expect(read("03-04-2026 08:00", "dd-MM-yyyy")).toBeNull();
  expect(read("30-02-2026", "dd-MM-yyyy")).toBeNull();
  expect(read("03-04-26", "dd-MM-yyyy")).toBeNull();
});

const SUMMER = { date: undefined, dateTime: "dd-MM-yyyy H:mm" } as const;

test("local times are those of the school's clocks; times that these never show, or show twice, are refused", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const times = ["01-07-2027 9:30", "01-12-2027 19:30", "28-03-2027 2:30", "31-10-2027 2:30", "01-07-2027"];
  const rows = times.map((start_date_time, row) => ({ id: row + 1, start_date_time }));
  await plan(client.meetings, rows as never, { to: at("a.plan"), key: "id", formats: SUMMER });
  const found = await rowsIn(at("a.plan"));
  expect(sandbox.calls("educators.get")).toHaveLength(1);
  expect(found.slice(0, 2).map(({ send }) => send.start_date_time)).toEqual([
    "2027-07-01T07:30:00.000Z",
    "2027-12-01T18:30:00.000Z",
  ]);
  expect(reasons(found).slice(2)).toEqual([
    "start_date_time does not exist in Europe/Amsterdam: the clocks go forward at that time",
    "start_date_time occurs twice in Europe/Amsterdam, where the clocks go back at that time: write it with its UTC offset",
    "start_date_time is not a time written as dd-MM-yyyy H:mm",
  ]);
});

test("a Date is a day only at midnight in UTC; another one is refused with what to do", async () => {
  const at = testFolder();
  const { client } = school();
  const rows = ["2030-06-29T22:00:00.000Z", "2030-06-30T00:00:00.000Z"].map((day, row) => ({
    id: row + 1,
    end_date: new Date(day),
  }));
  await plan(client.enrollments, rows as never, { to: at("a.plan"), key: "id" });
  const found = await rowsIn(at("a.plan"));
  expect(reasons(found)[0]).toMatch(
    /^end_date is 2030-06-29T22:00:00.000Z, but a Date counts as a day only at 00:00:00.000Z/,
  );
  expect(found[1]?.send.end_date).toBe("2030-06-30");
});

test("times with a T, without signs, with the halves of the day and with names of months are read", async () => {
  const at = testFolder();
  const { client } = school();
  const read = async (cell: string, dateTime?: string) => {
    const rows = [{ id: 1, start_date_time: cell }];
    await plan(client.meetings, rows as never, { to: at("a.plan"), key: "id", formats: { dateTime } }).catch(
      () => null,
    );
    const [row] = await rowsIn(at("a.plan"));
    return row?.send.start_date_time ?? row?.why[0]?.message;
  };
  const ten = "2027-10-18T08:00:00.000Z";
  expect(await read("2027-10-18T10:00", "yyyy-MM-ddTHH:mm")).toBe(ten);
  expect(await read("20271018T100000", "yyyyMMdd'T'HHmmss")).toBe(ten);
  expect(await read("10/18/2027 10:00 AM", "MM/dd/yyyy hh:mm a")).toBe(ten);
  expect(await read("10/18/2027 12:30 a.m.", "MM/dd/yyyy hh:mm a")).toBe("2027-10-17T22:30:00.000Z");
  for (const day of ["18 okt 2027", "18 Oktober 2027", "18 oct. 2027", "18 październik 2027"])
    expect(await read(`${day} 10:00`, day.includes(".") ? "d MMM yyyy H:mm" : "d MMMM yyyy H:mm")).toBe(ten);
  expect(await read("18 m 2027 10:00", "d MMMM yyyy H:mm")).toBe("is not a time written as d MMMM yyyy H:mm");
  expect(await read("10/18/2027 13:00 PM", "MM/dd/yyyy hh:mm a")).toMatch(/^is not a time/);
  expect(await read("2027-10-18T10:00")).toMatch(/^has no UTC offset; set the `dateTime` format/);
});

test("a column that only the other order of day and month fits is refused whole, with the format that fits", async () => {
  const at = testFolder();
  const { client } = school();
  const of = (days: readonly string[]) => days.map((start_date, row) => ({ id: row + 1, start_date }));
  const options = { to: at("a.plan"), key: "id", formats: { date: "dd/MM/yyyy" } } as const;
  const american = of(["01/02/2027", "01/25/2027", "03/31/2027"]);
  await expect(plan(client.plannedCourses, american, options)).rejects.toThrow(
    'formats.date does not fit the column "start_date": 2 of its cells can only be read as MM/dd/yyyy, and none only as dd/MM/yyyy',
  );
  expect(await plan(client.plannedCourses, american, { ...options, allow: ["day_order"] })).toMatchObject({
    update: 1,
    refuse: 2,
  });
  // One cell that only the format fits proves the format, so the other cell is a mistake.
  const european = of(["25/01/2027", "01/31/2027", "01/02/2027"]);
  expect(await plan(client.plannedCourses, european, options)).toMatchObject({ update: 2, refuse: 1 });
  expect((await rowsIn(at("a.plan")))[2]?.send.start_date).toBe("2027-02-01");
});

test("cells that count as empty leave their fields alone or clear them, and words stand for other values", async () => {
  const at = testFolder();
  const { client } = school();
  const cells = [
    { middle_name: "NULL", "address_attributes.country": "nederland" },
    { middle_name: " N.v.t. ", "address_attributes.country": "-" },
    { middle_name: "n.v.t. today", "address_attributes.country": "Curac\u0327ao" },
  ];
  const rows = cells.map((each, row) => ({ id: row + 2, ...each }));
  const formats = { empty: ["null", "n.v.t.", "-"], words: { Nederland: "NL", "Cura\u00e7ao": "CW" } };
  await plan(client.users, rows as never, { to: at("a.plan"), key: "id", formats });
  const sendings = async () =>
    (await rowsIn(at("a.plan"))).map(
      ({ send, why }) => why[0]?.message ?? JSON.stringify(send).match(/"(NL|CW)"/)?.[1],
    );
  expect(await sendings()).toEqual(["NL", undefined, "CW"]);
  expect((await rowsIn(at("a.plan"))).map(({ send }) => send.middle_name)).toEqual([
    undefined,
    undefined,
    "n.v.t. today",
  ]);
  const all = { to: at("a.plan"), key: "id", formats, clear: ["middle_name"] } as const;
  await client.users.update(2, { middle_name: "Old" });
  await plan(client.users, rows.slice(0, 1) as never, all);
  expect((await rowsIn(at("a.plan")))[0]?.send.middle_name).toBeNull();
  await plan(client.users, rows as never, { to: at("a.plan"), key: "id" });
  expect((await sendings())[0]).toContain("add it to the `empty` format; to accept such cells, allow no_value");
  for (const wrong of [{ empty: "NULL" }, { words: ["a"] }, { words: { a: 1 } }])
    await expect(plan(client.users, rows as never, { ...all, formats: wrong as never })).rejects.toThrow(
      /formats\.(empty|words) must be/,
    );
});

test("words stand for codes, and never change a name", async () => {
  const at = testFolder();
  const { client } = school();
  const rows = [{ id: 2, last_name: "Engels", locale: "Engels" }];
  const formats = { words: { Engels: "en" } };
  await plan(client.users, rows, { to: at("a.plan"), key: "id", formats });
  expect((await rowsIn(at("a.plan")))[0]?.send).toMatchObject({ last_name: "Engels", locale: "en" });
});

test("custom fields are read by what their questions ask for, and a value of another type is refused when planning", async () => {
  const at = testFolder();
  const own = defineSchool({
    users: { vega: "boolean", fee: "decimal", note: "string", topics: { type: "multiselect", options: ["art"] } },
  });
  const sandbox = createSandbox({ size: "small", skipWaits: true, school: own });
  const person = (name: string, cells: object) => ({
    email: `${name}@example.com`,
    first_name: "A",
    last_name: "B",
    ...cells,
  });
  const people = [
    person("a", { "custom.vega": "Ja", "custom.fee": "012.50", "custom.note": "no", "custom.topics": "art" }),
    person("b", { "custom.vega": "false", "custom.topics": '["art"]' }),
    person("c", { "custom.vega": "soms", "custom.fee": "veel" }),
  ];
  const options = { to: at("a.plan"), key: "email", formats: { yes: "ja", no: "nee" } } as const;
  const client = new MainClient(sandbox);
  await plan(client.users, people as never, options);
  const found = await rowsIn(at("a.plan"));
  expect(found.map(({ send }) => send.custom)).toEqual([
    { vega: true, fee: "12.50", note: "no", topics: ["art"] },
    { vega: false, topics: ["art"] },
    undefined,
  ]);
  expect(reasons(found)[2]).toBe("custom.vega is neither true nor false; custom.fee is not a number, such as 12.50");
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 2, refused: 1 });
  const set = { "custom.vega": "nee" };
  await plan(client.users, [person("d", {})], { ...options, to: at("b.plan"), set } as never);
  expect((await rowsIn(at("b.plan")))[0]?.send.custom).toEqual({ vega: false });
});
