import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model, partial } from "../../core/schema/model.js";
import { timestamps } from "../../models/dates.js";
import { identifier } from "../../models/ids.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

/** Ways to use a material: reserved and returned, or used up (service description, Enumerations). */
export const MaterialUseType = /* @__PURE__ */ enumeration(["reservable", "consumable"]);
export type MaterialUseType = (typeof MaterialUseType.values)[number];

export const materialSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the material. */
  name: z.string(), // plain
  /** Whether the material is reserved and returned, or used up. */
  use_type: MaterialUseType.open,
  /** The group that the material belongs to. */
  material_group_id: z.int(),
  ...timestamps(),
}));

/** A material that meetings need. */
export interface Material extends z.infer<typeof materialSchema> {}

const materialFields = () => ({
  /** Name of the material. */
  name: z.string(),
  /** The group that the material belongs to. */
  material_group_id: identifier(),
});

export const materialCreateSchema = /* @__PURE__ */ model(() => ({
  ...materialFields(),
  /** Whether the material is reserved and returned, or used up; cannot be changed by an update. */
  use_type: z.optional(MaterialUseType.schema),
}));

/** Fields of a new material. */
export interface MaterialCreate extends z.input<typeof materialCreateSchema> {}

export const materialUpdateSchema = /* @__PURE__ */ model(() => partial(materialFields()));

/** Changes to a material. */
export interface MaterialUpdate extends z.input<typeof materialUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "materials",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "materials", response: materialSchema, paged: "cursor+page" },
    create: { method: "POST", path: "materials", body: materialCreateSchema, response: materialSchema, status: 201 },
    update: { method: "PUT", path: "materials/{id}", body: materialUpdateSchema, response: materialSchema },
    delete: { method: "DELETE", path: "materials/{id}", status: 204, scopes: ["destroyable_settings:destroy"] },
  },
);
export const materialOperations: OperationTable = operations;
export const materialNotes: TableNotes = {
  "*": { pageRendering: true },
  delete: { publicOnly: true },
} satisfies NotesOf<typeof operations>;

/** Materials that meetings need (Main and Admin API). */
export class Materials extends ListedResource<Material, PagedQuery> {
  /** @internal */
  static readonly operations = materialOperations;

  /**
   * Lists materials.
   * @example
   * for await (const material of client.materials.list()) console.log(material.name, material.use_type);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<Material> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a material in a material group.
   * @example
   * const material = await client.materials.create({ name: "Flip chart", use_type: "reservable", material_group_id: 1 });
   */
  create(body: MaterialCreate, options?: RequestOptions): Call<Material> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Changes the name or the group of a material; fields left out keep their value.
   * @example
   * await client.materials.update(1, { name: "Whiteboard" });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<MaterialUpdate, Material, Name>, options?: RequestOptions): Call<Material> {
    return call(this, operations.update, { params: { id }, body }, options);
  }

  /**
   * Deletes a material.
   * @example
   * await client.materials.delete(2);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }
}
