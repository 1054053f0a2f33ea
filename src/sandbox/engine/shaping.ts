import { isPlainObject } from "../../core/json.js";
import type { Schema } from "../../core/schema/model.js";
import { fieldsOf, formatOf, isOptional, traitsOf, unwrap } from "../../core/schema/traits.js";
import type { SandboxManners } from "../data/manners.js";
import type { Values } from "./input.js";

// Fields for long text; all others have a limited length.
const LONG = /^(content|description|comment|body|note|abstract|conditions|message|url)$/;

/** A body with its strings as the service stores them. */
export function storedAs<T>(value: T, manners: SandboxManners, name = ""): T {
  if (Array.isArray(value)) return value.map((part) => storedAs(part, manners, name)) as T;
  if (isPlainObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, storedAs(part, manners, key)])) as T;
  }
  return (typeof value === "string" ? storedText(value, manners, name) : value) as T;
}

function storedText(sent: string, manners: SandboxManners, name: string): string {
  const { blanks, unicode, emails, quotes, longTexts, tags } = manners;
  let text = unicode === "kept" ? sent : sent.normalize(unicode);
  if (tags === "stripped") text = text.replace(/<\/?[a-z][^<>]*>/gi, "");
  if (quotes === "straightened") text = text.replace(/[‘’]/g, "'").replace(/[“”„]/g, '"');
  if (blanks === "folded") text = text.trim().replace(/[\s\u00a0]+/g, " ");
  if (emails === "lower case" && /email$/.test(name)) text = text.toLowerCase();
  return longTexts === "cut at 255" && !LONG.test(name) ? text.slice(0, 255) : text;
}

export function requiredFields(record: Values, schema: Schema | undefined): Values {
  const fields = fieldsOf(schema);
  return Object.fromEntries(Object.entries(record).filter(([name]) => !(fields[name] && isOptional(fields[name]))));
}

const PLACES = { "one place": 1, "four places": 4 } as const;

export function withPlaces(value: unknown, schema: Schema | undefined, places: SandboxManners["decimals"]): unknown {
  if (places === "two places" || !schema) return value;
  const inner = unwrap(schema);
  const traits = traitsOf(inner);
  if (typeof value === "string" && formatOf(inner) === "decimal") return padPlaces(value, PLACES[places]);
  if (Array.isArray(value) && traits.kind === "array")
    return value.map((item) => withPlaces(item, traits.item, places));
  if (!isPlainObject(value) || traits.kind !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withPlaces(part, traits.fields[name], places)]),
  );
}

// Only adds or removes trailing zeros: an amount is never rounded.
function padPlaces(text: string, places: number): string {
  const [whole = "", fraction = ""] = text.split(".");
  const needed = fraction.replace(/0+$/, "");
  return `${whole}.${needed.padEnd(Math.max(places, needed.length), "0")}`;
}

export function withTimes(text: string, form: SandboxManners["times"]): string {
  if (form === "milliseconds") return text;
  return text.replace(/"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{3})Z"/g, (_, seconds: string, fraction: string) => {
    if (form === "whole seconds") return `"${seconds}Z"`;
    const local = new Date(Date.parse(`${seconds}${fraction}Z`) + 7_200_000).toISOString().replace("Z", "+02:00");
    return `"${local}"`;
  });
}
