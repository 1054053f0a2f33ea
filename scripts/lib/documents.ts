import { ownDocuments } from "../follow/contract.ts";
import { recordsReport } from "../follow/records.ts";
import { assumptionsDoc } from "./assumptions.ts";
import { fieldClasses } from "./field-classes.ts";
import { fromSource } from "./from-source.ts";
import type { GeneratedFiles } from "./generated.ts";
import { guideLists } from "./guides.ts";
import { inputDescriptions } from "./input-descriptions.ts";
import { llmsFull } from "./llms-full.ts";
import { openApiDocuments } from "./openapi.ts";
import { operationCalls } from "./operation-calls.ts";
import { operationsDoc } from "./operations-doc.ts";
import { optionsDoc } from "./options-doc.ts";
import { readSources } from "./source-index.ts";
import { commandWords } from "./words.ts";

/** Writes the documents and types that are derived from the tables and schemas. */
export async function documents(): Promise<GeneratedFiles> {
  const { tables, schemas } = await fromSource();
  const sources = readSources();
  const openApi = openApiDocuments(tables, schemas, sources);
  return {
    ...operationCalls(tables, schemas),
    ...inputDescriptions(tables, schemas, sources),
    ...commandWords(),
    ...fieldClasses(tables, schemas, sources),
    ...operationsDoc(tables, schemas, sources),
    ...assumptionsDoc(),
    ...guideLists(),
    ...optionsDoc(),
    ...llmsFull(tables, schemas, sources),
    ...openApi,
    "api/records.md": recordsReport(ownDocuments((path) => openApi[path] ?? "")),
  };
}
