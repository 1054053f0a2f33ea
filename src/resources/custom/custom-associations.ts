import * as z from "zod/mini";
import { BOTH, type OperationTable, operationTable } from "../../core/operation.js";
import { model, ref } from "../../core/schema/model.js";
import { CustomFieldObjectType } from "../../models/enumerations.js";
import { type ListOptions, type Pages, pages, Resource } from "../methods.js";
import { type CustomObject, customObjectSchema } from "./custom-objects.js";

export const customAssociationSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the custom association. */
  id: z.int(),
  /** Name of the custom association. */
  name: z.string(), // plain
  /** Key of the association in `custom_associations`. */
  slug: z.string(), // plain
  /** The custom object that the association refers to. */
  custom_object: ref<CustomObject>(customObjectSchema),
}));

/** A custom association, through which records of one kind refer to records of a custom object. */
export interface CustomAssociation extends z.infer<typeof customAssociationSchema> {}

const byObjectType = /* @__PURE__ */ model(() => ({ object_type: CustomFieldObjectType.schema }));

const operations = /* @__PURE__ */ operationTable(
  "customAssociations",
  { apis: BOTH, beta: true, feature: "Custom objects", scopes: "settings" },
  {
    list: { method: "GET", path: "custom/{object_type}/associations", params: byObjectType, response: customAssociationSchema, paged: "none" },
  },
);
export const customAssociationOperations: OperationTable = operations;

/** Custom associations: links from built-in kinds of record to custom objects (Main and Admin API). */
export class CustomAssociations extends Resource {
  /** @internal */
  static readonly operations = customAssociationOperations;

  /**
   * Lists all associations of one kind of record, in one response. Needs the `Custom objects` feature flag.
   * @beta
   * @example
   * for await (const association of client.customAssociations.list("users")) console.log(association.slug);
   */
  list(objectType: CustomFieldObjectType, options?: ListOptions): Pages<CustomAssociation> {
    return pages(this, operations.list, { params: { object_type: objectType } }, options);
  }
}
