import type { CustomFieldValue, SignupQuestion, SignupQuestionForType } from "../../generated/resources.js";
import type { Random } from "./random.js";

/** What a school has defined itself: the seeds of custom fields, objects and records all follow from it. @internal */
export interface SeededSchool {
  readonly fields: readonly FieldDefinition[];
  readonly objects: readonly ObjectDefinition[];
  readonly associations: readonly AssociationDefinition[];
  /** The share of options that can be chosen, 0 to 1. */
  readonly enabledOptions: number;
}

/** A custom field of the seeded world: the seeds of sign-up questions, options and values all follow from it. @internal */
export interface FieldDefinition {
  readonly for_type: SignupQuestionForType;
  readonly slug: string;
  readonly title: string;
  readonly field_type: SignupQuestion["field_type"];
  /** True: people have to answer. Default false. */
  readonly required?: boolean;
  /** What can be chosen; only of a select. */
  readonly choices: readonly string[];
  /** Where the question is shown. */
  readonly visibility: readonly string[];
  /** The value of a seeded record. Default: one of the choices. */
  readonly value?: (random: Random) => CustomFieldValue;
}

/** A custom object of the seeded world. @internal */
export interface ObjectDefinition {
  readonly slug: string;
  readonly name_singular: string;
  readonly name_plural: string;
  readonly fields: readonly PropertyDefinition[];
}

/** A field of a custom object of the seeded world. @internal */
export type PropertyDefinition = Pick<FieldDefinition, "slug" | "title" | "field_type" | "choices" | "value">;

/** A custom association of the seeded world. @internal */
export interface AssociationDefinition {
  /** Kind of record, as the path of the list names it. */
  readonly object_type: string;
  readonly slug: string;
  /** Slug of the custom object. */
  readonly object: string;
}
