import * as z from "zod/mini";
import { ADMIN_ONLY, BOTH, MAIN_ONLY, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model, ref } from "../../core/schema/model.js";
import { timeText } from "../../models/dates.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions, type Transport } from "../methods.js";
import { type PlanningAttendee, type PlanningMaterial, planningAttendeeSchema, planningMaterialSchema } from "./meetings.js";

/** Kinds of event that teachers are planned for and that can conflict: meetings and planning events. */
export const PlanningEventType = /* @__PURE__ */ enumeration(["Meeting", "Planning::Event"]);
export type PlanningEventType = (typeof PlanningEventType.values)[number];

export const planningRequiredTeacherGroupSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the group. */
  id: z.int(),
  /** How many teachers of the group are needed. */
  quantity: z.int(), // plain
  /** Identifiers of the labels that the teachers must have. */
  teacher_label_ids: z.array(z.int()),
}));

/** A group of teachers that a planning event needs. Only public documents show its fields. */
export interface PlanningRequiredTeacherGroup extends z.infer<typeof planningRequiredTeacherGroupSchema> {}

const planningEventFields = () => ({
  /** Unique among planning events; meetings have identifiers of their own. */
  id: z.int(),
  /** The meeting that the planning event belongs to. */
  meeting_id: z.int(),
  /** Where the planning event takes place. */
  meeting_location_id: z.nullable(z.int()),
  /** Name of the planning event. */
  name: z.nullable(z.string()), // plain
  /** When the planning event starts, as text. */
  start_date_time: timeText(), // plain
  /** When the planning event ends, as text. */
  end_date_time: timeText(), // plain
  /** Identifiers of the planned meeting locations. */
  planning_meeting_location_ids: z.array(z.int()),
  /** People planned for the event. */
  planning_attendees: z.array(ref<PlanningAttendee>(planningAttendeeSchema)),
  /** Materials planned for the event. */
  planning_materials: z.optional(z.array(ref<PlanningMaterial>(planningMaterialSchema))),
});

export const planningEventSchema = /* @__PURE__ */ model(planningEventFields);

/**
 * A planning event: a part of a meeting that is planned separately, such as setting up a room. Only public documents
 * show its fields.
 */
export interface PlanningEvent extends z.infer<typeof planningEventSchema> {}

export const adminPlanningEventSchema = /* @__PURE__ */ model(() => ({
  ...planningEventFields(),
  /**
   * Groups of teachers that the event needs. In beta; needs the `Meeting requirements` feature flag.
   * @deprecated Use `required_teacher_groups`.
   */
  planning_attendee_conditions: z.optional(z.array(ref<PlanningRequiredTeacherGroup>(planningRequiredTeacherGroupSchema))),
  /** Groups of teachers that the event needs. In beta; needs the `Meeting requirements` feature flag. */
  required_teacher_groups: z.optional(z.array(ref<PlanningRequiredTeacherGroup>(planningRequiredTeacherGroupSchema))),
}));

/** A planning event as the Admin API returns it. */
export interface AdminPlanningEvent extends z.infer<typeof adminPlanningEventSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "planningEvents",
  { apis: BOTH, scopes: "courses" },
  {
    list: { method: "GET", path: "planning/events", response: planningEventSchema, paged: "cursor+page", apis: MAIN_ONLY },
    get: { method: "GET", path: "planning/events/{id}", response: planningEventSchema, apis: MAIN_ONLY },
    delete: { method: "DELETE", path: "planning/events/{id}", status: 204 },
    listMaterials: { method: "GET", path: "planning/events/{id}/materials", response: planningMaterialSchema, paged: "cursor+page", scopes: ["courses:read", "settings:read"] },
  },
);
export const planningEventOperations: OperationTable = operations;
export const planningEventNotes: TableNotes = {
  "*": { publicOnly: true },
  listMaterials: { note: "the listed records have no identifier" },
} satisfies NotesOf<typeof operations>;

const adminOperations = /* @__PURE__ */ operationTable(
  "planningEvents",
  { apis: ADMIN_ONLY, scopes: "courses" },
  {
    list: { method: "GET", path: "planning/events", response: adminPlanningEventSchema, paged: "cursor+page" },
    get: { method: "GET", path: "planning/events/{id}", response: adminPlanningEventSchema },
  },
);
/** Operations whose response in {@link AdminPlanningEvents} differs from {@link PlanningEvents}. */
export const adminPlanningEventOperations: OperationTable = adminOperations;
export const adminPlanningEventNotes: TableNotes = {
  "*": { publicOnly: true },
} satisfies NotesOf<typeof adminOperations>;

/** Planning events: parts of meetings that are planned separately (Main and Admin API). */
export class PlanningEvents<T extends PlanningEvent = PlanningEvent> extends ListedResource<T, PagedQuery> {
  /** @internal */
  static readonly operations = planningEventOperations;

  /**
   * Lists planning events.
   * @example
   * for await (const event of client.planningEvents.list()) console.log(event.name, event.start_date_time);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<T> {
    return pages(this, operations.list, { query }, options) as Pages<T>;
  }

  /**
   * Reads one planning event.
   * @example
   * const event = await client.planningEvents.get(7);
   */
  get(id: number, options?: RequestOptions): Call<T> {
    return call(this, operations.get, { params: { id } }, options) as Call<T>;
  }

  /**
   * Deletes a planning event; its meeting is kept.
   * @example
   * await client.planningEvents.delete(7);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }

  /**
   * Lists the materials planned for a planning event; the listed records have no identifier.
   * @example
   * for await (const { material_id, amount } of client.planningEvents.listMaterials(7)) console.log(material_id, amount);
   */
  listMaterials(id: number, query: PagedQuery = {}, options?: ListOptions): Pages<PlanningMaterial> {
    return pages(this, operations.listMaterials, { params: { id }, query }, options);
  }
}

/** Planning events of the Admin API, which also show the groups of teachers that they need. */
export class AdminPlanningEvents extends PlanningEvents<AdminPlanningEvent> {
  /** @internal */
  static override readonly operations = adminPlanningEventOperations;

  constructor(transport: Transport) {
    super(transport, adminOperations);
  }
}
