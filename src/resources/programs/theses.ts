import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model } from "../../core/schema/model.js";
import { date } from "../../models/dates.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

/** How confidential a thesis is: not confidential, confidential, or shown on request. */
export const ThesisConfidentiality = /* @__PURE__ */ enumeration(["no", "yes", "on_request"]);
export type ThesisConfidentiality = (typeof ThesisConfidentiality.values)[number];

/** Languages of a thesis, as English words rather than codes. */
export const ThesisLocale = /* @__PURE__ */ enumeration(["english", "dutch"]);
export type ThesisLocale = (typeof ThesisLocale.values)[number];

export const thesisSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Title of the thesis. */
  title: z.nullable(z.string()), // note
  /** Subtitle of the thesis. */
  subtitle: z.nullable(z.string()), // note
  /** Keywords of the thesis. */
  keywords: z.array(z.string()), // note
  /** Summary of the thesis. */
  abstract: z.nullable(z.string()), // note
  /** Names of the authors. */
  authors: z.array(z.string()), // name
  /** Date of the thesis. */
  date: z.nullable(date()), // plain
  /** Names of the supervisors. */
  supervisors: z.array(z.string()), // name
  /** Whether the thesis is confidential. */
  confidentiality: z.nullable(ThesisConfidentiality.open),
  /** Language of the thesis. */
  locale: z.nullable(ThesisLocale.open),
  /** URL of the file; null until there is one. */
  file_url: z.nullable(z.string()), // document
}));

/** A thesis of a student. Only public documents show its fields. */
export interface Thesis extends z.infer<typeof thesisSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "theses",
  { apis: BOTH, feature: "Programs", scopes: { main: "courses", admin: "enrollments" } },
  {
    list: { method: "GET", path: "theses", response: thesisSchema, paged: "cursor+page", beta: true },
  },
);
export const thesisOperations: OperationTable = operations;
export const thesisNotes: TableNotes = {
  list: { publicOnly: true },
} satisfies NotesOf<typeof operations>;

/** Theses that students have written in programs (Main and Admin API). */
export class Theses extends ListedResource<Thesis, PagedQuery> {
  /** @internal */
  static readonly operations = thesisOperations;

  /**
   * Lists theses. Needs the `Programs` feature flag.
   * @beta
   * @example
   * for await (const thesis of client.theses.list()) console.log(thesis.title, thesis.authors.join(", "));
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<Thesis> {
    return pages(this, operations.list, { query }, options);
  }
}
