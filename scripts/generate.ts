// Writes src/generated, docs/operations.md, llms-full.txt and openapi/*.json: node scripts/generate.ts [--check]
// Lets the modules imported below find the sources; before them, as it must have run when they are linked.
import "./lib/from-source.ts";
import { doors } from "./lib/doors.ts";
import { bringInStep } from "./lib/generated.ts";
import { readExports } from "./lib/source-exports.ts";

// Written first, because the next steps run the sources, which import these files.
bringInStep(doors(readExports()));
const { documents } = await import("./lib/documents.ts");
bringInStep(await documents());
