import { registerHooks } from "node:module";
import type { Operation, OperationNotes } from "../../src/core/operation.ts";
import { internalImports } from "./internal-imports.ts";

/** Every row, and what documentation says about it. */
export interface Tables {
  readonly operations: readonly Operation[];
  notesOf(row: Operation): OperationNotes;
}

const INTERNAL = internalImports("node");
const SOURCES = new URL("../../src/", import.meta.url).href;

// The sources import each other as "./x.js", as they will be called once built. Run unbuilt, "./x.js" is "./x.ts"; packages
// that have a folder src are left alone.
registerHooks({
  resolve(specifier, context, next) {
    // What package.json's imports name is built too.
    const internal = INTERNAL[specifier];
    if (internal !== undefined) return next(new URL(`../../${internal}`, import.meta.url).href, context);
    const ofSource = context.parentURL?.startsWith(SOURCES) && /^\.{1,2}\/.*\.js$/.test(specifier);
    return next(ofSource ? specifier.replace(/\.js$/, ".ts") : specifier, context);
  },
});

/** The tables, their notes and the schemas straight from `src`: what is generated from them needs no build. */
export async function fromSource(): Promise<{ tables: Tables; schemas: Readonly<Record<string, unknown>> }> {
  const { allOperations, notesOf } = await import("../../src/operations.ts");
  const schemas = await import("../../src/schemas.ts");
  return { tables: { operations: allOperations, notesOf }, schemas };
}
