import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type PlanOptions, plan, readCsv, readSheet, rowsOf, run, type SheetFound } from "../../../src/bulk/node.js";
import { exportTo } from "../../../src/export/node.js";
import { MainClient } from "../../../src/index.js";
import { createSandbox } from "../../../src/sandbox/index.js";
import { defineSchool } from "../../../src/school/index.js";
import { failure } from "../../support/manual-clock.js";
import { partOf, text, textsIn, textsOf, writeBook } from "../../workbook/support/books.js";
import { testFolder } from "../support/folder.js";

const FORMATS = ["dd/mm/yyyy", "dd/mm/yyyy hh:mm", "hh:mm", "@", "00000", "0%"];
const [DAY, MOMENT, CLOCK, TEXT, ZEROS, PERCENT] = [1, 2, 3, 4, 5, 6];

type Cell = string | readonly [value: string, style?: number, type?: string];

/** A workbook with one sheet; cells are texts, or values with a style and a type. */
function sheetWith(
  path: string,
  rows: readonly (readonly Cell[])[],
  more: { before?: string; after?: string } = {},
): string {
  const cellAt = (cell: Cell, place: string) => {
    if (typeof cell === "string") return cell === "" ? "" : text(place, cell);
    const [value, style = 0, type = "n"] = cell;
    return `<c r="${place}" s="${style}" t="${type}">${value === "=" ? "<f>A1</f>" : `<v>${value}</v>`}</c>`;
  };
  const xml = rows.map((cells, row) => {
    const all = cells.map((cell, at) => cellAt(cell, `${String.fromCharCode(65 + at)}${row + 1}`));
    return `<row r="${row + 1}">${all.join("")}</row>`;
  });
  return writeBook(path, { sheets: [{ rows: xml.join(""), ...more }], formats: FORMATS });
}

function client(data: Parameters<typeof createSandbox>[0] = {}) {
  const sandbox = createSandbox({ empty: true, skipWaits: true, ...data });
  return { sandbox, client: new MainClient({ ...sandbox, rateLimit: false }) };
}

async function decisionsFor(
  rows: AsyncIterable<object>,
  to: string,
  school: MainClient,
  more: Partial<PlanOptions<MainClient["accounts"]>> = {},
) {
  await plan(school.accounts, rows, { to, key: "id", ...more });
  const all: unknown[] = [];
  for await (const { do: what, send, why } of rowsOf(to))
    all.push([what, ...Object.values(send), ...why.map(({ message }) => message)]);
  return all;
}

const accounts = (...phones: readonly string[]) =>
  client({ data: { accounts: phones.map((phone, at) => ({ name: `F${at}`, phone })) } });

test("a cell that is no text is doubted in a field of text, unless it is exactly the record's text or the doubt is allowed", async () => {
  const at = testFolder();
  const { client: school } = accounts("0612345678", "612", "1", "1", "1", "1", "1", "1", "1");
  const path = sheetWith(at("a.xlsx"), [
    ["id", "phone"],
    [["1"], ["612345678"]],
    [["2"], ["612"]],
    [["3"], ["612345678"]],
    [["4"], ["46313", DAY]],
    [["5"], ["0.5", CLOCK]],
    [["6"], ["31612345678901200"]],
    [["7"], ["1", 0, "b"]],
    [["8"], ["1067", ZEROS]],
    [["9"], ["0612345678", TEXT]],
  ]);
  const doubtOf = (what: string) =>
    `is a ${what}, but the field holds text: format the column as text and type it again; to accept such cells, allow lost_zeros`;
  expect(await decisionsFor(readSheet(path), at("a.plan"), school)).toEqual([
    [
      "leave",
      "is the record's value as a spreadsheet writes it, so the record keeps its value; to send such cells, allow lost_zeros",
    ],
    ["leave"],
    ["refuse", doubtOf("number, which has lost any leading zeros or plus sign")],
    ["refuse", doubtOf("day")],
    ["refuse", doubtOf("time")],
    [
      "refuse",
      "is a number of more than 15 digits, whose last digits a spreadsheet drops; to accept such cells, allow exponent",
    ],
    ["refuse", doubtOf("yes or no")],
    ["update", "01067"],
    ["update", "0612345678"],
  ]);
  const allow = ["lost_zeros", "exponent"] as const;
  expect(await decisionsFor(readSheet(path), at("b.plan"), school, { allow })).toEqual([
    ["update", "612345678"],
    ["leave"],
    ["update", "612345678"],
    ["update", "2026-10-18"],
    ["update", "12:00:00"],
    ["update", "31612345678901200"],
    ["update", "yes"],
    ["update", "01067"],
    ["update", "0612345678"],
  ]);
});

