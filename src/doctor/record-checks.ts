import { isPlainObject } from "../core/json.js";
import { pluralize } from "../work/pluralize.js";
import {
  asAssumed,
  type Check,
  differs,
  failureVerdict,
  inWords,
  notSeen,
  safeName,
  some,
  type Verdict,
} from "./check.js";
import type { Evidence } from "./evidence.js";
import type { AnyRecord, Reading } from "./reader.js";

export const RECORD_CHECKS: readonly Check[] = [
  {
    id: "listed_is_readable",
    question: "Can a record of a list be read by its identifier?",
    guide: "mirror",
    promise: "nothing is marked as gone without proof",
    todo: "The mirror marks nothing as gone in these lists. Do not delete your own records because of a 404.",
    judge: ({ singles }) =>
      withSingles(singles, (answered) => {
        const others = answered.filter(({ listed, reading }) => reading.records[0]?.id !== listed.id);
        if (others.length === 0) return asAssumed(inWords(answered.map(({ reading }) => reading.resource)));
        return differs(
          inWords(others.map(({ reading }) => `${reading.resource}: ${reading.failure ?? "another record"}`)),
        );
      }),
  },
  {
    id: "list_shows_all",
    question: "Does a list show what reading one record shows?",
    guide: "fewer-requests",
    promise: "`with`, `getMany` and the mirror take a record from its list",
    todo: "Read these fields record by record, and report them to the maintainers of the library.",
    judge: ({ singles }) =>
      withSingles(singles, (answered) => {
        const lacks = answered.flatMap(({ listed, reading }) =>
          fieldsThatDiffer(listed, reading.records[0]).map((field) => `${reading.resource}.${field}`),
        );
        if (lacks.length === 0) return asAssumed(inWords(answered.map(({ reading }) => reading.resource)));
        return differs(`missing, additional, shorter or different in the list: ${some(lacks)}`);
      }),
  },
  {
    id: "missing_is_404",
    question: "Is a record that does not exist answered with 404?",
    guide: "mirror",
    promise: "two 404s prove a deletion, provided that listed records can be read",
    todo: "The mirror cannot prove deletions with this service: report the status to the maintainers of the library.",
    judge({ absent }) {
      if (!absent) return notSeen("no readable list has an operation that reads one record");
      if (absent.status === 404) return asAssumed(`${absent.resource}: 404`);
      if (absent.status === null) return failureVerdict(absent);
      return differs(`${absent.resource}: ${absent.failure ?? `${absent.status} with a record`}`);
    },
  },
  {
    id: "error_body",
    question: "Does an error have a body with errors, code and message?",
    guide: "errors",
    promise: "ApiError has apiCode, apiMessage and errors, and a 2xx with such a body is an error",
    todo: "Rely on status alone, and report the missing parts to the maintainers of the library.",
    judge({ readings }) {
      const refused = readings.filter(({ status }) => status !== null && status >= 400);
      if (refused.length === 0) return notSeen("the service returned no error");
      const lacks = refused.flatMap(lackingParts);
      if (lacks.length > 0) return differs(inWords(lacks));
      const named = refused.filter(({ refusal }) => Object.keys(refusal?.errors ?? {}).length > 0);
      return asAssumed(
        `${pluralize(refused.length, "response")}, of which ${named.length} name what is wrong in errors`,
      );
    },
  },
];

function withSingles(singles: Evidence["singles"], judge: (answered: Evidence["singles"]) => Verdict): Verdict {
  const answered = singles.filter(({ reading }) => reading.status !== null);
  if (answered.length > 0) return judge(answered);
  const [first] = singles;
  return first ? failureVerdict(first.reading) : notSeen("every list whose records can be read one by one is empty");
}

function lackingParts({ refusal, status }: Reading): string[] {
  if (!refusal) return [`no JSON body (${status})`];
  const { apiCode: code, apiMessage: message, errors } = refusal;
  const parts = { errors: typeof errors === "object" ? errors : null, code, message };
  return Object.entries(parts).flatMap(([name, value]) => (value === null ? [`no ${name} (${status})`] : []));
}

// Compares only records of the same version: a write in between may change a record, and a different identifier means a
// different record.
function fieldsThatDiffer(listed: AnyRecord, single: AnyRecord | undefined): string[] {
  if (!single || single.id !== listed.id || single.updated_at !== listed.updated_at) return [];
  return differences(listed, single, "");
}

function differences(some: AnyRecord, other: AnyRecord, path: string): string[] {
  const names = new Set([...Object.keys(some), ...Object.keys(other)]);
  return [...names].flatMap((name) => {
    const [one, two] = [some[name], other[name]];
    const fieldPath = path + safeName(name);
    if (isPlainObject(one) && isPlainObject(two)) return differences(one, two, `${fieldPath}.`);
    return measureOf(name, one) === measureOf(name, two) ? [] : [fieldPath];
  });
}

// Compares identifiers by value, and texts and arrays by length. Ignores URLs, because each response may sign them
// differently.
function measureOf(name: string, value: unknown): string {
  if (/(^|_)ids?$/.test(name)) return JSON.stringify(value) ?? "undefined";
  if (typeof value === "string") return /^https?:/.test(value) ? "address" : `text ${value.length}`;
  return Array.isArray(value) ? `array ${value.length}` : value === null ? "null" : typeof value;
}
