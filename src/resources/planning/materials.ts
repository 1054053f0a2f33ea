import * as z from "zod/mini";
import type { Call } from "../../core/call/call.js";
import type { Pages } from "../../core/lists/pages.js";
import { enumeration, model } from "../../core/model.js";
import { BOTH, type OperationTable, operationTable, type PagedQuery } from "../../core/operation.js";
import type { ListOptions, RequestOptions } from "../../core/options.js";
import { Resource } from "../../core/resource.js";
import { dateTime } from "../../models/dates.js";
import { byId, identifier } from "../../models/ids.js";

/** Ways a material is used: reserved and given back, or used up (service description, Enumerations). */
export const MaterialUseType = /* @__PURE__ */ enumeration(["reservable", "consumable"]);
/** A way a material is used: reserved and given back, or used up. */
export type MaterialUseType = (typeof MaterialUseType.values)[number];

/** A material that meetings need. */
export const materialSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the provider. */
  id: z.int(),
  name: z.string(),
  /** Reserved and given back, or used up. */
  use_type: MaterialUseType.open,
  material_group_id: z.int(),
  updated_at: dateTime(),
  created_at: dateTime(),
}));

/** A material that meetings need. */
export interface Material extends z.infer<typeof materialSchema> {}

/** Fields of a new material. */
export const materialCreateSchema = /* @__PURE__ */ model(() => ({
  name: z.string(),
  /** Reserved and given back, or used up; cannot be changed by an update. */
  use_type: z.optional(MaterialUseType.schema),
  material_group_id: identifier(),
}));

/** Fields of a new material. */
export interface MaterialCreate extends z.input<typeof materialCreateSchema> {}

/** Changes to a material. */
export const materialUpdateSchema = /* @__PURE__ */ model(() => ({
  name: z.optional(z.string()),
  material_group_id: z.optional(identifier()),
}));

/** Changes to a material. */
export interface MaterialUpdate extends z.input<typeof materialUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable("materials", {
  list: { method: "GET", path: "materials", response: materialSchema, apis: BOTH, paged: "cursor+page", pageRendering: true },
  create: { method: "POST", path: "materials", body: materialCreateSchema, response: materialSchema, apis: BOTH, status: 201, pageRendering: true },
  update: { method: "PUT", path: "materials/{id}", params: byId, body: materialUpdateSchema, response: materialSchema, apis: BOTH, pageRendering: true },
});
/** The operations of {@link Materials}. */
export const materialOperations: OperationTable = operations;

/** Materials that meetings need (Main and Admin API). */
export class Materials extends Resource {
  /**
   * Lists materials.
   * @example
   * for await (const material of client.materials.list()) console.log(material.name, material.use_type);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<Material> {
    return this.transport.pages(operations.list, { query }, options);
  }

  /**
   * Creates a material in a material group.
   * @example
   * const material = await client.materials.create({ name: "Flip chart", use_type: "reservable", material_group_id: 1 });
   */
  create(body: MaterialCreate, options?: RequestOptions): Call<Material> {
    return this.transport.call(operations.create, { body }, options);
  }

  /**
   * Changes name or group of a material; fields left out keep their value.
   * @example
   * await client.materials.update(1, { name: "Whiteboard" });
   */
  update(id: number, body: MaterialUpdate, options?: RequestOptions): Call<Material> {
    return this.transport.call(operations.update, { params: { id }, body }, options);
  }
}
