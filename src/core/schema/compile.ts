import * as z from "zod/mini";
import type { Schema } from "./traits.js";

/** Returns true if a value fits a schema; unlike `check`, it describes no differences. */
export type Fits = (value: unknown) => boolean;

/** Makes a fast check for a frequently used schema; null if that is impossible. */
export type Compile = (schema: Schema) => Fits | null;

/**
 * Generates the code of a check. Unlike parsing, the check makes no copy of the value. Null if the application has
 * configured zod as jitless, or if the zod version is too old to compile schemas.
 */
export const compileCheck: Compile = (schema) => {
  if (z.config().jitless || typeof z.compile !== "function" || typeof z.validate !== "function") return null;
  const compiled = z.compile(schema);
  return (value) => z.validate(compiled, value);
};
