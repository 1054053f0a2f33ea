import * as z from "zod/mini";
import type { Schema } from "../core/schema/model.js";
import { isOptional, traitsOf } from "../core/schema/traits.js";
import type { Days } from "./data/days.js";
import type { Random } from "./data/random.js";
import { firstName, lastName } from "./data/words.js";
import { amount } from "./data/world.js";

interface Source {
  readonly random: Random;
  readonly days: Days;
}

// Ends the recursion of recursive schemas; no record is this deep.
const DEEPEST = 6;

/**
 * Makes a minimal value that a schema accepts, plausible for the name of each field. Optional fields are present only
 * if a rule of the schema needs them. The same random source and days give the same value.
 * @throws RangeError if no sample passes the schema.
 */
export function sample(schema: Schema, random: Random, days: Days): unknown {
  return sampleAt(schema, { random, days }, "", 0);
}

function sampleAt(schema: Schema, source: Source, name: string, depth: number): unknown {
  const traits = traitsOf(schema);
  const { random } = source;
  switch (traits.kind) {
    case "object":
      return sampleObject(schema, traits.fields, source, depth);
    case "array":
      return depth > DEEPEST ? [] : [sampleAt(traits.item, source, name.replace(/s$/, ""), depth + 1)];
    case "nullable":
    case "optional":
      return sampleAt(traits.inner, source, name, depth);
    case "union":
    case "variants":
      // Prefers the enumeration to the text schema beside it, which accepts unknown values.
      return sampleAt(enumerationIn(traits.options), source, name, depth);
    case "converted":
      return sampleAt(traits.input, source, name, depth);
    case "enumeration":
      return random.pick(traits.values);
    case "number":
      // Identifiers are 1, because every list has a record with the identifier 1.
      return firstFit(schema, [/(^|_)id$/.test(name) ? 1 : random.int(1, 5)], name);
    case "boolean":
      return name !== "_destroy" && random.chance(0.5);
    case "record":
      return {};
    case "text":
      return firstFit(schema, textsFor(name, source), name);
    case "anything":
      // Times are sent as text or as a Date, so their schema has no type: only its check shows which value fits.
      return firstFit(schema, [null, ...textsFor(name, source)], name);
    default:
      throw new RangeError(`cannot make a sample of ${name || "a schema"} (${traits.type})`);
  }
}

function enumerationIn(options: readonly Schema[]): Schema {
  return (options.find((option) => traitsOf(option).kind === "enumeration") ?? options[0]) as Schema;
}

function sampleObject(
  schema: Schema,
  fields: Readonly<Record<string, Schema>>,
  source: Source,
  depth: number,
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  const optional: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (isOptional(field)) optional.push(name);
    else value[name] = sampleAt(field, source, name, depth + 1);
  }
  // Adds optional fields as needed: a rule about several fields may require one.
  for (const name of optional) {
    if (z.safeParse(schema, value).success) break;
    value[name] = sampleAt(fields[name] as Schema, source, name, depth + 1);
  }
  return value;
}

function firstFit(schema: Schema, candidates: readonly unknown[], name: string): unknown {
  const fit = candidates.find((candidate) => z.safeParse(schema, candidate).success);
  if (fit === undefined) throw new RangeError(`cannot make a sample of ${name || "a schema"}`);
  return fit;
}

// The most plausible text for the name of a field, then one text of each format that schemas check.
function textsFor(name: string, { random, days }: Source): string[] {
  // An end must be later than every start, and later than the current time.
  const after = /^(end|expiration)_/.test(name) ? 7 : -300;
  const time = days.moment(after + random.int(0, 290), 10);
  const date = days.day(after + random.int(0, 290));
  const price = amount(random.int(10, 500) * 100);
  const likely = LIKELY.find(([pattern]) => pattern.test(name))?.[1](random, { time, date, price });
  return [likely ?? `Sample ${name || "text"} ${random.int(1, 99)}`.replaceAll("_", " "), time, date, price, "1"];
}

interface Forms {
  readonly time: string;
  readonly date: string;
  readonly price: string;
}

const LIKELY: readonly (readonly [RegExp, (random: Random, forms: Forms) => string])[] = [
  [/first_name$/, (random) => firstName(random)],
  [/last_name$/, (random) => lastName(random)],
  [/email$|^uid$|^from$/, (random) => `sample-${random.int(1, 9_999)}@example.com`],
  [/_at$|date_time$/, (_, { time }) => time],
  [/date$/, (_, { date }) => date],
  [/^(cost|starting_price|unit_price|amount|value|total_.*)$/, (_, { price }) => price],
  [/percentage$/, () => "21.0"],
  [/(^|_)url$/, (random) => `https://www.example.org/${random.int(1, 9_999)}`],
  [/color$/, () => "#336699"],
  [/country$/, () => "NL"],
  [/gradeable_type$/, () => "Enrollment"],
];
