import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import { MainClient } from "../../src/index.js";
import { type FeedWait, type ListReport, mirror, postgres } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { needs } from "../support/tools.ts";
import { onePostgres } from "./support/postgres.js";

const LISTS = ["accounts"] as const;
// A clock for the mirror that runs 500 times as fast as the database, which works in real time.
const quick: Clock = {
  now: () => 2e12 + Math.round(performance.now() * 500),
  setTimeout: (callback, ms) => setTimeout(callback, ms / 500),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
};

describe("a run and a follower of its feed, whose database", needs("postgres"), () => {
  const it = onePostgres();

  /** Starts a run that sweeps again and again, and a follower with its own pool. */
  async function start() {
    const sandbox = createSandbox({ size: 20, skipWaits: true, rateLimit: false });
    const client = new MainClient({ ...sandbox, pageSize: 5 });
    const reports: ListReport[] = [];
    const waits: FeedWait[] = [];
    const options = { resources: LISTS, clock: quick, share: 1, tail: false, repair: false } as const;
    const onReport = (report: ListReport) => void reports.push(report);
    const writer = mirror(client, postgres(it.poolOf()), { ...options, every: { default: "10s" }, onReport });
    const reader = mirror(client, postgres(it.poolOf()), options);
    const stop = new AbortController();
    const found: { readonly seq: number; readonly kind: string; readonly name: unknown }[] = [];
    const running = writer.run({ signal: stop.signal }).catch((error: unknown) => error);
    const following = (async () => {
      const onWait = (waiting: FeedWait) => void waits.push(waiting);
      for await (const { seq, kind, after } of reader.changes({ follow: true, onWait, signal: stop.signal }))
        found.push({ seq, kind, name: (after as { readonly name?: unknown } | null)?.name });
    })().catch((error: unknown) => error);
    const end = new Error("enough");
    onTestFinished(async () => {
      stop.abort(end);
      expect(await Promise.all([running, following])).toEqual([end, end]);
    });
    await expect.poll(() => found.length).toBe(20);
    return { sandbox, reports, waits, found };
  }

  async function stopServer(signal: "SIGINT" | "SIGKILL"): Promise<void> {
    if (signal === "SIGKILL") return it.server.kill();
    const [row] = await it.rows("SHOW data_directory");
    const [pid] = readFileSync(join(String(row?.data_directory), "postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), signal);
    while (existsSync(`/proc/${pid}/stat`)) await sleep(10);
  }
  const expectWait = (list: readonly unknown[], pattern: RegExp) =>
    expect
      .poll(() => list.map((one) => String((one as FeedWait).error)))
      .toContainEqual(expect.stringMatching(pattern));

  const WAITING = "SELECT pid FROM pg_locks WHERE relation = 'mirror_changes'::regclass AND NOT granted";
  /** Locks the feed and resolves once a session waits for the lock. @returns a function that releases the lock. */
  async function lockFeed(): Promise<() => Promise<void>> {
    const admin = await it.admin.connect();
    await admin.query("BEGIN; LOCK TABLE mirror_changes IN ACCESS EXCLUSIVE MODE");
    await expect.poll(async () => (await it.rows(WAITING)).length).toBeGreaterThan(0);
    return async () => {
      await admin.query("COMMIT");
      admin.release();
    };
  }

  type Started = Awaited<ReturnType<typeof start>>;
  const OUTAGES: Readonly<Record<string, (started: Started) => Promise<void>>> = {
    "is restarted": async ({ reports, waits }) => {
      await stopServer("SIGINT");
      await expectWait(waits, /terminat|ECONNREFUSED/);
      await expectWait(reports, /terminat|ECONNREFUSED/);
      await it.server.start();
    },
    "is killed": async ({ reports, waits }) => {
      await stopServer("SIGKILL");
      await expectWait(waits, /terminat|ECONNREFUSED/);
      await expectWait(reports, /terminat|ECONNREFUSED/);
      await it.server.start();
    },
    "ends connections in the middle of a query": async ({ waits, sandbox }) => {
      for (let time = 1; time <= 3; time++) {
        const release = await lockFeed();
        sandbox.store.accounts.update(time, { name: `Meanwhile ${time}` });
        const before = waits.length;
        await it.admin.query(`SELECT pg_terminate_backend(pid) FROM (${WAITING}) AS waiting`);
        await expect.poll(() => waits.length).toBeGreaterThan(before);
        await release();
      }
      await expectWait(waits, /terminat/);
    },
    "may only be read": async ({ reports, sandbox }) => {
      const alter = async (how: string) => {
        await it.admin.query(`ALTER SYSTEM ${how}`);
        await it.admin.query("SELECT pg_reload_conf()");
      };
      await alter("SET default_transaction_read_only = on");
      sandbox.store.accounts.update(1, { name: "Meanwhile" });
      await expectWait(reports, /read-only transaction/);
      const admin = await it.admin.connect();
      await admin.query("SET default_transaction_read_only = off");
      await admin.query("ALTER SYSTEM RESET default_transaction_read_only");
      await admin.query("SELECT pg_reload_conf()");
      admin.release(true);
    },
    "has its feed locked": async ({ sandbox }) => {
      const release = await lockFeed();
      sandbox.store.accounts.update(1, { name: "Meanwhile" });
      await release();
    },
  };

  test.each(Object.keys(OUTAGES))("%s, continue and lose no change", async (outage) => {
    const started = await start();
    const { sandbox, found } = started;
    sandbox.store.accounts.update(7, { name: "Before" });
    await OUTAGES[outage]?.(started);
    sandbox.store.accounts.update(8, { name: "After" });
    sandbox.store.accounts.delete(9);
    await expect
      .poll(() => found.map(({ kind, name }) => name ?? kind))
      .toEqual(expect.arrayContaining(["After", "gone"]));
    expect(found.map(({ seq }) => seq)).toEqual(found.map((_, at) => at + 1));
    expect(found.map(({ name }) => name)).toContain("Before");
    const rows = await it.rows("SELECT count(*)::int AS rows, max(seq)::int AS last FROM mirror_changes");
    expect(rows[0]).toMatchObject({ rows: rows[0]?.last });
  });
});
