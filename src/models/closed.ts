import type * as z from "zod/mini";
import { withMessages } from "../core/schema/issues.js";
import { strictSchema } from "../core/schema/strict-schema.js";

/**
 * Makes the closed variant of an exported schema: at every level it refuses fields that it does not know, and
 * enumerations accept only their known values and strings passed to `cast`. `z.toJSONSchema` then writes
 * `additionalProperties: false`, as structured outputs of language models require. Custom fields may still have any
 * key, and records whose fields the service description does not show stay open. The original schema does not change.
 * @example
 * const strict = closed(accountCreateSchema);
 * console.log(strict.safeParse({ name: "Example Ltd", nmae: "Example" }).success); // false
 */
export function closed<S extends z.core.$ZodType>(schema: S): z.ZodMiniType<z.output<S>, z.input<S>> {
  const strict = strictSchema(schema, "report");
  // If there was nothing to restrict, `strict` is the caller's own schema, which must not be changed.
  return (strict === schema ? schema : withMessages(strict)) as z.ZodMiniType<z.output<S>, z.input<S>>;
}
