import type { Pages } from "../../core/lists/pages.js";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import type { ListOptions } from "../../core/options.js";
import { Resource, transportOf } from "../../core/resource.js";
import { type Material, materialSchema } from "./materials.js";

const operations = /* @__PURE__ */ operationTable(
  "planningMaterials",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "planning/materials", response: materialSchema, paged: "cursor+page" },
  },
);
/** The operations of {@link PlanningMaterials}. */
export const planningMaterialOperations: OperationTable = operations;
/** What documentation says about the operations of {@link PlanningMaterials}. */
export const planningMaterialNotes: TableNotes = {
  list: { publicOnly: true, note: "lists only what is available, as materials" },
} satisfies NotesOf<typeof operations>;

/** Materials that are available (Main and Admin API). */
export class PlanningMaterials extends Resource {
  /**
   * Lists the materials that are available.
   * @throws InputError when an argument is wrong, once the list is used; nothing was sent.
   * @throws ApiError when the service answers a page with an error.
   * @example
   * for await (const material of client.planningMaterials.list()) console.log(material.name);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<Material> {
    return transportOf(this).pages(operations.list, { query }, options);
  }
}
