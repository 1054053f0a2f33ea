// A mirror of long lists: the cost of a kill, the speed of writing rows compared with plain loops of inserts, the
// memory for a million rows, and the request budget left for other calls meanwhile.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { MainClient } from "education-admin-sdk";
import { type MirrorDatabase, mirror, postgres, sqlite } from "education-admin-sdk/mirror";
import pg from "pg";
import { startPostgres } from "../stores/support/servers.ts";
import { reportMissing } from "../support/tools.ts";
import { type CampaignOptions, campaign, command, type Figures, type Promises, round } from "./support/command.ts";
import { EventClock } from "./support/event-clock.ts";
import { percentile } from "./support/memory.ts";
import { AccountList, serve } from "./support/mirror-service.ts";
import { createRandom, type Random, seedOf } from "./support/random.ts";

export interface MirrorFigures extends Figures {
  readonly crash: { readonly kills: number; readonly pages: number; readonly mostPagesReadTwicePerKill: number };
  readonly speed: readonly Speed[];
  readonly memory: { readonly rows: number; readonly mbAboveBaseline: number; readonly requests: number };
  readonly budget: Budget;
}

/** Rows per second, all measured in one run. */
export interface Speed {
  readonly database: string;
  readonly rows: number;
  /** The rate from the service's JSON to the copy and its change feed. */
  readonly mirror: number;
  /**
   * The rate of reading the same list with the client and inserting its records in a loop: identifier, name and the
   * whole record.
   */
  readonly loop: number;
  readonly ratio: number;
}

export interface Budget {
  readonly rows: number;
  readonly share: number;
  readonly minutes: number;
  readonly interactiveCalls: number;
  readonly p95WaitMs: number;
}

const WORKER = fileURLToPath(new URL("./support/mirror-worker.ts", import.meta.url));

export function run(options: CampaignOptions = {}): Promise<MirrorFigures> {
  return campaign("mirror", options, async ({ seed, long, promises }) => {
    const crash = await measureKills(long ? 100 : 8, createRandom(seedOf(seed, "mirror")), promises);
    const speed = await speeds(long ? 100_000 : 10_000, promises);
    const memory = await memoryOf(long ? 1_000_000 : 50_000, promises);
    const budget = await budgetOf(long ? 250_000 : 20_000, 0.2, promises);
    return { crash, speed, memory, budget };
  });
}

