import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model, partial, ref } from "../../core/schema/model.js";
import { type Address, type AddressPatchPayload, type AddressPayload, addressPatchPayloadSchema, addressPayloadSchema, addressSchema } from "../../models/address.js";
import { timestamps } from "../../models/dates.js";
import { identifier } from "../../models/ids.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const meetingLocationSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The course location that the meeting location belongs to. */
  course_location_id: z.int(),
  /** Name of the location. */
  name: z.string(), // plain
  /** Maximum number of people. */
  capacity: z.nullable(z.int()), // plain
  ...timestamps(),
  /** Address of the location. */
  address: z.nullable(ref<Address>(addressSchema)),
}));

/** A meeting location: a place, such as a room, at a course location. */
export interface MeetingLocation extends z.infer<typeof meetingLocationSchema> {}

const meetingLocationFields = () => ({
  /** Name of the location. */
  name: z.string(),
  /** The course location that the meeting location belongs to. */
  course_location_id: identifier(),
});

export const meetingLocationCreateSchema = /* @__PURE__ */ model(() => ({
  ...meetingLocationFields(),
  /** Maximum number of people, a whole number. */
  capacity: z.optional(z.nullable(z.int())),
  /** Address of the meeting location. */
  address_attributes: z.optional(z.nullable(ref<AddressPayload>(addressPayloadSchema))),
}));

/** Fields of a new meeting location. */
export interface MeetingLocationCreate extends z.input<typeof meetingLocationCreateSchema> {}

export const meetingLocationUpdateSchema = /* @__PURE__ */ model(() =>
  partial({
    ...meetingLocationFields(),
    /** Maximum number of people. */
    capacity: z.optional(z.nullable(z.number())),
    /** Address of the meeting location. */
    address_attributes: z.optional(z.nullable(ref<AddressPatchPayload>(addressPatchPayloadSchema))),
  }),
);

/** Changes to a meeting location. */
export interface MeetingLocationUpdate extends z.input<typeof meetingLocationUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "meetingLocations",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "meeting_locations", response: meetingLocationSchema, paged: "cursor+page" },
    create: { method: "POST", path: "meeting_locations", body: meetingLocationCreateSchema, response: meetingLocationSchema, status: 201 },
    get: { method: "GET", path: "meeting_locations/{id}", response: meetingLocationSchema },
    update: { method: "PUT", path: "meeting_locations/{id}", body: meetingLocationUpdateSchema, response: meetingLocationSchema },
    delete: { method: "DELETE", path: "meeting_locations/{id}", status: 204, scopes: ["destroyable_settings:destroy"] },
  },
);
export const meetingLocationOperations: OperationTable = operations;
export const meetingLocationNotes: TableNotes = {
  "*": { pageRendering: true },
  delete: { publicOnly: true },
} satisfies NotesOf<typeof operations>;

/** Meeting locations: places, such as rooms, at course locations (Main and Admin API). */
export class MeetingLocations extends ListedResource<MeetingLocation, PagedQuery> {
  /** @internal */
  static readonly operations = meetingLocationOperations;

  /**
   * Lists meeting locations.
   * @example
   * for await (const location of client.meetingLocations.list()) console.log(location.name, location.capacity);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<MeetingLocation> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a meeting location at a course location.
   * @example
   * const location = await client.meetingLocations.create({ name: "Room 2", course_location_id: 1, capacity: 12 });
   */
  create(body: MeetingLocationCreate, options?: RequestOptions): Call<MeetingLocation> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one meeting location.
   * @example
   * const location = await client.meetingLocations.get(7);
   */
  get(id: number, options?: RequestOptions): Call<MeetingLocation> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Changes a meeting location; fields left out keep their value.
   * @example
   * await client.meetingLocations.update(7, { capacity: 16 });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<MeetingLocationUpdate, MeetingLocation, Name>, options?: RequestOptions): Call<MeetingLocation> {
    return call(this, operations.update, { params: { id }, body }, options);
  }

  /**
   * Deletes a meeting location.
   * @example
   * await client.meetingLocations.delete(7);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }
}
