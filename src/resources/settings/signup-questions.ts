import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model } from "../../core/schema/model.js";
import { SignupQuestionFieldType } from "../../models/enumerations.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

/** Kinds of record that answers to sign-up questions belong to. */
export const SignupQuestionForType = /* @__PURE__ */ enumeration(["user", "teacher", "account", "catalog_product", "order", "catalog_variant"]);
export type SignupQuestionForType = (typeof SignupQuestionForType.values)[number];

/** The only value of the `for_user` filter. */
export const SignupQuestionForUser = /* @__PURE__ */ enumeration(["for_user"]);
export type SignupQuestionForUser = (typeof SignupQuestionForUser.values)[number];

/** The only value of the `for_account` filter. */
export const SignupQuestionForAccount = /* @__PURE__ */ enumeration(["for_account"]);
export type SignupQuestionForAccount = (typeof SignupQuestionForAccount.values)[number];

export const signupQuestionSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Position of the question in the form; lower numbers come first. */
  position: z.int(), // plain
  /** Kind of value that the question asks for. */
  field_type: SignupQuestionFieldType.open,
  /** The question as people read it. */
  title: z.string(), // plain
  /** Slug of the custom field that stores the answer: its key in `custom`. */
  slug: z.string(), // plain
  /** Whether people have to answer. */
  required: z.boolean(),
  /** Kind of record the answer belongs to. */
  for_type: SignupQuestionForType.open,
  /** Where the question is shown. */
  visibility: z.array(z.string()), // plain
  /**
   * Whether students see the question.
   * @deprecated Use `visibility`.
   */
  for_student: z.boolean(),
  /**
   * Whether customers see the question.
   * @deprecated Use `visibility`.
   */
  for_customer: z.boolean(),
  /** Choices, for the kinds `select` and `multiselect`; empty for other kinds. */
  choices: z.array(z.string()), // plain
  /** Name of a question that the service defines; null for the school's own questions. */
  system_name: z.nullable(z.string()), // plain
  /** Whether equal answers indicate the same person or company. */
  use_as_duplicate_indicator: z.boolean(),
}));

/** A question asked at sign-up; a custom field of a record stores the answer. Only public documents show its fields. */
export interface SignupQuestion extends z.infer<typeof signupQuestionSchema> {}

export const signupQuestionQuerySchema = /* @__PURE__ */ model(() => ({
  /** `for_user`: only questions about users. */
  for_user: z.optional(SignupQuestionForUser.schema),
  /** `for_account`: only questions about accounts. */
  for_account: z.optional(SignupQuestionForAccount.schema),
  /** Only questions whose answers belong to this kind of record. */
  for_type: z.optional(SignupQuestionForType.schema),
  /** Only questions with this visibility. */
  visibility: z.optional(z.string()),
  /** Only questions with this value of `use_as_duplicate_indicator`. */
  use_as_duplicate_indicator: z.optional(z.boolean()),
}));

/** Filters of the list of sign-up questions. */
export interface SignupQuestionQuery extends PagedQuery, z.input<typeof signupQuestionQuerySchema> {}

const operations = /* @__PURE__ */ operationTable(
  "signupQuestions",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "signup_questions", query: signupQuestionQuerySchema, response: signupQuestionSchema, paged: "cursor+page" },
  },
);
export const signupQuestionOperations: OperationTable = operations;
export const signupQuestionNotes: TableNotes = {
  "*": { publicOnly: true },
} satisfies NotesOf<typeof operations>;

/** Questions asked at sign-up (Main and Admin API). */
export class SignupQuestions extends ListedResource<SignupQuestion, SignupQuestionQuery> {
  /** @internal */
  static readonly operations = signupQuestionOperations;

  /**
   * Lists the questions asked at sign-up. Each describes a custom field: its slug, kind and choices.
   * @example
   * const questions = client.signupQuestions.list({ for_type: "account" });
   * for await (const { slug, field_type, choices } of questions) console.log(slug, field_type, choices);
   */
  list(query: SignupQuestionQuery = {}, options?: ListOptions): Pages<SignupQuestion> {
    return pages(this, operations.list, { query }, options);
  }
}
