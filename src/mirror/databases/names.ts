import type { OptionTable } from "../../core/option-checks.js";
import { nameInSql } from "../../sql/tables.js";

/** Options for `sqlite`. */
export interface SqliteOptions {
  /**
   * Prefix of all tables and views of the mirror: `school_` gives `school_accounts` and `school_current_accounts`. At
   * most 20 lower-case letters, digits and `_`, not beginning with a digit. Default: none.
   */
  readonly prefix?: string | undefined;
}

/** Options for `postgres`. */
export interface PostgresOptions extends SqliteOptions {
  /** The schema of all tables and views; created if it is missing. Default: the first one in the search path. */
  readonly schema?: string | undefined;
}

export const SQLITE_OPTIONS = {
  prefix: [/* @__PURE__ */ nameInSql(20)],
} satisfies OptionTable<SqliteOptions>;

export const POSTGRES_OPTIONS = {
  ...SQLITE_OPTIONS,
  schema: [/* @__PURE__ */ nameInSql(60)],
} satisfies OptionTable<PostgresOptions>;
