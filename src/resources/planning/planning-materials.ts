import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { type ListOptions, type Pages, pages, Resource } from "../methods.js";
import { type Material, materialSchema } from "./materials.js";

const operations = /* @__PURE__ */ operationTable(
  "planningMaterials",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "planning/materials", response: materialSchema, paged: "cursor+page" },
  },
);
export const planningMaterialOperations: OperationTable = operations;
export const planningMaterialNotes: TableNotes = {
  list: { publicOnly: true, note: "lists only available materials" },
} satisfies NotesOf<typeof operations>;

/** Materials that are available (Main and Admin API). */
export class PlanningMaterials extends Resource {
  /** @internal */
  static readonly operations = planningMaterialOperations;

  /**
   * Lists the materials that are available.
   * @example
   * for await (const material of client.planningMaterials.list()) console.log(material.name);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<Material> {
    return pages(this, operations.list, { query }, options);
  }
}
