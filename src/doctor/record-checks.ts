import type { DriftKind } from "../core/events.js";
import { formatPath } from "../core/validation/issues.js";
import { RecordValidator } from "../core/validation/record-validator.js";
import { fieldsOf, formatOf, type Schema, unwrapped } from "../core/validation/traits.js";
import { asAssumed, type Check, counted, differs, failed, inWords, named, notSeen, type Verdict } from "./check.js";
import type { Evidence } from "./evidence.js";
import type { AnyRecord, Reading } from "./reader.js";

const MOST_NAMES = 30;

const FORMS: Readonly<Record<string, RegExp>> = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
};

/** What records are: readable one by one, and of the form that their models say. */
export const RECORD_CHECKS: readonly Check[] = [
  {
    id: "listed_is_readable",
    question: "Can a record of a list be read by its identifier?",
    guide: "mirror",
    promise: "nothing is marked as gone without proof",
    todo: "The mirror marks nothing as gone in these lists. Do not delete records of yours because of a 404.",
    judge: ({ singles }) =>
      withSingles(singles, () => {
        const others = singles.filter(({ listed, reading }) => reading.records[0]?.id !== listed.id);
        if (others.length === 0) return asAssumed(inWords(singles.map(({ reading }) => reading.resource)));
        return differs(
          inWords(others.map(({ reading }) => `${reading.resource}: ${reading.failure ?? "another record"}`)),
        );
      }),
  },
  {
    id: "list_shows_all",
    question: "Does a list show what reading one record shows?",
    guide: "fewer-requests",
    promise: "with, getMany and the mirror take a record from its list",
    todo: "Read these fields record by record. Report them to the maintainers of the library.",
    judge: ({ singles }) =>
      withSingles(singles, () => {
        const lacks = singles.flatMap(({ listed, reading }) =>
          fieldsThatDiffer(listed, reading.records[0]).map((field) => `${reading.resource}.${named(field)}`),
        );
        if (lacks.length === 0) return asAssumed(inWords(singles.map(({ reading }) => reading.resource)));
        return differs(`missing, additional or empty in the list: ${some(lacks)}`);
      }),
  },
  {
    id: "missing_is_404",
    question: "Is a record that does not exist answered with 404?",
    guide: "mirror",
    promise: "two 404s prove a deletion, while listed records can be read",
    todo: "The mirror proves no deletion with this service. Tell the maintainers of the library the status.",
    judge({ absent }) {
      if (!absent) return notSeen("no list with single records could be read");
      if (absent.status === 404) return asAssumed(`${absent.resource}: 404`);
      if (absent.status === null) return failed(absent);
      return differs(`${absent.resource}: ${absent.failure ?? `${absent.status} with a record`}`);
    },
  },
  {
    id: "error_body",
    question: "Has an error the body with errors, code and message?",
    guide: "errors",
    promise: "ApiError has apiCode, apiMessage and errors, and a success with such a body is an error",
    todo: "Rely on status alone. Report it to the maintainers of the library.",
    judge({ readings }) {
      const refused = readings.filter(({ status }) => status !== null && status >= 400);
      if (refused.length === 0) return notSeen("the service answered with no error");
      const lacks = refused.flatMap(lackingParts);
      return lacks.length > 0 ? differs(inWords(lacks)) : asAssumed(counted(refused.length, "response"));
    },
  },
  {
    id: "unknown_fields",
    question: "Do the models know every field?",
    guide: "drift",
    promise: "new fields pass untyped",
    todo: "Nothing breaks. Report the names to the maintainers of the library, to have the fields typed.",
    judge: (evidence) => judgeDrift(evidence, ["unknown_field"]),
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
    id: "model_types",
    question: "Does every field have the type that its model says?",
    guide: "drift",
    promise: 'what you read has the declared type, or validation: "strict" refuses it',
    todo: "Guard these fields in your code, and report them to the maintainers of the library.",
    judge: (evidence) => judgeDrift(evidence, ["missing_field", "unexpected_null", "wrong_type"]),
  },
  {
    id: "time_zone",
    question: "Are times written in UTC, as 2030-07-01T08:00:00.000Z, and days as 2030-07-01?",
    guide: "dates-and-money",
    promise: "a point in time is always UTC, and a day has no time",
    todo: "Do not compare or store these fields as text: parse them first.",
    judge({ readings }) {
      const others = new Set<string>();
      let times = 0;
      for (const { resource, operation, records } of readings) {
        const fields = Object.entries(fieldsOf(operation.response)).flatMap(([field, schema]) => {
          const form = FORMS[formatOf(unwrapped(schema)) ?? ""];
          return form ? [[field, form] as const] : [];
        });
        for (const record of records) {
          for (const [field, form] of fields) {
            const value = record[field];
            if (typeof value !== "string") continue;
            times++;
            if (!form.test(value)) others.add(`${resource}.${field} (${formOf(value)})`);
          }
        }
      }
      if (times === 0) return notSeen("no record has a time or a day");
      return others.size > 0 ? differs(some([...others])) : asAssumed(counted(times, "value"));
    },
  },
];

function withSingles(singles: Evidence["singles"], judge: () => Verdict): Verdict {
  if (singles.length === 0) return notSeen("no list with single records has a record");
  const without = singles.find(({ reading }) => reading.status === null);
  return without ? failed(without.reading) : judge();
}

function lackingParts({ refusal, status }: Reading): string[] {
  if (!refusal) return [`no JSON body (${status})`];
  const { apiCode: code, apiMessage: message, errors } = refusal;
  const parts = { errors: typeof errors === "object" ? errors : null, code, message };
  return Object.entries(parts).flatMap(([name, value]) => (value === null ? [`no ${name} (${status})`] : []));
}

// A record that was written in between may differ.
function fieldsThatDiffer(listed: AnyRecord, single: AnyRecord | undefined): string[] {
  if (!single || single.updated_at !== listed.updated_at) return [];
  const names = new Set([...Object.keys(listed), ...Object.keys(single)]);
  return [...names].filter((name) => kindOf(listed[name]) !== kindOf(single[name]));
}

// Values may differ rightly: an address of a file may be signed anew each time.
function kindOf(value: unknown): string {
  return value === null || Array.isArray(value) ? `${JSON.stringify(value)?.slice(0, 1)}` : typeof value;
}

function judgeDrift({ readings }: Evidence, kinds: readonly DriftKind[]): Verdict {
  const checked = readings.filter(({ records }) => records.length > 0);
  if (checked.length === 0) return notSeen("no record could be read");
  const found = new Set<string>();
  let records = 0;
  for (const reading of checked) {
    records += reading.records.length;
    for (const { field, kind } of driftOf(reading)) {
      if (kinds.includes(kind)) found.add(`${reading.resource}.${field}${kinds.length > 1 ? ` (${kind})` : ""}`);
    }
  }
  if (found.size > 0) return differs(some([...found].sort()));
  return asAssumed(
    `${counted(records, "record")} of ${counted(new Set(checked.map(({ resource }) => resource)).size, "resource")}`,
  );
}

function driftOf({ operation, records }: Reading): { field: string; kind: DriftKind }[] {
  const validator = new RecordValidator(operation.response as Schema, "report");
  return records.flatMap((record) =>
    validator.mismatches(record).map(({ path, kind }) => ({
      field: formatPath(
        path.map((key) => (typeof key === "string" ? named(key) : key)),
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

function some(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return inWords(names.slice(0, MOST_NAMES)) + (more > 0 ? ` and ${more} more` : "");
}
