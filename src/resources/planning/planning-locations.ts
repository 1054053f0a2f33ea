import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { timestamps } from "../../models/dates.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

export const planningLocationSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the meeting location. */
  id: z.int(),
  /** The course location that the meeting location belongs to. */
  course_location_id: z.int(),
  /** Name of the location. */
  name: z.string(), // plain
  /** Maximum number of people. */
  capacity: z.nullable(z.int()), // plain
  ...timestamps(),
}));

/** An available meeting location: a `MeetingLocation` without its address. Only public documents show its fields. */
export interface PlanningLocation extends z.infer<typeof planningLocationSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "planningLocations",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "planning/locations", response: planningLocationSchema, paged: "cursor+page" },
  },
);
export const planningLocationOperations: OperationTable = operations;
export const planningLocationNotes: TableNotes = {
  list: { publicOnly: true, note: "lists only available locations, without their addresses" },
} satisfies NotesOf<typeof operations>;

/** Meeting locations that are available (Main and Admin API). */
export class PlanningLocations extends ListedResource<PlanningLocation, PagedQuery> {
  /** @internal */
  static readonly operations = planningLocationOperations;

  /**
   * Lists the meeting locations that are available.
   * @example
   * for await (const location of client.planningLocations.list()) console.log(location.name, location.capacity);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<PlanningLocation> {
    return pages(this, operations.list, { query }, options);
  }
}
