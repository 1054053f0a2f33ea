import { expect, test } from "vitest";
import { Sight } from "../../../src/assistant/classes.js";
import type { Tools } from "../../../src/assistant/context.js";
import { havingOf } from "../../../src/assistant/gate.js";
import { findShown } from "../../../src/assistant/read.js";
import { cellOf } from "../../../src/bulk/file/node-given-rows.js";
import { pickPaths } from "../../../src/cli/tell/table.js";
import type { Schema } from "../../../src/core/schema/traits.js";
import { givenColumns } from "../../../src/export/columns.js";
import { parseCondition } from "../../../src/work/fields/condition.js";
import { parsePath } from "../../../src/work/fields/path.js";
import { testerOf } from "../../../src/work/fields/tester.js";
import { writeText } from "../../../src/work/fields/text.js";
import { all, pathsIn, rowsOf } from "./support.js";

const zone = "Europe/Amsterdam";
const now = Date.parse("2026-11-28T23:30:00Z");
// The reference: the values at a path, each item of a list separately, and the order of two values.
function valuesAt(value: unknown, [name, ...below]: readonly string[]): unknown[] {
  if (name === undefined) return Array.isArray(value) ? value.flat(9) : [value];
  if (Array.isArray(value) && !/^\d+$/.test(name)) return value.flatMap((item) => valuesAt(item, [name, ...below]));
  return valuesAt(typeof value === "object" && value !== null ? (value as never)[name] : undefined, below);
}
const isNone = (value: unknown) => /^(null|\[\]|\{\}|"\s*")$/.test(JSON.stringify(value ?? null));
function compare(a: unknown, b: string): number | null {
  if (isNone(a)) return null;
  const [one, other] = [a, b].map((value) =>
    /^-?[\d.]+$/.test(String(value)) ? Number(value) : Date.parse(String(value)),
  );
  const [x, y] = Number.isNaN(one) || Number.isNaN(other) ? [String(a).toLowerCase(), b.toLowerCase()] : [one, other];
  return (x as number) < (y as number) ? -1 : Number((x as number) > (y as number));
}
const VERDICTS: Readonly<Record<string, (held: unknown[], value: string) => boolean>> = {
  "=": (held, value) => held.some((one) => compare(one, value) === 0),
  "!=": (held, value) => !held.some((one) => compare(one, value) === 0),
  "<": (held, value) => held.some((one) => compare(one, value) === -1),
  ">=": (held, value) => held.some((one) => [0, 1].includes(compare(one, value) as number)),
  "=null": (held) => held.every(isNone),
  "!=null": (held) => !held.every(isNone),
};

const sight = new Sight(["names", "contact", "numbers", "notes", "custom"]);
const tools = { sight, session: { clock: { now: () => now }, zone: async () => zone } } as unknown as Tools;

async function havingVerdicts(text: string, schema: Schema, rows: readonly unknown[]): Promise<boolean[] | null> {
  try {
    const { holds } = await havingOf(tools, text, AbortSignal.any([]), (path) =>
      findShown(tools, { schema, joins: {} }, path, "having"),
    );
    return rows.map((row) => holds?.(row) ?? true);
  } catch (error) {
    // A field that is hidden, or a record as a whole, is refused.
    expect(String(error)).toMatch(/hidden|name a field of/);
    return null;
  }
}

test("the contract's records were found", () => {
  expect(all.filter(({ schema }) => !schema)).toEqual([]);
  expect(all).not.toEqual([]);
});

test.each(all)("every reader reads $name like the reference", async ({ name, schema }) => {
  const filled = rowsOf(name);
  const blank = JSON.parse(JSON.stringify(filled[0]), (_, one) =>
    typeof one === "string" && /Zoë|\d/.test(one) ? " " : one,
  );
  const rows = [...filled, blank];
  const paths = [...new Set(rows.flatMap((row) => pathsIn(row)).map((path) => path.join(".")))];
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) {
    const names = path.split(".");
    const held = rows.map((row) => valuesAt(row, names));
    const found = parsePath(path, schema);
    if ("problem" in found) throw new Error(`${path} ${found.problem}`);
    const issues: never[] = [];
    const [column] = givenColumns([path], schema, new Map(), issues, name, "csv");
    expect(issues).toEqual([]);
    for (const [at, row] of rows.entries()) {
      const readings = [column?.read(row), cellOf(row, path), pickPaths(row, [found.field])[path]];
      for (const value of readings)
        expect(
          [value].flat(9).map((one) => one ?? null),
          path,
        ).toEqual(held[at]?.map((one) => one ?? null));
    }
    const { kind } = found.field;
    const values =
      kind === "object"
        ? []
        : [
            ...new Set(
              held
                .flat()
                .filter((one) => !isNone(one) && typeof one !== "object")
                .map((one) => writeText(one)),
            ),
          ];
    const isOrdered = !/^(text|flag|enumeration|unknown)$/.test(kind);
    const texts = [
      ...["=null", "!=null"].map((sign) => [sign, "", sign] as const),
      ...values
        .slice(0, 3)
        .flatMap((value) =>
          ["=", "!=", ...(isOrdered && !/^Zoë/.test(value) ? ["<", ">="] : [])].map(
            (sign) => [sign, value, `${sign}"${value}"`] as const,
          ),
        ),
    ];
    for (const [sign, value, end] of texts) {
      const text = `${path}${end}`;
      const tester = testerOf(
        parseCondition(text, (one) => parsePath(one, schema)),
        { now, zone },
      );
      const wanted = held.map((one) => VERDICTS[sign]?.(one, value));
      expect(
        rows.map((row) => tester.holds(row)),
        text,
      ).toEqual(wanted);
      const verdicts = await havingVerdicts(text, schema, rows);
      if (verdicts) expect(verdicts, `having ${text}`).toEqual(wanted);
    }
  }
});
