import { expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { seeds } from "../support/amount.js";
import { chance } from "../support/chance.js";
import { copyOf, recordsOf } from "./support/copies.js";
import { canonical } from "./support/random.js";

const RESTORES = seeds("mirror/restored", 1, 200);
const MINUTE = 60_000;
const INTERVALS = ["1m", "5m", "15m", "60m"] as const;

/**
 * Gives records newer values, sometimes with webhooks, and then restores their older values and times. @returns the
 * problems.
 */
async function restore(seed: number): Promise<string[]> {
  const random = chance(seed);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const every = INTERVALS[seed % 4] ?? "5m";
  const count = [1, 10, 60][Math.floor(seed / 4) % 3] as number;
  const sandbox = createSandbox({ seed, size: 60, skipWaits: true, rateLimit: false, now: "2030-01-01T00:00:00Z" });
  const client = new MainClient({ ...sandbox, pageSize: 25 });
  const { accounts } = sandbox.store;
  const problems: string[] = [];
  let seenAt = Number.POSITIVE_INFINITY;
  let isRestored = false;
  const { copy, records } = copyOf(sandbox, client, {
    resources: ["accounts"],
    every: { default: every },
    repair: false,
    onReport: ({ complete, error }) => {
      if (error) problems.push(String(error));
      if (isRestored) seenAt = Math.min(seenAt, sandbox.clock.now());
      const wrong = differing();
      if (complete && wrong > 0) problems.push(`complete, though ${wrong} rows differ`);
    },
  });
  const differing = () => {
    const there = records("accounts");
    return [...recordsOf(accounts)].filter(([id, record]) => canonical(there.get(id)) !== canonical(record)).length;
  };
  const stop = new AbortController();
  const running = copy.run({ signal: stop.signal }).catch(() => undefined);
  await sandbox.clock.advance((1 + upTo(70)) * MINUTE);
  const before = [...accounts].slice(0, count);
  for (const { id } of before) accounts.update(id, { name: `Newer ${id}` });
  const told = random() < 0.5;
  if (!told) await sandbox.clock.advance((1 + upTo(70)) * MINUTE);
  else for (const { id } of before) await copy.apply({ event: "account.updated", event_data: { id } });
  await sandbox.clock.advance(upTo(9) * MINUTE + 1);
  for (const { id, name, updated_at } of before) accounts.update(id, { name, updated_at });
  isRestored = true;
  for (let minute = 0; minute < 140; minute++) {
    await sandbox.clock.advance(MINUTE);
    const since = sandbox.clock.now() - seenAt;
    if (since > 15 * MINUTE && differing() > 0)
      problems.push(`${differing()} rows differ after ${since / MINUTE} minutes`);
  }
  if (seenAt === Number.POSITIVE_INFINITY) problems.push("no run after the restore");
  stop.abort();
  await running;
  return problems.map((problem) => `seed ${seed}, every ${every}, ${count} records: ${problem}`);
}

test(`records that the service restores to older versions are copied within 15 minutes, and no run is complete before: ${RESTORES.length} times`, {
  timeout: 60_000 + RESTORES.length * 10_000,
}, async () => {
  const problems: string[] = [];
  for (const seed of RESTORES) problems.push(...(await restore(seed)).slice(0, 2));
  expect(problems).toEqual([]);
});
