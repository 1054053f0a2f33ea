import type * as z from "zod/mini";
import type { Schema } from "./validation/traits.js";

/** The service's three interfaces. Main and Admin live under `api/v1`, Organization under `api/organization`. */
export type Api = "main" | "admin" | "organization";

/** Path of each API below the base URL. */
export const API_PREFIX: Readonly<Record<Api, string>> = {
  main: "api/v1",
  admin: "api/v1",
  organization: "api/organization",
};

/**
 * HTTP methods. The operations use GET, POST, PUT and DELETE (service description, "Rules for all operations", rule 1);
 * PATCH is for requests by hand and for `routes`, and is retried as a POST is.
 */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Every method, for checks at run time. */
export const METHODS: readonly unknown[] = ["GET", "POST", "PUT", "PATCH", "DELETE"] satisfies Method[];

/** Rows of operations that both the Main and the Admin API offer. */
export const BOTH = ["main", "admin"] as const satisfies readonly Api[];
/** Rows of operations that only the Main API offers. */
export const MAIN_ONLY = ["main"] as const satisfies readonly Api[];
/** Rows of operations that only the Admin API offers. */
export const ADMIN_ONLY = ["admin"] as const satisfies readonly Api[];
/** Rows of the Organization API. */
export const ORGANIZATION = ["organization"] as const satisfies readonly Api[];

/** What a row of a resource's table may say about one operation. Facts live here and nowhere else. */
export interface OperationRow {
  readonly method: Method;
  /** Path below the API's prefix, placeholders in braces: `accounts/{id}`. */
  readonly path: string;
  /** Model of the path parameters; present exactly when the path has placeholders. */
  readonly params?: Schema;
  /** Model of the query, without the pagination parameters: `paged` adds those. */
  readonly query?: Schema;
  /** Model of the body. */
  readonly body?: Schema;
  /** Model of the record that comes back; for a list, of one of its records. Absent: no body. */
  readonly response?: Schema;
  /** Which APIs offer the operation. */
  readonly apis: readonly Api[];
  /**
   * Present on lists: which pagination parameters the service accepts. `cursor+page` accepts `cursor`, `per_page` and
   * the deprecated `page`; `cursor` no `page`; `none` neither, though a `Link` header is followed if one comes.
   */
  readonly paged?: "cursor+page" | "cursor" | "none";
  /** The success status the public facts name; 200 when absent. The client accepts any 2xx. */
  readonly status?: 201 | 204;
  /** True: repeating the request is harmless although it is a POST, so it is retried as a PUT is. */
  readonly idempotent?: true;
  /** May change without notice (service description, Versioning). */
  readonly beta?: true;
  /** Feature flag the environment needs (service description, rule 9). */
  readonly feature?: "Custom objects" | "Departments" | "Programs";
  /** APIs in which the operation is deprecated, with what to use instead. */
  readonly deprecated?: Partial<Record<Api, string>>;
  /** False: the service description shows no path; this one follows its neighbours. Override it with `routes`. */
  readonly pathConfirmed?: false;
  /** True: fields come from the page-paginated rendering, the only one shown for this group. */
  readonly pageRendering?: true;
  /** One more fact a reader of the docs should know. */
  readonly note?: string;
}

/** A row with its stable identifier, `accounts.list`: what errors, events, checkpoints and `routes` name. */
export interface Operation extends OperationRow {
  readonly id: string;
}

/** A resource's table without its literal types: what documentation, sandbox and contract tests read. */
export type OperationTable = Readonly<Record<string, Operation>>;

/** Makes a resource's table: names each row `<resource>.<method name>` and keeps its literal types. */
export function operationTable<const Rows extends Readonly<Record<string, OperationRow>>>(
  resource: string,
  rows: Rows,
): { readonly [Name in keyof Rows]: Rows[Name] & { readonly id: string } } {
  const table: Record<string, Operation> = {};
  for (const [name, row] of Object.entries(rows)) table[name] = { id: `${resource}.${name}`, ...row };
  return table as never;
}

/** What a caller passes for a row: exactly the parts the row declares. */
export type OperationInput<Row extends OperationRow> = (Row extends { params: infer P extends Schema }
  ? { readonly params: z.input<P> }
  : unknown) &
  (Row extends { query: infer Q extends Schema }
    ? { readonly query: z.input<Q> & PageQuery }
    : Row extends { paged: "cursor" | "cursor+page" }
      ? { readonly query: PageQuery }
      : unknown) &
  (Row extends { body: infer B extends Schema } ? { readonly body: z.input<B> } : unknown);

/** What a row answers: its record, or nothing. */
export type OperationOutput<Row extends OperationRow> = Row extends { response: infer R }
  ? R extends Schema
    ? z.output<R>
    : never
  : void;

/** Pagination parameters of every list (service description, rule 8). */
export interface PageQuery {
  /** Opaque position from a `Link` header. Iterating follows it by itself. */
  cursor?: string | undefined;
  /** Records per page, 1 to 100. Default: the client's `pageSize` (100). */
  per_page?: number | undefined;
}

/** Pagination parameters of lists that also accept the deprecated page mode. */
export interface PagedQuery extends PageQuery {
  /**
   * Page number from 1.
   * @deprecated The service replaces it with `cursor`.
   */
  page?: number | undefined;
}
