import * as z from "zod/mini";
import type { Schema } from "../schema/model.js";
import type { Fits } from "./platform.js";

export { protectFetch } from "./too-many-encodings.js";
export { isTraced, traceCall, traceRequest } from "./trace-channels.js";

/**
 * Makes a fast check of a hot schema by generating code for it; see platform.ts. It builds no copy of the value, as
 * parsing does. Null where a host has configured zod as jitless, and where its zod is too old to compile schemas.
 */
export const compileCheck: ((schema: Schema) => Fits | null) | null = (schema) => {
  if (z.config().jitless || typeof z.compile !== "function" || typeof z.validate !== "function") return null;
  const compiled = z.compile(schema);
  return (value) => z.validate(compiled, value);
};
