import * as z from "zod/mini";
import type { InputIssue } from "../error-details.js";
import type { DriftKind } from "../events.js";
import { rewordIssues, type Schema } from "./traits.js";

/** One difference between a value and its schema: its path, its kind, and a message without the value. */
export interface Mismatch {
  readonly path: readonly PropertyKey[];
  readonly kind: DriftKind;
  readonly message: string;
}

export const NOT_SHOWN = "is not one of the values the service description shows";

/**
 * True for a difference that strict validation refuses: anything except a new field or a value of an incomplete
 * enumeration.
 */
export function isRefused({ kind, message }: Mismatch): boolean {
  return kind !== "unknown_field" && !(kind === "unknown_value" && message === NOT_SHOWN);
}

/** Parses a value; its issues have no messages unless the schema sets them. */
export function parse(schema: Schema, value: unknown): z.core.util.SafeParseResult<unknown> {
  return z.safeParse(schema, value, NO_MESSAGES);
}

/**
 * Parses a value and describes its differences from the schema.
 * @param most maximum number of differences to describe. Default: all.
 * @returns the parsed value, or the unchanged value with its differences.
 */
export function check(
  schema: Schema,
  value: unknown,
  most = Number.POSITIVE_INFINITY,
): { value: unknown; mismatches: readonly Mismatch[] } {
  const result = parse(schema, value);
  if (result.success) return { value: result.data, mismatches: [] };
  const mismatches: Mismatch[] = [];
  for (const issue of result.error.issues) {
    if (mismatches.length >= most) break;
    for (const mismatch of mismatchesOf(issue as z.core.$ZodIssue, value, [], most - mismatches.length)) {
      mismatches.push(mismatch);
    }
  }
  return { value, mismatches };
}

/** Gives a schema the library's messages: zod/mini itself only says "Invalid input". */
export function withMessages<S extends Schema>(schema: S): S {
  return rewordIssues(schema, wordsFor);
}

// Parses again, because an issue that is being built does not show whether its schema sets the message.
function wordsFor(schema: Schema, value: unknown, issues: z.core.$ZodRawIssue[]): z.core.$ZodRawIssue[] {
  const { error } = z.safeParse(schema, value, NO_MESSAGES);
  return issues.flatMap((raw, index) => {
    const issue = error?.issues[index];
    const found = issue ? mismatchesOf(issue as z.core.$ZodIssue, value, []) : [];
    return found.map(({ path, message }) =>
      path.length === raw.path?.length
        ? { ...raw, message }
        : { code: "custom", input: value, path: [...path], message },
    );
  });
}

// Passed to zod with each call: its global settings belong to the application, and importing the full zod sets them.
const NO_MESSAGE = "";
/** Makes zod leave an issue's message empty unless the schema sets one. */
export const NO_MESSAGES = { error: () => NO_MESSAGE };

// In characters. Longer names come from hostile servers and would fill logs and memory.
const LONGEST_NAME = 100;

/** Writes a path for people: `invoice_items[0].units`; with `anyIndex`, `invoice_items[].units`. */
export function formatPath(path: readonly PropertyKey[], anyIndex = false): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += anyIndex ? "[]" : `[${key}]`;
    else text += `${text === "" ? "" : "."}${shortenName(String(key))}`;
  }
  return text;
}

function shortenName(name: string): string {
  // Copied, because a slice would keep the whole name in memory.
  return name.length > LONGEST_NAME ? Array.from(name.slice(0, LONGEST_NAME)).join("") : name;
}

export function toInputIssue({ path, message }: Mismatch): InputIssue {
  return { path: formatPath(path), message };
}

function mismatchesOf(
  issue: z.core.$ZodIssue,
  root: unknown,
  base: readonly PropertyKey[],
  most = Number.POSITIVE_INFINITY,
): Mismatch[] {
  const path = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys
      .slice(0, most)
      .map((key) => ({ path: [...path, key], kind: "unknown_field", message: "is not a known field" }));
  }
  if (issue.code === "invalid_union") {
    const inner = fittingBranch(issue, root, path);
    if (inner) return inner;
  }
  const kind = kindOf(issue, valueAt(root, path));
  return [{ path, kind, message: messageOf(issue, kind) }];
}

// Reports the branch of a union that has an issue inside the value: it is most likely the intended branch.
function fittingBranch(
  issue: z.core.$ZodIssueInvalidUnion,
  root: unknown,
  path: readonly PropertyKey[],
): Mismatch[] | undefined {
  const branches = issue.errors.map((errors) =>
    errors.flatMap((error) => mismatchesOf(error as z.core.$ZodIssue, root, path)),
  );
  const deeper = branches.find((found) => found.some((mismatch) => mismatch.path.length > path.length));
  return deeper ?? (schemaMessage(issue) === null ? branches.find((found) => found.length > 0) : undefined);
}

function kindOf(issue: z.core.$ZodIssue, value: unknown): DriftKind {
  if (value === undefined) return "missing_field";
  if (value === null) return "unexpected_null";
  // A discriminator that is not listed counts as an unknown value of an enumeration.
  const listed =
    issue.code === "invalid_value" || (issue.code === "invalid_union" && issue.discriminator !== undefined);
  return listed && typeof value === "string" ? "unknown_value" : "wrong_type";
}

function messageOf(issue: z.core.$ZodIssue, kind: DriftKind): string {
  const message = schemaMessage(issue);
  const isAbsent = kind === "missing_field" || kind === "unexpected_null";
  // A field's message describes wrong values, so it does not fit a missing value. A custom check of a whole body names
  // the missing fields in its own message.
  if (
    message !== null &&
    (issue.code === "custom" || !isAbsent) &&
    (message !== NOT_SHOWN || kind === "unknown_value")
  ) {
    return message;
  }
  if (kind === "missing_field") return "is missing";
  if (kind === "unexpected_null") return "must not be null";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${EXPECTED[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be one of: ${issue.values.map(String).join(", ")}`;
    case "invalid_union":
      return "options" in issue && issue.options
        ? `must be one of: ${issue.options.map(String).join(", ")}`
        : "is not valid";
    case "too_small":
      return `must ${issue.origin === "string" ? "have a length of" : "be"} at least ${issue.minimum}`;
    case "too_big":
      return `must ${issue.origin === "string" ? "have a length of" : "be"} at most ${issue.maximum}`;
    default:
      return "is not valid";
  }
}

function schemaMessage(issue: z.core.$ZodIssue): string | null {
  return issue.message === NO_MESSAGE ? null : issue.message;
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
