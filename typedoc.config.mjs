// The documentation site, `npm run docs`. What is in which chapter: scripts/docs/chapters.ts.
import entries from "./entries.json" with { type: "json" };
import { CHAPTERS } from "./scripts/docs/chapters.ts";

/** @type {Partial<import("typedoc").TypeDocOptions>} */
const config = {
  name: "education-admin-sdk",
  tsconfig: "tsconfig.build.json",
  plugin: ["./scripts/docs/plugin.ts"],
  entryPoints: Object.values(entries),
  readme: "README.md",
  projectDocuments: [
    "docs/guides/*.md",
    "docs/*.md",
    "docs/decisions/*.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "examples/README.md",
    "examples/*/README.md",
  ],
  out: "docs/site",
  highlightLanguages: ["bash", "console", "javascript", "json", "mermaid", "sh", "text", "typescript", "ts"],
  excludeInternal: true,
  excludePrivate: true,
  excludeProtected: false,
  disableSources: true,
  categorizeByGroup: false,
  categoryOrder: [...CHAPTERS, "*"],
  defaultCategory: "Other",
  navigation: { includeCategories: true, includeGroups: false, includeFolders: false },
  searchInDocuments: true,
  searchInComments: true,
  treatWarningsAsErrors: true,
  validation: {
    notExported: true,
    invalidLink: true,
    invalidPath: true,
    rewrittenLink: true,
    notDocumented: true,
    unusedMergeModuleWith: true,
  },
  requiredToBeDocumented: ["Variable", "Function", "Class", "Interface", "Method", "Accessor", "TypeAlias"],
  intentionallyNotExported: [
    "src/core/model.ts:Enumeration.values",
    "src/core/lists/references.ts:Own",
    "src/core/lookups/join.ts:ClientParts",
    "src/core/lookups/record-reader.ts:Identified",
    "src/webhooks/refetch.ts:RESOURCES",
    "src/webhooks/refetch.ts:Paths",
    "src/models/webhook-event-names.ts:WEBHOOK_EVENT_NAMES",
  ],
  // What these do is said where they come from: in Promise, Response and Standard Schema.
  intentionallyNotDocumented: [
    "index.Call.then",
    "index.Call.catch",
    "index.Call.finally",
    "index.Call.[toStringTag]",
    "index.FetchResponse.arrayBuffer",
    "index.FetchResponse.headers.__type.get",
    "index.StandardSchema.~standard.__type.validate",
    "webhooks.RefetchedRecord.__type.get",
  ],
};

// biome-ignore lint/style/noDefaultExport: TypeDoc reads the default export.
export default config;
