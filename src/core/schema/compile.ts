import * as z from "zod/mini";
import type { Schema } from "./traits.js";

/** Returns true if a value fits a schema, and no details if it does not. */
export type Fits = (value: unknown) => boolean;

/** Makes a fast check of a hot schema; null if it cannot. */
export type Compile = (schema: Schema) => Fits | null;

/**
 * Generates the code of a check, which builds no copy of the value, as parsing would. Null if the host has configured
 * zod as jitless, or if its zod is too old to compile schemas.
 */
export const compileCheck: Compile = (schema) => {
  if (z.config().jitless || typeof z.compile !== "function" || typeof z.validate !== "function") return null;
  const compiled = z.compile(schema);
  return (value) => z.validate(compiled, value);
};
