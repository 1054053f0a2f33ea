import { CUSTOM_KINDS } from "../../models/custom-kinds.js";
import type { SignupQuestion } from "../../resources/settings/signup-questions.js";
import { isDay } from "../../school/definitions.js";
import { where } from "../data/domain.js";
import { withoutUndefined } from "../data/given.js";
import type { Store } from "../data/store.js";
import type { Behaviors } from "../engine/behavior.js";
import type { Values } from "../engine/input.js";
import { conflict, notFound, unprocessable } from "../engine/refusal.js";

/** The kind of record whose custom fields a resource writes; undefined for resources without custom fields. */
export function forTypeOf(resource: string): string | undefined {
  const kind = Object.entries(CUSTOM_KINDS).find(([name]) => name === resource)?.[1];
  // Sign-up questions name the kind in the singular.
  return kind?.slice(0, -1);
}

/** The plural name of a kind of record, such as `accounts`, as used in the paths of custom field options. */
export function objectTypeOf(forType: string): string {
  return `${forType}s`;
}

/**
 * The values to choose from: the options of the custom field or, without options, the choices of its question.
 * @param which `enabled` omits disabled options.
 */
export function choicesOf(
  { for_type, slug, choices, field_type }: Readonly<SignupQuestion>,
  { customFieldOptions }: Pick<Store, "customFieldOptions">,
  which: "enabled" | "all",
): string[] {
  if (field_type !== "select" && field_type !== "multiselect") return [];
  const options = customFieldOptions.filter(where({ object_type: objectTypeOf(for_type), field_slug: slug }));
  if (options.length === 0) return choices;
  return options.filter(({ enabled }) => enabled || which === "all").map(({ value }) => value);
}

/**
 * Moves the answers to sign-up questions into the custom fields of a body, and checks every custom field. Drops answers
 * about another kind of record, because that record is unknown.
 * @throws Refusal 422 for an unknown question or custom field, and for an invalid value.
 */
export function withCustom(sent: Values, resource: string, store: Store): Values {
  const body = withAnswers(sent, resource, store);
  const wrong = wrongCustom(body.custom, resource, store);
  if (wrong) throw unprocessable(`custom.${wrong.slug}`, wrong.problem);
  return body;
}

// rule: answers to sign-up questions become the values of the record's custom fields.
function withAnswers(body: Values, resource: string, store: Store): Values {
  const answers = body.signup_answers_attributes as readonly SignupAnswer[] | null | undefined;
  if (!answers?.length) return body;
  const custom: Record<string, unknown> = { ...(body.custom as object | undefined) };
  for (const [at, { signup_question_id: id, value }] of answers.entries()) {
    const question = store.signupQuestions.get(id);
    if (!question) {
      const field = `signup_answers_attributes[${at}].signup_question_id`;
      throw unprocessable(field, "refers to a record that does not exist");
    }
    if (question.for_type === forTypeOf(resource)) custom[question.slug] = answerValue(value, question);
  }
  return { ...body, custom };
}

interface SignupAnswer {
  readonly signup_question_id: number;
  readonly value: unknown;
}

// Converts text: the Main and Admin APIs accept answers about accounts as text, regardless of the question's type.
function answerValue(value: unknown, { field_type: type }: Readonly<SignupQuestion>): unknown {
  if (typeof value !== "string") return value;
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
  return type === "multiselect" ? [value] : value;
}

/**
 * Checks the values of a custom record against the fields of its custom object. An object without fields accepts any
 * value.
 * @throws Refusal 422 for an unknown field, and for a value of the wrong type.
 */
export function checkProperties(properties: unknown, objectSlug: string, { customObjects }: Store): void {
  const fields = customObjects.find(where({ slug: objectSlug }))?.fields ?? [];
  if (fields.length === 0) return;
  // rule: `properties` of a custom record accepts only the fields of its custom object.
  for (const [slug, value] of Object.entries(properties ?? {})) {
    const field = fields.find((candidate) => candidate.slug === slug);
    const problem = field ? problemOfType(value, field.field_type) : "is not a field of this custom object";
    if (problem !== null) throw unprocessable(`properties.${slug}`, problem);
  }
}

