// Writes docs/operations.md from the tables: node scripts/operations-doc.ts [--check]
import { fromSource } from "./lib/from-source.ts";
import { bringInStep } from "./lib/generated.ts";
import { operationsDoc } from "./lib/operations-doc.ts";
import { readSources } from "./lib/source-index.ts";

const { operations } = await fromSource();
bringInStep(operationsDoc(operations, readSources()));
