import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model, partial } from "../../core/schema/model.js";
import { dateTime } from "../../models/dates.js";
import { identifier, textIdentifier } from "../../models/ids.js";
import { filterInput } from "../../models/lists.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

/** Kinds of record that a label can be put on. The service description shows only the first six; others may occur. */
export const LabelModelType = /* @__PURE__ */ enumeration(["Lead", "Order", "Catalog::Product", "User", "Account", "Teacher", "Program::Enrollment", "Task"], { complete: false });
export type LabelModelType = (typeof LabelModelType.values)[number];

/** Kinds of record that a new label can be put on (service description, Enumerations). */
export const LabelModelTypeInput = /* @__PURE__ */ enumeration(["Lead", "Order", "Catalog::Product", "User", "Account", "Teacher"]);
export type LabelModelTypeInput = (typeof LabelModelTypeInput.values)[number];

export const labelSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the label. */
  name: z.string(), // plain
  /** Hexadecimal color code. */
  color: z.string(), // plain
  /** Kind of record the label can be put on. */
  model_type: LabelModelType.open,
  /** When the label was created. */
  created_at: dateTime(),
  /** When the label was last changed. */
  updated_at: dateTime(),
}));

/** A label for one kind of record. */
export interface Label extends z.infer<typeof labelSchema> {}

export const labelQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only labels for this kind of record. */
  model_type: z.optional(LabelModelType.schema),
  /** Text to search for. */
  search: z.optional(z.string()),
  /** Only labels with these identifiers (numbers or text). */
  id: z.optional(filterInput(textIdentifier())),
}));

/** Filters of the labels list. */
export interface LabelQuery extends z.input<typeof labelQuerySchema>, PagedQuery {}

const labelFields = () => ({
  /** Name of the label. */
  name: z.string(),
  /** Hexadecimal color code. */
  color: z.optional(z.string()),
  /** Kind of record the label can be put on. */
  model_type: LabelModelTypeInput.schema,
});

export const labelCreateSchema = /* @__PURE__ */ model(labelFields);

/** Fields of a new label. */
export interface LabelCreate extends z.input<typeof labelCreateSchema> {}

export const labelUpdateSchema = /* @__PURE__ */ model(() => partial(labelFields()));

/** Changes to a label. */
export interface LabelUpdate extends z.input<typeof labelUpdateSchema> {}

export const labelAddToOrderSchema = /* @__PURE__ */ model(() => ({
  /** A label whose `model_type` is `Order`. */
  label_id: identifier(),
}));

/** The label to put on an order. */
export interface LabelAddToOrder extends z.input<typeof labelAddToOrderSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "labels",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "labels", query: labelQuerySchema, response: labelSchema, paged: "cursor+page" },
    create: { method: "POST", path: "labels", body: labelCreateSchema, response: labelSchema, status: 201 },
    get: { method: "GET", path: "labels/{id}", response: labelSchema },
    update: { method: "PUT", path: "labels/{id}", body: labelUpdateSchema, response: labelSchema },
    delete: { method: "DELETE", path: "labels/{id}", status: 204, scopes: ["destroyable_settings:destroy"] },
    addToOrder: { method: "POST", path: "orders/{id}/labels", body: labelAddToOrderSchema, status: 204, scopes: "orders" },
  },
);
export const labelOperations: OperationTable = operations;
export const labelNotes: TableNotes = {
  list: { pageRendering: true },
  create: { pageRendering: true },
  get: { publicOnly: true },
  update: { pageRendering: true },
  delete: { publicOnly: true },
  addToOrder: { pageRendering: true, note: "the id in the path is the order's" },
} satisfies NotesOf<typeof operations>;

/** Labels (Main and Admin API). */
export class Labels extends ListedResource<Label, LabelQuery> {
  /** @internal */
  static readonly operations = labelOperations;

  /**
   * Lists labels.
   * @example
   * for await (const label of client.labels.list({ model_type: "Order" })) console.log(label.name, label.color);
   */
  list(query: LabelQuery = {}, options?: ListOptions): Pages<Label> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a label for one kind of record.
   * @example
   * const label = await client.labels.create({ name: "Returning", color: "#336699", model_type: "Order" });
   */
  create(body: LabelCreate, options?: RequestOptions): Call<Label> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one label.
   * @example
   * const label = await client.labels.get(7);
   */
  get(id: number, options?: RequestOptions): Call<Label> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Changes a label; fields left out keep their value.
   * @example
   * await client.labels.update(7, { color: "#993333" });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<LabelUpdate, Label, Name>, options?: RequestOptions): Call<Label> {
    return call(this, operations.update, { params: { id }, body }, options);
  }

  /**
   * Deletes a label; the records that had it are kept.
   * @example
   * await client.labels.delete(7);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }

  /**
   * Puts a label on an order.
   * @example
   * const label = await client.labels.create({ name: "Group discount", model_type: "Order" });
   * await client.labels.addToOrder(7, { label_id: label.id });
   */
  addToOrder(orderId: number, body: LabelAddToOrder, options?: RequestOptions): Call<void> {
    return call(this, operations.addToOrder, { params: { id: orderId }, body }, options);
  }
}