test("error cells, formulas without a result, percentages and days before March 1900 refuse their row", async () => {
  const at = testFolder();
  const { client: school } = accounts("1", "1", "1", "1");
  const path = sheetWith(at("a.xlsx"), [
    ["id", "phone"],
    [["1"], ["#N/A", 0, "e"]],
    [["2"], ["="]],
    [["3"], ["59", DAY]],
    [["4"], ["0.21", PERCENT]],
  ]);
  const allow = ["lost_zeros"] as const;
  const clear = ["phone"] as const;
  expect(await decisionsFor(readSheet(path), at("a.plan"), school, { allow, clear })).toEqual([
    ["refuse", "is a spreadsheet error, #N/A; to accept such cells, allow spreadsheet_error"],
    ["refuse", expect.stringContaining("is a formula without its result")],
    ["refuse", expect.stringContaining("is a day before 1 March 1900")],
    ["refuse", expect.stringContaining("is a percentage")],
  ]);
  const error = await failure(textsIn(readSheet(path)));
  expect(error.message).toContain("a.xlsx cannot be read: phone in row 3 is a formula without its result");
});

test("days and times are those of the school's zone, whatever formats the file's texts have; a day and an hour join", async () => {
  const at = testFolder();
  const { client: school, sandbox } = client({ empty: false, size: "small" });
  expect(sandbox.store.educators.at(0)?.time_zone).toBe("Europe/Amsterdam");
  const path = sheetWith(at("a.xlsx"), [
    ["id", "from", "day", "hour"],
    [["1"], ["46313.395833333328", MOMENT], ["46313", DAY], ["0.75", CLOCK]],
  ]);
  const columns = { id: "id", start_date_time: "from", end_date_time: "day+hour" };
  await plan(school.meetings, readSheet(path), {
    to: at("a.plan"),
    key: "id",
    columns,
    formats: { dateTime: "dd-MM-yyyy HH:mm" },
  });
  for await (const { send } of rowsOf(at("a.plan")))
    expect(send).toEqual({ start_date_time: "2026-10-18T07:30:00.000Z", end_date_time: "2026-10-18T16:00:00.000Z" });
});

test("a header may stand below titles, or be given; a value in a column without a name refuses its row", async () => {
  const at = testFolder();
  const { client: school } = accounts("1", "2");
  const rows = [["List of phones"], [], ["id", "", "phone"], [["1"], "", "3"], [["2"], "x", "4"]] as const;
  expect(await decisionsFor(readSheet(sheetWith(at("a.xlsx"), rows)), at("a.plan"), school)).toEqual([
    ["update", "3"],
    ["refuse", "row 5 has a value in column B, which has no name"],
  ]);
  const bare = sheetWith(at("b.xlsx"), [[["1"], "3"]]);
  expect(await decisionsFor(readSheet(bare, { header: ["id", "phone"] }), at("b.plan"), school)).toEqual([
    ["update", "3"],
  ]);
  const twice = sheetWith(at("c.xlsx"), [
    ["id", "id"],
    [["1"], ["1"]],
  ]);
  expect((await failure(decisionsFor(readSheet(twice), at("c.plan"), school))).message).toContain(
    'has two columns named "id"',
  );
  const none = sheetWith(at("d.xlsx"), []);
  expect((await failure(decisionsFor(readSheet(none), at("d.plan"), school))).message).toContain(
    "is empty; the first row must name the columns",
  );
});

