import * as z from "zod/mini";
import type { InputIssue } from "../errors.js";
import type { DriftKind } from "../events.js";
import type { Schema } from "../model.js";

/** One way in which a value does not fit a schema: where, how, and a sentence without the value. */
export interface Mismatch {
  readonly path: readonly PropertyKey[];
  readonly kind: DriftKind;
  readonly message: string;
}

/** Checks a value and says in what it differs; an empty list when it fits. */
export function check(schema: Schema, value: unknown): { value: unknown; mismatches: readonly Mismatch[] } {
  const result = z.safeParse(schema, value, OWN_WORDS);
  if (result.success) return { value: result.data, mismatches: [] };
  return {
    value,
    mismatches: result.error.issues.flatMap((issue) => mismatchesOf(issue as z.core.$ZodIssue, value, [])),
  };
}

// What was given no message of its own. Asked before zod's global settings, which are the host's: with a locale set, or
// the full zod merely imported, the words would be zod's.
const UNTOLD = "";
const OWN_WORDS = { error: () => UNTOLD };

// Nobody names a field so; what a hostile answer invents must fill neither a log nor the memory.
const LONGEST_NAME = 100;

/** Writes a path as a person would: `invoice_items[0].units`; with `anyIndex`, `invoice_items[].units`. */
export function formatPath(path: readonly PropertyKey[], anyIndex = false): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += anyIndex ? "[]" : `[${key}]`;
    else text += `${text === "" ? "" : "."}${shortened(String(key))}`;
  }
  return text;
}

function shortened(name: string): string {
  // Copied, as a slice would keep the whole name in memory.
  return name.length > LONGEST_NAME ? Array.from(name.slice(0, LONGEST_NAME)).join("") : name;
}

/** A mismatch as public errors carry it. */
export function toInputIssue({ path, message }: Mismatch): InputIssue {
  return { path: formatPath(path), message };
}

function mismatchesOf(issue: z.core.$ZodIssue, root: unknown, base: readonly PropertyKey[]): Mismatch[] {
  const path = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], kind: "unknown_field", message: "is not a field here" }));
  }
  if (issue.code === "invalid_union") {
    const inner = fittingBranch(issue, root, path);
    if (inner) return inner;
  }
  const kind = kindOf(issue, valueAt(root, path));
  return [{ path, kind, message: messageOf(issue, kind) }];
}

// The branch of a union whose problem lies deepest is the one that was meant.
function fittingBranch(
  issue: z.core.$ZodIssueInvalidUnion,
  root: unknown,
  path: readonly PropertyKey[],
): Mismatch[] | undefined {
  const branches = issue.errors.map((errors) =>
    errors.flatMap((error) => mismatchesOf(error as z.core.$ZodIssue, root, path)),
  );
  const deeper = branches.find((found) => found.some((mismatch) => mismatch.path.length > path.length));
  return deeper ?? (ownMessage(issue) === null ? branches.find((found) => found.length > 0) : undefined);
}

function kindOf(issue: z.core.$ZodIssue, value: unknown): DriftKind {
  if (value === undefined) return "missing_field";
  if (value === null) return "unexpected_null";
  return issue.code === "invalid_value" && typeof value === "string" ? "unknown_value" : "wrong_type";
}

function messageOf(issue: z.core.$ZodIssue, kind: DriftKind): string {
  if (kind === "missing_field") return ownMessage(issue) ?? "is missing";
  const own = ownMessage(issue);
  if (own !== null) return own;
  if (kind === "unexpected_null") return "must not be null";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${EXPECTED[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be one of: ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `must ${issue.origin === "string" ? "have a length of" : "be"} at least ${issue.minimum}`;
    case "too_big":
      return `must ${issue.origin === "string" ? "have a length of" : "be"} at most ${issue.maximum}`;
    default:
      return "does not fit";
  }
}

function ownMessage(issue: z.core.$ZodIssue): string | null {
  return issue.message === UNTOLD ? null : issue.message;
}

const EXPECTED: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
  date: "a date",
};

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.hasOwn(value, key) ? (value as Record<PropertyKey, unknown>)[key] : undefined;
  }
  return value;
}
