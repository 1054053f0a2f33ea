import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { mirror, postgres } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { type Server, startPostgres } from "../stores/support/servers.js";
import { seeds } from "../support/amount.js";
import { chance } from "../support/chance.js";
import { needs } from "../support/tools.js";
import { recordsOf } from "./support/copies.js";
import { canonical } from "./support/random.js";

const RESTORES = seeds("mirror/postgres-restored", 2, 12);
const MINUTE = 60_000;
const INTERVALS = [1, 5, 15, 60];

/**
 * Does the same as in restored.test.ts, but calls `sync` instead of `run`, while another process applies events over
 * real connections.
 */
async function restore(pool: pg.Pool, seed: number): Promise<string[]> {
  const random = chance(seed);
  const every = INTERVALS[seed % 4] as number;
  const count = [1, 10, 60][Math.floor(seed / 4) % 3] as number;
  const sandbox = createSandbox({ seed, size: 60, skipWaits: true, rateLimit: false, now: "2030-01-01T00:00:00Z" });
  const { accounts } = sandbox.store;
  const options = { resources: ["accounts"] as const, share: 1 };
  const [sweeper, applier] = [0, 1].map(() =>
    mirror(new MainClient({ ...sandbox, pageSize: 25 }), postgres(pool, { schema: `s${seed}` }), options),
  ) as [ReturnType<typeof mirror>, ReturnType<typeof mirror>];
  const problems: string[] = [];
  const differing = async () => {
    const { rows } = await pool.query(`SELECT id::int AS id, record FROM s${seed}.current_accounts`);
    const there = new Map(rows.map(({ id, record }) => [id, canonical(record)]));
    return [...recordsOf(accounts)].filter(([id, record]) => there.get(id) !== canonical(record)).length;
  };
  const sync = async (others: readonly number[] = []) => {
    const applied = others.map((id) => applier.apply({ event: "account.updated", event_data: { id } }));
    const [report] = await Promise.all([sweeper.sync(), ...applied]);
    for (const { error } of report.lists) if (error) problems.push(String(error));
    const wrong = await differing();
    if (report.complete && wrong > 0) problems.push(`complete, though ${wrong} rows differ`);
    return { wrong, older: report.lists.some(({ older }) => older > 0) };
  };
  await sync();
  const before = [...accounts].slice(0, count);
  const ids = before.map(({ id }) => id);
  await sandbox.clock.advance(MINUTE);
  for (const id of ids) accounts.update(id, { name: `Newer ${id}` });
  await sync(random() < 0.5 ? ids.slice(0, 12) : []);
  await sandbox.clock.advance(1 + Math.floor(random() * 9 * MINUTE));
  for (const { id, name, updated_at } of before) accounts.update(id, { name, updated_at });
  let seenAt = Number.POSITIVE_INFINITY;
  for (let minute = 0, next = 0; minute <= 75; minute++) {
    await sandbox.clock.advance(MINUTE);
    if (minute < next) continue;
    const { wrong, older } = await sync(random() < 0.3 ? ids.slice(0, 12) : []);
    seenAt = Math.min(seenAt, minute);
    // Like `run`, sweeps the list again soon, after at most 11 minutes, if it showed older versions of records.
    next = minute + (older ? Math.min(every, 11) : every);
    if (minute - seenAt > 15 && wrong > 0) problems.push(`${wrong} rows differ after ${minute - seenAt} minutes`);
  }
  return problems.map((problem) => `seed ${seed}, every ${every} minutes, ${count} records: ${problem}`);
}

describe.each(["read committed", "repeatable read", "serializable"])("where the default is %s", (level) => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  test(`records that the service restores to older versions are copied, ${RESTORES.length} times`, {
    ...needs("postgres"),
    timeout: 60_000 + RESTORES.length * 20_000,
  }, async () => {
    const pool = new pg.Pool({
      connectionString: server.url,
      options: `-c default_transaction_isolation=${level.replace(" ", "\\ ")}`,
    });
    const problems: string[] = [];
    for (const seed of RESTORES) problems.push(...(await restore(pool, seed)).slice(0, 2));
    await pool.end();
    expect(problems).toEqual([]);
  });
});
