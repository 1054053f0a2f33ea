import * as z from "zod/mini";
import { ADMIN_ONLY, BOTH, MAIN_ONLY, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model, partial } from "../../core/schema/model.js";
import { costKept, costNeeded } from "../../models/cost.js";
import { customAssociationsInput, customFields } from "../../models/custom-fields.js";
import { date, dateInput } from "../../models/dates.js";
import { CostScheme } from "../../models/enumerations.js";
import { identifier, textIdentifier } from "../../models/ids.js";
import { filterInput } from "../../models/lists.js";
import { decimal, decimalInput } from "../../models/money.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";
import { type ProgramEditionCreateElements, type ProgramEditionElement, programEditionCreateElementsSchema, programEditionElementSchema } from "./program-edition-elements.js";

export const programEditionSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the edition. */
  name: z.string(), // plain
  /** The program that the edition belongs to. */
  program_id: z.int(),
  /** Price as decimal text, per student or per order depending on `cost_scheme`. */
  cost: z.nullable(decimal()),
  /** How the edition is charged. */
  cost_scheme: CostScheme.open,
  /** Minimum number of participants. */
  min_participants: z.nullable(z.int()), // plain
  /** Maximum number of participants; null for no limit. */
  max_participants: z.nullable(z.int()), // plain
  /** Current number of participants. */
  current_participants: z.int(), // plain
  /** Whether the edition is published. */
  is_published: z.boolean(),
  /** First day; null if none is set. */
  start_date: z.nullable(date()), // plain
  /** Last day, included in the edition; null if none is set. */
  end_date: z.nullable(date()), // plain
}));

/** A program edition: a program in a certain period. Only public documents show its fields. */
export interface ProgramEdition extends z.infer<typeof programEditionSchema> {}

export const programEditionQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only editions of the programs with these identifiers (numbers or text). */
  program_id: z.optional(filterInput(textIdentifier())),
}));

/** Filters of the program editions list. */
export interface ProgramEditionQuery extends z.input<typeof programEditionQuerySchema>, PagedQuery {}

const editionFields = () => ({
  /** Name of the edition. */
  name: z.string(),
  /** How the edition is charged. Default for a new edition: `student`. */
  cost_scheme: z.optional(CostScheme.schema),
  /** Minimum number of participants. */
  min_participants: z.optional(z.nullable(z.int())),
  /** Maximum number of participants; null for no limit. */
  max_participants: z.optional(z.nullable(z.int())),
  /** Whether the edition is published. */
  is_published: z.optional(z.boolean()),
  /** Values of custom fields, keyed by slug. */
  custom: z.optional(customFields()),
  /**
   * Identifiers of custom records, keyed by the association's slug; they replace its earlier links. Needs the
   * `Custom objects` feature flag.
   */
  custom_associations: z.optional(customAssociationsInput()),
});

const newEditionFields = () => ({
  ...editionFields(),
  /** The program that the edition belongs to. */
  program_id: identifier(),
  /**
   * Price as a number, such as 450; in records it is text. Required if `cost_scheme` is `order` or `student`, the
   * default for a new edition.
   */
  cost: z.optional(z.nullable(z.number())),
});

const dateFields = () => ({
  /** First day: text of the form yyyy-MM-dd, or a `Date`; null for none. */
  start_date: z.optional(z.nullable(dateInput())),
  /** Last day, included in the edition: text of the form yyyy-MM-dd, or a `Date`; null for none. */
  end_date: z.optional(z.nullable(dateInput())),
});

export const programEditionCreateSchema = /* @__PURE__ */ model(newEditionFields, /* @__PURE__ */ costNeeded("450"));

/** Fields of a new program edition in the Main API. */
export interface ProgramEditionCreate extends z.input<typeof programEditionCreateSchema> {}

export const adminProgramEditionCreateSchema = /* @__PURE__ */ model(() => ({ ...newEditionFields(), ...dateFields() }), /* @__PURE__ */ costNeeded("450"));

