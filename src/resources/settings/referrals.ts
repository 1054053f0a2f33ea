import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

export const referralSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Text that a person chooses when signing up, for example `Search engine`. */
  name: z.string(), // plain
}));

/** A way in which people hear about the school, offered when they sign up. Only public documents show its fields. */
export interface Referral extends z.infer<typeof referralSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "referrals",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "referrals", response: referralSchema, paged: "cursor+page" },
  },
);
export const referralOperations: OperationTable = operations;
export const referralNotes: TableNotes = {
  "*": { publicOnly: true },
} satisfies NotesOf<typeof operations>;

/** Ways in which people hear about the school (Main and Admin API). */
export class Referrals extends ListedResource<Referral, PagedQuery> {
  /** @internal */
  static readonly operations = referralOperations;

  /**
   * Lists the ways in which people hear about the school.
   * @example
   * for await (const referral of client.referrals.list()) console.log(referral.name);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<Referral> {
    return pages(this, operations.list, { query }, options);
  }
}
