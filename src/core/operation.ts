import type { Method } from "./method.js";
import { identifier, model } from "./schema/model.js";
import type { InputOf, OutputOf, Schema } from "./schema/traits.js";

/** The service's three APIs. Main and Admin live under `api/v1`, Organization under `api/organization`. */
export type Api = "main" | "admin" | "organization";

/** The path below which each API lies, relative to `baseUrl`. */
export const API_PREFIX = {
  main: "api/v1",
  admin: "api/v1",
  organization: "api/organization",
} as const satisfies Record<Api, string>;

export const BOTH = ["main", "admin"] as const satisfies readonly Api[];
export const MAIN_ONLY = ["main"] as const satisfies readonly Api[];
export const ADMIN_ONLY = ["admin"] as const satisfies readonly Api[];
export const ORGANIZATION = ["organization"] as const satisfies readonly Api[];

/** Feature flags of an environment, on which operations and fields depend (service description, rule 9). */
export type FeatureFlag =
  | "Custom objects"
  | "Departments"
  | "Meeting requirements"
  | "Organizations"
  | "Programs"
  | "Teacher roles";

/**
 * The scopes a token needs. A string names a group of records, and the method determines the scope: with `relations`,
 * GET needs `relations:read`, POST and PUT `relations:modify`, DELETE `relations:destroy`. An array lists every scope;
 * an empty array means that any token will do. An object gives the scopes of each API where the Main and the Admin API
 * differ.
 */
export type Scopes = string | readonly string[] | Readonly<Partial<Record<Api, string | readonly string[]>>>;

/** One row of a resource's table: the facts about an operation that clients need. */
export interface OperationRow {
  readonly method: Method;
  /** The path below the API's prefix, with placeholders in braces: `accounts/{id}`. */
  readonly path: string;
  /**
   * Model of the path parameters; present exactly when the path has placeholders. Derived from the path if every
   * placeholder is an identifier (`{id}`, `{user_id}`); a row with any other placeholder, such as a slug, must set it.
   */
  readonly params?: Schema;
  /** Model of the query, without the pagination parameters: `paged` adds those. */
  readonly query?: Schema;
  /** Model of the body. */
  readonly body?: Schema;
  /**
   * Model of the returned record; for a list or an array, the model of one record. Absent if there is no response body.
   */
  readonly response?: Schema;
  /** Which APIs offer the operation. */
  readonly apis: readonly Api[];
  /**
   * Present on lists: the pagination parameters that the service accepts. `cursor+page` accepts `cursor`, `per_page`
   * and the deprecated `page`; `cursor` does not accept `page`; `none` accepts no parameters, but a `Link` header is
   * still followed if the service sends one.
   */
  readonly paged?: "cursor+page" | "cursor" | "none";
  /** True if the response is an array of records. A paged list has `paged` instead. */
  readonly array?: true;
  /** The documented success status; 200 when absent. The client accepts any 2xx. */
  readonly status?: 201 | 204;
  /** True for a POST that is harmless to repeat; it is then retried like a PUT. */
  readonly idempotent?: true;
  /**
   * True if the operation may change without notice (service description, Versioning) in every API that offers it;
   * otherwise the APIs in which it may.
   */
  readonly beta?: true | readonly Api[];
  /** The feature flag that the environment needs (service description, rule 9). */
  readonly feature?: FeatureFlag;
  /** The scopes that the token needs; null or absent if they are not documented. `scopesIn` reads them. */
  readonly scopes?: Scopes | null;
  /** True if one of the scopes is enough. */
  readonly anyScope?: true;
  /**
   * False if the service description shows no path: the path is then inferred from similar operations, and `routes` can
   * override it.
   */
  readonly pathConfirmed?: false;
}

/** The resource's name in an operation id: `organization.contacts` for `organization.contacts.list`. */
export function resourceNameOf(operationId: string): string {
  return operationId.slice(0, operationId.lastIndexOf("."));
}

/** The method's name in an operation id: `list` for `organization.contacts.list`. */
export function rowNameOf(operationId: string): string {
  return operationId.slice(operationId.lastIndexOf(".") + 1);
}

/** The names of the path parameters of an operation, in the order of its path. */
export function placeholders({ path }: Pick<Operation, "path">): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

export function isBetaIn({ beta }: Pick<OperationRow, "beta">, api: Api): boolean {
  return beta === true || (beta?.includes(api) ?? false);
}

export const API_NAME = { main: "Main", admin: "Admin", organization: "Organization" } as const satisfies Record<
  Api,
  string
>;

/**
 * Facts about one operation for documentation, mirrors and bulk plans; exported separately from the table, so that
 * clients do not include them.
 */
export interface OperationNotes {
  /** APIs in which the operation is deprecated, each with the replacement. */
  readonly deprecated?: Partial<Record<Api, string>>;
  /** True if only public documents list the operation: the service description ends too early. */
  readonly publicOnly?: true;
  /** Filters with which a list returns the most records, if it leaves some out by default. */
  readonly widest?: Readonly<Record<string, unknown>>;
  /** For a create operation: values that every new record has in fields that cannot be sent. */
  readonly makes?: Readonly<Record<string, string>>;
  /** For an update operation: the derived fields of the record, each with the fields it is derived from. */
  readonly derived?: Readonly<Record<string, readonly string[]>>;
  /**
   * True if the fields were taken from the page-paginated version of the documentation, the only version that shows
   * this group of operations.
   */
  readonly pageRendering?: true;
  /** A further remark for the documentation. */
  readonly note?: string;
}

