import * as z from "zod/mini";
import type { Schema } from "./traits.js";

/** Tells whether a value fits a schema, without saying how it does not. */
export type Fits = (value: unknown) => boolean;

/** Makes a fast check of a hot schema; null if it cannot. */
export type Compile = (schema: Schema) => Fits | null;

/**
 * Generates the code of a check. It builds no copy of the value, as parsing does. Null if a host has configured zod as
 * jitless, and where its zod is too old to compile schemas.
 */
export const compileCheck: Compile = (schema) => {
  if (z.config().jitless || typeof z.compile !== "function" || typeof z.validate !== "function") return null;
  const compiled = z.compile(schema);
  return (value) => z.validate(compiled, value);
};
