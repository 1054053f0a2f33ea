import * as z from "zod/mini";
import type { Call } from "../../core/call/call.js";
import type { Pages } from "../../core/lists/pages.js";
import { model, openModel, ref } from "../../core/model.js";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import type { ListOptions, RequestOptions } from "../../core/options.js";
import { Resource } from "../../core/resource.js";
import { byObjectSlug } from "../../models/ids.js";

/** Schema of {@link CustomObjectField}. */
export const customObjectFieldSchema = /* @__PURE__ */ openModel(() => ({
  id: z.optional(z.int()),
  /** Key of the field in a custom record's `properties`. */
  slug: z.optional(z.string()),
  title: z.optional(z.string()),
  /** Kind of value the field holds. */
  field_type: z.optional(z.string()),
}));

/** A field of a custom object. The service description does not show what it holds; all that comes is kept. */
export interface CustomObjectField extends z.infer<typeof customObjectFieldSchema> {}

/** Schema of {@link CustomObject}. */
export const customObjectSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the provider. */
  id: z.int(),
  name_singular: z.string(),
  name_plural: z.string(),
  /** The fields its records have; not in every rendering. */
  fields: z.optional(z.array(ref<CustomObjectField>(customObjectFieldSchema))),
  /** Name of the custom object in paths; not in every rendering. */
  slug: z.optional(z.string()),
}));

/** A custom object: a kind of record the provider has defined itself. */
export interface CustomObject extends z.infer<typeof customObjectSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "customObjects",
  { apis: BOTH, beta: true, feature: "Custom objects" },
  {
    list: { method: "GET", path: "custom/objects", response: customObjectSchema, paged: "cursor+page" },
    get: { method: "GET", path: "custom/objects/{object_slug}", params: byObjectSlug, response: customObjectSchema },
  },
);
/** The operations of {@link CustomObjects}. */
export const customObjectOperations: OperationTable = operations;
/** What documentation says about the operations of {@link CustomObjects}. */
export const customObjectNotes: TableNotes = {
  "*": { scopes: ["settings:read"] },
} satisfies NotesOf<typeof operations>;

/** Custom objects: the kinds of record the provider has defined itself (Main and Admin API). */
export class CustomObjects extends Resource {
  /**
   * Lists custom objects. Needs the feature flag Custom objects.
   * @beta
   * @example
   * for await (const object of client.customObjects.list()) console.log(object.name_plural);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<CustomObject> {
    return this.transport.pages(operations.list, { query }, options);
  }

  /**
   * Reads one custom object by its slug. Needs the feature flag Custom objects.
   * @beta
   * @example
   * const object = await client.customObjects.get("equipment");
   */
  get(objectSlug: string, options?: RequestOptions): Call<CustomObject> {
    return this.transport.call(operations.get, { params: { object_slug: objectSlug } }, options);
  }
}
