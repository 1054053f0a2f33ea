import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { timestamps } from "../../models/dates.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const materialGroupSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the material group. */
  name: z.string(), // plain
  ...timestamps(),
}));

/** A group of materials. */
export interface MaterialGroup extends z.infer<typeof materialGroupSchema> {}

const materialGroupFields = () => ({
  /** Name of the material group. */
  name: z.string(),
});

export const materialGroupCreateSchema = /* @__PURE__ */ model(materialGroupFields);

/** Fields of a new material group. */
export interface MaterialGroupCreate extends z.input<typeof materialGroupCreateSchema> {}

export const materialGroupUpdateSchema = /* @__PURE__ */ model(materialGroupFields);

/** Changes to a material group; the service requires `name` in every update. */
export interface MaterialGroupUpdate extends z.input<typeof materialGroupUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "materialGroups",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "material_groups", response: materialGroupSchema, paged: "cursor+page" },
    create: { method: "POST", path: "material_groups", body: materialGroupCreateSchema, response: materialGroupSchema, status: 201 },
    get: { method: "GET", path: "material_groups/{id}", response: materialGroupSchema },
    update: { method: "PUT", path: "material_groups/{id}", body: materialGroupUpdateSchema, response: materialGroupSchema },
    delete: { method: "DELETE", path: "material_groups/{id}", status: 204, scopes: ["destroyable_settings:destroy"] },
  },
);
export const materialGroupOperations: OperationTable = operations;
export const materialGroupNotes: TableNotes = {
  "*": { pageRendering: true },
  get: { publicOnly: true },
  delete: { publicOnly: true },
} satisfies NotesOf<typeof operations>;

/** Groups of materials (Main and Admin API). */
export class MaterialGroups extends ListedResource<MaterialGroup, PagedQuery> {
  /** @internal */
  static readonly operations = materialGroupOperations;

  /**
   * Lists material groups.
   * @example
   * for await (const group of client.materialGroups.list()) console.log(group.name);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<MaterialGroup> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a material group.
   * @example
   * const group = await client.materialGroups.create({ name: "Beamers" });
   */
  create(body: MaterialGroupCreate, options?: RequestOptions): Call<MaterialGroup> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Renames a material group.
   * @example
   * await client.materialGroups.update(1, { name: "Projectors" });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<MaterialGroupUpdate, MaterialGroup, Name>, options?: RequestOptions): Call<MaterialGroup> {
    return call(this, operations.update, { params: { id }, body }, options);
  }

  /**
   * Reads one material group.
   * @example
   * const group = await client.materialGroups.get(1);
   */
  get(id: number, options?: RequestOptions): Call<MaterialGroup> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Deletes a material group.
   * @example
   * await client.materialGroups.delete(4);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }
}
