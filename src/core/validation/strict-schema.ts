import * as z from "zod/mini";
import type { DriftKind } from "../events.js";
import { NO_MESSAGES, NOT_SHOWN } from "./issues.js";
import {
  type EnumerationTraits,
  type ObjectTraits,
  type Schema,
  traitsOf,
  type VariantTraits,
  withChecksOf,
} from "./traits.js";

/**
 * What a strict schema is for.
 * - `report`: every difference in a record of the service, new fields included.
 * - `strict`: only the differences that strict validation refuses. New fields and unknown values of incomplete
 *   enumerations pass.
 * - `input`: what a caller passes to an operation. Unknown fields are refused; cast values pass.
 * - `received`: what a server accepts. As `input`, but cast values are refused unless they are known values.
 */
export type StrictKind = "report" | "strict" | "input" | "received";

/** Differences already reported, by place. The strict schema accepts them. */
export class ReportedDifferences {
  readonly kinds = new Set<DriftKind>();
  readonly children = new Map<string, ReportedDifferences>();

  /** The differences without those of one field. */
  without(field: string): ReportedDifferences {
    const rest = new ReportedDifferences();
    for (const kind of this.kinds) rest.kinds.add(kind);
    for (const [name, child] of this.children) if (name !== field) rest.children.set(name, child);
    return rest;
  }

  /** Adds a difference at a path; all items of an array are one place. */
  add(path: readonly PropertyKey[], kind: DriftKind): void {
    let place: ReportedDifferences = this;
    for (const key of path) {
      const step = typeof key === "number" ? ITEM : String(key);
      let next = place.children.get(step);
      if (!next) {
        next = new ReportedDifferences();
        place.children.set(step, next);
      }
      place = next;
    }
    place.kinds.add(kind);
  }
}

const ITEM = "[]";

/**
 * Derives from a public schema, which is loose, the one that a check needs: closed objects and closed enumerations, as
 * far as the kind asks for it.
 * @param reported differences that the strict schema accepts.
 */
export function strictSchema(schema: Schema, kind: StrictKind, reported?: ReportedDifferences): Schema {
  return derive(schema, { kind, array: z.array }, reported);
}

/**
 * Derives the same strict schema, except that it stops at the 100th difference in an array. zod describes every
 * difference, which takes a minute for half a million items. This schema cannot be compiled and converts no items.
 */
export function limitedSchema(schema: Schema, kind: StrictKind, reported?: ReportedDifferences): Schema {
  return derive(schema, { kind, array: limitedArray }, reported);
}

/** Strict schemas of one kind, each derived when it is first needed. */
export class StrictSchemas {
  readonly #kind: StrictKind;
  readonly #derived = new WeakMap<Schema, Schema>();

  constructor(kind: StrictKind) {
    this.#kind = kind;
  }

  /** The strict schema of a public one. */
  of(schema: Schema): Schema {
    let strict = this.#derived.get(schema);
    if (!strict) {
      strict = strictSchema(schema, this.#kind);
      this.#derived.set(schema, strict);
    }
    return strict;
  }
}

interface Derivation {
  readonly kind: StrictKind;
  readonly array: (item: Schema) => z.ZodMiniType;
}

function derive(schema: Schema, how: Derivation, reported: ReportedDifferences | undefined): Schema {
  return accepting(strictly(schema, how, reported), reported?.kinds);
}

function strictly(schema: Schema, how: Derivation, reported: ReportedDifferences | undefined): Schema {
  const traits = traitsOf(schema);
  switch (traits.kind) {
    case "object":
      return withChecksOf(schema, strictObject(traits, how, reported));
    case "array": {
      const item = derive(traits.item, how, reported?.children.get(ITEM));
      return item === traits.item && how.array === z.array ? schema : withChecksOf(schema, how.array(item));
    }
    case "record":
      return withChecksOf(schema, z.record(traits.key as z.core.$ZodRecordKey, derive(traits.value, how, undefined)));
    case "nullable":
      return z.nullable(strictly(traits.inner, how, reported));
    case "optional":
      return z.optional(strictly(traits.inner, how, reported));
    case "enumeration":
      return reported?.kinds.has("unknown_value") ? schema : strictEnumeration(schema, traits, how.kind);
    case "variants":
      return strictVariants(traits, how, reported);
    case "union": {
      const options = traits.options.map((option) => derive(option, how, undefined));
      // Nothing to close inside: the union keeps its own message.
      const same = options.every((option, index) => option === traits.options[index]);
      return same ? schema : withChecksOf(schema, z.union(options));
    }
    default:
      return schema;
  }
}

function strictObject(
  { fields, open }: ObjectTraits,
  how: Derivation,
  reported: ReportedDifferences | undefined,
): z.ZodMiniType {
  const strict: [string, z.core.SomeType][] = Object.entries(fields).map(([name, field]) => [
    name,
    derive(field, how, reported?.children.get(name)),
  ]);
  // Optional: that one record had the field does not mean that the next one must.
  for (const [name, { kinds }] of reported?.children ?? []) {
    if (kinds.has("unknown_field")) strict.push([name, z.optional(z.unknown())]);
  }
  // Not by assignment: the service may add a field called __proto__.
  const shape = Object.fromEntries(strict);
  return open || how.kind === "strict" ? z.looseObject(shape) : z.strictObject(shape);
}

// The discriminator stays as it is in every form, because zod chooses the form by it. What was reported of it is
// accepted beside the forms.
function strictVariants(
  traits: VariantTraits,
  how: Derivation,
  reported: ReportedDifferences | undefined,
): z.ZodMiniType {
  const { discriminator, options } = traits;
  const fields = reported?.without(discriminator);
  const forms = options.map((option) => strictly(option, how, fields));
  const kinds = reported?.children.get(discriminator)?.kinds;
  const other = kinds ? accepting(kinds.has("unknown_value") ? z.string() : z.never(), kinds) : null;
  return traits.of(forms, other) as z.ZodMiniType;
}

const MOST_ARRAY_ISSUES = 100;

function limitedArray(item: Schema): z.ZodMiniType {
  return z.array(z.unknown()).check(({ value, issues }) => {
    let found = 0;
    for (let index = 0; index < value.length && found < MOST_ARRAY_ISSUES; index++) {
      const { error } = z.safeParse(item, value[index], NO_MESSAGES);
      for (const issue of error?.issues ?? []) {
        found++;
        issues.push({ ...issue, input: value[index], path: [index, ...issue.path] } as z.core.$ZodRawIssue);
      }
    }
  });
}

function strictEnumeration(schema: Schema, { values, complete, open }: EnumerationTraits, kind: StrictKind): Schema {
  if (!open) return kind === "received" ? z.enum(values) : schema;
  if (complete) return z.enum(values);
  return kind === "report" ? z.enum(values, NOT_SHOWN) : schema;
}

function accepting(schema: Schema, kinds: ReadonlySet<DriftKind> | undefined): Schema {
  if (!kinds || kinds.size === 0) return schema;
  if (kinds.has("wrong_type")) return z.unknown();
  let accepts = schema;
  if (kinds.has("unexpected_null")) accepts = z.nullable(accepts);
  if (kinds.has("missing_field")) accepts = z.optional(accepts);
  return accepts;
}
