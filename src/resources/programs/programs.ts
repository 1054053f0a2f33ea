import * as z from "zod/mini";
import { ADMIN_ONLY, BOTH, MAIN_ONLY, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model, partial, ref } from "../../core/schema/model.js";
import { costKept, costNeeded } from "../../models/cost.js";
import { type CourseTabContentPayload, type CourseTabContentUpdatePayload, courseTabContentPayloadSchema, courseTabContentUpdatePayloadSchema } from "../../models/course-tab-content.js";
import { customAssociationsInput, customFields } from "../../models/custom-fields.js";
import { CostScheme } from "../../models/enumerations.js";
import { identifier } from "../../models/ids.js";
import { listInput } from "../../models/lists.js";
import { decimal, decimalInput } from "../../models/money.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const programSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** URL of the signup form. */
  signup_url: z.string(), // plain
  /** Name of the program. */
  name: z.string(), // plain
  /** Price as decimal text, per student or per order depending on `cost_scheme`. */
  cost: z.nullable(decimal()),
  /** How the program is charged. */
  cost_scheme: CostScheme.open,
  /** Whether the program is published. */
  is_published: z.boolean(),
  /** The category of the program. */
  category_id: z.int(),
  /** Conditions of the program. */
  conditions: z.nullable(z.string()), // plain
  /** Short name of the program for web addresses. */
  slug: z.string(), // plain
}));

/** A program: the template from which program editions are made. Only public documents show its fields. */
export interface Program extends z.infer<typeof programSchema> {}

export const signupAnswerPayloadSchema = /* @__PURE__ */ model(() => ({
  /** The answered sign-up question. */
  signup_question_id: identifier(),
  /** The answer: text, a Boolean or a list of strings, depending on the question; null for none. */
  value: z.nullable(z.union([z.string(), z.boolean(), listInput(z.string())])),
}));

/** Answer to one sign-up question, as sent with a program. */
export interface SignupAnswerPayload extends z.input<typeof signupAnswerPayloadSchema> {}

const programFields = () => ({
  /** Name of the program. */
  name: z.string(),
  /** The category of the program. */
  category_id: identifier(),
  /** How the program is charged. */
  cost_scheme: CostScheme.schema,
  /** Whether the program is published. */
  is_published: z.optional(z.boolean()),
  /** Identifiers of the labels on the program. */
  label_ids: z.optional(listInput(identifier())),
  /** Values of custom fields, keyed by slug. */
  custom: z.optional(customFields()),
  /**
   * Identifiers of custom records, keyed by the association's slug; they replace its earlier links. Needs the
   * `Custom objects` feature flag.
   */
  custom_associations: z.optional(customAssociationsInput()),
  /**
   * Image of the program: the signed identifier of an uploaded file.
   * @deprecated The service names no replacement.
   */
  avatar: z.optional(z.string()),
  /**
   * Conditions of the program.
   * @deprecated The service names no replacement.
   */
  conditions: z.optional(z.nullable(z.string())),
  /**
   * Answers to sign-up questions.
   * @deprecated The service names no replacement.
   */
  signup_answers_attributes: z.optional(listInput(ref<SignupAnswerPayload>(signupAnswerPayloadSchema))),
});

export const programCreateSchema = /* @__PURE__ */ model(
  () => ({
    ...programFields(),
    /**
     * Price as a whole number, such as 450; in records it is text. Required if `cost_scheme` is `student` or `order`.
     */
    cost: z.optional(z.nullable(z.int())),
    /** Texts of the program's tabs. */
    course_tab_contents_attributes: z.optional(listInput(ref<CourseTabContentPayload>(courseTabContentPayloadSchema))),
    /**
     * Short name of the program for web addresses.
     * @deprecated The service names no replacement; `update` can still set the slug.
     */
    slug: z.optional(z.string()),
  }),
  /* @__PURE__ */ costNeeded("450"),
);

/** Fields of a new program. */
export interface ProgramCreate extends z.input<typeof programCreateSchema> {}

const programUpdateFields = () => ({
  ...programFields(),
  /** Price as decimal text, such as `"450.00"`. */
  cost: z.nullable(decimalInput()),
  /** Short name of the program for web addresses. */
  slug: z.string(),
});

export const programUpdateSchema = /* @__PURE__ */ model(
  () =>
    partial({
      ...programUpdateFields(),
      /** Changed texts of the program's tabs. */
      course_tab_contents_attributes: listInput(ref<CourseTabContentUpdatePayload>(courseTabContentUpdatePayloadSchema)),
    }),
  /* @__PURE__ */ costKept('"450.00"'),
);

