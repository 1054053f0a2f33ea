// Writes src/generated, docs/operations.md, llms-full.txt and openapi/*.json: node scripts/generate.ts [--check]

// Registers the hooks that let documents.ts import the sources. documents.ts is imported dynamically, once the hooks
// are in place.
import "./lib/from-source.ts";
import { doors } from "./lib/doors.ts";
import { bringInStep } from "./lib/generated.ts";
import { readExports } from "./lib/source-exports.ts";

// Writes these files first, because the next steps run the sources, which import them.
bringInStep(doors(readExports()));
const { documents } = await import("./lib/documents.ts");
bringInStep(await documents());
