import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model } from "../../core/schema/model.js";
import { timeText } from "../../models/dates.js";
import { type ListOptions, type Pages, pages, Resource } from "../methods.js";
import { PlanningEventType } from "./planning-events.js";

/** Kinds of resource that two events can share: a teacher, a material or a meeting location. */
export const PlanningResourceType = /* @__PURE__ */ enumeration(["Teacher", "Material", "MeetingLocation"]);
export type PlanningResourceType = (typeof PlanningResourceType.values)[number];

export const planningConflictSchema = /* @__PURE__ */ model(() => ({
  /** Kind of resource that is planned twice: a teacher, a material or a meeting location. */
  resource_type: PlanningResourceType.open,
  /** Identifier of the resource that is planned twice. */
  resource_id: z.int(),
  /** Name of the resource that is planned twice. */
  resource_name: z.string(), // name
  /** Identifier of the first event: a meeting or a planning event, depending on `event_type`. */
  event_id: z.int(),
  /** Kind of the first event. */
  event_type: PlanningEventType.open,
  /** When the first event starts, as text. */
  event_start_date_time: timeText(), // plain
  /** When the first event ends, as text. */
  event_end_date_time: timeText(), // plain
  /** Identifier of the other event. */
  conflicting_event_id: z.int(),
  /** Kind of the other event. */
  conflicting_event_type: PlanningEventType.open,
  /** When the other event starts, as text. */
  conflicting_event_start_date_time: timeText(), // plain
  /** When the other event ends, as text. */
  conflicting_event_end_date_time: timeText(), // plain
  /** When the overlap starts, as text. */
  start_date_time: timeText(), // plain
  /** When the overlap ends, as text. */
  end_date_time: timeText(), // plain
}));

/**
 * A conflict: two events at the same time with the same teacher, material or meeting location. Only public documents
 * show its fields.
 */
export interface PlanningConflict extends z.infer<typeof planningConflictSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "planningConflicts",
  { apis: BOTH, scopes: "courses" },
  {
    list: { method: "GET", path: "planning/conflicts", response: planningConflictSchema, paged: "cursor+page" },
  },
);
export const planningConflictOperations: OperationTable = operations;
export const planningConflictNotes: TableNotes = {
  "*": { publicOnly: true },
} satisfies NotesOf<typeof operations>;

/**
 * Planning conflicts: teachers, materials and locations that are planned twice at the same time (Main and Admin API).
 */
export class PlanningConflicts extends Resource {
  /** @internal */
  static readonly operations = planningConflictOperations;

  /**
   * Lists the conflicts; they have no identifiers.
   * @example
   * for await (const { resource_name, start_date_time } of client.planningConflicts.list()) console.log(resource_name, start_date_time);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<PlanningConflict> {
    return pages(this, operations.list, { query }, options);
  }
}