/** Changes to a program in the Main API. */
export interface ProgramUpdate extends z.input<typeof programUpdateSchema> {}

export const adminProgramUpdateSchema = /* @__PURE__ */ model(
  () =>
    partial({
      ...programUpdateFields(),
      /** Texts of the program's tabs. */
      course_tab_contents_attributes: listInput(ref<CourseTabContentPayload>(courseTabContentPayloadSchema)),
    }),
  /* @__PURE__ */ costKept('"450.00"'),
);

/** Changes to a program in the Admin API, which identifies each tab text by its tab. */
export interface AdminProgramUpdate extends z.input<typeof adminProgramUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "programs",
  { apis: BOTH, feature: "Programs", scopes: "courses" },
  {
    list: { method: "GET", path: "program/programs", response: programSchema, paged: "cursor+page" },
    create: { method: "POST", path: "program/programs", body: programCreateSchema, response: programSchema, status: 201 },
    get: { method: "GET", path: "program/programs/{id}", response: programSchema },
    update: { method: "PUT", path: "program/programs/{id}", body: programUpdateSchema, response: programSchema, apis: MAIN_ONLY },
    delete: { method: "DELETE", path: "program/programs/{id}", status: 204 },
  },
);
export const programOperations: OperationTable = operations;
export const programNotes: TableNotes = {
  "*": { publicOnly: true },
  create: { note: "cost is a whole number here, text in the record and on update; it is required when cost_scheme is student or order" },
  update: { note: "cost is text here, a whole number on create; custom_associations replaces earlier links; the Main API identifies each tab text by its id" },
} satisfies NotesOf<typeof operations>;

const adminOperations = /* @__PURE__ */ operationTable(
  "programs",
  { apis: ADMIN_ONLY, feature: "Programs", scopes: "courses" },
  {
    update: { method: "PUT", path: "program/programs/{id}", body: adminProgramUpdateSchema, response: programSchema },
  },
);
/** Operations in which {@link AdminPrograms} differs from {@link Programs}. */
export const adminProgramOperations: OperationTable = adminOperations;
export const adminProgramNotes: TableNotes = {
  "*": { publicOnly: true },
  update: { note: "cost is text here, a whole number on create; custom_associations replaces earlier links; the Admin API identifies each tab text by its tab" },
} satisfies NotesOf<typeof adminOperations>;

/** Base class of {@link Programs} and {@link AdminPrograms}. */
export abstract class ProviderPrograms extends ListedResource<Program, PagedQuery> {
  /** @internal */
  static readonly operations = programOperations;

  /**
   * Lists programs. Needs the `Programs` feature flag.
   * @example
   * for await (const program of client.programs.list()) console.log(program.name, program.cost);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<Program> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a program; `cost` is required when `cost_scheme` is `student` or `order`. Needs the `Programs` feature
   * flag.
   * @example
   * const program = await client.programs.create({ name: "First aid", category_id: 1, cost_scheme: "student", cost: 450 });
   */
  create(body: ProgramCreate, options?: RequestOptions): Call<Program> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one program. Needs the `Programs` feature flag.
   * @example
   * const program = await client.programs.get(1);
   */
  get(id: number, options?: RequestOptions): Call<Program> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Deletes a program. Needs the `Programs` feature flag.
   * @example
   * const draft = await client.programs.create({ name: "Draft", category_id: 1, cost_scheme: "free" });
   * await client.programs.delete(draft.id);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }
}

/** Programs: the templates from which program editions are made (Main and Admin API). */
export class Programs extends ProviderPrograms {
  /**
   * Changes a program; fields left out keep their value. Needs the `Programs` feature flag.
   * @example
   * await client.programs.update(1, { is_published: true, cost: "475.00" });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<ProgramUpdate, Program, Name>, options?: RequestOptions): Call<Program> {
    return call(this, operations.update, { params: { id }, body }, options);
  }
}

/** Programs of the Admin API, which identifies each tab text by its tab. */
export class AdminPrograms extends ProviderPrograms {
  /** @internal */
  static override readonly operations = adminProgramOperations;

  /**
   * Changes a program; fields left out keep their value. Needs the `Programs` feature flag.
   * @example
   * await admin.programs.update(1, { course_tab_contents_attributes: [{ course_tab_id: 1, content: "What you learn" }] });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<AdminProgramUpdate, Program, Name>, options?: RequestOptions): Call<Program> {
    return call(this, adminOperations.update, { params: { id }, body }, options);
  }
}
