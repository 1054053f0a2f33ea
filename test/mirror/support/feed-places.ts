import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { type PostgresQueries, postgres, sqlite } from "../../../src/mirror/index.js";
import type { FeedPlace } from "./feed-history.js";

/** Keeps copies in SQLite files in a folder. */
export function sqlitePlace(folder: string, name: string): FeedPlace<DatabaseSync> {
  let number = 0;
  let backup: string | null = null;
  const connections: DatabaseSync[] = [];
  const file = () => join(folder, `${name}-${number}.sqlite`);
  const open = () => {
    const made = new DatabaseSync(file());
    connections.push(made);
    return made;
  };
  const close = async () => {
    for (const each of connections.splice(0)) each.close();
  };
  return {
    connect: () => sqlite(open()),
    run: async (sql, values = [], tx = open()) => void tx.prepare(sql).run(...values),
    rows: async <Row>(sql: string, tx = open()) => tx.prepare(sql).all() as Row[],
    // The exception that the caller throws is enough to end the transaction.
    kill: async () => undefined,
    async backUp() {
      backup = join(folder, `${name}-backup-${number}-${connections.length}.sqlite`);
      open().exec(`VACUUM INTO '${backup}'`);
    },
    async setBack() {
      await close();
      number++;
      if (backup) new DatabaseSync(backup).exec(`VACUUM INTO '${file()}'`);
    },
    close,
  };
}

/** Keeps copies in databases on a Postgres server. A database that a restore replaced remains there until `close`. */
export async function postgresPlace(url: string, name: string): Promise<FeedPlace<PostgresQueries>> {
  const admin = new pg.Pool({ connectionString: url, max: 1 });
  let number = 0;
  let backups = 0;
  const pools: pg.Pool[] = [];
  const database = () => `${name}_${number}`;
  const open = () => {
    const at = new URL(url);
    at.pathname = `/${database()}`;
    const pool = new pg.Pool({ connectionString: at.href, max: 2 });
    pool.on("error", () => undefined);
    pools.push(pool);
    return pool;
  };
  const endAll = () => Promise.all(pools.splice(0).map((pool) => pool.end()));
  let shared: pg.Pool | null = null;
  const query = async (sql: string, values: readonly string[] = [], tx?: PostgresQueries) => {
    let at = 0;
    if (!shared || !pools.includes(shared)) shared = open();
    return (tx ?? shared).query(
      sql.replaceAll("?", () => `$${++at}`),
      [...values],
    );
  };
  await admin.query(`CREATE DATABASE ${database()}`);
  return {
    connect: () => postgres(open()),
    run: async (sql, values, tx) => void (await query(sql, values, tx)),
    rows: async <Row>(sql: string, tx?: PostgresQueries) => [...(await query(sql, [], tx)).rows] as Row[],
    kill: async (tx) => void (await tx.query("SELECT pg_terminate_backend(pg_backend_pid())")),
    async backUp() {
      await endAll();
      await admin.query(`CREATE DATABASE ${name}_backup_${++backups} TEMPLATE ${database()}`);
    },
    async setBack() {
      await endAll();
      number++;
      const from = backups > 0 ? ` TEMPLATE ${name}_backup_${backups}` : "";
      await admin.query(`CREATE DATABASE ${database()}${from}`);
    },
    async close() {
      await endAll();
      const found = await admin.query<{ name: string }>(
        `SELECT datname AS name FROM pg_database WHERE datname LIKE '${name}\\_%'`,
      );
      for (const one of found.rows) await admin.query(`DROP DATABASE ${one.name} WITH (FORCE)`);
      await admin.end();
    },
  };
}
