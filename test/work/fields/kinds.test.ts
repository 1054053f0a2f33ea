import { expect, test } from "vitest";
import { parseCondition } from "../../../src/work/fields/condition.js";
import { type FieldKind, fieldOf, isNone, parsePath, valueAt } from "../../../src/work/fields/path.js";
import { readText, writeText } from "../../../src/work/fields/text.js";
import { all, pathsIn, rowsOf } from "./support.js";

const FITTING: Readonly<Partial<Record<FieldKind, readonly string[]>>> = {
  flag: ["true", "NO", "1", "0"],
  integer: ["12", "-3", "1,2"],
  identifier: ["12", "1,2"],
  number: ["12.5", "-3"],
  decimal: ["12.50", "1.00", "0.005", '"1.000"'],
  day: ["2026-07-01", "2026-07", "2026", "today", "today - 7", "now", "2026-07-01T09:00", "2026-07-01T09:00:00Z"],
  instant: ["2026-07-01", "2026-07", "2026", "today+1", "NOW", "2026-07-01 09:00", "2026-07-01T09:00:00+02:00"],
  text: ["x", "12", "today", "01-11-2026", "x, y"],
};
const UNFITTING: Readonly<Partial<Record<FieldKind, readonly string[]>>> = {
  flag: ["ja", "2", "on"],
  integer: ["three", "1.5", "1e3", "0x1", "12,x", "1234567890123456"],
  identifier: ["three", "1.5", "1e3", "0x1"],
  number: ["many", "12,50", "1e3"],
  decimal: ["many", "12,50", "1e3", "1.000", "€ 12"],
  day: ["soon", "01-11-2026", "yesterday", "2026-13", "2026-02-30", "todays"],
  instant: ["soon", "1/7/26", "tomorrow", "2026-07-01T25:00"],
  object: ["x", '"x"', "7"],
};

// Every kind of field of every record, with texts that fit and texts that no value can have.
test.each(all)("conditions on $name accept only fitting values", ({ name, schema }) => {
  const paths = [
    ...new Set(
      rowsOf(name)
        .flatMap((row) => pathsIn(row))
        .map((path) => path.join(".")),
    ),
  ];
  const isAccepted = (text: string) => {
    try {
      parseCondition(text, (path) => parsePath(path, schema));
      return true;
    } catch {
      return false;
    }
  };
  for (const path of paths) {
    const found = parsePath(path, schema);
    if ("problem" in found) throw new Error(found.problem);
    const { kind, values, isComplete } = found.field;
    for (const text of [...(FITTING[kind] ?? []), ...values, "null", '""'])
      if (kind !== "object" || !values.includes(text))
        expect([isAccepted(`${path}=${text}`), text, path]).toEqual([true, text, path]);
    for (const text of [...(UNFITTING[kind] ?? []), "none", "nil", "empty", "undefined", ""])
      expect([isAccepted(`${path}=${text}`), text, path]).toEqual([false, text, path]);
    expect(isAccepted(`${path}>null`)).toBe(false);
    if (values.length === 0) continue;
    expect([isAccepted(`${path}=bogus_choice`), path]).toEqual([!isComplete, path]);
    const long = values.find((value) => value.length > 3 && !values.includes(value.slice(0, -1)));
    if (long) expect([isAccepted(`${path}=${long.slice(0, -1)}`), path]).toEqual([false, path]);
    if (long && !isComplete) expect(isAccepted(`${path}="${long.slice(0, -1)}"`)).toBe(true);
  }
});

test.each(all)("values of $name are read as they are written", ({ name, schema }) => {
  for (const row of rowsOf(name)) {
    for (const names of pathsIn(row)) {
      const found = parsePath(names.join("."), schema);
      const kept = "field" in found ? [valueAt(row, found.field.names)].flat(9) : [];
      for (const value of kept) {
        if (!("field" in found) || isNone(value) || /^(object|unknown)$/.test(found.field.kind)) continue;
        // The contract's texts stand for days and times that its documents describe as text.
        if (!found.field.isSure) continue;
        expect(readText(found.field, writeText(value)), names.join(".")).toEqual({ value });
      }
    }
  }
});

test("numbers are read with the file's decimal sign", () => {
  const field = { ...fieldOf("x", ["x"], undefined), kind: "decimal" } as const;
  const texts = ["1200,50", "1.200,50", "1.200", "-0,5", "1200.50", "12.00", ",5", "1,2,3", "+7"];
  expect(texts.map((text) => readText(field, text, { decimal: "," }))).toEqual([
    { value: "1200.50" },
    { value: "1200.50" },
    { value: "1200" },
    { value: "-0.5" },
    ...Array(4).fill({ problem: "is not a number with a decimal comma, such as 1200,50 or 1.200,50" }),
    { value: "7" },
  ]);
  expect(["007.50", ".5", "5.", "-.5", ".", "-"].map((text) => readText(field, text))).toMatchObject([
    { value: "7.50" },
    { value: "0.5" },
    { value: "5" },
    { value: "-0.5" },
    { problem: expect.any(String) },
    { problem: expect.any(String) },
  ]);
  expect(["1234.50", 2.5, "text.5x", null, new Date(0), [1.5]].map((value) => writeText(value, ","))).toEqual([
    "1234,50",
    "2,5",
    "text.5x",
    "",
    "1970-01-01T00:00:00.000Z",
    "[1.5]",
  ]);
});
