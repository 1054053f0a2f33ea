import { compileCheck } from "#platform";
import { recordValidator } from "../core/drift/record-validator.js";
import { mismatchesOf } from "../core/drift/response-validator.js";
import type { DriftKind } from "../core/events.js";
import { formatPath } from "../core/schema/issues.js";
import { fieldsOf, formatOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import { kindsAt, shareOf } from "../work/kinds.js";
import { pluralize } from "../work/pluralize.js";
import { asAssumed, type Check, differs, inWords, isNew, notSeen, safeName, some, type Verdict } from "./check.js";
import type { Evidence } from "./evidence.js";
import type { Reading } from "./reader.js";

const TIMES: Readonly<Record<string, RegExp>> = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
};
const AMOUNTS: Readonly<Record<string, RegExp>> = { decimal: /^-?\d+\.\d\d$/ };
const MONEY = /^(cost|value|amount|unit_price|starting_price|total_.*)$/;

export const MODEL_CHECKS: readonly Check[] = [
  {
    id: "unknown_fields",
    question: "Do the models know every field?",
    guide: "drift",
    promise: "new fields pass untyped",
    todo: "Nothing breaks. Report the names to the maintainers of the library, to have the fields typed.",
    judge: (evidence) => judgeDrift(evidence, ["unknown_field"], isNew, describeField(evidence)),
  },
  {
    id: "unknown_values",
    question: "Do the enumerations have every value?",
    guide: "drift",
    promise: "unknown values pass as text",
    todo: "Give every switch a default. Look the values up (list … --columns) and report them to the maintainers of the library.",
    judge: (evidence) => judgeDrift(evidence, ["unknown_value"]),
  },
  {
    id: "sendable_values",
    question: "Can every value that the service shows be sent as well?",
    guide: "drift",
    promise: "an enumeration whose values are all known refuses others before anything is sent",
    todo: 'Send these values through cast("…"), and report the fields to the maintainers of the library.',
    judge: ({ readings }) => {
      const checked = readings.filter(({ records }) => records.length > 0);
      if (checked.length === 0) return notSeen("no record could be read");
      const closed = checked.flatMap((reading) =>
        driftOf(reading)
          .filter(({ kind, field }) => kind === "unknown_value" && isClosed(reading, field))
          .map(({ field }) => `${reading.resource}.${field}`),
      );
      return closed.length > 0
        ? differs(`refused when sent: ${inWords(closed)}`)
        : asAssumed("no value that would be refused");
    },
  },
  {
    id: "model_types",
    question: "Does every field have the type that its model says?",
    guide: "drift",
    promise: 'what you read has the declared type, or validation: "strict" refuses it',
    todo: "Guard these fields in your code, and report them to the maintainers of the library.",
    judge: (evidence) => {
      const verdict = judgeDrift(evidence, ["missing_field", "unexpected_null", "wrong_type"]);
      if (verdict.status !== "as_assumed") return verdict;
      return { ...verdict, seen: `${verdict.seen}${extremesOf(evidence)}` };
    },
  },
  {
    id: "time_zone",
    question: "Are times written in UTC, as 2030-07-01T08:00:00.000Z, and days as 2030-07-01?",
    guide: "dates-and-money",
    promise: "a point in time is always UTC, and a day has no time",
    todo: "Do not compare or store these fields as text: parse them first.",
    judge: ({ readings }) => judgeForms(readings, TIMES, formOf),
  },
  {
    id: "amounts",
    question: "Do amounts have two decimals?",
    guide: "dates-and-money",
    promise: "an amount is decimal text; its number of decimals may vary",
    todo: "Compare these amounts as numbers, not as text: 10.0 is 10.00.",
    judge: ({ readings }) => judgeForms(readings, AMOUNTS, placesOf),
  },
];

function judgeForms(
  readings: readonly Reading[],
  forms: Readonly<Record<string, RegExp>>,
  form: (text: string) => string,
): Verdict {
  const others = new Set<string>();
  let values = 0;
  for (const { resource, operation, records } of readings) {
    for (const [field, schema] of Object.entries(fieldsOf(operation.response))) {
      const expected = forms[formatOf(unwrap(schema)) ?? ""];
      // Skips percentages and factors, which have no fixed number of decimals.
      if (!expected || (forms === AMOUNTS && !MONEY.test(field))) continue;
      for (const { [field]: value } of records) {
        if (typeof value !== "string") continue;
        values++;
        if (!expected.test(value)) others.add(`${resource}.${field} (${form(value)})`);
      }
    }
  }
  if (values === 0) return notSeen("no record has such a value");
  return others.size > 0 ? differs(some([...others])) : asAssumed(pluralize(values, "value"));
}

