import * as z from "zod/mini";
import { BOTH, type OperationTable, operationTable, type PagedQuery } from "../../core/operation.js";
import { model, partial, ref } from "../../core/schema/model.js";
import { type Address, type AddressPatchPayload, type AddressPayload, addressPatchPayloadSchema, addressPayloadSchema, addressSchema } from "../../models/address.js";
import { timestamps } from "../../models/dates.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const courseLocationSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the location. */
  name: z.string(), // plain
  ...timestamps(),
  /** Address of the location. */
  address: z.nullable(ref<Address>(addressSchema)),
}));

/** A course location: a place where courses are given. */
export interface CourseLocation extends z.infer<typeof courseLocationSchema> {}

const courseLocationFields = () => ({
  /** Name of the location. */
  name: z.string(),
});

export const courseLocationCreateSchema = /* @__PURE__ */ model(() => ({
  ...courseLocationFields(),
  /** Address of the location. */
  address_attributes: z.optional(z.nullable(ref<AddressPayload>(addressPayloadSchema))),
}));

/** Fields of a new course location. */
export interface CourseLocationCreate extends z.input<typeof courseLocationCreateSchema> {}

export const courseLocationUpdateSchema = /* @__PURE__ */ model(() =>
  partial({
    ...courseLocationFields(),
    /** Address of the location; fields left out keep their value. */
    address_attributes: z.optional(z.nullable(ref<AddressPatchPayload>(addressPatchPayloadSchema))),
  }),
);

/** Changes to a course location. */
export interface CourseLocationUpdate extends z.input<typeof courseLocationUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "courseLocations",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "course_locations", response: courseLocationSchema, paged: "cursor+page" },
    create: { method: "POST", path: "course_locations", body: courseLocationCreateSchema, response: courseLocationSchema, status: 201 },
    get: { method: "GET", path: "course_locations/{id}", response: courseLocationSchema },
    delete: { method: "DELETE", path: "course_locations/{id}", status: 204, scopes: "destroyable_settings" },
    update: { method: "PUT", path: "course_locations/{id}", body: courseLocationUpdateSchema, response: courseLocationSchema },
  },
);
export const courseLocationOperations: OperationTable = operations;

/** Course locations: the places where courses are given (Main and Admin API). */
export class CourseLocations extends ListedResource<CourseLocation, PagedQuery> {
  /** @internal */
  static readonly operations = courseLocationOperations;

  /**
   * Lists course locations.
   * @example
   * for await (const location of client.courseLocations.list()) console.log(location.name, location.address?.city);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<CourseLocation> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a course location.
   * @example
   * const location = await client.courseLocations.create({ name: "Main building", address_attributes: { address: "Example Street 1", postal_code: "1000 AA", city: "Utrecht", country: "NL" } });
   */
  create(body: CourseLocationCreate, options?: RequestOptions): Call<CourseLocation> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one course location.
   * @example
   * const location = await client.courseLocations.get(1);
   */
  get(id: number, options?: RequestOptions): Call<CourseLocation> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Deletes a course location.
   * @example
   * await client.courseLocations.delete(1);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }

  /**
   * Changes a course location; fields left out keep their value.
   * @example
   * await client.courseLocations.update(1, { name: "Main building, first floor" });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<CourseLocationUpdate, CourseLocation, Name>, options?: RequestOptions): Call<CourseLocation> {
    return call(this, operations.update, { params: { id }, body }, options);
  }
}