test("what a person may not see is handed over once it is known; a broken end of the file is found before any request", async () => {
  const at = testFolder();
  const { client: school, sandbox } = accounts("1");
  const found: SheetFound[] = [];
  const hidden = {
    before: '<cols><col min="2" max="2" hidden="1"/></cols>',
    after: '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
  };
  const path = sheetWith(
    at("a.xlsx"),
    [
      ["id", "phone"],
      [["1"], "2"],
    ],
    hidden,
  );
  await decisionsFor(readSheet(path, { onSheet: (one) => found.push(one) }), at("a.plan"), school);
  expect(found).toEqual([{ sheet: "Sheet1", rows: 2, hiddenRows: 0, hiddenColumns: 1, merged: ["A2:A3"] }]);
  const sent = sandbox.requests.length;
  const broken = sheetWith(
    at("b.xlsx"),
    [
      ["id", "phone"],
      [["1"], "2"],
    ],
    { after: "<mergeCells><mergeCell>" },
  );
  const error = await failure(decisionsFor(readSheet(broken), at("b.plan"), school));
  expect(error).toMatchObject({ code: "input", message: expect.stringContaining("b.xlsx is damaged") });
  expect(sandbox.requests).toHaveLength(sent);
});

test("readCsv and readSheet name each other for the other kind of file", async () => {
  const at = testFolder();
  writeFileSync(at("a.xlsx"), "id,phone\n1,2\n");
  const path = sheetWith(at("b.csv"), [["id"]]);
  expect((await failure(textsIn(readSheet(at("a.xlsx"))))).message).toContain(
    "is not a workbook; read a CSV file with readCsv",
  );
  expect((await failure(textsIn(readCsv(path)))).message).toContain("is a workbook, which readSheet reads");
  expect(() => readSheet(path, { sheet: 1 as never })).toThrow("readSheet: sheet must be the name of a sheet");
});

test("the report of a workbook's rows, corrected and planned again, has the cells as they came", async () => {
  const at = testFolder();
  const { client: school } = accounts("1", "2");
  const cells = [
    ["id", "phone", "note"],
    [["1"], ["612"], ["46313", DAY]],
    [["2"], "5", ["46313.5", MOMENT]],
  ] as const;
  const path = sheetWith(at("a.xlsx"), cells);
  const columns = { id: "id", phone: "phone" };
  const options = { to: at("a.plan"), key: "id", columns, report: at("r.xlsx") } as const;
  expect(await run(school.accounts, readSheet(path), options)).toMatchObject({ updated: 1, refused: 1 });
  expect(await textsOf(at("r.xlsx"))).toEqual([
    {
      id: "1",
      phone: "612",
      note: "2026-10-18",
      _row: "2",
      _outcome: "refused",
      _id: "",
      _reason: expect.stringMatching(/^phone is a number/),
    },
    { id: "2", phone: "5", note: "2026-10-18T12:00:00", _row: "3", _outcome: "updated", _id: "2", _reason: "" },
  ]);
  const again = { ...options, to: at("b.plan"), report: at("r.csv"), allow: ["lost_zeros"] } as const;
  expect(await run(school.accounts, readSheet(at("r.xlsx")), again)).toMatchObject({ updated: 1, unchanged: 1 });
});

test("an export has bold, frozen names, typed cells and text columns, and no formula", async () => {
  const at = testFolder();
  const { client: school, sandbox } = client({ empty: false, size: "small" });
  expect(sandbox.store.educators.at(0)?.time_zone).toBe("Europe/Amsterdam");
  await school.accounts.update(1, { name: "=1+1", phone: "0612" });
  await exportTo(at("a.xlsx"), school.accounts.list(), {
    format: "xlsx",
    columns: ["id", "name", "phone", "created_at"],
  });
  const xml = partOf(at("a.xlsx"), "xl/worksheets/sheet1.xml");
  expect(xml).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
  expect(xml).toMatch(
    /<col min="1" max="1" width="\d+" style="0" customWidth="1"\/><col min="2" max="2" width="\d+" style="1"/,
  );
  expect(xml).toContain('<c r="A1" s="5" t="inlineStr">');
  expect(xml).toContain('<c r="B2" s="1" t="inlineStr"><is><t xml:space="preserve">=1+1</t>');
  expect(xml).toContain('numberStoredAsText="1"');
  expect(xml).not.toMatch(/<f[ >]/);
  expect(partOf(at("a.xlsx"), "xl/styles.xml")).toContain('<xf numFmtId="49" fontId="1"');
  const created_at = (await school.accounts.list().take(1).toArray())[0]?.created_at ?? "";
  const [row] = await textsOf(at("a.xlsx"));
  const local = new Date(created_at).toLocaleString("sv", { timeZone: "Europe/Amsterdam" }).replace(" ", "T");
  expect(row).toEqual({ id: "1", name: "=1+1", phone: "0612", created_at: local });
});

