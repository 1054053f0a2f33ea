import { DatabaseSync } from "node:sqlite";
import type { Client } from "../../../src/clients/client.js";
import { type Mirror, type MirrorOptions, mirror, type SqliteConnection, sqlite } from "../../../src/mirror/index.js";
import type { ListOf } from "../../../src/mirror/types.js";
import type { Sandbox } from "../../../src/sandbox/index.js";

/** A mirror whose copy is kept in memory, and the database with the copy. */
export interface TestCopy<List extends string> {
  readonly copy: Mirror<List>;
  readonly database: DatabaseSync;
  /** The records of a table that are not marked as gone, by identifier. */
  records(table: string): Map<number | string, unknown>;
}

/** Makes a mirror of a sandbox in an SQLite database, by default a new one in memory. */
export function copyOf<C extends Client>(
  sandbox: Sandbox,
  client: C,
  options: MirrorOptions<ListOf<C>> = {},
  database: DatabaseSync = new DatabaseSync(":memory:"),
): TestCopy<ListOf<C>> {
  const copy = mirror(client, sqlite(database), { clock: sandbox.clock, share: 1, ...options });
  return { copy, database, records: (table) => recordsIn(database, table) };
}

/** A database whose calls fail while it is away. */
export function failing(database: DatabaseSync, isAway: () => boolean): SqliteConnection {
  const runUnlessAway = <Value>(work: () => Value): Value => {
    if (isAway()) throw new Error("the database is away");
    return work();
  };
  return {
    exec: (sql) => runUnlessAway(() => database.exec(sql)),
    prepare: (sql) => {
      const statement = runUnlessAway(() => database.prepare(sql));
      return {
        run: (...values) => runUnlessAway(() => statement.run(...(values as never[]))),
        all: (...values) => runUnlessAway(() => statement.all(...(values as never[]))),
      };
    },
  };
}

/** The records of a table that are not marked as gone, by identifier. */
function recordsIn(database: DatabaseSync, table: string): Map<number | string, unknown> {
  const rows = database.prepare(`SELECT id, record FROM "current_${table}" ORDER BY id`).all();
  return new Map(rows.map(({ id, record }) => [id as number, JSON.parse(record as string) as unknown]));
}

/** The records of one of the sandbox's collections, by identifier. */
export function recordsOf(collection: Iterable<{ readonly id: number | string }>): Map<number | string, unknown> {
  return new Map(
    [...collection].map((record) => [record.id, record] as const).sort(([a], [b]) => Number(a) - Number(b)),
  );
}
