import { ConfigurationError } from "../core/errors.js";
import { type Check, must } from "../core/option-checks.js";

/** Checks a name that becomes part of SQL. */
export function nameInSql(most: number): Check<string> {
  return must(
    (value) => typeof value === "string" && value.length <= most && /^[a-z_][a-z0-9_]*$/.test(value),
    `must consist of at most ${most} lower-case letters, digits and _, and must not begin with a digit`,
  );
}

/** The tables of one part of the library, and how to upgrade the tables of earlier versions. */
export interface PartTables {
  readonly part: string;
  readonly prefix: string;
  /** The SQL that creates the tables. */
  readonly create: string;
  /** The SQL that upgrades each earlier version to the next one, beginning with version 1. Default: none. */
  readonly upgrades?: readonly string[];
}

/** The version of the tables that this release creates. */
export function currentVersion({ upgrades = [] }: PartTables): number {
  return upgrades.length + 1;
}

/** The error message for tables that a later release has changed. */
export function laterTables({ part, prefix }: PartTables): string {
  return `The tables ${prefix}… (${part}) were created by a later version of education-admin-sdk: update this program, or give it a prefix of its own`;
}

/**
 * The SQL that makes tables current. @param version their version; 0 if there are none.
 * @throws ConfigurationError if a later release has changed them.
 */
export function statementsFrom(version: number, tables: PartTables): readonly string[] {
  if (version > currentVersion(tables)) throw new ConfigurationError(laterTables(tables));
  return version === 0 ? [tables.create] : (tables.upgrades ?? []).slice(version - 1);
}
