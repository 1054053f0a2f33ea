import type { Call } from "../core/call/call.js";
import type { Pages } from "../core/lists/pages.js";
import type { JoinOptions, OwnReferencesOf, ReferenceOf, References } from "../core/lists/references.js";
import type { PageQuery } from "../core/operation.js";
import type { ClientOptions, ListOptions, RequestOptions } from "../core/options.js";
import type { Resource } from "../core/resource.js";
import type { AnySchool, NoSchool, SchoolOption } from "../core/school.js";
import type { ListedResource } from "../lookups/listed-resource.js";
import type { Lookup, LookupField, LookupOptions, Many } from "../lookups/types.js";
import type { CustomAssociationValue } from "../models/custom-fields.js";
import type { CustomKind } from "../models/custom-kinds.js";
import type { OnlyInput } from "../models/only-input.js";
import type {
  CustomRecord,
  CustomRecordCreate,
  CustomRecordPath,
  CustomRecords,
  CustomRecordUpdate,
} from "../resources/custom/custom-records.js";
import type { AttendanceRecords } from "../resources/organization/attendance-records.js";
import type { ReferenceKind } from "../resources/references.js";
import type { OrganizationClient } from "./organization.js";

/**
 * A resource in a school's client: its records and inputs have the types of the school's own fields and associations.
 * Without a school, or if the school defines only custom objects, it is the plain resource.
 */
export type InSchool<R, S, Kind extends CustomKind> = [S] extends [WithoutFields]
  ? R
  : S extends WithFields[Kind]
    ? SchoolResource<R, S, Kind>
    : SchoolLists<R, S>;

/**
 * Like {@link InSchool}, for a resource whose records have no custom fields but may refer to records that do: only the
 * types of its lists depend on the school.
 */
export type ListsInSchool<R, S> = [S] extends [WithoutFields] ? R : SchoolLists<R, S>;

/**
 * The Organization API in a school's client. Only its attendance records refer to records that may have custom fields:
 * users.
 */
export type OrganizationInSchool<S> = [S] extends [WithoutFields]
  ? OrganizationClient
  : { readonly attendanceRecords: SchoolLists<AttendanceRecords, S> } & OrganizationClient;

/**
 * The options of a client. `school` is required if the client's type names a school: without it, the client could not
 * check custom fields.
 */
export type OptionsInSchool<S extends AnySchool> = ClientOptions<S> &
  ([NoSchool] extends [S] ? unknown : { readonly school: SchoolOption<S> });

/** For each kind of record, the schools that have custom fields or associations for it. */
type WithFields = {
  [Kind in CustomKind]:
    | { readonly [K in Kind]: unknown }
    | { readonly associations: { readonly [K in Kind]: unknown } };
};

/** No school, or one that defines only custom objects. */
type WithoutFields = { readonly [Part in CustomKind | "associations"]?: undefined } & { readonly objects?: unknown };

/** The custom records in a school's client; see {@link InSchool}. */
export type CustomRecordsInSchool<S> = S extends { readonly objects: infer Objects }
  ? SchoolCustomRecords<Objects>
  : CustomRecords;

/** A resource whose records and inputs have the types of a school's own fields. */
export type SchoolResource<R, S, Kind extends CustomKind> = Resource & {
  // Methods are distinguished by name, which is less work for the compiler than comparing their return types.
  [Method in keyof R]: Method extends `list${string}`
    ? R[Method] extends (...args: infer Args) => Pages<infer T>
      ? (...args: Args) => SchoolPages<SchoolRecord<T, S, Kind>, S>
      : R[Method]
    : Method extends "lookup"
      ? SchoolLookup<R, S, Kind>
      : Method extends "getMany"
        ? R[Method] extends (...args: infer Args) => Many<infer T>
          ? (...args: Args) => Many<SchoolRecord<T, S, Kind>>
          : R[Method]
        : Method extends "update"
          ? SchoolUpdate<R[Method], S, Kind>
          : R[Method] extends (...args: infer Args) => Call<infer T>
            ? (
                // Only `create` and `update` accept custom fields. Mapping the arguments of other methods would make
                // the compiler examine every field of every query.
                ...args: Method extends "create" ? { [At in keyof Args]: SchoolInput<Args[At], S, Kind> } : Args
              ) => Call<SchoolRecord<T, S, Kind>>
            : R[Method];
};

type SchoolUpdate<Update, S, Kind extends CustomKind> = Update extends (
  id: infer Id,
  body: infer Body,
  options?: RequestOptions,
) => Call<infer T>
  ? <Name extends PropertyKey>(
      id: Id,
      body: OnlyInput<SchoolInput<Body, S, Kind>, T, Name>,
      options?: RequestOptions,
    ) => Call<SchoolRecord<T, S, Kind>>
  : Update;

/** A resource whose lists have the types of a school's own fields. */
export type SchoolLists<R, S> = Resource & {
  [Method in keyof R]: Method extends `list${string}`
    ? R[Method] extends (...args: infer Args) => Pages<infer T>
      ? (...args: Args) => SchoolPages<T, S>
      : R[Method]
    : R[Method];
};

type SchoolLookup<R, S, Kind extends CustomKind> =
  R extends ListedResource<infer T, infer Query>
    ? <Field extends LookupField<T>>(
        field: Field,
        options?: LookupOptions<Query>,
      ) => Lookup<SchoolRecord<T, S, Kind>, T[Field]>
    : never;

