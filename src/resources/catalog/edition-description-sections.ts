import * as z from "zod/mini";
import { ADMIN_ONLY, type OperationTable, operationTable, type PageQuery } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

export const editionDescriptionSectionSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the section. */
  name: z.string(), // plain
}));

/** A section of an edition's description. */
export interface EditionDescriptionSection extends z.infer<typeof editionDescriptionSectionSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "editionDescriptionSections",
  { apis: ADMIN_ONLY, beta: true, scopes: "settings" },
  {
    list: { method: "GET", path: "edition_description_sections", response: editionDescriptionSectionSchema, paged: "cursor" },
  },
);
export const editionDescriptionSectionOperations: OperationTable = operations;

/** Edition description sections: the parts of the description of an edition (Admin API). */
export class EditionDescriptionSections extends ListedResource<EditionDescriptionSection, PageQuery> {
  /** @internal */
  static readonly operations = editionDescriptionSectionOperations;

  /**
   * Lists edition description sections.
   * @beta
   * @example
   * for await (const section of admin.editionDescriptionSections.list()) console.log(section.name);
   */
  list(query: PageQuery = {}, options?: ListOptions): Pages<EditionDescriptionSection> {
    return pages(this, operations.list, { query }, options);
  }
}
