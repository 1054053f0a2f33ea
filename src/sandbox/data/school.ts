import type { CustomFieldValue, SignupQuestion, SignupQuestionForType } from "../../generated/resources.js";
import type { Days } from "./days.js";
import type { Random } from "./random.js";

/** A school's own definitions, from which custom fields, objects and records are seeded. */
export interface SeededSchool {
  readonly fields: readonly FieldDefinition[];
  readonly objects: readonly ObjectDefinition[];
  readonly associations: readonly AssociationDefinition[];
  readonly enabledOptions: number;
}

/** A custom field, from which its sign-up question, options and values are seeded. */
export interface FieldDefinition {
  readonly for_type: SignupQuestionForType;
  readonly slug: string;
  readonly title: string;
  readonly field_type: SignupQuestion["field_type"];
  /** True if people must answer. Default false. */
  readonly required?: boolean;
  /** The choices of a select; empty for other types. */
  readonly choices: readonly string[];
  readonly visibility: readonly string[];
  /** Makes the value of a seeded record. Default: one of the choices. */
  readonly value?: (random: Random, days: Days) => CustomFieldValue;
}

export interface ObjectDefinition {
  readonly slug: string;
  readonly name_singular: string;
  readonly name_plural: string;
  readonly fields: readonly PropertyDefinition[];
}

export type PropertyDefinition = Pick<FieldDefinition, "slug" | "title" | "field_type" | "choices" | "value">;

export interface AssociationDefinition {
  /** The kind of record that has the association, as in paths: `accounts`. */
  readonly object_type: string;
  readonly slug: string;
  readonly object: string;
}
