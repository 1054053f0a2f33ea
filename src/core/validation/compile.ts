import type { Schema } from "../model.js";

/** Tells whether a value fits a schema, without saying how it does not. */
export type Fits = (value: unknown) => boolean;

/**
 * Makes a fast check of a hot schema, where code may be generated. This is the file for browsers and Workers, where a
 * Content-Security-Policy may forbid that and the attempt alone would be reported: there schemas stay interpreted.
 * Node, Bun and Deno get compile-codegen.ts instead; package.json's `imports` chooses.
 */
export const compileCheck: ((schema: Schema) => Fits | null) | null = null;
