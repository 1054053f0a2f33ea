import { ConfigurationError } from "../../core/errors.js";
import { isPlainObject } from "../../core/json.js";
import { checkNames, type Fail, type Names } from "../../core/option-checks.js";

/** Options of `sqlite`. */
export interface SqliteOptions {
  /**
   * Prefix of all tables and views of the mirror: `school_` gives `school_accounts` and `school_current_accounts`.
   * Lowercase letters, digits and `_`, at most 20. Default none.
   */
  readonly prefix?: string | undefined;
}

/** Options of `postgres`. */
export interface PostgresOptions extends SqliteOptions {
  /** The schema of all tables and views; created if it is missing. Default: the first one in the search path. */
  readonly schema?: string | undefined;
}

const fail: Fail = (option, rule) =>
  new ConfigurationError(`Mirror: ${option || "the options of the database"} ${rule}`);

const MOST = { prefix: 20, schema: 60 } as const;

/** Checks names, because they become part of the SQL. @throws ConfigurationError naming the invalid option. */
export function checkedNames<Options extends SqliteOptions>(options: Options, known: Names<Options>): Options {
  if (!isPlainObject(options)) throw fail("", "must be a plain object");
  checkNames(options, known, fail);
  for (const [option, most] of Object.entries(MOST)) {
    const name = (options as PostgresOptions)[option as keyof typeof MOST];
    if (name === undefined || (typeof name === "string" && /^[a-z][a-z0-9_]*$/.test(name) && name.length <= most))
      continue;
    throw fail(option, `must consist of at most ${most} lowercase letters, digits and _, and begin with a letter`);
  }
  return options;
}
