import { registerHooks } from "node:module";
import type { Operation, OperationNotes } from "../../src/core/operation.ts";
import { internalImports } from "./internal-imports.ts";

/** All rows, and their notes for the documentation. */
export interface Tables {
  readonly operations: readonly Operation[];
  notesOf(row: Operation): OperationNotes;
}

const INTERNAL = internalImports("node");
const SOURCES = new URL("../../src/", import.meta.url).href;

// The sources import each other as "./x.js", the name of the built file. Without a build, "./x.js" resolves to
// "./x.ts". Packages that have a `src` folder are left alone.
registerHooks({
  resolve(specifier, context, next) {
    // Names in package.json's imports resolve to sources too.
    const internal = INTERNAL[specifier];
    if (internal !== undefined) return next(new URL(`../../${internal}`, import.meta.url).href, context);
    const ofSource = context.parentURL?.startsWith(SOURCES) && /^\.{1,2}\/.*\.js$/.test(specifier);
    return next(ofSource ? specifier.replace(/\.js$/, ".ts") : specifier, context);
  },
});

/** Loads tables, notes and schemas directly from `src`, so that generating needs no build. */
export async function fromSource(): Promise<{ tables: Tables; schemas: Readonly<Record<string, unknown>> }> {
  const { allOperations, notesOf } = await import("../../src/operations.ts");
  const schemas = await import("../../src/schemas.ts");
  return { tables: { operations: allOperations, notesOf }, schemas };
}
