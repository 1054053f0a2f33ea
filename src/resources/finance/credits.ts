import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { dateTime } from "../../models/dates.js";
import { identifier } from "../../models/ids.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

export const creditSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The student who has the credit. */
  student_id: z.int(),
  /** Number of credits; may also be text. */
  credits: z.union([z.number(), z.string()]), // plain
  /** Description of the credit. */
  description: z.nullable(z.string()), // note
  /** The course in which the credits were earned. */
  course_id: z.nullable(z.int()),
  /** The enrollment in which the credits were earned. */
  enrollment_id: z.nullable(z.int()),
  /** When the credit was created. */
  created_at: dateTime(),
}));

/** A credit that a student has earned, in a course or otherwise. */
export interface Credit extends z.infer<typeof creditSchema> {}

export const creditQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only credits of this student. */
  student_id: z.optional(identifier()),
}));

/** Filters of the credits list. */
export interface CreditQuery extends z.input<typeof creditQuerySchema>, PagedQuery {}

const operations = /* @__PURE__ */ operationTable(
  "credits",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "credits", query: creditQuerySchema, response: creditSchema, paged: "cursor+page" },
  },
);
export const creditOperations: OperationTable = operations;
export const creditNotes: TableNotes = {
  list: { pageRendering: true },
} satisfies NotesOf<typeof operations>;

/** Credits that students have earned (Main and Admin API). */
export class Credits extends ListedResource<Credit, CreditQuery> {
  /** @internal */
  static readonly operations = creditOperations;

  /**
   * Lists credits.
   * @example
   * for await (const credit of client.credits.list({ student_id: 1 })) console.log(credit.credits);
   */
  list(query: CreditQuery = {}, options?: ListOptions): Pages<Credit> {
    return pages(this, operations.list, { query }, options);
  }
}