/** A list from a school's client: the records that `with` adds have the types of the school's own fields. */
// Not an interface that extends `Pages`: for a list passed as an argument, the compiler would compare all record types.
export type SchoolPages<T, S> = SchoolJoins<T, S> & Pages<T>;

/** The list methods whose types in a school's client differ from those in {@link Pages}. */
export interface SchoolJoins<out T, out S> {
  // Declared first, so that the compiler sees that two lists differ before it compares the results of `with`.
  /** The list of the first `count` records; requests no more pages than needed. */
  take(count: number): SchoolPages<T, S>;
  /** The list of the records for which a function returns true. */
  filter(predicate: (record: T) => boolean): SchoolPages<T, S>;
  /**
   * The same list, but each record also contains the records it refers to, with the types of the school's own fields;
   * null if there is no such record. The referenced records of a page are read in the fewest requests.
   * @throws InputError when a reference or an option is wrong; ApiError when the service responds with an error.
   */
  with<Name extends ReferenceOf<T>>(
    references: { readonly [Key in Name]: true } & { readonly [Key in ReferenceOf<T>]?: true },
    options?: JoinOptions,
  ): SchoolPages<SchoolJoined<T, Name, S>, S>;
}

/** A record together with the records it refers to, like `Joined`, with the types of a school's own fields. */
export type SchoolJoined<T, Name, S> = T & {
  readonly [Key in Name & keyof References]:
    | (Key extends keyof OwnReferencesOf<T> ? OwnReferencesOf<T>[Key] : ReferencesInSchool<S>[Key])
    | null;
};

type ReferencesInSchool<S> = {
  [Name in keyof References]: S extends WithFields[ReferenceKind<Name>]
    ? SchoolRecord<References[Name], S, ReferenceKind<Name>>
    : References[Name];
};

/** A record with the types of a school's own fields. */
export type SchoolRecord<T, S, Kind extends CustomKind> = {
  // Ordered so that the compiler evaluates only one conditional type for most fields.
  [Field in keyof T]: Field extends OwnField
    ? Field extends "custom"
      ? S extends { readonly [K in Kind]: infer Fields }
        ? FieldValues<Fields>
        : T[Field]
      : S extends { readonly associations: { readonly [K in Kind]: infer Slugs } }
        ? { readonly [Slug in keyof Slugs]?: CustomAssociationValue }
        : T[Field]
    : T[Field];
};

/**
 * An argument of `create` or `update`: a body gets the types of a school's own fields, which may be undefined; other
 * arguments keep their types.
 */
export type SchoolInput<T, S, Kind extends CustomKind> = "custom" extends keyof T
  ? {
      [Field in keyof T]: Field extends OwnField
        ? Field extends "custom"
          ? S extends { readonly [K in Kind]: infer Fields }
            ? FieldInputs<Fields> | undefined
            : T[Field]
          : S extends { readonly associations: { readonly [K in Kind]: infer Slugs } }
            ? { readonly [Slug in keyof Slugs]?: readonly number[] } | undefined
            : T[Field]
        : T[Field];
    }
  : T;

type OwnField = "custom" | "custom_associations";

/**
 * Values of custom fields as read. Any text can be an option, because a record may contain an option that has since
 * been removed.
 */
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

/** Identifies one record of a school's custom object. */
export interface SchoolCustomRecordPath<Slug extends string> extends Omit<CustomRecordPath, "object_slug"> {
  /** Slug of the custom object. */
  object_slug: Slug;
}

/** Like {@link CustomRecords}, with the property types of each custom object of a school. */
export interface SchoolCustomRecords<Objects> extends Resource {
  /** Lists the records of one custom object. Needs the `Custom objects` feature flag. */
  list<Slug extends keyof Objects & string>(
    objectSlug: Slug,
    query?: PageQuery,
    options?: ListOptions,
  ): Pages<SchoolCustomRecord<Objects[Slug]>>;
  /** Creates a record of a custom object; `active` defaults to true. Needs the `Custom objects` feature flag. */
  create<Slug extends keyof Objects & string>(
    objectSlug: Slug,
    body: SchoolCustomRecordCreate<Objects[Slug]>,
    options?: RequestOptions,
  ): Call<SchoolCustomRecord<Objects[Slug]>>;
  /**
   * Reads one custom record. Needs the `Custom objects` feature flag.
   * @throws NotFoundError when the record does not exist or this key may not see it.
   */
  get<Slug extends keyof Objects & string>(
    path: SchoolCustomRecordPath<Slug>,
    options?: RequestOptions,
  ): Call<SchoolCustomRecord<Objects[Slug]>>;
  /** Changes a custom record; fields left out keep their value. Needs the `Custom objects` feature flag. */
  update<Slug extends keyof Objects & string>(
    path: SchoolCustomRecordPath<Slug>,
    body: SchoolCustomRecordUpdate<Objects[Slug]>,
    options?: RequestOptions,
  ): Call<void>;
  /** Deletes a custom record. Needs the `Custom objects` feature flag. */
  delete(path: SchoolCustomRecordPath<keyof Objects & string>, options?: RequestOptions): Call<void>;
}