/** Fields of a new program edition in the Admin API. */
export interface AdminProgramEditionCreate extends z.input<typeof adminProgramEditionCreateSchema> {}

const changedEditionFields = () => ({
  ...editionFields(),
  /** Price as decimal text, such as `"450.00"`. */
  cost: z.nullable(decimalInput()),
});

export const programEditionUpdateSchema = /* @__PURE__ */ model(
  () =>
    partial({
      ...changedEditionFields(),
      /** The program that the edition belongs to. */
      program_id: identifier(),
    }),
  /* @__PURE__ */ costKept('"450.00"'),
);

/** Changes to a program edition in the Main API. */
export interface ProgramEditionUpdate extends z.input<typeof programEditionUpdateSchema> {}

export const adminProgramEditionUpdateSchema = /* @__PURE__ */ model(() => partial({ ...changedEditionFields(), ...dateFields() }), /* @__PURE__ */ costKept('"450.00"'));

/** Changes to a program edition in the Admin API. */
export interface AdminProgramEditionUpdate extends z.input<typeof adminProgramEditionUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "programEditions",
  { apis: BOTH, feature: "Programs", scopes: "courses" },
  {
    list: { method: "GET", path: "program/editions", query: programEditionQuerySchema, response: programEditionSchema, paged: "cursor+page" },
    create: { method: "POST", path: "program/editions", body: programEditionCreateSchema, response: programEditionSchema, status: 201, apis: MAIN_ONLY },
    get: { method: "GET", path: "program/editions/{id}", response: programEditionSchema },
    update: { method: "PUT", path: "program/editions/{id}", body: programEditionUpdateSchema, response: programEditionSchema, apis: MAIN_ONLY },
    delete: { method: "DELETE", path: "program/editions/{id}", status: 204 },
    listElements: { method: "GET", path: "program/editions/{id}/elements", response: programEditionElementSchema, paged: "none", beta: true },
  },
);
export const programEditionOperations: OperationTable = operations;
export const programEditionNotes: TableNotes = {
  "*": { publicOnly: true },
  create: { note: "cost is a number here, text in the record; it is required when cost_scheme is student (also by default) or order; only the Admin API accepts start_date and end_date" },
  update: { note: "cost is text here, a number on create; custom_associations replaces earlier links; the Main API accepts program_id, the Admin API start_date and end_date" },
} satisfies NotesOf<typeof operations>;

const adminOperations = /* @__PURE__ */ operationTable(
  "programEditions",
  { apis: ADMIN_ONLY, feature: "Programs", scopes: "courses" },
  {
    create: { method: "POST", path: "program/editions", body: adminProgramEditionCreateSchema, response: programEditionSchema, status: 201 },
    update: { method: "PUT", path: "program/editions/{id}", body: adminProgramEditionUpdateSchema, response: programEditionSchema },
    createElements: {
      method: "POST",
      path: "program/editions/{id}/elements_batch",
      body: programEditionCreateElementsSchema,
      response: programEditionElementSchema,
      array: true,
      status: 201,
      beta: true,
    },
  },
);
/** Operations in which {@link AdminProgramEditions} differs from {@link ProgramEditions}. */
export const adminProgramEditionOperations: OperationTable = adminOperations;
export const adminProgramEditionNotes: TableNotes = {
  "*": { publicOnly: true },
  create: { note: "cost is a number here, text in the record; it is required when cost_scheme is student (also by default) or order; only the Admin API accepts start_date and end_date" },
  update: { note: "cost is text here, a number on create; custom_associations replaces earlier links; the Main API accepts program_id, the Admin API start_date and end_date" },
  createElements: { note: "works only while the edition has no elements; the kind is called type in requests, element_type in responses" },
} satisfies NotesOf<typeof adminOperations>;

