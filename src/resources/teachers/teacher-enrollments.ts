import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model, partial } from "../../core/schema/model.js";
import { timestamps } from "../../models/dates.js";
import { identifier } from "../../models/ids.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const teacherEnrollmentSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The planned course. */
  planned_course_id: z.int(),
  /** The teacher. */
  teacher_id: z.int(),
  /** The teacher's role in the planned course. The Main API shows it only with the `Teacher roles` feature flag. */
  teacher_role_id: z.optional(z.nullable(z.int())),
  ...timestamps(),
}));

/** A teacher enrollment: the assignment of a teacher to a planned course. Only public documents show its fields. */
export interface TeacherEnrollment extends z.infer<typeof teacherEnrollmentSchema> {}

export const teacherEnrollmentQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only teacher enrollments in this planned course. */
  planned_course_id: z.optional(identifier()),
}));

/** Filters of the teacher enrollments list. */
export interface TeacherEnrollmentQuery extends z.input<typeof teacherEnrollmentQuerySchema>, PagedQuery {}

const plannedCourseTeacherEnrollmentFields = () => ({
  /** The teacher. */
  teacher_id: identifier(),
  /** The teacher's role in the planned course. */
  teacher_role_id: z.optional(identifier()),
});

const teacherEnrollmentFields = () => ({
  /** The planned course. */
  planned_course_id: identifier(),
  ...plannedCourseTeacherEnrollmentFields(),
});

export const teacherEnrollmentCreateSchema = /* @__PURE__ */ model(teacherEnrollmentFields);

/** Fields of a new teacher enrollment. */
export interface TeacherEnrollmentCreate extends z.input<typeof teacherEnrollmentCreateSchema> {}

export const teacherEnrollmentUpdateSchema = /* @__PURE__ */ model(() => partial(teacherEnrollmentFields()));

/** Changes to a teacher enrollment. */
export interface TeacherEnrollmentUpdate extends z.input<typeof teacherEnrollmentUpdateSchema> {}

export const plannedCourseTeacherEnrollmentCreateSchema = /* @__PURE__ */ model(plannedCourseTeacherEnrollmentFields);

/** Fields of a new teacher enrollment in one planned course. */
export interface PlannedCourseTeacherEnrollmentCreate extends z.input<typeof plannedCourseTeacherEnrollmentCreateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "teacherEnrollments",
  { apis: BOTH, scopes: "courses" },
  {
    list: { method: "GET", path: "teacher_enrollments", query: teacherEnrollmentQuerySchema, response: teacherEnrollmentSchema, paged: "cursor+page" },
    create: { method: "POST", path: "teacher_enrollments", body: teacherEnrollmentCreateSchema, response: teacherEnrollmentSchema, status: 201 },
    update: { method: "PUT", path: "teacher_enrollments/{id}", body: teacherEnrollmentUpdateSchema, response: teacherEnrollmentSchema },
    delete: { method: "DELETE", path: "teacher_enrollments/{id}", status: 204 },
    listForPlannedCourse: { method: "GET", path: "planned_courses/{planned_course_id}/teacher_enrollments", response: teacherEnrollmentSchema, paged: "none" },
    createForPlannedCourse: {
      method: "POST",
      path: "planned_courses/{planned_course_id}/teacher_enrollments",
      body: plannedCourseTeacherEnrollmentCreateSchema,
      response: teacherEnrollmentSchema,
      status: 201,
    },
  },
);
export const teacherEnrollmentOperations: OperationTable = operations;
export const teacherEnrollmentNotes: TableNotes = {
  "*": { publicOnly: true },
} satisfies NotesOf<typeof operations>;

/** Teacher enrollments: the assignments of teachers to planned courses (Main and Admin API). */
export class TeacherEnrollments extends ListedResource<TeacherEnrollment, TeacherEnrollmentQuery> {
  /** @internal */
  static readonly operations = teacherEnrollmentOperations;

  /**
   * Lists teacher enrollments.
   * @example
   * for await (const place of client.teacherEnrollments.list({ planned_course_id: 7 })) console.log(place.teacher_id);
   */
  list(query: TeacherEnrollmentQuery = {}, options?: ListOptions): Pages<TeacherEnrollment> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Adds a teacher to a planned course.
   * @example
   * const course = await client.plannedCourses.create({ course_id: 1, type: "FlexiblePlannedCourse", cost: 450 });
   * await client.teacherEnrollments.create({ planned_course_id: course.id, teacher_id: 1, teacher_role_id: 1 });
   */
  create(body: TeacherEnrollmentCreate, options?: RequestOptions): Call<TeacherEnrollment> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Changes a teacher enrollment; fields left out keep their value.
   * @example
   * await client.teacherEnrollments.update(7, { teacher_role_id: 1 });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<TeacherEnrollmentUpdate, TeacherEnrollment, Name>, options?: RequestOptions): Call<TeacherEnrollment> {
    return call(this, operations.update, { params: { id }, body }, options);
  }

  /**
   * Removes a teacher from a planned course.
   * @example
   * await client.teacherEnrollments.delete(7);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }

  /**
   * Lists the teacher enrollments in one planned course, in one response.
   * @example
   * const places = await client.teacherEnrollments.listForPlannedCourse(7).toArray({ max: 100 });
   */
  listForPlannedCourse(plannedCourseId: number, options?: ListOptions): Pages<TeacherEnrollment> {
    return pages(this, operations.listForPlannedCourse, { params: { planned_course_id: plannedCourseId } }, options);
  }

  /**
   * Adds a teacher to one planned course.
   * @example
   * const [place] = await client.teacherEnrollments.listForPlannedCourse(7).toArray({ max: 100 });
   * if (place) await client.teacherEnrollments.createForPlannedCourse(1, { teacher_id: place.teacher_id });
   */
  createForPlannedCourse(plannedCourseId: number, body: PlannedCourseTeacherEnrollmentCreate, options?: RequestOptions): Call<TeacherEnrollment> {
    return call(this, operations.createForPlannedCourse, { params: { planned_course_id: plannedCourseId }, body }, options);
  }
}
