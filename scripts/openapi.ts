// Writes docs/openapi/*.json from the tables and schemas: node scripts/openapi.ts [--check]
import { fromSource } from "./lib/from-source.ts";
import { bringInStep } from "./lib/generated.ts";
import { openApiDocuments } from "./lib/openapi.ts";
import { readSources } from "./lib/source-index.ts";

const { operations, schemas } = await fromSource();
bringInStep(openApiDocuments(operations, schemas, readSources()));