function placesOf(text: string): string {
  const places = /^-?\d+(?:\.(\d+))?$/.exec(text);
  return places ? pluralize(places[1]?.length ?? 0, "decimal") : "no decimal";
}

// The fields that no record has or that are always null, and the length of the longest text.
function extremesOf({ readings }: Evidence): string {
  const absent: string[] = [];
  const empty: string[] = [];
  let longest = 0;
  for (const resource of new Set(readings.map((reading) => reading.resource))) {
    const ofResource = readings.filter((reading) => reading.resource === resource);
    const records = ofResource.flatMap((reading) => reading.records);
    for (const field of Object.keys(fieldsOf(ofResource[0]?.operation.response))) {
      const values = records.map((record) => record[field]);
      for (const value of values) if (typeof value === "string") longest = Math.max(longest, value.length);
      if (records.length === 0 || values.some((value) => value !== null && value !== undefined)) continue;
      (values.includes(null) ? empty : absent).push(`${resource}.${field}`);
    }
  }
  return `; never present: ${some(absent)}; always null: ${some(empty)}; the longest text has ${longest} characters`;
}

// An enumeration that is known to be incomplete accepts any text.
function isClosed({ operation }: Reading, field: string): boolean {
  const schema = fieldsOf(operation.response)[field];
  const traits = schema ? traitsOf(unwrap(schema)) : null;
  return traits?.kind === "enumeration" && traits.complete;
}

function judgeDrift(
  { readings }: Evidence,
  kinds: readonly DriftKind[],
  verdict: (seen: string) => Verdict = differs,
  describe?: (resource: string, field: string) => string,
): Verdict {
  const checked = readings.filter(({ records }) => records.length > 0);
  if (checked.length === 0) return notSeen("no record could be read");
  const found = new Set<string>();
  let records = 0;
  for (const reading of checked) {
    records += reading.records.length;
    for (const { field, kind } of driftOf(reading)) {
      if (kinds.includes(kind))
        found.add(
          `${reading.resource}.${field}${describe?.(reading.resource, field) ?? (kinds.length > 1 ? ` (${kind})` : "")}`,
        );
    }
  }
  if (found.size > 0) return verdict(some([...found].sort()));
  return asAssumed(
    `${pluralize(records, "record")} of ${pluralize(new Set(checked.map(({ resource }) => resource)).size, "resource")}`,
  );
}

function describeField({ readings }: Evidence): (resource: string, field: string) => string {
  return (resource, field) => {
    if (!/^[\w.-]+$/.test(field)) return "";
    const records = readings.flatMap((reading) => (reading.resource === resource ? reading.records : []));
    const kinds = records.map(kindsAt(field, undefined)).filter((kind) => kind !== "absent");
    const nulls = kinds.filter((kind) => kind === "null").length;
    const kind = kinds.find((kind) => kind !== "null" && kind !== "empty") ?? "no value";
    const share = nulls === 0 ? 0 : shareOf(nulls, kinds.length, 5);
    return ` (${kind.replace(/^.*text$/, "text")}, null in ${share === "few" ? share : `${share} %`})`;
  };
}

interface Drift {
  readonly field: string;
  readonly kind: DriftKind;
}

// Cached, because four checks use the result for a thousand records or more.
const drifts = new WeakMap<Reading, readonly Drift[]>();

function driftOf(reading: Reading): readonly Drift[] {
  const found = drifts.get(reading) ?? findDrift(reading);
  drifts.set(reading, found);
  return found;
}

function findDrift({ operation, records }: Reading): readonly Drift[] {
  const validator = recordValidator(operation.response as Schema, "report", compileCheck);
  return records.flatMap((record) =>
    mismatchesOf(validator, record).map(({ path, kind }) => ({
      field: formatPath(
        path.map((key) => (typeof key === "string" ? safeName(key) : key)),
        true,
      ),
      kind,
    })),
  );
}

function formOf(text: string): string {
  if (/[+-]\d\d:?\d\d$/.test(text)) return "with an offset";
  if (!/^\d{4}-\d\d-\d\d[T ]/.test(text)) return "of another form";
  return text.endsWith("Z") ? "without milliseconds" : "without a zone";
}