/**
 * A row together with its stable identifier, such as `accounts.list`, which errors, events, checkpoints and `routes`
 * use.
 */
export interface Operation extends OperationRow {
  readonly id: string;
}

/** A resource's table without its literal types, as the documentation, the sandbox and the contract tests read it. */
export type OperationTable = Readonly<Record<string, Operation>>;

/** The notes of a table by row name; `*` holds notes on all rows. Rows without notes are omitted. */
export type TableNotes = Readonly<Record<string, OperationNotes>>;

/** The type of a table's notes, for `satisfies`. */
export type NotesOf<Table extends OperationTable> = { readonly [Name in keyof Table | "*"]?: OperationNotes };

/** Names of the placeholders in a path: `"user_id" | "id"`. */
export type PlaceholderOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderOf<Rest>
  : never;

// Only identifiers get a derived type, so a row that has another placeholder and no `params` does not compile.
type ParamsPart<Row> = Row extends { params: Schema }
  ? unknown
  : Row extends { path: infer Path extends string }
    ? [PlaceholderOf<Path>] extends [never]
      ? unknown
      : {
          readonly params: Schema<{
            [Name in PlaceholderOf<Path>]: Name extends "id" | `${string}_id` ? number : never;
          }>;
        }
    : unknown;

/**
 * Makes a resource's table: names each row `<resource>.<method name>`, adds what all rows have in common, derives the
 * path parameters from the path, and keeps the rows' literal types.
 * @param defaults properties for every row that does not set them.
 */
export function operationTable<
  const Defaults extends Partial<OperationRow>,
  const Rows extends Readonly<Record<string, Omit<OperationRow, keyof Defaults> & Partial<OperationRow>>>,
>(
  resource: string,
  defaults: Defaults,
  rows: Rows,
): {
  readonly [Name in keyof Rows]: Omit<Defaults, keyof Rows[Name]> &
    Rows[Name] & { readonly id: string } & ParamsPart<Rows[Name]>;
} {
  const table: Record<string, object> = {};
  const derived = new Map<string, Schema>();
  for (const [name, row] of Object.entries(rows)) {
    const params = row.params ?? derivedParams(row.path ?? "", derived);
    table[name] = { id: `${resource}.${name}`, ...defaults, ...row, ...(params && { params }) };
  }
  return table as never;
}

// Rows with the same placeholders share a model.
function derivedParams(path: string, made: Map<string, Schema>): Schema | undefined {
  const names = path.match(/(?<=\{)\w+(?=\})/g);
  if (!names) return undefined;
  const key = names.join();
  const known = made.get(key) ?? model(() => Object.fromEntries(names.map((name) => [name, identifier()])));
  made.set(key, known);
  return known;
}

/** The arguments of a call: whichever of `params`, `query` and `body` the operation declares. */
export type OperationInput<Row extends OperationRow> = (Row extends { params: infer P extends Schema }
  ? { readonly params: InputOf<P> }
  : unknown) &
  (Row extends { query: infer Q extends Schema }
    ? { readonly query: InputOf<Q> & PageQuery }
    : Row extends { paged: "cursor" | "cursor+page" }
      ? { readonly query: PageQuery }
      : unknown) &
  (Row extends { body: infer B extends Schema } ? { readonly body: InputOf<B> } : unknown);

/** The data that a row returns: a record, an array of records, or nothing. */
export type OperationOutput<Row extends OperationRow> = Row extends { response: infer R extends Schema }
  ? Row extends { array: true }
    ? OutputOf<R>[]
    : OutputOf<R>
  : void;

/** Pagination parameters of every list (service description, rule 8). */
export interface PageQuery {
  /** Opaque position from a `Link` header. Iteration follows it automatically. */
  cursor?: string | undefined;
  /** Records per page, 1 to 100. Default: the client's `pageSize` (100). */
  per_page?: number | undefined;
}

/** Pagination parameters of lists that also accept the deprecated page mode. */
export interface PagedQuery extends PageQuery {
  /**
   * Page number; the first page is 1.
   * @deprecated The service replaces it with `cursor`.
   */
  page?: number | undefined;
}

const RIGHTS: Readonly<Record<string, string>> = { GET: "read", DELETE: "destroy" };

/** The scopes that an operation needs in one API; empty if any token will do, undefined if they are not documented. */
export function scopesIn({ scopes, method }: Operation, api: Api): readonly string[] | undefined {
  const inApi = scopes && isByApi(scopes) ? scopes[api] : scopes;
  return typeof inApi === "string" ? [`${inApi}:${RIGHTS[method] ?? "modify"}`] : (inApi ?? undefined);
}

function isByApi(scopes: Scopes): scopes is Exclude<Scopes, string | readonly string[]> {
  return typeof scopes === "object" && !Array.isArray(scopes);
}
