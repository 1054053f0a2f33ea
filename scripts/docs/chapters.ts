/** Folders of sources and documents, most specific first, with their chapter on the site. */
const FOLDERS: readonly (readonly [folder: string, chapter: string])[] = [
  ["docs/guides/", "Guides"],
  ["docs/decisions/", "Decisions"],
  ["docs/", "Reference"],
  ["examples/", "Reference"],
  ["src/webhooks/", "Webhooks"],
  ["src/assistant/", "Assistant"],
  ["src/acts/", "Acts"],
  ["src/erase/", "Erase"],
  ["src/bulk/", "Bulk"],
  ["src/doctor/", "Doctor"],
  ["src/export/", "Export"],
  ["src/mirror/", "Mirror"],
  ["src/proxy/", "Proxy"],
  ["src/sandbox/", "Sandbox"],
  ["src/schools/", "Many schools"],
  ["src/school/", "A school's own fields"],
  ["src/stores/", "Stores"],
  ["src/opentelemetry/", "OpenTelemetry"],
  ["src/clients/", "Clients and calls"],
  ["src/core/call/", "Clients and calls"],
  ["src/core/transport.ts", "Clients and calls"],
  ["src/resources/people/", "People"],
  ["src/resources/catalog/", "Catalog"],
  ["src/resources/planning/", "Planning"],
  ["src/resources/programs/", "Programs"],
  ["src/resources/teachers/", "Teachers"],
  ["src/resources/finance/", "Finance"],
  ["src/resources/organization/", "Organization"],
  ["src/resources/custom/", "Custom fields and objects"],
  ["src/resources/settings/", "Settings"],
  ["src/core/errors.ts", "Errors"],
  ["src/core/error-details.ts", "Errors"],
  ["src/core/events.ts", "Events"],
  ["src/core/lists/", "Lists"],
  ["src/lookups/", "Lists"],
  ["src/core/limits/", "Rate limit"],
  ["src/core/schema/", "Schemas"],
  ["src/core/drift/", "Schemas"],
  ["src/core/", "Options"],
  ["src/models/", "Shared by resources"],
  ["src/resources/", "Shared by resources"],
  ["src/generated/", "Interfaces of resources"],
  ["src/", "Operations"],
];

/** Chapters of the main entry, with a description of each; exports of resources are on the resources' pages. */
export const MAIN_CHAPTERS: Readonly<Record<string, string>> = {
  "Clients and calls": "The three clients, what a call returns, raw requests.",
  Lists: "Lists, their pages, joined references, lookups.",
  Options: "Options for clients, calls and lists.",
  Errors: "Every error class and its fields.",
  Events: "What the observers in `on` receive.",
  "Rate limit": "The store that processes share, and what a client reports about its limit.",
  Schemas: "Enumerations and the types made from schemas.",
};

/** The chapter of a file, by its path below the project's folder; undefined if it has none. */
export function chapterOf(path: string): string | undefined {
  return FOLDERS.find(([folder]) => path.startsWith(folder))?.[1];
}
