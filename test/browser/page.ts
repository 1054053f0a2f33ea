// The exports that src/library.js in the bundlers' folder adds to the page, with the types of the sources.
import type * as sdk from "../../src/index.ts";
import type { createSandbox } from "../../src/sandbox/index.ts";

export interface PageGlobals {
  readonly sdk: typeof sdk;
  readonly createSandbox: typeof createSandbox;
}
