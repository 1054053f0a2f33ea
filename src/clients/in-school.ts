import type { Call } from "../core/call/call.js";
import type { ListedResource } from "../core/listed-resource.js";
import type { Pages } from "../core/lists/pages.js";
import type { Lookup, LookupField, LookupOptions, Many } from "../core/lookups/types.js";
import type { PageQuery } from "../core/operation.js";
import type { ListOptions, RequestOptions } from "../core/options.js";
import type { Resource } from "../core/resource.js";
import type { CustomAssociationValue } from "../models/custom-fields.js";
import type { CustomKind } from "../models/custom-kinds.js";
import type {
  CustomRecord,
  CustomRecordCreate,
  CustomRecordPath,
  CustomRecords,
  CustomRecordUpdate,
} from "../resources/custom/custom-records.js";

/**
 * A resource as the client of a school has it: itself where the school has no fields or associations of its kind, else
 * with their types in its records and inputs.
 */
export type InSchool<R, S, Kind extends CustomKind> = [S] extends [WithFieldsOf<Kind>]
  ? [S] extends [never]
    ? R // what the compiler infers for the value of a `defineSchool` without a type
    : SchoolResource<R, S, Kind>
  : R;

type WithFieldsOf<Kind extends CustomKind> =
  | { readonly [K in Kind]: unknown }
  | { readonly associations: { readonly [K in Kind]: unknown } };

/** The custom records as the client of a school has them; see {@link InSchool}. */
export type CustomRecordsInSchool<S> = S extends { readonly objects: infer Objects }
  ? SchoolCustomRecords<Objects>
  : CustomRecords;

/** A resource whose records and inputs have the types of a school's own fields. */
export type SchoolResource<R, S, Kind extends CustomKind> = Resource & {
  [Method in keyof R]: Method extends "lookup"
    ? SchoolLookup<R, S, Kind>
    : R[Method] extends (...args: infer Args) => infer Result
      ? (
          // Only these two take custom fields. The compiler would look at every field of every query otherwise.
          ...args: Method extends "create" | "update" ? { [At in keyof Args]: SchoolInput<Args[At], S, Kind> } : Args
        ) => SchoolResult<Result, S, Kind>
      : R[Method];
};

type SchoolLookup<R, S, Kind extends CustomKind> =
  R extends ListedResource<infer T, infer Query>
    ? <Field extends LookupField<T>>(
        field: Field,
        options?: LookupOptions<Query>,
      ) => Lookup<SchoolRecord<T, S, Kind>, T[Field]>
    : never;

type SchoolResult<Result, S, Kind extends CustomKind> =
  Result extends Call<infer T>
    ? Call<SchoolRecord<T, S, Kind>>
    : Result extends Pages<infer T>
      ? Pages<SchoolRecord<T, S, Kind>>
      : Result extends Many<infer T>
        ? Many<SchoolRecord<T, S, Kind>>
        : Result;

/** A record with the types of a school's own fields. */
export type SchoolRecord<T, S, Kind extends CustomKind> = {
  [Field in keyof T]: Field extends "custom"
    ? S extends { readonly [K in Kind]: infer Fields }
      ? FieldValues<Fields>
      : T[Field]
    : Field extends "custom_associations"
      ? S extends { readonly associations: { readonly [K in Kind]: infer Slugs } }
        ? { readonly [Slug in keyof Slugs]?: CustomAssociationValue }
        : T[Field]
      : T[Field];
};

/** A body with the types of a school's own fields; every other argument as it is. */
export type SchoolInput<T, S, Kind extends CustomKind> = "custom" extends keyof T
  ? {
      [Field in keyof T]: Field extends "custom"
        ? S extends { readonly [K in Kind]: infer Fields }
          ? FieldInputs<Fields>
          : T[Field]
        : Field extends "custom_associations"
          ? S extends { readonly associations: { readonly [K in Kind]: infer Slugs } }
            ? { readonly [Slug in keyof Slugs]?: readonly number[] }
            : T[Field]
          : T[Field];
    }
  : T;

/** Values of custom fields as read. Records may hold options that were removed since, so any text may stand for an option. */
export type FieldValues<Fields> = { [Slug in keyof Fields]?: OpenValue<Fields[Slug]> | null };

/** Values of custom fields as sent: only options that can be chosen. */
export type FieldInputs<Fields> = { readonly [Slug in keyof Fields]?: Fields[Slug] | null };

type OpenValue<Value> = Value extends string
  ? Value | (string & {})
  : Value extends readonly (infer Option extends string)[]
    ? readonly (Option | (string & {}))[]
    : Value;

/** A record of a school's custom object. */
export interface SchoolCustomRecord<Fields> extends Omit<CustomRecord, "properties"> {
  /** Values of the custom object's fields, keyed by slug. */
  properties: FieldValues<Fields>;
}

/** Fields of a new record of a school's custom object. */
export interface SchoolCustomRecordCreate<Fields> extends Omit<CustomRecordCreate, "properties"> {
  /** Values of the custom object's fields, keyed by slug. */
  properties: FieldInputs<Fields>;
}

/** Changes to a record of a school's custom object. */
export interface SchoolCustomRecordUpdate<Fields> extends Omit<CustomRecordUpdate, "properties"> {
  /** Values of the custom object's fields, keyed by slug. */
  properties?: FieldInputs<Fields> | undefined;
}

/** What names one record of a school's custom object. */
export interface SchoolCustomRecordPath<Slug extends string> extends Omit<CustomRecordPath, "object_slug"> {
  /** Slug of the custom object. */
  object_slug: Slug;
}

/** Custom records, with the properties of each custom object of a school; as {@link CustomRecords} otherwise. */
export interface SchoolCustomRecords<Objects> extends Resource {
  /** Lists the records of one custom object. Needs the feature flag Custom objects. */
  list<Slug extends keyof Objects & string>(
    objectSlug: Slug,
    query?: PageQuery,
    options?: ListOptions,
  ): Pages<SchoolCustomRecord<Objects[Slug]>>;
  /** Creates a record of a custom object; `active` defaults to true. Needs the feature flag Custom objects. */
  create<Slug extends keyof Objects & string>(
    objectSlug: Slug,
    body: SchoolCustomRecordCreate<Objects[Slug]>,
    options?: RequestOptions,
  ): Call<SchoolCustomRecord<Objects[Slug]>>;
  /** Reads one custom record. Needs the feature flag Custom objects. */
  get<Slug extends keyof Objects & string>(
    path: SchoolCustomRecordPath<Slug>,
    options?: RequestOptions,
  ): Call<SchoolCustomRecord<Objects[Slug]>>;
  /** Changes a custom record; fields left out keep their value. Needs the feature flag Custom objects. */
  update<Slug extends keyof Objects & string>(
    path: SchoolCustomRecordPath<Slug>,
    body: SchoolCustomRecordUpdate<Objects[Slug]>,
    options?: RequestOptions,
  ): Call<void>;
  /** Deletes a custom record. Needs the feature flag Custom objects. */
  delete(path: SchoolCustomRecordPath<keyof Objects & string>, options?: RequestOptions): Call<void>;
}
