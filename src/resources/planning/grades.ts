import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type TableNotes } from "../../core/operation.js";
import { model, partial } from "../../core/schema/model.js";
import { timestamps } from "../../models/dates.js";
import { identifier } from "../../models/ids.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, type RequestOptions, Resource } from "../methods.js";

export const gradeSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The user who gave the grade. */
  grader_id: z.nullable(z.int()),
  /** Result as text. */
  result: z.nullable(z.string()), // plain
  /** The grade as text. */
  grade: z.nullable(z.string()), // plain
  /** The score as text; requests send it as a number. */
  score: z.nullable(z.string()), // plain
  /** The graded record. */
  gradeable_id: z.int(),
  /** Kind of the graded record; the service description lists no values. */
  gradeable_type: z.string(), // plain
  /** Comment on the grade. */
  comment: z.nullable(z.string()), // note
  ...timestamps(),
}));

/** A grade. */
export interface Grade extends z.infer<typeof gradeSchema> {}

const gradeFields = () => ({
  /** The grade as text; required for a new grade without a `score`. */
  grade: z.optional(z.nullable(z.string())),
  /** The score as a number; required for a new grade without a `grade`. In responses it is text. */
  score: z.optional(z.nullable(z.number())),
  /** The record to grade. */
  gradeable_id: identifier(),
  /** Kind of the record to grade, as it appears in other grades; the service description lists no values. */
  gradeable_type: z.string(),
  /** Comment on the grade. */
  comment: z.optional(z.nullable(z.string())),
});

export const gradeCreateSchema = /* @__PURE__ */ model(
  () => ({
    ...gradeFields(),
    /**
     * The enrollment to grade.
     * @deprecated Use `gradeable_id` and `gradeable_type`.
     */
    enrollment_id: z.optional(identifier()),
  }),
  (payload) => {
    const { grade, score } = payload.value;
    // The service requires both keys, even if one is null.
    payload.value = { ...payload.value, grade: grade ?? null, score: score ?? null };
    if (grade != null || score != null) return;
    payload.issues.push({ code: "custom", path: ["grade"], message: "at least one of grade and score must be given", input: grade });
  },
);

/** Fields of a new grade; at least one of `grade` and `score` is required. */
export interface GradeCreate extends z.input<typeof gradeCreateSchema> {}

export const gradeUpdateSchema = /* @__PURE__ */ model(() =>
  partial({
    ...gradeFields(),
    /** The graded enrollment. */
    enrollment_id: identifier(),
  }),
);

/** Changes to a grade. */
export interface GradeUpdate extends z.input<typeof gradeUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "grades",
  { apis: BOTH, scopes: { main: "orders", admin: "enrollments" } },
  {
    create: { method: "POST", path: "grades", body: gradeCreateSchema, response: gradeSchema, status: 201 },
    get: { method: "GET", path: "grades/{id}", response: gradeSchema },
    delete: { method: "DELETE", path: "grades/{id}", status: 204 },
    update: { method: "PUT", path: "grades/{id}", body: gradeUpdateSchema, response: gradeSchema },
  },
);
export const gradeOperations: OperationTable = operations;
export const gradeNotes: TableNotes = {
  create: { note: "at least one of grade and score must be given; the other may be null or left out" },
  update: { derived: { result: ["grade", "score"] } },
} satisfies NotesOf<typeof operations>;

/** Grades (Main and Admin API). */
export class Grades extends Resource {
  /** @internal */
  static readonly operations = gradeOperations;

  /**
   * Creates a grade; `grade` or `score` is required. `score` is a number here and text in the response.
   * @example
   * const { gradeable_id, gradeable_type } = await client.grades.get(7);
   * const resit = await client.grades.create({ score: 8.5, gradeable_id, gradeable_type });
   */
  create(body: GradeCreate, options?: RequestOptions): Call<Grade> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one grade.
   * @example
   * const grade = await client.grades.get(7);
   */
  get(id: number, options?: RequestOptions): Call<Grade> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Deletes a grade.
   * @example
   * await client.grades.delete(7);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }

  /**
   * Changes a grade; fields left out keep their value. `score` is a number here and text in the response.
   * @example
   * await client.grades.update(7, { score: 9, comment: "Corrected" });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<GradeUpdate, Grade, Name>, options?: RequestOptions): Call<Grade> {
    return call(this, operations.update, { params: { id }, body }, options);
  }
}
