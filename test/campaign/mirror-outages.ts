// Three processes keep one copy in Postgres with `run`, `sync` and `apply`, while their connections are cut and the
// database is restarted or stopped without warning. Meanwhile, a reader in this process follows the feed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { MainClient } from "education-admin-sdk";
import { changes, mirror, postgres } from "education-admin-sdk/mirror";
import { createSandbox } from "education-admin-sdk/sandbox";
import { listen } from "education-admin-sdk/sandbox/node";
import pg from "pg";
import { type Server, startPostgres } from "../stores/support/servers.ts";
import { type CampaignOptions, campaign, command, type Figures, type Promises } from "./support/command.ts";
import { createRandom, seedOf } from "./support/random.ts";

export interface MirrorOutageFigures extends Figures {
  readonly terminated: number;
  readonly restarts: number;
  readonly immediateStops: number;
  readonly processesEnded: number;
  readonly changesFollowed: number;
  readonly gaps: number;
  readonly doubles: number;
  readonly rowsThatDiffer: number;
}

const WORKER = fileURLToPath(new URL("./support/mirror-outage-worker.ts", import.meta.url));
const LISTS = ["accounts", "users"] as const;
type Outage = "terminate" | "restart" | "immediate";

export function run(options: CampaignOptions = {}): Promise<MirrorOutageFigures> {
  return campaign("mirror-outages", options, async ({ seed, long, promises }) => {
    const random = createRandom(seedOf(seed, "mirror-outages"));
    const counts: Record<Outage, number> = long
      ? { terminate: 50, restart: 10, immediate: 20 }
      : { terminate: 6, restart: 1, immediate: 2 };
    const left: Outage[] = (Object.keys(counts) as Outage[]).flatMap((name) =>
      new Array<Outage>(counts[name]).fill(name),
    );
    const server = await startPostgres();
    const admin = new pg.Pool({ connectionString: server.url, max: 1 });
    admin.on("error", () => undefined);
    const folder = (await admin.query<{ data_directory: string }>("SHOW data_directory")).rows[0]?.data_directory ?? "";
    const sandbox = createSandbox({ size: 300, rateLimit: false });
    const service = await listen(sandbox);
    const client = new MainClient({ baseUrl: service.url, apiKey: sandbox.apiKey, rateLimit: false });
    const pool = new pg.Pool({ connectionString: server.url });
    const options_ = { resources: LISTS, keyName: "campaign" };
    await mirror(client, postgres(pool), options_).sync();

    const started = Date.now();
    const workers = ["run", "sync", "apply"].map((role) =>
      spawn(process.execPath, [WORKER, service.url, sandbox.apiKey, server.url, role, `${started}`], {
        stdio: ["ignore", "ignore", "inherit"],
      }),
    );
    const stop = new AbortController();
    const reader = new Reader(pool, promises);
    await reader.read();
    const following = reader.follow(stop.signal);
    // Later than any time that the service writes into new records.
    let updated = Date.now() + 3_600_000;
    const changing = (async () => {
      while (!stop.signal.aborted) {
        const list = sandbox.store[random.pick(LISTS)];
        const ids = [...list].map(({ id }) => id);
        const id = random.pick(ids);
        const kind = random.weighted({ update: 8, insert: 1, delete: ids.length > 200 ? 1 : 0.001 });
        if (kind === "insert") list.insert();
        else if (kind === "delete") list.delete(id);
        else list.update(id, { updated_at: new Date(++updated).toISOString() } as object);
        await setTimeout(5);
      }
    })();

    while (left.length > 0) {
      const [outage] = left.splice(random.whole(0, left.length - 1), 1) as [Outage];
      // Waits until the feed has advanced since the last outage, so that the next outage interrupts work.
      await reader.reaches(reader.seq + random.whole(5, 40));
      await happen(outage, server, admin, folder);
    }
    const ended = workers.filter(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null).length;
    promises.check(ended === 0, "no process ends", `${ended}`);
    await reader.reaches(reader.seq + 20);
    stop.abort();
    await changing;
    await Promise.all(workers.map(terminate));

    // The first run continues a sweep that a process did not finish; the second one begins after all changes.
    const copy = mirror(client, postgres(pool), options_);
    await copy.sync();
    const { complete, lists } = await copy.sync({ accept: LISTS });
    const why = JSON.stringify(lists.map(({ held, error }) => [held, String(error)]));
    promises.check(complete, "a last run is complete", why);
    await following;
    await reader.read();
    let differing = 0;
    for (const list of LISTS) {
      const rows = await pool.query<{ id: string; record: unknown }>(`SELECT id, record FROM current_${list}`);
      const copied = new Map(rows.rows.map(({ id, record }) => [Number(id), record]));
      const records = await client[list].list().toArray();
      promises.check(
        copied.size === records.length,
        "the copy has as many rows as the service",
        `${copied.size}, ${records.length}`,
      );
      for (const record of records) {
        const isSame = canonical(copied.get(record.id)) === canonical(record);
        const isReplayed = canonical(reader.replayed.get(`${list} ${record.id}`)) === canonical(record);
        if (!isSame || !isReplayed) differing++;
        promises.check(isSame, "a row equals its record", `${list} ${record.id}`);
        promises.check(isReplayed, "the replayed feed equals the record", `${list} ${record.id}`);
      }
    }
    await pool.end();
    await admin.end();
    await service.close();
    await server.remove();
    return {
      terminated: counts.terminate,
      restarts: counts.restart,
      immediateStops: counts.immediate,
      processesEnded: ended,
      changesFollowed: reader.seq,
      gaps: reader.gaps,
      doubles: reader.doubles,
      rowsThatDiffer: differing,
    };
  });
}

