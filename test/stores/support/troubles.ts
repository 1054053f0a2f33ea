// The kinds of trouble that a database server can be in.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import pg from "pg";
import type { Server } from "./servers.js";

/** Causes trouble and returns a function that ends it. */
export type Trouble = () => Promise<() => Promise<unknown>>;

/** The database role of the programs that meet these troubles. */
export const APP = "app";

/** The troubles of a Postgres server. Only the tables of {@link APP} are on `disk`. */
export async function troublesOfPostgres(server: Server, disk?: string) {
  const open = async (database: string) => {
    const client = new pg.Client({ connectionString: server.url.replace(/\/postgres$/, `/${database}`) });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  };
  const query = async (sql: string, database = "postgres") => {
    const client = await open(database);
    try {
      return (await client.query(sql)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${APP}'`;
  const setting = (name: string, value: string, reset: string): Trouble => {
    // Uses two transactions: a connection opened before the first one ends would keep the old setting.
    const change = async (sql: string) => {
      await query(sql);
      await query(terminate);
    };
    return async () => {
      await change(`ALTER ROLE ${APP} SET ${name} = ${value}`);
      return () => change(reset);
    };
  };
  const lock: Trouble = async () => {
    const client = await open("postgres");
    const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    await client.query("BEGIN");
    // Locks the tables as a migration that rewrites them would. A session that waits for one table may hold another, so
    // each table is locked separately.
    await client.query("SET LOCAL deadlock_timeout = '60s'");
    for (const { tablename } of rows) await client.query(`LOCK TABLE ${tablename} IN ACCESS EXCLUSIVE MODE`);
    return () => client.end();
  };
  await query(`CREATE ROLE ${APP} LOGIN; GRANT ALL ON SCHEMA public TO ${APP}`);
  if (disk !== undefined) {
    await query(`CREATE TABLESPACE small LOCATION '${disk}'`);
    await query(`GRANT CREATE ON TABLESPACE small TO ${APP}; ALTER ROLE ${APP} SET default_tablespace = small`);
  }
  return {
    "is restarted": async () => {
      await stopServer(server, "SIGINT");
      return server.start;
    },
    "is killed": async () => {
      await server.kill();
      return server.start;
    },
    "lets nobody in": async () => {
      await query(`ALTER DATABASE postgres ALLOW_CONNECTIONS false`, "template1");
      await query(terminate, "template1");
      return () => query(`ALTER DATABASE postgres ALLOW_CONNECTIONS true`, "template1");
    },
    "is read-only": setting(
      "default_transaction_read_only",
      "on",
      `ALTER ROLE ${APP} RESET default_transaction_read_only`,
    ),
    "is out of connections": async () => {
      await query(`ALTER ROLE ${APP} CONNECTION LIMIT 0`);
      await query(terminate);
      return () => query(`ALTER ROLE ${APP} CONNECTION LIMIT -1`);
    },
    "is locked by another program": lock,
    "ends each statement because of its time": async () => {
      const unset = await setting("statement_timeout", "50", `ALTER ROLE ${APP} RESET statement_timeout`)();
      const unlock = await lock();
      return async () => {
        await unlock();
        await unset();
      };
    },
    "loses all connections again and again": async () => {
      const stop = new AbortController();
      const going = (async () => {
        const client = await open("postgres");
        while (!stop.signal.aborted) {
          await client.query(terminate);
          await setTimeout(100);
        }
        await client.end();
      })();
      return async () => {
        stop.abort();
        await going;
      };
    },
    hangs: async () => hang(server.pid()),
    "has a full disk": async () => {
      const stop = new AbortController();
      const client = await open("postgres");
      await client.query("CREATE UNLOGGED TABLE filler (text text) TABLESPACE small");
      // Fills the disk repeatedly, because the programs free space.
      const going = (async () => {
        while (!stop.signal.aborted) {
          for (const count of [20_000, 2_000, 100, 1]) await fill(client, count);
          await setTimeout(50);
        }
      })();
      return async () => {
        stop.abort();
        await going;
        await client.query("DROP TABLE filler");
        await client.end();
      };
    },
  } satisfies Record<string, Trouble>;
}

/** The troubles of a Redis server. */
export function troublesOfRedis(server: Server) {
  const command = async (...commands: readonly (readonly string[])[]) => {
    // Skips the ready check, which a busy Redis would not pass.
    const connection = new Redis(server.url, { enableReadyCheck: false });
    connection.on("error", () => undefined);
    for (const [name = "", ...values] of commands) await connection.call(name, ...values);
    connection.disconnect();
  };
  const end = ["CLIENT", "KILL", "TYPE", "normal"];
  const setting = (name: string, value: string, normal: string): Trouble => {
    return async () => {
      await command(["CONFIG", "SET", name, value]);
      return () => command(["CONFIG", "SET", name, normal]);
    };
  };
  return {
    "is restarted": async () => {
      await stopServer(server, "SIGTERM");
      return server.start;
    },
    "is killed": async () => {
      await server.kill();
      return server.start;
    },
    "is read-only": async () => {
      // A replica whose primary does not exist keeps its data and refuses writes.
      await command(["REPLICAOF", "127.0.0.1", "1"]);
      return () => command(["REPLICAOF", "NO", "ONE"]);
    },
    "is out of memory": setting("maxmemory", "1", "0"),
    "is out of connections": async () => {
      const connection = new Redis(server.url);
      await connection.call("CONFIG", "SET", "maxclients", "1");
      await connection.call(...(end as [string, ...string[]]));
      return async () => {
        await connection.call("CONFIG", "SET", "maxclients", "1000");
        connection.disconnect();
      };
    },
    "is busy with a script": async () => {
      const connection = new Redis(server.url, { retryStrategy: null });
      connection.on("error", () => undefined);
      await connection.call("CONFIG", "SET", "busy-reply-threshold", "100");
      connection.call("EVAL", "while true do end", "0").catch(() => undefined);
      return async () => {
        await command(["SCRIPT", "KILL"]);
        connection.disconnect();
      };
    },
    "loses all connections again and again": async () => {
      const stop = new AbortController();
      const going = (async () => {
        while (!stop.signal.aborted) {
          await command(end);
          await setTimeout(100);
        }
      })();
      return async () => {
        stop.abort();
        await going;
      };
    },
    hangs: async () => hang(server.pid()),
  } satisfies Record<string, Trouble>;
}

async function fill(client: pg.Client, count: number): Promise<void> {
  const insert = `INSERT INTO filler SELECT repeat('x', 900) FROM generate_series(1, ${count})`;
  while (
    await client.query(insert).then(
      () => true,
      () => false,
    )
  );
}

async function stopServer(server: Server, signal: NodeJS.Signals): Promise<void> {
  const pid = server.pid();
  process.kill(pid, signal);
  while (isRunning(pid)) await setTimeout(10);
}

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

function hang(pid: number): () => Promise<void> {
  const parentOf = (name: string) => {
    try {
      return Number(readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ")[1]);
    } catch {
      return null;
    }
  };
  process.kill(pid, "SIGSTOP");
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  for (const child of children) process.kill(Number(child), "SIGSTOP");
  return async () => {
    for (const one of [...children.map(Number), pid]) process.kill(one, "SIGCONT");
  };
}
