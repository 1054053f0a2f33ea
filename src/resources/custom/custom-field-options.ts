import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PageQuery, type TableNotes } from "../../core/operation.js";
import { model, partial } from "../../core/schema/model.js";
import { CustomFieldObjectType } from "../../models/enumerations.js";
import { identifier, slug } from "../../models/ids.js";
import { type Call, call, type ListOptions, type Pages, pages, type RequestOptions, Resource } from "../methods.js";

export const customFieldOptionSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Text of the option. */
  value: z.string(), // plain
  /** Whether the option can be chosen. */
  enabled: z.boolean(),
}));

/** An option of a custom field: one of the values that it accepts. */
export interface CustomFieldOption extends z.infer<typeof customFieldOptionSchema> {}

const customFieldOptionFields = () => ({
  /** Text of the option. */
  value: z.string(),
  /** Whether the option can be chosen. */
  enabled: z.boolean(),
});

export const customFieldOptionCreateSchema = /* @__PURE__ */ model(customFieldOptionFields);

/** Fields of a new option. */
export interface CustomFieldOptionCreate extends z.input<typeof customFieldOptionCreateSchema> {}

export const customFieldOptionUpdateSchema = /* @__PURE__ */ model(() => partial(customFieldOptionFields()));

/** Changes to an option. */
export interface CustomFieldOptionUpdate extends z.input<typeof customFieldOptionUpdateSchema> {}

const fieldPath = () => ({
  /** Kind of record the custom field belongs to. */
  object_type: CustomFieldObjectType.schema,
  /** Slug of the custom field. */
  field_slug: slug(),
});

export const customFieldPathSchema = /* @__PURE__ */ model(fieldPath);

/** Identifies one custom field by the kind of record it belongs to and its slug. */
export interface CustomFieldPath extends z.input<typeof customFieldPathSchema> {}

export const customFieldOptionPathSchema = /* @__PURE__ */ model(() => ({
  ...fieldPath(),
  /** Identifier of the option. */
  option_id: identifier(),
}));

/** Identifies one option by its custom field and its identifier. */
export interface CustomFieldOptionPath extends z.input<typeof customFieldOptionPathSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "customFieldOptions",
  { apis: BOTH, beta: true, scopes: "settings" },
  {
    list: { method: "GET", path: "custom/{object_type}/fields/{field_slug}/options", params: customFieldPathSchema, response: customFieldOptionSchema, paged: "cursor" },
    create: {
      method: "POST",
      path: "custom/{object_type}/fields/{field_slug}/options",
      params: customFieldPathSchema,
      body: customFieldOptionCreateSchema,
      response: customFieldOptionSchema,
      status: 201,
    },
    get: { method: "GET", path: "custom/{object_type}/fields/{field_slug}/options/{option_id}", params: customFieldOptionPathSchema, response: customFieldOptionSchema },
    update: { method: "PUT", path: "custom/{object_type}/fields/{field_slug}/options/{option_id}", params: customFieldOptionPathSchema, body: customFieldOptionUpdateSchema, status: 204 },
    delete: { method: "DELETE", path: "custom/{object_type}/fields/{field_slug}/options/{option_id}", params: customFieldOptionPathSchema, status: 204, scopes: ["settings:modify"] },
  },
);
export const customFieldOptionOperations: OperationTable = operations;
export const customFieldOptionNotes: TableNotes = {
  create: { note: "may respond with 409" },
} satisfies NotesOf<typeof operations>;

/** Options of custom fields (Main and Admin API). */
export class CustomFieldOptions extends Resource {
  /** @internal */
  static readonly operations = customFieldOptionOperations;

  /**
   * Lists the options of one custom field.
   * @beta
   * @example
   * for await (const option of client.customFieldOptions.list({ object_type: "accounts", field_slug: "sector" })) console.log(option.value);
   */
  list(path: CustomFieldPath, query: PageQuery = {}, options?: ListOptions): Pages<CustomFieldOption> {
    return pages(this, operations.list, { params: path, query }, options);
  }

  /**
   * Adds an option to a custom field.
   * @beta
   * @example
   * const option = await client.customFieldOptions.create({ object_type: "accounts", field_slug: "sector" }, { value: "Government", enabled: true });
   */
  create(path: CustomFieldPath, body: CustomFieldOptionCreate, options?: RequestOptions): Call<CustomFieldOption> {
    return call(this, operations.create, { params: path, body }, options);
  }

  /**
   * Reads one option.
   * @beta
   * @example
   * const option = await client.customFieldOptions.get({ object_type: "accounts", field_slug: "sector", option_id: 1 });
   */
  get(path: CustomFieldOptionPath, options?: RequestOptions): Call<CustomFieldOption> {
    return call(this, operations.get, { params: path }, options);
  }

  /**
   * Changes an option; fields left out keep their value. The service does not return the option.
   * @beta
   * @example
   * await client.customFieldOptions.update({ object_type: "accounts", field_slug: "sector", option_id: 1 }, { enabled: false });
   */
  update(path: CustomFieldOptionPath, body: CustomFieldOptionUpdate, options?: RequestOptions): Call<void> {
    return call(this, operations.update, { params: path, body }, options);
  }

  /**
   * Deletes an option.
   * @beta
   * @example
   * await client.customFieldOptions.delete({ object_type: "accounts", field_slug: "sector", option_id: 1 });
   */
  delete(path: CustomFieldOptionPath, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: path }, options);
  }
}
