import { expect, test } from "vitest";
import { isSavedForm } from "../../../src/bulk/file/spreadsheet.js";
import { type BulkRow, plan, rowsOf } from "../../../src/bulk/node.js";
import { MainClient } from "../../../src/index.js";
import { createSandbox } from "../../../src/sandbox/index.js";
import { testFolder } from "../support/folder.js";

async function rowsIn(path: string): Promise<BulkRow[]> {
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(path)) rows.push(row);
  return rows;
}

// Cells that Gnumeric 1.12.55, LibreOffice 7.4 and other programs save for texts that look like numbers, days or times.
const SAVED: readonly (readonly [text: string, ...cells: string[]])[] = [
  ["0612345678", "612345678", "612345678.00", "6.12345678E+08"],
  ["+31612345678", "31612345678"],
  ["01067", "1067", "1,067"],
  ["2/3", "2026/02/03", "2026-03-02", "02-Mar", "2. Mär", "3/2/2026 0:00"],
  ["1/2026", "2026-01-01", "Jan-26"],
  ["1-4-2026", "2026/04/01", "01/04/2026"],
  ["1.10", "1.1", "1,1"],
  ["3E5", "300000", "3.00E+05"],
  ["12:30", "12:30:00", "12:30:00 PM"],
  ["1,000", "1000"],
  ["1234567890123456789", "1234567890123460000", "1.23456789012346E+18"],
];

test("a cell that a spreadsheet makes of a text is recognized, and another value is not", () => {
  for (const [text, ...cells] of SAVED) {
    for (const cell of [text, ...cells]) expect([text, cell, isSavedForm(cell, text)]).toEqual([text, cell, true]);
  }
  const others: readonly (readonly [text: string, cell: string])[] = [
    ["0612345678", "612345679"],
    ["2/3", "3/2"],
    ["2/3", "2026/02/04"],
    ["12:30", "12:31:00"],
    ["1.10", "1.01"],
    ["-12", "12"],
    ["1234567890123456789", "1234567890123456780"],
    ["B 12", "12"],
    ["2026-02-03", "2025-02-03"],
  ];
  for (const [text, cell] of others) expect([text, cell, isSavedForm(cell, text)]).toEqual([text, cell, false]);
});

const school = (phones: readonly string[]) =>
  new MainClient({
    ...createSandbox({ empty: true, data: { accounts: phones.map((phone, at) => ({ name: `F${at}`, phone })) } }),
    rateLimit: false,
  });

test("a record keeps a text that the cell only shows as another program wrote it, unless that is allowed", async () => {
  const at = testFolder();
  const stored = ["0612345678", "2/3", "Zo\u00eb & O'Neill", "Jos\u00e9", "new 1"];
  const cells = ["612345678", "2026/02/03", "Zo&euml; &amp; O\\'Neill", "Jos%C3%A9", "new 2"];
  const rows = cells.map((phone, row) => ({ id: row + 1, phone }));
  const options = { to: at("a.plan"), key: "id" } as const;
  const client = school(stored);
  expect(await plan(client.accounts, rows, options)).toMatchObject({ update: 1, leave: 4 });
  expect((await rowsIn(at("a.plan"))).map(({ why }) => why[0]?.message.replace(/^.*allow /, ""))).toEqual([
    ...["lost_zeros", "lost_zeros", "escaped", "escaped"],
    undefined,
  ]);
  const all = { ...options, allow: ["lost_zeros", "escaped"] } as const;
  expect(await plan(client.accounts, rows, all)).toMatchObject({ update: 5, leave: 0 });
});

const DOUBTS: readonly (readonly [doubt: string, ...cells: string[]])[] = [
  ["spreadsheet_error", "#N/A"],
  ["too_narrow", "####"],
  ["lost_letter", "Zo\uFFFD"],
  ["decoded_twice", "Zo\u00c3\u00ab"],
  ["exponent", "6,12E+08"],
  ["line_break", "two\nlines"],
  ["no_value", "NULL", "(null)", "\\N", "undefined", "NaN", "[object Object]", "0000-00-00"],
  ["text_formula", "=A1", "=SUM(A1:A9)", '="a"&B1'],
  ["wrong_encoding", "Gro\u00a7", "Ren\u017d"],
];

async function* wrapped(rows: readonly object[]) {
  for await (const row of rows) yield { ...row };
}

test("each doubt refuses its cell, whoever hands the rows in, and is accepted by its name", async () => {
  const at = testFolder();
  const client = school(["1"]);
  for (const [doubt, ...cells] of DOUBTS) {
    const rows = cells.map((name) => ({ id: 1, name }));
    for (const [row, each] of rows.entries()) {
      const options = { to: at("a.plan"), key: "id" } as const;
      expect([each, await plan(client.accounts, wrapped([each]), options)]).toMatchObject([each, { refuse: 1 }]);
      expect((await rowsIn(at("a.plan")))[0]?.why[0]?.message).toContain(`; to accept such cells, allow ${doubt}`);
      const allowed = await plan(client.accounts, [each], { ...options, allow: [doubt as never] });
      expect([cells[row], allowed.update]).toEqual([cells[row], 1]);
    }
  }
  const fine = ["Null", "Nan", "NULL GmbH", "a = b", "\u00c4rzte \u2013 Z\u00fcrich", "O'Neill & Zo\u00eb", "S\u00e3o"];
  const rows = fine.map((name, row) => ({ name, account_type: "business", phone: `9${row}` }));
  expect(await plan(client.accounts, rows as never, { to: at("b.plan"), key: ["name", "account_type"] })).toMatchObject(
    {
      create: fine.length,
    },
  );
});

test("the text of a formula that only protects it is taken, in keys too", async () => {
  const at = testFolder();
  const rows = [{ name: '="C ""Ltd"""', phone: '="0612345678"', account_type: "business" }];
  await plan(school([]).accounts, rows as never, { to: at("a.plan"), key: ["name", "account_type"] });
  expect((await rowsIn(at("a.plan")))[0]?.send).toMatchObject({ name: 'C "Ltd"', phone: "0612345678" });
});

test("three digits behind the decimal sign are a doubt in amounts, whichever sign it is", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
  const cells = ["1.250", "12.500", "0.125", "1.25", "1.250,00", "1250.5"];
  const costs = async (decimal?: "." | ",") => {
    const rows = cells.map((cost, row) => ({ id: row + 1, cost }));
    const formats = decimal === undefined ? {} : { decimal };
    await plan(client.courses, rows, { to: at("a.plan"), key: "id", formats });
    return (await rowsIn(at("a.plan"))).map(({ send, do: what }) => (what === "update" ? send.cost : null));
  };
  expect(await costs()).toEqual([null, null, "0.125", "1.25", null, "1250.5"]);
  expect(await costs(",")).toEqual(["1250", "12500", null, null, "1250.00", null]);
});
