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

/** Checked arguments of a call. */
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
    given[name] = READ[kind](name, value);
  }
  const missing = required.find((name) => given[name] === undefined);
  if (missing !== undefined) throw new ToolProblem(`the argument "${missing}" is missing`);
  return given;
}

const READ: Readonly<Record<Kind, (name: string, value: unknown) => unknown>> = {
  text: (name, value) => checkArgument(name, "must be text", typeof value === "string" && value.length <= 2_000, value),
  texts: (name, value) => {
    const list = typeof value === "string" ? (arrayIn(value) ?? value.split(",").map((one) => one.trim())) : value;
    const isList =
      Array.isArray(list) && list.length <= 100 && list.every((one) => typeof one === "string" && one !== "");
    return checkArgument(name, "must be a list of strings", isList, list);
  },
  object: (name, value) => {
    const object = fromText(value);
    const given = checkArgument(name, "must be an object", isPlainObject(object), object);
    // A filter with thousands of values would make a URL that no server accepts.
    return checkArgument(
      name,
      `must have at most ${LONGEST_OBJECT} characters as JSON`,
      jsonLength(given) <= LONGEST_OBJECT,
      given,
    );
  },
  rows: (name, value) => {
    const rows = fromText(value);
    const isRows = Array.isArray(rows) && rows.length > 0 && rows.length <= MOST_ROWS && rows.every(isPlainObject);
    return checkArgument(name, `must be a list of 1 to ${MOST_ROWS} objects`, isRows, rows);
  },
  id: (name, value) => {
    const id = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
    const isId =
      (typeof id === "number" && Number.isSafeInteger(id) && id > 0) ||
      (typeof id === "string" && /^[\w.-]{1,100}$/.test(id));
    return checkArgument(name, "must be an identifier", isId, id);
  },
  limit: (name, value) => {
    const count = typeof value === "string" && /^\d{1,3}$/.test(value) ? Number(value) : value;
    const isLimit = typeof count === "number" && Number.isInteger(count) && count >= 1 && count <= 100;
    return checkArgument(name, "must be a whole number from 1 to 100", isLimit, count);
  },
};

function checkArgument(name: string, rule: string, isRight: boolean, value: unknown): unknown {
  if (!isRight) throw new ToolProblem(`the argument ${name} ${rule}`);
  return value;
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
