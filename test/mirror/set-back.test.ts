import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { copyOf, recordsOf } from "./support/copies.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A copy on a machine whose clock can be wrong. */
function start() {
  const sandbox = createSandbox({ size: 3, skipWaits: true, rateLimit: false });
  const base = sandbox.clock;
  const { accounts } = sandbox.store;
  const database = new DatabaseSync(":memory:");
  let ahead = 0;
  const newCopy = () => {
    const clock = {
      now: () => base.now() + ahead,
      steady: () => base.steady(),
      setTimeout: (callback: () => void, ms: number) => base.setTimeout(callback, ms),
      clearTimeout: (timer: unknown) => base.clearTimeout(timer),
    };
    const client = new MainClient(sandbox);
    return copyOf(sandbox, client, { resources: ["accounts"], clock }, database).copy;
  };
  const { records } = copyOf(sandbox, new MainClient(sandbox), { resources: ["accounts"] }, database);
  return {
    base,
    accounts,
    newCopy,
    records,
    setClock(ms: number) {
      ahead = ms;
    },
  };
}

test.each([
  ["one process", false, 1],
  // A new process learns only from its second run how much time has passed since the clock was right again.
  ["a process for each run", true, 2],
])("a record that was restored after the clock was wrong is copied within minutes: %s", async (_, isNew, runs) => {
  const { base, accounts, newCopy, records, setClock } = start();
  let copy = newCopy();
  const sync = async () => {
    if (isNew) copy = newCopy();
    return copy.sync();
  };
  await sync();
  const { name, updated_at } = accounts.get(1) ?? {};
  setClock(24 * HOUR);
  await base.advance(HOUR);
  accounts.update(1, { name: "Newer" });
  await sync();
  setClock(0);
  accounts.update(1, { name, updated_at } as object);
  for (let run = 1; run <= runs; run++) {
    expect(records("accounts"), `before run ${run}`).not.toEqual(recordsOf(accounts));
    await base.advance(11 * MINUTE);
    const { lists } = await sync();
    expect(lists).toMatchObject([{ older: run < runs ? 1 : 0, complete: run === runs }]);
  }
  expect(records("accounts")).toEqual(recordsOf(accounts));
});

test("an older version is not copied sooner because the clock was wrong", async () => {
  const { base, accounts, newCopy, setClock } = start();
  const copy = newCopy();
  await copy.sync();
  const { name, updated_at } = accounts.get(1) ?? {};
  accounts.update(1, { name: "Newer" });
  setClock(24 * HOUR);
  await copy.sync();
  setClock(0);
  await base.advance(9 * MINUTE);
  // Imitates a slow replica.
  accounts.update(1, { name, updated_at } as object);
  expect((await copy.sync()).lists).toMatchObject([{ older: 1, changed: 0 }]);
});
