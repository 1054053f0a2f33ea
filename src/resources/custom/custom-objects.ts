import * as z from "zod/mini";
import { BOTH, type OperationTable, operationTable, type PagedQuery } from "../../core/operation.js";
import { model, ref } from "../../core/schema/model.js";
import { SignupQuestionFieldType } from "../../models/enumerations.js";
import { byObjectSlug } from "../../models/ids.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const customObjectFieldSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the field. */
  id: z.int(),
  /** Key of the field in a custom record's `properties`. */
  slug: z.string(), // plain
  /** Title of the field. */
  title: z.string(), // plain
  /** Kind of value the field holds. */
  field_type: SignupQuestionFieldType.open,
}));

/** A field of a custom object. */
export interface CustomObjectField extends z.infer<typeof customObjectFieldSchema> {}

const objectFields = () => ({
  /** Unique within the school. */
  id: z.int(),
  /** The custom object's name in the singular. */
  name_singular: z.string(), // plain
  /** The custom object's name in the plural. */
  name_plural: z.string(), // plain
});

export const customObjectSchema = /* @__PURE__ */ model(() => ({
  ...objectFields(),
  /** The fields of the object's records; absent in lists. */
  fields: z.optional(z.array(ref<CustomObjectField>(customObjectFieldSchema))),
  /** Name of the custom object in request paths. */
  slug: z.string(), // plain
}));

/** A custom object as shown in lists and associations: a kind of record that the school has defined. */
export interface CustomObject extends z.infer<typeof customObjectSchema> {}

export const customObjectWithFieldsSchema = /* @__PURE__ */ model(() => ({
  ...objectFields(),
  /** The fields of the object's records. */
  fields: z.array(ref<CustomObjectField>(customObjectFieldSchema)),
  /** Name of the custom object in request paths: the slug that you requested. */
  slug: z.optional(z.string()), // plain
}));

/** A custom object with its fields, as `get` returns it. */
export interface CustomObjectWithFields extends z.infer<typeof customObjectWithFieldsSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "customObjects",
  { apis: BOTH, beta: true, feature: "Custom objects", scopes: "settings" },
  {
    list: { method: "GET", path: "custom/objects", response: customObjectSchema, paged: "cursor+page" },
    get: { method: "GET", path: "custom/objects/{object_slug}", params: byObjectSlug, response: customObjectWithFieldsSchema },
  },
);
export const customObjectOperations: OperationTable = operations;

/** Custom objects: the kinds of record that the school has defined (Main and Admin API). */
export class CustomObjects extends ListedResource<CustomObject, PagedQuery> {
  /** @internal */
  static readonly operations = customObjectOperations;

  /**
   * Lists custom objects. Needs the `Custom objects` feature flag.
   * @beta
   * @example
   * for await (const object of client.customObjects.list()) console.log(object.name_plural);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<CustomObject> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Reads one custom object by its slug. Needs the `Custom objects` feature flag.
   * @beta
   * @example
   * const object = await client.customObjects.get("equipment");
   */
  get(objectSlug: string, options?: RequestOptions): Call<CustomObjectWithFields> {
    return call(this, operations.get, { params: { object_slug: objectSlug } }, options);
  }
}
