import * as z from "zod/mini";
import { ADMIN_ONLY, BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model, ref } from "../../core/schema/model.js";
import { type Address, type AddressPayload, addressPayloadSchema, addressSchema } from "../../models/address.js";
import { timestamps } from "../../models/dates.js";
import { emailInput } from "../../models/formats.js";
import { identifier } from "../../models/ids.js";
import { listInput } from "../../models/lists.js";
import { decimal, decimalInput } from "../../models/money.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

/** Statuses of a lead (service description, Enumerations). */
export const LeadStatus = /* @__PURE__ */ enumeration(["prospect", "waiting_list", "won", "lost", "archive"]);
export type LeadStatus = (typeof LeadStatus.values)[number];

export const courseLeadSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the link between lead and course. */
  id: z.int(),
  /** The interested lead. */
  lead_id: z.int(),
  /** The course that the lead is interested in. */
  course_id: z.int(),
  /** The specific planned course that the lead is interested in, if any. */
  planned_course_id: z.nullable(z.int()),
}));

/** A course that a lead is interested in. */
export interface CourseLead extends z.infer<typeof courseLeadSchema> {}

export const leadProductSchema = /* @__PURE__ */ model(() => ({
  /** The catalog product that the lead is interested in. */
  catalog_product_id: z.int(),
  /** The specific catalog variant that the lead is interested in, if any. */
  catalog_variant_id: z.nullable(z.int()),
}));

/** A catalog product that a lead is interested in. */
export interface LeadProduct extends z.infer<typeof leadProductSchema> {}

export const leadSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** How the lead was entered into the administration. */
  creation_method: z.string(), // plain
  /** How the lead found the school. */
  referral_text: z.nullable(z.string()), // note
  /** Title of the lead. */
  title: z.string(), // note
  /** The account of the lead, if one exists. */
  account_id: z.nullable(z.int()),
  /** The user record of the lead, if one exists. */
  user_id: z.nullable(z.int()),
  /** Expected value, as decimal text. */
  value: z.nullable(decimal()),
  /** Name of the lead's company. */
  company_name: z.nullable(z.string()), // name
  /** First name of the lead. */
  first_name: z.nullable(z.string()), // name
  /** Middle part of the name, such as `van`. */
  middle_name: z.nullable(z.string()), // name
  /** Last name of the lead. */
  last_name: z.nullable(z.string()), // name
  /** The administrator who looks after the lead. */
  administrator_id: z.nullable(z.int()),
  /** E-mail address. */
  email: z.nullable(z.string()), // contact
  /** Telephone number of the lead. */
  phone: z.nullable(z.string()), // contact
  /** Status of the lead. */
  status: LeadStatus.open,
  /** Quality of the lead as text; requests send it as a number. */
  quality: z.nullable(z.string()), // plain
  /** Whether the lead wants the newsletter. */
  wants_newsletter: z.boolean(),
  ...timestamps(),
  /** Address of the lead. */
  address: z.nullable(ref<Address>(addressSchema)),
  /**
   * Courses the lead is interested in.
   * @deprecated The service names no replacement.
   */
  courses_leads: z.array(ref<CourseLead>(courseLeadSchema)),
  /** Catalog products the lead is interested in. */
  lead_products: z.array(ref<LeadProduct>(leadProductSchema)),
  /** Identifiers of the labels on the lead. */
  label_ids: z.array(z.int()),
  /** Comment on the lead. */
  comment: z.optional(z.nullable(z.string())), // note
  /** Website of the lead. */
  website_url: z.optional(z.nullable(z.string())), // contact
}));

/** A lead: a person or company that may become a customer. */
export interface Lead extends z.infer<typeof leadSchema> {}

export const courseLeadPayloadSchema = /* @__PURE__ */ model(() => ({
  /** The planned course that the lead is interested in; must be sent, but may be null. */
  planned_course_id: z.nullable(identifier()),
  /** The course that the lead is interested in. */
  course_id: identifier(),
}));

/** A course that a new lead is interested in. */
export interface CourseLeadPayload extends z.input<typeof courseLeadPayloadSchema> {}

export const leadProductPayloadSchema = /* @__PURE__ */ model(() => ({
  /** The catalog product that the lead is interested in. */
  catalog_product_id: identifier(),
  /** The specific catalog variant that the lead is interested in, if any. */
  catalog_variant_id: z.optional(z.nullable(identifier())),
}));

/** A catalog product that a new lead is interested in. */
export interface LeadProductPayload extends z.input<typeof leadProductPayloadSchema> {}

export const leadQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only leads with exactly this e-mail address. The Main API may not support this filter. */
  email: z.optional(z.string()),
}));

/** Filters of the leads list. */
export interface LeadQuery extends z.input<typeof leadQuerySchema>, PagedQuery {}

