import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PageQuery, type TableNotes } from "../../core/operation.js";
import { model, partial } from "../../core/schema/model.js";
import { customFields } from "../../models/custom-fields.js";
import { byObjectSlug, identifier, slug } from "../../models/ids.js";
import { type Call, call, type ListOptions, type Pages, pages, type RequestOptions, Resource } from "../methods.js";

export const customRecordSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Whether the record is active. */
  active: z.boolean(),
  /** Name under which the record is shown. */
  display_name: z.string(), // custom
  /** Values of the custom object's fields, keyed by slug. */
  properties: customFields(), // custom
}));

/** A custom record: one record of a custom object. */
export interface CustomRecord extends z.infer<typeof customRecordSchema> {}

const customRecordFields = () => ({
  /** Whether the record is active. Default true. */
  active: z.optional(z.boolean()),
  /** Name under which the record is shown. */
  display_name: z.string(),
  /** Values of the custom object's fields, keyed by slug. */
  properties: customFields(),
});

export const customRecordCreateSchema = /* @__PURE__ */ model(customRecordFields);

/** Fields of a new custom record. */
export interface CustomRecordCreate extends z.input<typeof customRecordCreateSchema> {}

export const customRecordUpdateSchema = /* @__PURE__ */ model(() => partial(customRecordFields()));

/** Changes to a custom record. */
export interface CustomRecordUpdate extends z.input<typeof customRecordUpdateSchema> {}

export const customRecordPathSchema = /* @__PURE__ */ model(() => ({
  /** Slug of the custom object. */
  object_slug: slug(),
  /** Identifier of the custom record. */
  record_id: identifier(),
}));

/** Identifies one custom record by its custom object's slug and its own identifier. */
export interface CustomRecordPath extends z.input<typeof customRecordPathSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "customRecords",
  { apis: BOTH, beta: true, feature: "Custom objects", scopes: "settings" },
  {
    list: { method: "GET", path: "custom/objects/{object_slug}/records", params: byObjectSlug, response: customRecordSchema, paged: "cursor" },
    create: { method: "POST", path: "custom/objects/{object_slug}/records", params: byObjectSlug, body: customRecordCreateSchema, response: customRecordSchema, status: 201 },
    get: { method: "GET", path: "custom/objects/{object_slug}/records/{record_id}", params: customRecordPathSchema, response: customRecordSchema },
    update: { method: "PUT", path: "custom/objects/{object_slug}/records/{record_id}", params: customRecordPathSchema, body: customRecordUpdateSchema, status: 204 },
    delete: { method: "DELETE", path: "custom/objects/{object_slug}/records/{record_id}", params: customRecordPathSchema, status: 204, scopes: "destroyable_settings" },
  },
);
export const customRecordOperations: OperationTable = operations;
export const customRecordNotes: TableNotes = {
  create: { note: "active defaults to true" },
} satisfies NotesOf<typeof operations>;

/** Custom records: the records of custom objects (Main and Admin API). */
export class CustomRecords extends Resource {
  /** @internal */
  static readonly operations = customRecordOperations;

  /**
   * Lists the records of one custom object. Needs the `Custom objects` feature flag.
   * @beta
   * @example
   * for await (const record of client.customRecords.list("equipment")) console.log(record.display_name);
   */
  list(objectSlug: string, query: PageQuery = {}, options?: ListOptions): Pages<CustomRecord> {
    return pages(this, operations.list, { params: { object_slug: objectSlug }, query }, options);
  }

  /**
   * Creates a record of a custom object; `active` defaults to true. Needs the `Custom objects` feature flag.
   * @beta
   * @example
   * const record = await client.customRecords.create("equipment", { display_name: "Beamer 2", properties: { weight: "3 kg" } });
   */
  create(objectSlug: string, body: CustomRecordCreate, options?: RequestOptions): Call<CustomRecord> {
    return call(this, operations.create, { params: { object_slug: objectSlug }, body }, options);
  }

  /**
   * Reads one custom record. Needs the `Custom objects` feature flag.
   * @beta
   * @example
   * const record = await client.customRecords.get({ object_slug: "equipment", record_id: 1 });
   */
  get(path: CustomRecordPath, options?: RequestOptions): Call<CustomRecord> {
    return call(this, operations.get, { params: path }, options);
  }

  /**
   * Changes a custom record; fields left out keep their value. The service does not return the record. Needs the
   * `Custom objects` feature flag.
   * @beta
   * @example
   * await client.customRecords.update({ object_slug: "equipment", record_id: 1 }, { active: false });
   */
  update(path: CustomRecordPath, body: CustomRecordUpdate, options?: RequestOptions): Call<void> {
    return call(this, operations.update, { params: path, body }, options);
  }

  /**
   * Deletes a custom record. Needs the `Custom objects` feature flag.
   * @beta
   * @example
   * await client.customRecords.delete({ object_slug: "equipment", record_id: 1 });
   */
  delete(path: CustomRecordPath, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: path }, options);
  }
}
