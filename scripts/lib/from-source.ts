import { registerHooks } from "node:module";
import type { Operation } from "../../src/core/operation.ts";

// The sources import each other as "./x.js", as they will be called once built. Run unbuilt, "./x.js" is "./x.ts".
registerHooks({
  resolve(specifier, context, next) {
    const ofSource = context.parentURL?.includes("/src/") && /^\.{1,2}\/.*\.js$/.test(specifier);
    return next(ofSource ? specifier.replace(/\.js$/, ".ts") : specifier, context);
  },
});

/** The tables and schemas straight from `src`: what is generated from them needs no build and is never stale. */
export async function fromSource(): Promise<{
  operations: readonly Operation[];
  schemas: Readonly<Record<string, unknown>>;
}> {
  const { allOperations } = await import("../../src/operations.ts");
  const schemas = await import("../../src/schemas.ts");
  return { operations: allOperations, schemas };
}