export const leadCreateSchema = /* @__PURE__ */ model(() => ({
  /** Title of the lead. */
  title: z.string(),
  /** The account of the lead, if one exists. */
  account_id: z.optional(z.nullable(identifier())),
  /** The user record of the lead, if one exists. */
  user_id: z.optional(z.nullable(identifier())),
  /** Expected value, as decimal text such as `"1200.00"`. */
  value: z.optional(z.nullable(decimalInput())),
  /** Name of the lead's company. */
  company_name: z.optional(z.nullable(z.string())),
  /** First name of the lead. */
  first_name: z.optional(z.nullable(z.string())),
  /** Middle part of the name, such as `van`. */
  middle_name: z.optional(z.nullable(z.string())),
  /** Last name of the lead. */
  last_name: z.optional(z.nullable(z.string())),
  /** The administrator who looks after the lead. */
  administrator_id: z.optional(z.nullable(identifier())),
  /** E-mail address. */
  email: z.optional(z.nullable(emailInput())),
  /** Phone number in international format, unless it is from the educator's country. */
  phone: z.optional(z.nullable(z.string())),
  /** Status of the lead. */
  status: z.optional(LeadStatus.schema),
  /** Quality of the lead as a number; must be sent, but may be null. In responses it is text. */
  quality: z.nullable(z.number()),
  /** Whether the lead wants the newsletter. */
  wants_newsletter: z.optional(z.boolean()),
  /** Comment on the lead. */
  comment: z.optional(z.nullable(z.string())),
  /** Identifiers of the labels on the lead. */
  label_ids: z.optional(listInput(identifier())),
  /**
   * Courses the lead is interested in.
   * @deprecated Use `lead_products`.
   */
  course_ids: z.optional(listInput(identifier())),
  /** Address of the lead. */
  address_attributes: z.optional(z.nullable(ref<AddressPayload>(addressPayloadSchema))),
  /**
   * Courses the lead is interested in; ignored when `lead_products` is given.
   * @deprecated Use `lead_products`.
   */
  courses_leads_attributes: z.optional(listInput(ref<CourseLeadPayload>(courseLeadPayloadSchema))),
  /** Catalog products the lead is interested in. */
  lead_products: z.optional(listInput(ref<LeadProductPayload>(leadProductPayloadSchema))),
}));

/** Fields of a new lead. */
export interface LeadCreate extends z.input<typeof leadCreateSchema> {}

export const leadUpdateSchema = /* @__PURE__ */ model(() => ({
  /** Status of the lead. */
  status: LeadStatus.schema,
}));

/** Changes to a lead: only its status can be changed. */
export interface LeadUpdate extends z.input<typeof leadUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "leads",
  { apis: BOTH, scopes: { main: "leads", admin: ["leads:read", "my_leads:read"] }, anyScope: true },
  {
    list: { method: "GET", path: "leads", query: leadQuerySchema, response: leadSchema, paged: "cursor+page" },
    create: { method: "POST", path: "leads", body: leadCreateSchema, response: leadSchema, status: 201, scopes: { main: "leads", admin: ["leads:modify", "my_leads:modify"] } },
    get: { method: "GET", path: "leads/{id}", response: leadSchema },
    update: { method: "PUT", path: "leads/{id}", body: leadUpdateSchema, response: leadSchema, apis: ADMIN_ONLY, beta: true, scopes: ["leads:modify", "my_leads:modify"] },
    delete: { method: "DELETE", path: "leads/{id}", status: 204, scopes: { main: "leads", admin: ["leads:destroy", "my_leads:destroy"] } },
  },
);
export const leadOperations: OperationTable = operations;
export const leadNotes: TableNotes = {
  list: { pageRendering: true },
  create: { pageRendering: true, note: "a 200 may contain an error body instead of the lead; it is thrown as an error" },
  get: { publicOnly: true },
  update: { publicOnly: true, note: "only the status can be changed" },
  delete: { publicOnly: true },
} satisfies NotesOf<typeof operations>;

/** Leads: people and companies that may become customers (Main and Admin API). */
export class Leads extends ListedResource<Lead, LeadQuery> {
  /** @internal */
  static readonly operations = leadOperations;

  /**
   * Lists leads.
   * @example
   * for await (const lead of client.leads.list()) console.log(lead.title, lead.status);
   */
  list(query: LeadQuery = {}, options?: ListOptions): Pages<Lead> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a lead; `quality` is required, but may be null. If the service refuses the lead with status 200, the call
   * still throws `ApiError`.
   * @example
   * const lead = await client.leads.create({ title: "First aid for a team", company_name: "Example Ltd", quality: null });
   */
  create(body: LeadCreate, options?: RequestOptions): Call<Lead> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one lead.
   * @example
   * const lead = await client.leads.get(7);
   */
  get(id: number, options?: RequestOptions): Call<Lead> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Deletes a lead.
   * @example
   * await client.leads.delete(7);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }
}

/** Leads of the Admin API, which can also change the status of a lead. */
export class AdminLeads extends Leads {
  /**
   * Changes the status of a lead, the only field that can be changed.
   * @beta
   * @example
   * await admin.leads.update(7, { status: "won" });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<LeadUpdate, Lead, Name>, options?: RequestOptions): Call<Lead> {
    return call(this, operations.update, { params: { id }, body }, options);
  }
}
