import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model, partial, ref } from "../../core/schema/model.js";
import { dateInput, dateTime, dateTimeInput, looseDateInput, timestamps } from "../../models/dates.js";
import { identifier, textIdentifier } from "../../models/ids.js";
import { filterInput, listInput } from "../../models/lists.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

/** Sort orders of the meetings of a planned course. */
export const MeetingSort = /* @__PURE__ */ enumeration(["start_date_time:asc", "start_date_time:desc", "name:asc", "name:desc"]);
export type MeetingSort = (typeof MeetingSort.values)[number];

export const planningAttendeeSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the planning entry. */
  id: z.int(),
  /** The record that the teacher is planned for. */
  attendable_id: z.int(),
  /** Kind of the record that the teacher is planned for. */
  attendable_type: z.string(), // plain
  /** The planned teacher. */
  teacher_id: z.int(),
  /** The role in which the teacher attends. */
  teacher_role_id: z.optional(z.nullable(z.int())),
  /** Comment on the planning entry. */
  comment: z.nullable(z.string()), // note
}));

/** A person planned for a meeting, such as a teacher. */
export interface PlanningAttendee extends z.infer<typeof planningAttendeeSchema> {}

export const planningMaterialSchema = /* @__PURE__ */ model(() => ({
  /** The planned material. */
  material_id: z.int(),
  /** Quantity of the material. */
  amount: z.nullable(z.int()), // plain
  /** Comment on the planning entry. */
  comment: z.nullable(z.string()), // note
}));

/** A material planned for a meeting. */
export interface PlanningMaterial extends z.infer<typeof planningMaterialSchema> {}

export const meetingSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the meeting. */
  name: z.nullable(z.string()), // plain
  /** The planned course that the meeting belongs to. */
  planned_course_id: z.int(),
  /** When the meeting starts. */
  start_date_time: dateTime(),
  /** When the meeting ends. */
  end_date_time: dateTime(),
  /** Where the meeting takes place. */
  meeting_location_id: z.nullable(z.int()),
  /** Description of the meeting. */
  description: z.nullable(z.string()), // note
  /** Description shown on the dashboard. */
  description_dashboard: z.nullable(z.string()), // note
  ...timestamps(),
  /** Identifiers of the planned meeting locations. */
  planning_meeting_location_ids: z.array(z.int()),
  /** People planned for the meeting. */
  planning_attendees: z.array(ref<PlanningAttendee>(planningAttendeeSchema)),
  /** Materials planned for the meeting. */
  planning_materials: z.optional(z.array(ref<PlanningMaterial>(planningMaterialSchema))),
}));

/** A meeting of a planned course. */
export interface Meeting extends z.infer<typeof meetingSchema> {}

export const meetingQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only meetings of the planned course with this identifier (number or text). */
  planned_course_id: z.optional(textIdentifier()),
  /**
   * Only meetings for the student with this identifier (number or text).
   * @deprecated The service names no replacement.
   */
  for_student_id: z.optional(textIdentifier()),
  /**
   * Only meetings from this date on.
   * @deprecated Use `start`.
   */
  date_from: z.optional(looseDateInput()),
  /** Only meetings ending after this date and time, yyyy-MM-ddTHH:mm:ss.SSSZ or a `Date`. */
  start: z.optional(dateTimeInput()),
  /** Only meetings starting before this date and time, yyyy-MM-ddTHH:mm:ss.SSSZ or a `Date`. */
  end: z.optional(dateTimeInput()),
}));

/** Filters of the meetings list. */
export interface MeetingQuery extends z.input<typeof meetingQuerySchema>, PagedQuery {}

export const plannedCourseMeetingQuerySchema = /* @__PURE__ */ model(() => ({
  /** Fields to sort by, the most important first. */
  sort: z.optional(filterInput(MeetingSort.schema)),
  /**
   * Only meetings for the student with this identifier (number or text).
   * @deprecated The service names no replacement.
   */
  for_student_id: z.optional(textIdentifier()),
  /**
   * Only meetings from this date on.
   * @deprecated The service names no replacement.
   */
  date_from: z.optional(dateInput()),
}));

