import type { Schema } from "./model.js";

/**
 * Makes a hot schema faster, where code may be generated. This is the file for browsers and Workers, where a
 * Content-Security-Policy may forbid that and the attempt alone would be reported: there schemas stay interpreted.
 * Node, Bun and Deno get compile-codegen.ts instead; package.json's `imports` chooses.
 */
export const compileSchema: ((schema: Schema) => Schema) | null = null;
