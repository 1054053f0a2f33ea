import type { StandardSchema } from "../clients/standard-schema.js";
import { isPlainObject } from "../core/json.js";
import { didYouMean } from "../core/option-checks.js";
import { ToolProblem } from "./problem.js";

type Kind = "text" | "texts" | "object" | "rows" | "id" | "limit";

export interface Arguments {
  readonly kinds: Readonly<Record<string, Kind>>;
  readonly required: readonly string[];
  readonly notes?: Readonly<Record<string, string>>;
}

export interface Given {
  readonly [name: string]: unknown;
}

const MOST_ROWS = 500;
const LONGEST_OBJECT = 4_000;
const JSON_OF: Readonly<Record<Kind, object>> = {
  text: { type: "string" },
  texts: { type: "array", items: { type: "string" } },
  object: { type: "object" },
  rows: { type: "array", items: { type: "object" }, maxItems: MOST_ROWS },
  id: { type: ["integer", "string"] },
  limit: { type: "integer", minimum: 1, maximum: 100 },
};

export function jsonSchemaOf({ kinds, required, notes = {} }: Arguments): { readonly [keyword: string]: unknown } {
  const properties = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      notes[name] === undefined ? JSON_OF[kind] : { ...JSON_OF[kind], description: notes[name] },
    ]),
  );
  return { type: "object", properties, ...(required.length > 0 && { required }), additionalProperties: false };
}

/** A Standard Schema for these arguments, which it accepts as objects or as JSON text. */
export function schemaOf(given: Arguments): StandardSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "education-admin-sdk",
      validate: (value: unknown) => {
        try {
          return { value: parseInput(value, given) };
        } catch (error) {
          return { issues: [{ message: error instanceof Error ? error.message : String(error) }] };
        }
      },
    },
  };
}

/**
 * Checks the arguments, which some clients send wholly or partly as JSON text. @throws ToolProblem naming the argument
 * to correct.
 */
export function parseInput(input: unknown, { kinds, required }: Arguments): Given {
  const whole = fromText(input ?? {});
  if (!isPlainObject(whole)) throw new ToolProblem("the arguments must be an object");
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(whole)) {
    if (value === null || value === undefined || value === "") continue;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (!kind)
      throw new ToolProblem(
        `there is no argument "${name.slice(0, 40)}"${didYouMean(name.slice(0, 40), Object.keys(kinds))}`,
      );
    const [rule, read] = READ[kind];
    given[name] = read(value);
    if (given[name] === undefined) throw new ToolProblem(`the argument ${name} ${rule}`);
  }
  const missing = required.find((name) => given[name] === undefined);
  if (missing !== undefined) throw new ToolProblem(`the argument "${missing}" is missing`);
  return given;
}

const READ: Readonly<Record<Kind, readonly [rule: string, read: (value: unknown) => unknown]>> = {
  text: [
    "must be text of at most 2000 characters",
    (value) => (typeof value === "string" && value.length <= 2_000 ? value : undefined),
  ],
  texts: [
    "must be a list of strings",
    (value) => {
      const list = typeof value === "string" ? (arrayIn(value) ?? value.split(",").map((one) => one.trim())) : value;
      const isText = (one: unknown) => typeof one === "string" && one !== "";
      return Array.isArray(list) && list.length <= 100 && list.every(isText) ? list : undefined;
    },
  ],
  // A filter with thousands of values would make a URL that no server accepts.
  object: [
    `must be an object of at most ${LONGEST_OBJECT} characters as JSON`,
    (value) => {
      const object = fromText(value);
      return isPlainObject(object) && jsonLength(object) <= LONGEST_OBJECT ? object : undefined;
    },
  ],
  rows: [
    `must be a list of 1 to ${MOST_ROWS} objects`,
    (value) => {
      const rows = fromText(value);
      const isRows = Array.isArray(rows) && rows.length > 0 && rows.length <= MOST_ROWS && rows.every(isPlainObject);
      return isRows ? rows : undefined;
    },
  ],
  id: [
    "must be an identifier",
    (value) => {
      const id = wholeIn(value);
      const isId = typeof id === "number" ? Number.isSafeInteger(id) && id > 0 : /^[\w.-]{1,100}$/.test(String(id));
      return isId ? id : undefined;
    },
  ],
  limit: [
    "must be a whole number from 1 to 100",
    (value) => {
      const count = wholeIn(value);
      return Number.isInteger(count) && Number(count) >= 1 && Number(count) <= 100 ? count : undefined;
    },
  ],
};

/** Converts a string of digits, which some clients send, to a number; returns other values unchanged. */
export function wholeIn(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

function jsonLength(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function arrayIn(text: string): unknown {
  const found = fromText(text);
  return Array.isArray(found) ? found : null;
}

function fromText(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[{["]/.test(value)) return value;
  try {
    // Some clients encode the value as JSON twice.
    return fromText(JSON.parse(value));
  } catch {
    return value;
  }
}