/** Filters and sort order of the meetings of one planned course. */
export interface PlannedCourseMeetingQuery extends z.input<typeof plannedCourseMeetingQuerySchema> {}

export const planningAttendeePayloadSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of an existing planning entry to change. */
  id: z.optional(identifier()),
  /** Kind of the record that the teacher is planned for. */
  attendable_type: z.optional(z.string()),
  /** The record that the teacher is planned for. */
  attendable_id: z.optional(identifier()),
  /** The planned teacher. */
  teacher_id: z.optional(identifier()),
  /** The role in which the teacher attends. */
  teacher_role_id: z.optional(identifier()),
  /** Comment on the planning entry. */
  comment: z.optional(z.string()),
  /** True removes the planning entry. */
  _destroy: z.optional(z.boolean()),
}));

/** A person planned for a meeting, such as a teacher. */
export interface PlanningAttendeePayload extends z.input<typeof planningAttendeePayloadSchema> {}

export const planningMaterialPayloadSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of an existing planning entry to change. */
  id: z.optional(identifier()),
  /** The planned material. */
  material_id: z.optional(identifier()),
  /** Comment on the planning entry. */
  comment: z.optional(z.string()),
  /** True removes the planning entry. */
  _destroy: z.optional(z.boolean()),
}));

/** A material planned for a meeting. */
export interface PlanningMaterialPayload extends z.input<typeof planningMaterialPayloadSchema> {}

const meetingFields = () => ({
  /** Name of the meeting; required for a new meeting, but may be null. */
  name: z.nullable(z.string()),
  /** Start, yyyy-MM-ddTHH:mm:ss.SSSZ or a `Date`. */
  start_date_time: dateTimeInput(),
  /** End, yyyy-MM-ddTHH:mm:ss.SSSZ or a `Date`. */
  end_date_time: dateTimeInput(),
  /** Where the meeting takes place. */
  meeting_location_id: z.optional(z.nullable(identifier())),
  /** Description of the meeting. */
  description: z.optional(z.nullable(z.string())),
  /** Description shown on the dashboard. */
  description_dashboard: z.optional(z.nullable(z.string())),
  /** Identifiers of the teachers. */
  teacher_ids: z.optional(listInput(identifier())),
  /** Identifiers of the meeting locations to reserve. */
  planning_meeting_location_ids: z.optional(listInput(identifier())),
  /** Identifiers of the materials to reserve. */
  material_ids: z.optional(listInput(identifier())),
  /** True also moves the meeting's planning events when its start changes. */
  shift_planning_events: z.optional(z.boolean()),
  /** People planned for the meeting. */
  planning_attendees_attributes: z.optional(listInput(ref<PlanningAttendeePayload>(planningAttendeePayloadSchema))),
  /** Materials planned for the meeting. */
  planning_materials_attributes: z.optional(listInput(ref<PlanningMaterialPayload>(planningMaterialPayloadSchema))),
});

const ofPlannedCourse = () => ({
  ...meetingFields(),
  /** The planned course the meeting belongs to. */
  planned_course_id: identifier(),
});

export const meetingCreateSchema = /* @__PURE__ */ model(ofPlannedCourse);

/** Fields of a new meeting. */
export interface MeetingCreate extends z.input<typeof meetingCreateSchema> {}

export const plannedCourseMeetingCreateSchema = /* @__PURE__ */ model(meetingFields);

/** Fields of a new meeting of one planned course. */
export interface PlannedCourseMeetingCreate extends z.input<typeof plannedCourseMeetingCreateSchema> {}

export const meetingUpdateSchema = /* @__PURE__ */ model(() => partial(ofPlannedCourse()));