const own = defineSchool({ accounts: { tel: "phone", note: "text", fee: "decimal", active: "boolean" } });

test.each([
  ["without", false],
  ["with", true],
])("a number in a custom field of text is doubted by a client %s the option school", async (_, isTold) => {
  const at = testFolder();
  const sandbox = createSandbox({ empty: true, skipWaits: true, school: own, data: { accounts: [{ name: "A" }] } });
  const school = new MainClient({ ...sandbox, rateLimit: false, ...(isTold && { school: own }) }) as MainClient;
  const path = sheetWith(at("a.xlsx"), [
    ["id", "Telefoon", "custom.note", "custom.fee", "custom.active"],
    [["1"], ["612345609"], ["46313", DAY], ["12.5"], ["1", 0, "b"]],
  ]);
  const columns = { "custom.fee": "custom.fee", "custom.active": "custom.active" };
  const more = { columns: { "custom.tel": "Telefoon", "custom.note": "custom.note" } };
  const why =
    "but the field holds text: format the column as text and type it again; to accept such cells, allow lost_zeros";
  const rows = readSheet(path);
  expect(await decisionsFor(rows, at("a.plan"), school, more as never)).toEqual([
    ["refuse", `is a number, which has lost any leading zeros or plus sign, ${why}`, `is a day, ${why}`],
  ]);
  const allow = ["lost_zeros"] as const;
  expect(await decisionsFor(rows, at("a.plan"), school, { ...more, allow } as never)).toEqual([
    ["update", "612345609", "2026-10-18"],
  ]);
  expect(await decisionsFor(rows, at("a.plan"), school, { columns } as never)).toEqual([["update", "12.5", true]]);
});

test("an export without the right to read the zone has times as texts; the same records give the same bytes", async () => {
  const at = testFolder();
  const { client: school, sandbox } = client({ empty: false, size: "small" });
  sandbox.faults.next({ operation: "educators.get", status: 403, times: 2 });
  const columns = ["id", "created_at"] as const;
  for (const name of ["a.xlsx", "b.xlsx"])
    await exportTo(at(name), school.accounts.list(), { format: "xlsx", columns });
  const [row] = await textsOf(at("a.xlsx"));
  expect(row?.created_at).toMatch(/^\d{4}-.*Z$/);
  expect(partOf(at("b.xlsx"), "xl/worksheets/sheet1.xml")).toBe(partOf(at("a.xlsx"), "xl/worksheets/sheet1.xml"));
});

test("options that do not fit a workbook are refused before anything is sent, and a text that is too long names its column", async () => {
  const at = testFolder();
  const { client: school, sandbox } = client({ empty: false, size: "small" });
  const messageFor = async (options: object) =>
    (await failure(exportTo(at("a.xlsx"), school.accounts.list(), { format: "xlsx", ...options }))).message;
  expect(await messageFor({ gzip: true })).toContain("gzip is not for workbooks, which are already compressed");
  expect(await messageFor({ resume: true })).toContain(
    "resume is not for workbooks, which cannot be continued: export again, or write csv",
  );
  expect(await messageFor({ timeZone: "x" })).toContain("timeZone must be a time zone");
  expect(await messageFor({ format: "csv", timeZone: "UTC" })).toContain("timeZone is for workbooks");
  expect(sandbox.requests).toEqual([]);
  const error = await failure(exportTo(at("a.xlsx"), [{ a: "x".repeat(32_768) }], { format: "xlsx" }));
  expect(error.message).toBe(
    "records: a workbook holds at most 32767 characters in a cell, and a in row 2 has 32768; leave out that column or write CSV.",
  );
});
