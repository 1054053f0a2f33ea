import { expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import type { Change } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { copyOf } from "./support/copies.js";

async function start(history = true) {
  const sandbox = createSandbox({ size: 30, skipWaits: true });
  const made = copyOf(sandbox, new MainClient({ ...sandbox, retry: false }), {
    resources: ["accounts", "credits"],
    history,
  });
  await made.copy.sync();
  return { sandbox, ...made };
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

test("the feed reports records added, changed, gone and returned, each with both versions", async () => {
  const { sandbox, copy } = await start();
  const before = sandbox.store.accounts.get(7);
  const bookmark = (await all(copy.changes())).at(-1)?.seq ?? 0;
  sandbox.store.accounts.update(7, { name: "Example Ltd" });
  await copy.sync();
  const changed = sandbox.store.accounts.get(7);
  sandbox.store.accounts.delete(7);
  await copy.sync();
  sandbox.store.accounts.insert({ ...changed, name: "Back" });
  await copy.sync();
  const changes = await all(copy.changes({ after: bookmark, resources: ["accounts"] }));
  const common = { list: "accounts", id: "7", parent: null };
  expect(changes).toMatchObject([
    { ...common, kind: "changed", before, after: changed, fields: expect.arrayContaining(["name"]) },
    { ...common, kind: "gone", before: changed, after: null, fields: [] },
    { ...common, kind: "returned", before: null, after: { id: 7, name: "Back" } },
  ]);
  expect(changes.map(({ seq }) => seq - bookmark)).toEqual([1, 2, 3]);
  expect(changes.filter(({ at }) => !(at instanceof Date))).toEqual([]);
});

test("a replay of the feed onto an empty database gives the same rows", async () => {
  const { sandbox, copy, records } = await start();
  for (let round = 1; round <= 5; round++) {
    sandbox.store.accounts.update(round, { name: `round ${round}` });
    sandbox.store.accounts.insert({ name: `new ${round}` });
    sandbox.store.accounts.delete(10 + round);
    sandbox.store.credits.delete(round);
    await copy.sync();
  }
  const replayed = { accounts: new Map<number, unknown>(), credits: new Map<number, unknown>() };
  for await (const { list, id, kind, before, after } of copy.changes()) {
    const rows = replayed[list as "accounts" | "credits"];
    if (kind === "changed" || kind === "gone") expect(rows.get(Number(id))).toEqual(before);
    if (after) rows.set(Number(id), after);
    else rows.delete(Number(id));
  }
  for (const table of ["accounts", "credits"] as const) {
    expect(new Map([...replayed[table]].sort(([a], [b]) => a - b))).toEqual(records(table));
  }
});

test("a consumer can follow the feed, and continues from its bookmark", async () => {
  const { sandbox, copy } = await start();
  const known = await all(copy.changes());
  const stop = new AbortController();
  const seen: Change[] = [];
  const following = (async () => {
    for await (const change of copy.changes({ after: known.at(-1)?.seq, follow: true, signal: stop.signal })) {
      seen.push(change);
      if (seen.length === 2) stop.abort(new Error("enough"));
    }
  })();
  sandbox.store.accounts.update(3, { name: "one" });
  await copy.sync();
  sandbox.store.accounts.update(3, { name: "two" });
  await copy.sync();
  await expect(following).rejects.toThrow("enough");
  expect(seen.map(({ after }) => after?.name)).toEqual(["one", "two"]);
});

test("a mirror without history stores no changes, and its feed reports this", async () => {
  const { copy, database } = await start(false);
  expect(database.prepare("SELECT count(*) AS rows FROM mirror_changes").get()).toEqual({ rows: 0 });
  expect(() => copy.changes()).toThrow("keeps no history");
});

test("invalid options are refused", async () => {
  const { copy } = await start();
  await expect(all(copy.changes({ after: -1 }))).rejects.toThrow(
    "after must be 0, a positive whole number, or the bookmark of a change",
  );
  await expect(all(copy.changes({ resources: ["courses"] }))).rejects.toThrow('"courses"');
});