/** Changes to a meeting. */
export interface MeetingUpdate extends z.input<typeof meetingUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "meetings",
  { apis: BOTH, scopes: "courses" },
  {
    list: { method: "GET", path: "meetings", query: meetingQuerySchema, response: meetingSchema, paged: "cursor+page" },
    create: { method: "POST", path: "meetings", body: meetingCreateSchema, response: meetingSchema, status: 201, scopes: null },
    update: { method: "PUT", path: "meetings/{id}", body: meetingUpdateSchema, response: meetingSchema, scopes: null },
    listForPlannedCourse: { method: "GET", path: "planned_courses/{planned_course_id}/meetings", query: plannedCourseMeetingQuerySchema, response: meetingSchema, paged: "none" },
    createForPlannedCourse: { method: "POST", path: "planned_courses/{planned_course_id}/meetings", body: plannedCourseMeetingCreateSchema, response: meetingSchema, status: 201, scopes: null },
    get: { method: "GET", path: "meetings/{id}", response: meetingSchema },
    delete: { method: "DELETE", path: "meetings/{id}", status: 204 },
    listMaterials: { method: "GET", path: "meetings/{id}/materials", response: planningMaterialSchema, paged: "cursor+page" },
  },
);
export const meetingOperations: OperationTable = operations;
export const meetingNotes: TableNotes = {
  "*": { pageRendering: true },
  get: { publicOnly: true },
  delete: { publicOnly: true },
  listMaterials: { publicOnly: true, note: "the listed records have no identifier" },
  listForPlannedCourse: { note: "accepts no pagination parameters; a Link header in the response is followed" },
} satisfies NotesOf<typeof operations>;

/** Meetings of planned courses (Main and Admin API). */
export class Meetings extends ListedResource<Meeting, MeetingQuery> {
  /** @internal */
  static readonly operations = meetingOperations;

  /**
   * Lists meetings; `start` and `end` select those that overlap a period.
   * @example
   * const july = { start: new Date("2030-07-01T00:00:00Z"), end: new Date("2030-08-01T00:00:00Z") };
   * for await (const meeting of client.meetings.list(july)) console.log(meeting.name, meeting.start_date_time);
   */
  list(query: MeetingQuery = {}, options?: ListOptions): Pages<Meeting> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a meeting; `name` is required, but may be null.
   * @example
   * const time = { start_date_time: "2030-07-01T08:00:00.000Z", end_date_time: "2030-07-01T15:00:00.000Z" };
   * const meeting = await client.meetings.create({ name: "First day", planned_course_id: 7, ...time });
   */
  create(body: MeetingCreate, options?: RequestOptions): Call<Meeting> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Changes a meeting; fields left out keep their value.
   * @example
   * await client.meetings.update(7, { end_date_time: "2030-07-01T16:00:00.000Z" });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<MeetingUpdate, Meeting, Name>, options?: RequestOptions): Call<Meeting> {
    return call(this, operations.update, { params: { id }, body }, options);
  }

  /**
   * Lists the meetings of one planned course. The service accepts no pagination parameters here.
   * @example
   * const meetings = client.meetings.listForPlannedCourse(7, { sort: ["start_date_time:asc"] });
   * for await (const meeting of meetings) console.log(meeting.name);
   */
  listForPlannedCourse(plannedCourseId: number, query: PlannedCourseMeetingQuery = {}, options?: ListOptions): Pages<Meeting> {
    return pages(this, operations.listForPlannedCourse, { params: { planned_course_id: plannedCourseId }, query }, options);
  }

  /**
   * Creates a meeting of one planned course; `name` is required, but may be null.
   * @example
   * const time = { start_date_time: "2030-07-02T08:00:00.000Z", end_date_time: "2030-07-02T15:00:00.000Z" };
   * const meeting = await client.meetings.createForPlannedCourse(7, { name: "Second day", ...time });
   */
  createForPlannedCourse(plannedCourseId: number, body: PlannedCourseMeetingCreate, options?: RequestOptions): Call<Meeting> {
    return call(this, operations.createForPlannedCourse, { params: { planned_course_id: plannedCourseId }, body }, options);
  }

  /**
   * Reads one meeting.
   * @example
   * const meeting = await client.meetings.get(7);
   */
  get(id: number, options?: RequestOptions): Call<Meeting> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Deletes a meeting.
   * @example
   * await client.meetings.delete(7);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }

  /**
   * Lists the materials planned for a meeting; the listed records have no identifier.
   * @example
   * for await (const { material_id, amount } of client.meetings.listMaterials(7)) console.log(material_id, amount);
   */
  listMaterials(id: number, query: PagedQuery = {}, options?: ListOptions): Pages<PlanningMaterial> {
    return pages(this, operations.listMaterials, { params: { id }, query }, options);
  }
}
