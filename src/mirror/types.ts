import type { Pages } from "../core/lists/pages.js";

type HasLists<Resource> = Resource extends object
  ? [keyof Resource & `list${string}`] extends [never]
    ? false
    : true
  : false;

type ResourcesWithLists<Client> = {
  [Name in keyof Client & string]: Name extends "organization"
    ? never
    : HasLists<Client[Name]> extends true
      ? Name
      : never;
}[keyof Client & string];

/** The names of a client's lists: `"accounts" | "organization.contacts" | …`. */
export type ListOf<Client> =
  | ResourcesWithLists<Client>
  | (Client extends { readonly organization: infer Organization }
      ? `organization.${ResourcesWithLists<Organization>}`
      : never);

/** The name of a list's table: `planned_courses` for `plannedCourses`. */
export type TableOf<List extends string> = List extends `${infer First}${infer Rest}`
  ? `${First extends "." ? "_" : First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${TableOf<Rest>}`
  : "";

// Matches the list method by its prefix, because some resources have a longer name for it, such as `listForInvoices`.
type RecordOf<Resource> = Resource[keyof Resource & `list${string}`] extends infer List
  ? List extends (...input: never[]) => Pages<infer Listing>
    ? Listing
    : never
  : never;

type RecordIn<Client, List> = List extends `organization.${infer Name}`
  ? Client extends { readonly organization: infer Organization }
    ? RecordOf<Organization[Name & keyof Organization]>
    : never
  : RecordOf<Client[List & keyof Client]>;

type ValueOf<Value, Kind extends "sqlite" | "postgres"> = Value extends null | undefined
  ? null
  : Value extends string | number
    ? Value
    : Value extends boolean
      ? Kind extends "sqlite"
        ? 0 | 1
        : boolean
      : Kind extends "sqlite"
        ? string
        : Value;

/**
 * A row of a mirror's table, for Kysely and similar libraries. In SQLite, booleans are 0 or 1, and nested values and
 * `record` are JSON text; in Postgres, the latter have the driver's type for `jsonb`. Times are text in SQLite; in
 * Postgres, the type of `timestamptz`, `date`, `bigint` and `numeric` depends on the driver's settings.
 */
export type MirrorRow<Listed, Kind extends "sqlite" | "postgres" = "sqlite"> = {
  readonly [Field in keyof Listed]-?: ValueOf<Listed[Field], Kind>;
} & {
  /** The whole record, including fields without a column. */
  readonly record: Kind extends "sqlite" ? string : Listed;
  /** When the mirror found that the record is gone; null while it exists. */
  readonly gone_at: string | null;
};

/**
 * The tables and views of a mirror by name, for `new Kysely<MirrorTables<MainClient>>()`. The views have no `gone_at`.
 * @example
 * import type { MainClient } from "education-admin-sdk";
 * import type { MirrorTables } from "education-admin-sdk/mirror";
 *
 * type Tables = MirrorTables<MainClient>;
 * const account: Pick<Tables["current_accounts"], "id" | "name"> = { id: 1, name: "Example Ltd" };
 */
export type MirrorTables<Client, Kind extends "sqlite" | "postgres" = "sqlite"> = {
  readonly [List in ListOf<Client> as TableOf<List>]: MirrorRow<RecordIn<Client, List>, Kind>;
} & {
  readonly [List in ListOf<Client> as `current_${TableOf<List>}`]: Omit<
    MirrorRow<RecordIn<Client, List>, Kind>,
    "gone_at"
  >;
};
