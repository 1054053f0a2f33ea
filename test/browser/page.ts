// The exports that src/library.js of the bundlers' folder puts into the page, with the types of the sources.
import type * as sdk from "../../src/index.ts";
import type { createSandbox } from "../../src/sandbox/index.ts";

export interface PageGlobals {
  readonly sdk: typeof sdk;
  readonly createSandbox: typeof createSandbox;
}
