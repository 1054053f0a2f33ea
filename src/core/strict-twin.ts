import * as z from "zod/mini";
import type { Schema } from "./model.js";

/**
 * What a twin is for.
 * - `report`: notices unknown fields and every unknown enumeration value.
 * - `strict`: the same, but lets unknown values of incomplete enumerations pass.
 * - `input`: notices unknown fields in what a caller sends.
 */
export type TwinKind = "report" | "strict" | "input";

/**
 * Derives from a loose, open schema the one that notices everything: objects refuse unknown fields, enumerations
 * unknown values. The public schemas stay loose, so that what the service adds passes; the twin is what drift
 * reports, strict validation and input checks look through. Built once per schema and kind, when first needed.
 */
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
      twin = this.#derive(schema);
      this.#twins.set(schema, twin);
    }
    return twin;
  }

  #derive(schema: Schema): Schema {
    const def = schema._zod.def as z.core.$ZodTypes["_zod"]["def"];
    switch (def.type) {
      case "object":
        return this.#object(def);
      case "array":
        return withChecks(z.array(this.of(def.element)), def.checks);
      case "record":
        return z.record(def.keyType as z.core.$ZodRecordKey, this.of(def.valueType));
      case "nullable":
        return z.nullable(this.of(def.innerType));
      case "optional":
        return z.optional(this.of(def.innerType));
      case "union":
        return this.#union(def, schema);
      default:
        return schema;
    }
  }

  #object(def: z.core.$ZodObjectDef): Schema {
    const shape: Record<string, z.core.SomeType> = {};
    for (const [name, field] of Object.entries(def.shape)) shape[name] = this.of(field as Schema);
    const open = def.catchall?._zod.def.type === "any";
    return withChecks(open ? z.looseObject(shape) : z.strictObject(shape), def.checks);
  }

  #union(def: z.core.$ZodUnionDef, schema: Schema): Schema {
    const [first, second] = def.options;
    const types = def.options.map((option) => option._zod.def.type).join("|");
    // What enumeration().open makes: complete lists start with the enum, incomplete ones with the string.
    if (types === "enum|string") return first as Schema;
    if (types === "string|enum") return (this.#kind === "report" ? second : first) as Schema;
    return withChecks(z.union(def.options.map((option) => this.of(option as Schema))), def.checks) ?? schema;
  }
}

function withChecks(schema: z.ZodMiniType, checks: z.core.$ZodCheck<never>[] | undefined): Schema {
  return checks?.length ? schema.check(...(checks as z.core.$ZodCheck<unknown>[])) : schema;
}
