import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { plan, readCsv, rowsOf, writeReport } from "../../src/bulk/node.js";
import { testFolder } from "./support/folder.js";
import { school } from "./support/school.js";

const HEAD = "email,first_name,last_name";
const person = (name: string) => `${name}@example.com,${name},Person`;

async function planCsv(text: string) {
  const at = testFolder();
  const { client } = school();
  writeFileSync(at("rows.csv"), text);
  await plan(client.users, readCsv(at("rows.csv")), { to: at("a.plan"), key: "email", allow: ["line_break"] });
  const rows: Record<number, string> = {};
  for await (const { row, do: what, why } of rowsOf(at("a.plan"))) rows[row] = why[0]?.message ?? what;
  await writeReport(at("a.plan"), at("a.csv"));
  return { rows, report: readFileSync(at("a.csv"), "utf8") };
}

const OPEN = "has a quote that is not closed";
const INSIDE = "has a quote inside a cell that does not begin with one";

test("a stray quote anywhere refuses only its own line, and the other lines keep their numbers", async () => {
  const strays: readonly (readonly [string, string])[] = [
    ['x@example.com,"Jan,Person', OPEN],
    ['"x@example.com,Jan,Person', OPEN],
    ['x@example.com,Jan "de Man,Person', INSIDE],
    ['x@example.com,"Jan"x,Person', INSIDE],
    ['x@example.com,Jan,Person"', INSIDE],
  ];
  for (const [stray, why] of strays) {
    expect((await planCsv(`${HEAD}\n${stray}`)).rows).toEqual({ 2: `line 2 ${why}` });
    for (const after of [
      "",
      '\nq@example.com,"Q ""the"" one",Person',
      // Together, these lines are longer than a cell may be.
      ...(why === OPEN ? [`\nlong@example.com,${"L".repeat(30_000)},Person`.repeat(10)] : []),
    ]) {
      const text = [HEAD, person("a"), stray, person("b")].join("\n") + after;
      const { rows, report } = await planCsv(text);
      expect(rows).toMatchObject({ 2: "create", 3: `line 3 ${why}`, 4: "create" });
      if (after.includes('"')) expect(rows[5]).toBe("create");
      // The report quotes the line properly, with as many cells as in the other lines.
      expect(report.split("\r\n")[2]).toMatch(/,3,refused,,line 3 has a quote/);
    }
  }
});

test.each(['Y,Per"son', 'Y,Person"', 'Y",Per,son'])(
  "two stray quotes in different lines refuse only these two lines, not those between them: %s",
  async (second) => {
    const text = [HEAD, 'x@example.com,"X,Person', person("a"), `y@example.com,${second}`, person("b")].join("\r\n");
    const { rows } = await planCsv(text);
    expect(rows).toEqual({ 2: `line 2 ${OPEN}`, 3: "create", 4: `line 4 ${INSIDE}`, 5: "create" });
  },
);

test("cells of several lines, doubled quotes and quoted delimiters are each read as part of one row", async () => {
  const short = ['c@example.com,"C\nD"', 'e@example.com,"E,F"'];
  const text = [HEAD, 'a@example.com,"A,A\nB, ""C""","D\r\nE"', ...short, person("b")].join("\n");
  const { rows } = await planCsv(text);
  const [first, second] = [5, 7].map((line) => `line ${line} has fewer cells than the header`);
  expect(rows).toEqual({ 2: "create", 3: first, 4: second, 5: "create" });
});

test("empty lines, lines of delimiters only and trailing delimiters count as neither rows nor cells", async () => {
  const lines = [`${HEAD},,`, `${person("a")},,`, "", ",,,,", `${person("b")}`, "  ,,", ",,"];
  const { rows, report } = await planCsv(lines.join("\n"));
  expect(rows).toEqual({ 2: "create", 5: "create" });
  expect(report).toBe(`${HEAD},,,_row,_outcome,_id,_reason\r\n${person("a")},,,2,,,\r\n${person("b")},,,5,,,\r\n`);
});
