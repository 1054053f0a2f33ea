import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/errors.js";
import { parseCondition } from "../../../src/work/fields/condition.js";
import { fieldOf } from "../../../src/work/fields/path.js";
import { testerOf } from "../../../src/work/fields/tester.js";

// In Amsterdam this is half past midnight on 1 July 2026.
const NOW = Date.parse("2026-06-30T22:30:00Z");
const AMSTERDAM = { now: NOW, zone: "Europe/Amsterdam" };
// A field of unknown kind, as the columns of a file and custom fields are.
const unknown = (path: string) => ({ field: fieldOf(path, path.split("."), undefined) });
const holds = (text: string, record: object) => testerOf(parseCondition(text, unknown), AMSTERDAM).holds(record);

// Each row has a matching value and its nearest miss.
test.each<[condition: string, fits: unknown, misses: unknown]>([
  ["x>0", "0.01", "0.00"],
  ["x<0.3", 0.1 + 0.1, "0.30"],
  ["x>=123456789012345678901234567890.1", "123456789012345678901234567890.10", "123456789012345678901234567890.0"],
  ["x=10", "10.00", "10.01"],
  ["x=10", 10, 1],
  ["x!=10", "10.001", "10.0"],
  ["x<=-1", "-1.0", "-0.99"],
  // A number with a leading zero is an identifier.
  ["x=007", "007", "7"],
  ["x=7", 7, "007"],
  ["x=open", "Open", "opened"],
  ["x!=open", null, "OPEN"],
  ["x=Zoë", "Zoe\u0308", "Zoe"],
  ["x contains ann", "JOHANNA", "John"],
  ['x="a and b"', "a and b", "a"],
  ['x="1>0"', "1>0", "1"],
  ['x="01-07-2026"', "01-07-2026", "2026-07-01"],
  ["x=1.7.2.6", "1.7.2.6", "1.7.26"],
  ['x=""', null, 0],
  ['x!=""', "x", undefined],
  ["x=null", "", "null"],
  ["x!=NULL", "none", {}],
  ["x=yes", true, false],
  ["x=0", false, true],
  ['x=""', [], ["x"]],
  ["x=red", ["blue", "red"], ["blue"]],
  ["x!=red", ["blue"], ["blue", "red"]],
  ["x=true", true, false],
  // Days begin and end in the zone.
  ["x=today", "2026-07-01", "2026-06-30"],
  ["x=today", "2026-06-30T22:00:00.000Z", "2026-06-30T21:59:59.999Z"],
  ["x<today", "2026-06-30", "2026-07-01"],
  ["x>=today-7", "2026-06-24", "2026-06-23"],
  ["x<=today + 31", "2026-08-01", "2026-08-02"],
  ["x>=2026-07-01", "2026-07-01T00:00:00+02:00", "2026-06-30T23:59:59+02:00"],
  ["x<2026-07-01T00:00:00+02:00", "2026-06-30T21:59:59.999Z", "2026-06-30T22:00:00.000Z"],
  ["x<2026-07-01T00:00:00+02:00", "2026-06-30", "2026-07-01"],
  ["x=2026-07-01", new Date("2026-06-30T22:00:00Z"), new Date("2026-06-30T21:00:00Z")],
  ["x>0", "1", "many"],
  // A year is a number among numbers and a period among days.
  ["x>=2007", "2007-01-01", "2006-12-31"],
  ["x>2007", "2007-12-31T23:00:00.000Z", "2007-12-31T22:59:59.999Z"],
  ["x<=2007", 2007, 2007.5],
  ["x=2007", "2007-06-30", "2008-06-30"],
  ["x!=2007", "2008-06-30", "2007-06-30"],
  ["x<2026-07", "2026-06-30", "2026-07-01"],
  ["x=1850", "1850", "1850-01-01"],
  // A text of blanks only counts as no value.
  ["x=null", " \t", "."],
  ['x="  "', null, "x"],
  ["x>0", 1, null],
])("%s", (condition, fits, misses) => {
  expect(holds(condition, { x: fits })).toBe(true);
  expect(holds(condition, { x: misses })).toBe(false);
});

test("conditions joined by and must all hold, in any case of the word", () => {
  expect(holds("a=1 AND b=2 and c=3", { a: 1, b: 2, c: 3 })).toBe(true);
  expect(holds("a=1 and b=2 and c=3", { a: 1, b: 2, c: 4 })).toBe(false);
});

test("a field may be in a record, in the items of a list, or have dots, spaces and signs in its name", () => {
  expect(holds("address.city=Utrecht", { address: { city: "Utrecht" } })).toBe(true);
  expect(holds("a.b.c=1", { a: { "b.c": 1 } })).toBe(false);
  expect(holds("lines.price>5", { lines: [{ price: "4" }, { price: "6" }] })).toBe(true);
  expect(holds("First name = Jan", { "First name": "Jan" })).toBe(true);
  expect(holds('"a=b"=1', { "a=b": 1 })).toBe(true);
  expect(holds("Price (EUR) = 1", { "Price (EUR)": 1 })).toBe(true);
  expect(holds("constructor.name=Object", {})).toBe(false);
});

describe("an unreadable condition is refused", () => {
  test.each([
    "",
    "x",
    "x=",
    "=1",
    "x>",
    "x=1 or",
    "(x=1",
    "x=1)",
    "()",
    "x=none",
    "x<null",
    "x>yesterday",
    "x=a and b",
    'x="a',
    "x=1 and",
    "x==1",
    'x contains ""',
    "x contains a and b",
    "x>soon",
    "x<01-07-2026",
    "x=01-07-2026",
    "x=1/7/26",
    "x<2026-02-30",
    "x>2026-07-01T08",
    "x>2026-13",
    "x>todays",
    'x>"today"',
    "x>today-",
  ])("%s", (text) => {
    expect(() => parseCondition(text, unknown)).toThrow(InputError);
  });
});
