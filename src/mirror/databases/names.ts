import { ConfigurationError } from "../../core/errors.js";
import { isPlainObject } from "../../core/json.js";
import { checkNames, type Fail, type Names } from "../../core/option-checks.js";

/** Options of `sqlite`. */
export interface SqliteOptions {
  /**
   * Begins the names of all tables and views of the mirror: `school_` makes `school_accounts` and `school_current_accounts`.
   * Lowercase letters, digits and `_`, at most 20. Default none.
   */
  readonly prefix?: string | undefined;
}

/** Options of `postgres`. */
export interface PostgresOptions extends SqliteOptions {
  /** The schema of all tables and views, which is made if it is not there. Default: the first one of the search path. */
  readonly schema?: string | undefined;
}

const fail: Fail = (option, rule) =>
  new ConfigurationError(`Mirror: ${option || "the options of the database"} ${rule}`);

const MOST = { prefix: 20, schema: 60 } as const;

/** Checks names, which become part of SQL. @throws ConfigurationError naming the option that is wrong. */
export function checkedNames<Options extends SqliteOptions>(options: Options, known: Names<Options>): Options {
  if (!isPlainObject(options)) throw fail("", "must be a plain object");
  checkNames(options, known, fail);
  for (const [option, most] of Object.entries(MOST)) {
    const name = (options as PostgresOptions)[option as keyof typeof MOST];
    if (name === undefined || (typeof name === "string" && /^[a-z][a-z0-9_]*$/.test(name) && name.length <= most))
      continue;
    throw fail(option, `must be lowercase letters, digits and _, at most ${most}, and begin with a letter`);
  }
  return options;
}
