import type { Api, FeatureFlag } from "../../core/operation.js";
import type { Schema } from "../../core/schema/model.js";
import * as schemas from "../../schemas.js";

/** A field that the service omits from a record while its feature flag is off. */
export interface FlaggedField {
  /** The name of the record's type; also covers the Admin API's variant of the type. */
  readonly record: string;
  readonly field: string;
  /** The APIs whose documents name the flag. Default: all. */
  readonly apis?: readonly Api[];
}

/** The fields that depend on each feature flag (service description, rule 9). */
export const FLAGGED_FIELDS: Readonly<Record<FeatureFlag, readonly FlaggedField[]>> = {
  "Custom objects": [
    { record: "CatalogProduct", field: "custom_associations" },
    { record: "CatalogVariant", field: "custom_associations" },
  ],
  Departments: [],
  "Meeting requirements": [
    { record: "PlanningEvent", field: "planning_attendee_conditions" },
    { record: "PlanningEvent", field: "required_teacher_groups" },
  ],
  Organizations: [],
  Programs: [],
  "Teacher roles": [{ record: "TeacherEnrollment", field: "teacher_role_id", apis: ["main"] }],
};

export const FEATURE_FLAGS: readonly FeatureFlag[] = /* @__PURE__ */ Object.keys(FLAGGED_FIELDS) as FeatureFlag[];

/**
 * Returns a function that lists the fields of a schema that an API omits because their feature flags are disabled.
 * @throws RangeError for an unknown flag.
 */
export function hiddenFields(disabled: readonly FeatureFlag[], flagged = FLAGGED_FIELDS) {
  const unknown = disabled.find((flag) => !Object.hasOwn(flagged, flag));
  if (unknown !== undefined)
    throw new RangeError(`disabledFeatures: "${unknown}" is not one of ${FEATURE_FLAGS.join(", ")}`);
  const hidden = disabled.flatMap((flag) => flagged[flag]);
  return (schema: Schema | undefined, api: "main" | "admin" | "both") =>
    hidden
      .filter(({ record, apis }) => isFormOf(record, schema) && (!apis || api === "both" || apis.includes(api)))
      .map(({ field }) => field);
}

function isFormOf(record: string, schema: Schema | undefined): boolean {
  const named: Readonly<Record<string, unknown>> = schemas;
  const name = record.charAt(0).toLowerCase() + record.slice(1);
  return schema !== undefined && (schema === named[`${name}Schema`] || schema === named[`admin${record}Schema`]);
}