/** Follows the feed with a bookmark, like a consumer that starts again after every error. */
class Reader {
  readonly replayed = new Map<string, unknown>();
  seq = 0;
  gaps = 0;
  doubles = 0;
  readonly #pool: pg.Pool;
  readonly #promises: Promises;

  constructor(pool: pg.Pool, promises: Promises) {
    this.#pool = pool;
    this.#promises = promises;
  }

  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Reads repeatedly without a pause, because handled changes must survive a stop in the next millisecond.
      await this.read().catch(() => setTimeout(20));
      await setTimeout(2);
    }
  }

  async reaches(seq: number): Promise<void> {
    while (this.seq < seq) await setTimeout(1);
  }

  async read(): Promise<void> {
    for await (const change of changes(postgres(this.#pool), { after: this.seq })) {
      if (change.seq > this.seq + 1) this.gaps++;
      if (change.seq <= this.seq) this.doubles++;
      const key = `${change.list} ${change.id}`;
      const known = this.replayed.get(key);
      this.#promises.check(
        change.seq === this.seq + 1,
        "the feed has no gap and no double",
        `${this.seq}, ${change.seq}`,
      );
      // Detects if two different changes have the same number.
      if (change.before) {
        const isSame = canonical(known) === canonical(change.before);
        this.#promises.check(isSame, "a change begins where the last one of its record ended", `${change.seq}`);
        if (!isSame) this.doubles++;
      }
      if (change.after) this.replayed.set(key, change.after);
      else this.replayed.delete(key);
      this.seq = change.seq;
    }
  }
}

async function happen(outage: Outage, server: Server, admin: pg.Pool, folder: string): Promise<void> {
  if (outage === "terminate") {
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY state = 'active' DESC, random() LIMIT 1`,
    );
    return;
  }
  const pid = Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0]);
  // The signals that `pg_ctl stop` sends in its fast and immediate modes.
  process.kill(pid, outage === "restart" ? "SIGINT" : "SIGQUIT");
  while (existsSync(`/proc/${pid}/stat`)) await setTimeout(10);
  await server.start();
}

async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

if (import.meta.main) await command(run);