async function measureKills(wanted: number, random: Random, promises: Promises): Promise<MirrorFigures["crash"]> {
  const folder = mkdtempSync(join(tmpdir(), "mirror-campaign-"));
  const records = 3_000;
  let kills = 0;
  let pages = 0;
  let most = 0;
  try {
    for (let round = 0; kills < wanted; round++) {
      const file = join(folder, `${round}.sqlite`);
      const list = new AccountList(records);
      let killAfter = Number.POSITIVE_INFINITY;
      let kill = () => undefined as unknown;
      const service = await serve(list, () => {
        if (--killAfter <= 0) kill();
      });
      const stored = new Set<number>();
      for (let done = false; !done; ) {
        list.asked.length = 0;
        const child = spawn(process.execPath, [WORKER, service.url, file], { stdio: ["ignore", "ignore", "inherit"] });
        kill = () => setTimeout(() => child.kill("SIGKILL"), random.next() * 12);
        killAfter = kills < wanted ? random.whole(1, 6) : Number.POSITIVE_INFINITY;
        const [code] = (await once(child, "exit")) as [number | null];
        const twice = list.asked.filter((page) => stored.has(page)).length;
        most = Math.max(most, twice);
        promises.check(twice <= 1, "a kill costs at most one page", `${twice} pages`);
        for (const page of list.asked) stored.add(page);
        pages += list.asked.length;
        // A process may be killed after its sweep but before it exits; the next process would begin another sweep.
        done = code === 0 || wasSwept(file);
        if (code !== null) promises.check(code === 0, "a run that is not killed is complete");
        else kills++;
        if (code === 1) break;
      }
      await service.close();
      const database = new DatabaseSync(file);
      const [rows] = database.prepare("SELECT count(*) AS rows, count(DISTINCT id) AS ids FROM current_accounts").all();
      promises.check(rows?.rows === records && rows.ids === records, "the copy is whole", JSON.stringify(rows));
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { kills, pages, mostPagesReadTwicePerKill: most };
}

function wasSwept(file: string): boolean {
  const database = new DatabaseSync(file);
  try {
    const [list] = database.prepare("SELECT state FROM mirror_lists WHERE name = 'accounts'").all();
    return typeof list?.state === "string" && (JSON.parse(list.state).asOf ?? null) !== null;
  } catch {
    // The process was killed before the table existed.
    return false;
  } finally {
    database.close();
  }
}

function clientOf(list: AccountList, more: object = {}): MainClient {
  const fetch = async (input: string) => list.answer(new URL(input));
  return new MainClient({
    baseUrl: "https://school.example",
    apiKey: `key-${Math.random()}`,
    rateLimit: false,
    fetch,
    ...more,
  });
}

async function speeds(rows: number, promises: Promises): Promise<Speed[]> {
  const folder = mkdtempSync(join(tmpdir(), "mirror-campaign-"));
  const found: Speed[] = [];
  try {
    const file = new DatabaseSync(join(folder, "copy.sqlite"));
    const plain = new DatabaseSync(join(folder, "plain.sqlite"));
    plain.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    plain.exec("CREATE TABLE plain (id INTEGER PRIMARY KEY, name TEXT NOT NULL, record TEXT NOT NULL)");
    const insert = plain.prepare("INSERT INTO plain VALUES (?, ?, ?)");
    found.push(
      await speedOf("SQLite (node:sqlite)", rows, 10_000, sqlite(file), promises, async (records) => {
        plain.exec("BEGIN");
        for (const record of records) insert.run(record.id, record.name, JSON.stringify(record));
        plain.exec("COMMIT");
      }),
    );
    file.close();
    plain.close();
    if (reportMissing("postgres") === null) {
      const server = await startPostgres();
      const pool = new pg.Pool({ connectionString: server.url });
      pool.on("error", () => undefined);
      await pool.query("CREATE TABLE plain (id bigint PRIMARY KEY, name text NOT NULL, record jsonb NOT NULL)");
      const lent = await pool.connect();
      found.push(
        await speedOf("Postgres (pg)", rows, 4_000, postgres(pool), promises, async (records) => {
          await lent.query("BEGIN");
          for (const record of records) {
            await lent.query("INSERT INTO plain VALUES ($1, $2, $3)", [record.id, record.name, JSON.stringify(record)]);
          }
          await lent.query("COMMIT");
        }),
      );
      lent.release();
      await pool.end();
      await server.remove();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return found;
}

async function speedOf(
  database: string,
  rows: number,
  least: number,
  target: MirrorDatabase,
  promises: Promises,
  insert: (records: readonly { readonly id: number; readonly name: string }[]) => Promise<void>,
): Promise<Speed> {
  const perSecond = async (work: () => Promise<unknown>) => {
    const started = performance.now();
    await work();
    return Math.round(rows / ((performance.now() - started) / 1_000));
  };
  const loop = await perSecond(async () => {
    for await (const { records } of clientOf(new AccountList(rows)).accounts.list().byPage()) await insert(records);
  });
  const copied = await perSecond(() =>
    mirror(clientOf(new AccountList(rows)), target, { resources: ["accounts"] }).sync(),
  );
  const ratio = round(copied / loop);
  promises.check(copied >= least, `${database}: at least ${least} rows a second`, `${copied}`);
  promises.check(ratio >= 0.5, `${database}: at least half as fast as a plain loop`, `${ratio}`);
  return { database, rows, mirror: copied, loop, ratio };
}

async function memoryOf(rows: number, promises: Promises): Promise<MirrorFigures["memory"]> {
  const folder = mkdtempSync(join(tmpdir(), "mirror-campaign-"));
  try {
    const file = new DatabaseSync(join(folder, "copy.sqlite"));
    const copy = mirror(clientOf(new AccountList(rows)), sqlite(file), { resources: ["accounts"] });
    let baseline = 0;
    let most = 0;
    const onProgress = ({ requests }: { requests: number }) => {
      if (requests % 100 !== 0) return;
      globalThis.gc?.();
      const { heapUsed, external } = process.memoryUsage();
      const mb = (heapUsed + external) / 1_048_576;
      if (baseline === 0) baseline = mb;
      most = Math.max(most, mb);
    };
    const { requests, complete } = await copy.sync({ onProgress });
    file.close();
    promises.check(complete && requests === Math.ceil(rows / 100), "one request per 100 records", `${requests}`);
    const above = round(most - baseline, 1);
    promises.check(above <= 40, "at most 40 MB above the baseline", `${above} MB`);
    return { rows, mbAboveBaseline: above, requests };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function budgetOf(rows: number, share: number, promises: Promises): Promise<Budget> {
  const clock = new EventClock();
  const list = new AccountList(rows);
  const fetch = async (input: string) => {
    await clock.pause(150);
    return list.answer(new URL(input));
  };
  const client = clientOf(list, { fetch, clock, rateLimit: { requests: 500, windowMs: 300_000 } });
  const copy = mirror(client, sqlite(new DatabaseSync(":memory:")), {
    resources: ["accounts"],
    share,
    clock,
    history: false,
  });
  let over = false;
  const waits: number[] = [];
  const callers = async () => {
    while (!over) {
      const { response } = await client.accounts.list({ per_page: 1 }).first();
      waits.push(response.waitedMs);
      await clock.pause(1_000);
    }
  };
  const work = (async () => {
    const { complete } = await copy.sync();
    over = true;
    promises.check(complete, "the sweep within its share is complete");
  })();
  await clock.run(Promise.all([work, callers()]));
  const minutes = round(clock.elapsed / 60_000, 1);
  const most = (rows / 100 / (500 * share)) * 5 + 5;
  promises.check(minutes <= most, `done within ${most} minutes`, `${minutes}`);
  const p95 = percentile(waits, 0.95);
  promises.check(p95 < 1_000, "interactive calls wait less than a second at P95", `${p95} ms`);
  return { rows, share, minutes, interactiveCalls: waits.length, p95WaitMs: p95 };
}

if (import.meta.main) await command(run);