/** Program editions: programs in a certain period (Main and Admin API). */
export class ProgramEditions extends ListedResource<ProgramEdition, ProgramEditionQuery> {
  /** @internal */
  static readonly operations = programEditionOperations;

  /**
   * Lists program editions. Needs the `Programs` feature flag.
   * @example
   * for await (const edition of client.programEditions.list({ program_id: [1, 2] })) console.log(edition.name);
   */
  list(query: ProgramEditionQuery = {}, options?: ListOptions): Pages<ProgramEdition> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a program edition; `cost` is required unless `cost_scheme` is `tbd` or `free`. Needs the `Programs` feature
   * flag.
   * @example
   * const edition = await client.programEditions.create({ program_id: 1, name: "Spring", cost: 450 });
   */
  create(body: ProgramEditionCreate, options?: RequestOptions): Call<ProgramEdition> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one program edition. Needs the `Programs` feature flag.
   * @example
   * const edition = await client.programEditions.get(1);
   */
  get(id: number, options?: RequestOptions): Call<ProgramEdition> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Changes a program edition; fields left out keep their value. Needs the `Programs` feature flag.
   * @example
   * await client.programEditions.update(1, { max_participants: 12, cost: "475.00" });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<ProgramEditionUpdate, ProgramEdition, Name>, options?: RequestOptions): Call<ProgramEdition> {
    return call(this, operations.update, { params: { id }, body }, options);
  }

  /**
   * Deletes a program edition. Needs the `Programs` feature flag.
   * @example
   * const draft = await client.programEditions.create({ program_id: 1, name: "Draft", cost_scheme: "free" });
   * await client.programEditions.delete(draft.id);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }

  /**
   * Lists the elements of a program edition, in one response. Needs the `Programs` feature flag.
   * @beta
   * @example
   * for await (const element of client.programEditions.listElements(1)) {
   *   if (element.element_type === "BlockElement") console.log(element.name, element.elements.length);
   * }
   */
  listElements(id: number, options?: ListOptions): Pages<ProgramEditionElement> {
    return pages(this, operations.listElements, { params: { id } }, options);
  }
}

/** Program editions of the Admin API, which can also set their dates and create their elements. */
export class AdminProgramEditions extends ProgramEditions {
  /** @internal */
  static override readonly operations = adminProgramEditionOperations;

  /**
   * Creates a program edition; `cost` is required unless `cost_scheme` is `tbd` or `free`. Needs the `Programs` feature
   * flag.
   * @example
   * const edition = await admin.programEditions.create({ program_id: 1, name: "Spring", cost: 450, start_date: "2030-03-01" });
   */
  override create(body: AdminProgramEditionCreate, options?: RequestOptions): Call<ProgramEdition> {
    return call(this, adminOperations.create, { body }, options);
  }

  /**
   * Changes a program edition; fields left out keep their value. Needs the `Programs` feature flag.
   * @example
   * await admin.programEditions.update(1, { end_date: "2030-06-30" });
   */
  override update<Name extends PropertyKey>(id: number, body: OnlyInput<AdminProgramEditionUpdate, Omit<ProgramEdition, "program_id">, Name>, options?: RequestOptions): Call<ProgramEdition> {
    return call(this, adminOperations.update, { params: { id }, body }, options);
  }

  /**
   * Creates the elements of a program edition that has none yet, and returns them. Needs the `Programs` feature flag.
   * @beta
   * @example
   * const edition = await admin.programEditions.create({ program_id: 1, name: "Autumn", cost: 450 });
   * const elements = await admin.programEditions.createElements(edition.id, {
   *   elements: [{ type: "BlockElement", name: "Basics", elements: [{ type: "CourseElement", course_id: 1 }] }],
   * });
   */
  createElements(id: number, body: ProgramEditionCreateElements, options?: RequestOptions): Call<ProgramEditionElement[]> {
    return call(this, adminOperations.createElements, { params: { id }, body }, options);
  }
}