/** The first custom field that is unknown for this kind of record or has an invalid value; null if there is none. */
export function wrongCustom(custom: unknown, resource: string, store: Store) {
  const forType = forTypeOf(resource);
  if (!forType || typeof custom !== "object" || custom === null) return null;
  const questions = store.signupQuestions.filter(where({ for_type: forType }));
  // rule: a value in `custom` that its sign-up question does not allow is refused (422), and so is a slug without a
  // question; if a kind of record has no questions at all, every value is accepted. Disabled options are accepted too,
  // because records keep them.
  if (questions.length === 0) return null;
  for (const [slug, value] of Object.entries(custom)) {
    const question = questions.find((candidate) => candidate.slug === slug);
    const problem = question ? problemOf(value, question, store) : "is not a custom field of this kind of record";
    if (problem !== null) return { slug, problem };
  }
  return null;
}

export function problemOf(value: unknown, question: Readonly<SignupQuestion>, store: Store): string | null {
  const { field_type: type } = question;
  const choices = choicesOf(question, store, "all");
  // A school's definitions may list no choices for a select, which then accepts any text.
  return value !== null && choices.length > 0
    ? choiceProblem(value, type === "multiselect", choices)
    : problemOfType(value, type);
}

const isText = (value: unknown) => typeof value === "string";

const TYPES: Readonly<Record<string, readonly [holds: (value: unknown) => boolean, rule: string]>> = {
  boolean: [(value) => typeof value === "boolean", "must be true or false"],
  decimal: [(value) => typeof value !== "object" && /^-?\d+(\.\d+)?$/.test(String(value)), "must be a number"],
  datepicker: [(value) => typeof value === "string" && isDay(value), "must be a date (yyyy-MM-dd)"],
  multiselect: [(value) => Array.isArray(value) && value.every(isText), "must be a list of options"],
};

function problemOfType(value: unknown, type: SignupQuestion["field_type"]): string | null {
  const [holds, rule] = (Object.hasOwn(TYPES, type) && TYPES[type]) || [isText, "must be text"];
  return value === null || holds(value) ? null : rule;
}

function choiceProblem(value: unknown, several: boolean, choices: readonly string[]): string | null {
  if (several !== Array.isArray(value)) return several ? "must be a list of options" : "must be one of the options";
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.every((each) => (choices as readonly unknown[]).includes(each))
    ? null
    : `is not one of the options: ${choices.join(", ")}`;
}

interface FieldPath {
  readonly object_type: string;
  readonly field_slug: string;
}

export function customBehaviors(store: Store): Behaviors {
  const { customFieldOptions, customObjects, signupQuestions } = store;
  const objectWith = (slug: unknown) => customObjects.find(where({ slug }));
  const optionOf = ({ object_type, field_slug }: FieldPath, value?: string) =>
    customFieldOptions.find(where(withoutUndefined({ object_type, field_slug, value })));
  return {
    customAssociations: { hidden: ["object_type"] },
    customFieldOptions: {
      key: "option_id",
      checkPath: ({ params }) => {
        const { object_type, field_slug } = params as unknown as FieldPath;
        const asked = signupQuestions.find(
          (row) => objectTypeOf(row.for_type) === object_type && row.slug === field_slug,
        );
        if (!asked && !optionOf({ object_type, field_slug })) throw notFound();
      },
      check: ({ value }, option, { params }) => {
        const other = value === undefined ? undefined : optionOf(option ?? (params as unknown as FieldPath), value);
        if (!other || other.id === option?.id) return;
        // rule: `customFieldOptions.create` responds with 409 if the custom field already has an option with this
        // value.
        if (!option) throw conflict("value", "already exists");
        // rule: an option cannot be given the value of another option.
        throw unprocessable("value", "already exists");
      },
    },
    customObjects: {
      key: "object_slug",
      idOf: (slug) => objectWith(slug)?.id ?? Number.NaN,
    },
    customRecords: {
      key: "record_id",
      checkPath: ({ params }) => {
        if (!objectWith(params.object_slug)) throw notFound();
      },
      check: ({ properties }, record, { params }) =>
        checkProperties(properties, record?.object_slug ?? (params.object_slug as string), store),
      create: ({ active = true }) => ({ active }),
    },
  };
}
