import type { Schema } from "./model.js";

/**
 * What differs between platforms. This is the file for browsers and Workers; Node, Bun and Deno get platform-server.ts
 * instead: package.json's `imports` chooses, as `#platform`.
 */

/** Tells whether a value fits a schema, without saying how it does not. */
export type Fits = (value: unknown) => boolean;

/**
 * Makes a fast check of a hot schema, where code may be generated. Here a Content-Security-Policy may forbid that, and the
 * attempt alone would be reported: schemas stay interpreted.
 */
export const compileCheck: ((schema: Schema) => Fits | null) | null = null;

/** Sentences that follow a connection's code. Browsers give no code. */
export const CONNECTION_HINTS: Readonly<Record<string, string>> = {};
