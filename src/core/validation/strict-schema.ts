import * as z from "zod/mini";
import type { DriftKind } from "../events.js";
import type { Schema } from "../model.js";

/**
 * What a twin is for.
 * - `report`: notices unknown fields and every unknown enumeration value.
 * - `strict`: the same, but lets unknown values of incomplete enumerations pass.
 * - `input`: notices unknown fields in what a caller sends.
 */
export type TwinKind = "report" | "strict" | "input";

/** Differences that were told already, by place: a twin made with them lets them pass. */
export class ExpectedDrift {
  readonly kinds = new Set<DriftKind>();
  readonly children = new Map<string, ExpectedDrift>();

  /** Adds a difference at a path; positions in arrays count as one place. */
  add(path: readonly PropertyKey[], kind: DriftKind): void {
    let place: ExpectedDrift = this;
    for (const key of path) {
      const step = typeof key === "number" ? ITEM : String(key);
      let next = place.children.get(step);
      if (!next) {
        next = new ExpectedDrift();
        place.children.set(step, next);
      }
      place = next;
    }
    place.kinds.add(kind);
  }
}

const ITEM = "[]";

/**
 * Derives from a loose, open schema the one that notices everything: objects refuse unknown fields, enumerations
 * unknown values. The public schemas stay loose, so that what the service adds passes; the twin is what drift
 * reports, strict validation and input checks look through.
 */
export function strictTwin(schema: Schema, kind: TwinKind, expected?: ExpectedDrift): Schema {
  return relaxed(derive(schema, kind, expected), expected);
}

/** The twins of one kind, each made when first needed. */
export class StrictTwins {
  readonly #kind: TwinKind;
  readonly #twins = new WeakMap<Schema, Schema>();

  constructor(kind: TwinKind) {
    this.#kind = kind;
  }

  /** The twin of a schema. */
  of(schema: Schema): Schema {
    let twin = this.#twins.get(schema);
    if (!twin) {
      twin = strictTwin(schema, this.#kind);
      this.#twins.set(schema, twin);
    }
    return twin;
  }
}

function derive(schema: Schema, kind: TwinKind, expected: ExpectedDrift | undefined): Schema {
  const def = schema._zod.def as z.core.$ZodTypes["_zod"]["def"];
  switch (def.type) {
    case "object":
      return objectTwin(def, kind, expected);
    case "array":
      return withChecks(z.array(strictTwin(def.element, kind, expected?.children.get(ITEM))), def.checks);
    case "record":
      return z.record(def.keyType as z.core.$ZodRecordKey, strictTwin(def.valueType, kind));
    case "nullable":
      return z.nullable(derive(def.innerType, kind, expected));
    case "optional":
      return z.optional(derive(def.innerType, kind, expected));
    case "union":
      return unionTwin(def, schema, kind, expected);
    default:
      return schema;
  }
}

function objectTwin(def: z.core.$ZodObjectDef, kind: TwinKind, expected: ExpectedDrift | undefined): Schema {
  const fields: [string, z.core.SomeType][] = Object.entries(def.shape).map(([name, field]) => [
    name,
    strictTwin(field as Schema, kind, expected?.children.get(name)),
  ]);
  // Optional: that one record had the field does not mean that the next one must.
  for (const [name, { kinds }] of expected?.children ?? []) {
    if (kinds.has("unknown_field")) fields.push([name, z.optional(z.any())]);
  }
  // Not by assignment: the service may invent a field called __proto__.
  const shape = Object.fromEntries(fields);
  const open = def.catchall?._zod.def.type === "any";
  return withChecks(open ? z.looseObject(shape) : z.strictObject(shape), def.checks);
}

function unionTwin(
  def: z.core.$ZodUnionDef,
  schema: Schema,
  kind: TwinKind,
  expected: ExpectedDrift | undefined,
): Schema {
  const [first, second] = def.options;
  const types = def.options.map((option) => option._zod.def.type).join("|");
  const enumerated = types === "enum|string" || types === "string|enum";
  if (!enumerated) {
    const options = def.options.map((option) => strictTwin(option as Schema, kind));
    // Nothing to notice within: the union keeps its own words for what it wants.
    const same = options.every((option, index) => option === def.options[index]);
    return same ? schema : withChecks(z.union(options), def.checks);
  }
  if (expected?.kinds.has("unknown_value")) return schema;
  // What enumeration().open makes: complete lists start with the enum, incomplete ones with the string.
  if (types === "enum|string") return first as Schema;
  return (kind === "report" ? second : first) as Schema;
}

function relaxed(schema: Schema, expected: ExpectedDrift | undefined): Schema {
  const kinds = expected?.kinds;
  if (!kinds || kinds.size === 0) return schema;
  if (kinds.has("wrong_type")) return z.any();
  let passing = schema;
  if (kinds.has("unexpected_null")) passing = z.nullable(passing);
  if (kinds.has("missing_field")) passing = z.optional(passing);
  return passing;
}

function withChecks(schema: z.ZodMiniType, checks: z.core.$ZodCheck<never>[] | undefined): Schema {
  return checks?.length ? schema.check(...(checks as z.core.$ZodCheck<unknown>[])) : schema;
}
