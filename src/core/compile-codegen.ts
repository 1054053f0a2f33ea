import * as z from "zod/mini";
import type { Schema } from "./model.js";

/**
 * Makes a hot schema faster by generating code for it; see compile.ts. A schema that cannot be compiled comes back as
 * it is, and a host that configured zod as jitless is obeyed.
 */
export const compileSchema: ((schema: Schema) => Schema) | null = (schema) =>
  z.config().jitless ? schema : z.compile(schema);
