import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import type { ListReport, MirrorOptions } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { copyOf, recordsOf } from "./support/copies.js";
import { hiding } from "./support/keys.js";

type List = "accounts" | "credits" | "users" | "authentications";
type ApiKey = string | (() => string);

/** A service with one key that sees every record and another that sees only the records with even identifiers. */
function start(resources: readonly List[] = ["accounts"], size = 30) {
  const sandbox = createSandbox({ size, skipWaits: true });
  const all = sandbox.createKey();
  const half = sandbox.createKey();
  const database = new DatabaseSync(":memory:");
  const fetch = hiding(sandbox.fetch, (apiKey, id) => apiKey === half && id % 2 === 1);
  const mirrorWith = (apiKey: ApiKey, options: MirrorOptions<List> = {}, pageSize = 5) => {
    const client = new MainClient({ ...sandbox, apiKey, fetch, pageSize, retry: false });
    return copyOf(sandbox, client, { resources, ...options }, database);
  };
  const goneOf = (table: string) =>
    database
      .prepare(`SELECT id FROM "${table}" WHERE gone_at IS NOT NULL ORDER BY id`)
      .all()
      .map(({ id }) => id);
  /** Reads a number of pages, then stops as if the process had been killed. */
  const begin = async (apiKey: ApiKey, pages: number, options: MirrorOptions<List> = {}) => {
    const stop = new AbortController();
    let read = 0;
    const onProgress = () => {
      if (++read === pages) stop.abort(new Error("killed"));
    };
    await expect(mirrorWith(apiKey, options).copy.sync({ signal: stop.signal, onProgress })).rejects.toThrow("killed");
  };
  return { sandbox, all, half, mirrorWith, goneOf, begin, database };
}

const firstOf = async (sync: Promise<{ readonly lists: readonly ListReport[] }>) => (await sync).lists[0] as ListReport;

describe("a sweep that one key begins and a key with fewer rights resumes", () => {
  test.each(["accounts", "credits"] as const)("of %s marks nothing as gone, however often it runs", async (list) => {
    const { sandbox, all, half, mirrorWith, goneOf, begin } = start([list], list === "credits" ? 150 : 30);
    await mirrorWith(all).copy.sync();
    await begin(all, 3);
    const seen = [...sandbox.store[list]].filter(({ id }) => id % 2 === 0).length;
    const hidden = sandbox.store[list].count - seen;
    for (let run = 1; run <= 3; run++) {
      const report = await firstOf(mirrorWith(half).copy.sync());
      // The sweep began again, so the run has read everything that its key may see.
      expect(report).toMatchObject({
        read: seen,
        gone: 0,
        complete: false,
        held: { reason: "key", missing: hidden },
      });
    }
    expect(goneOf(list)).toEqual([]);
    expect(await firstOf(mirrorWith(all).copy.sync())).toMatchObject({ complete: true, gone: 0, changed: 0 });
    expect(mirrorWith(all).records(list)).toEqual(recordsOf(sandbox.store[list]));
  });

  test("of a list below a parent marks nothing as gone", async () => {
    const { sandbox, all, half, mirrorWith, goneOf, begin } = start(["users", "authentications"]);
    await mirrorWith(all).copy.sync();
    await begin(all, 10);
    for (let run = 1; run <= 3; run++) {
      const { lists, complete } = await mirrorWith(half).copy.sync();
      expect([complete, ...lists.map(({ held }) => held?.reason)]).toEqual([false, "key", "key"]);
    }
    expect([...goneOf("users"), ...goneOf("authentications")]).toEqual([]);
    expect((await mirrorWith(all).copy.sync()).complete).toBe(true);
    expect(mirrorWith(all).records("authentications")).toEqual(recordsOf(sandbox.store.authentications));
  });
});

test("a new key decides about records that it has seen itself, a person about the others", async () => {
  const { sandbox, all, mirrorWith, goneOf } = start();
  const other = sandbox.createKey();
  await mirrorWith(all).copy.sync();
  sandbox.store.accounts.delete(7);
  const { copy } = mirrorWith(other);
  expect(await firstOf(copy.sync())).toMatchObject({ gone: 0, complete: false, held: { reason: "key", missing: 1 } });
  sandbox.store.accounts.delete(9);
  expect(await firstOf(copy.sync())).toMatchObject({ gone: 1, complete: false, held: { reason: "key", missing: 1 } });
  expect(goneOf("accounts")).toEqual([9]);
  expect(await firstOf(copy.sync({ accept: ["accounts"] }))).toMatchObject({ gone: 1, complete: true, held: null });
  expect(goneOf("accounts")).toEqual([7, 9]);
  expect(await firstOf(copy.sync())).toMatchObject({ complete: true, held: null });
});

test("records that another key's webhook process has seen prove nothing for the key of the sweep", async () => {
  const { all, half, mirrorWith, goneOf, sandbox } = start();
  await mirrorWith(half).copy.sync();
  expect((await mirrorWith(all).copy.apply({ event: "account.updated", event_data: { id: 7 } })).outcome).toBe(
    "written",
  );
  for (let run = 1; run <= 2; run++) {
    const report = await firstOf(mirrorWith(half).copy.sync());
    expect(report).toMatchObject({ gone: 0, held: { reason: "key", missing: 1 } });
  }
  expect(goneOf("accounts")).toEqual([]);
  sandbox.store.accounts.update(8, { name: "Example Ltd" });
  // The other key confirms the row, so the row no longer depends on the first key alone.
  await mirrorWith(all).copy.apply({ event: "account.updated", event_data: { id: 8 } });
  sandbox.store.accounts.delete(8);
  expect(await firstOf(mirrorWith(half).copy.sync())).toMatchObject({ gone: 1, held: { reason: "key", missing: 1 } });
});

test("a record that a webhook brought before the first sweep counts as seen with the same key", async () => {
  const { sandbox, all, mirrorWith } = start();
  const { copy } = mirrorWith(all);
  await copy.apply({ event: "account.updated", event_data: { id: 7 } });
  sandbox.store.accounts.delete(7);
  expect(await firstOf(copy.sync())).toMatchObject({ gone: 1, complete: true, held: null });
});

test("another key does not read the tail of a list that it has not swept", async () => {
  const { sandbox, all, mirrorWith } = start();
  await mirrorWith(all).copy.sync();
  sandbox.store.accounts.insert();
  expect(await mirrorWith(sandbox.createKey()).copy.tail()).toEqual([]);
  expect(await mirrorWith(all).copy.tail()).toMatchObject([{ added: 1 }]);
});

describe("keys that change", () => {
  /** A key function that returns a new token each time. Each token is revoked after a number of requests. */
  const rotating = (sandbox: ReturnType<typeof createSandbox>, uses: number, used = { tokens: 0 }) => {
    let [token, left] = ["", 0];
    const fetch: typeof sandbox.fetch = (input, init) => {
      if (--left < 0) sandbox.revokeKey(token);
      return sandbox.fetch(input, init);
    };
    const apiKey = () => {
      [token, left] = [sandbox.createKey(), uses];
      used.tokens++;
      return token;
    };
    return { fetch, apiKey, used };
  };

  test("tokens of one function count as one key, however many a sweep uses", async () => {
    const sandbox = createSandbox({ size: 60, skipWaits: true });
    const { fetch, apiKey, used } = rotating(sandbox, 2);
    const client = new MainClient({ ...sandbox, apiKey, fetch, pageSize: 5 });
    const { copy, records } = copyOf(sandbox, client, { resources: ["accounts"] });
    await copy.sync();
    sandbox.store.accounts.delete(7);
    expect(await firstOf(copy.sync())).toMatchObject({ complete: true, gone: 1, read: 59 });
    expect(used.tokens).toBeGreaterThan(8);
    expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
  });

  test("the function of another process starts over, but continues under the same name", async () => {
    for (const [keyName, read] of [
      [undefined, 30],
      ["reports", 15],
    ] as const) {
      const { sandbox, mirrorWith, begin } = start();
      await begin(() => sandbox.createKey(), 3, { keyName });
      expect(await firstOf(mirrorWith(() => sandbox.createKey(), { keyName }).copy.sync())).toMatchObject({
        read,
        complete: true,
      });
    }
  });

  test("a name stays valid when its keys change", async () => {
    const { sandbox, mirrorWith, all } = start();
    await mirrorWith(all, { keyName: "reports" }).copy.sync();
    sandbox.store.accounts.delete(7);
    const { copy } = mirrorWith(sandbox.createKey(), { keyName: "reports" });
    expect(await firstOf(copy.sync())).toMatchObject({ complete: true, gone: 1 });
  });
});

test("neither the key nor its name is in the database", async () => {
  const { mirrorWith, all, database } = start();
  await mirrorWith(all, { keyName: "the name of a key" }).copy.sync();
  await mirrorWith(all).copy.sync();
  const kept = JSON.stringify(database.prepare("SELECT * FROM mirror_lists").all());
  expect(kept).toContain('\\"keySince\\"');
  expect(kept).not.toContain(all);
  expect(kept).not.toContain("the name of a key");
});

describe("a record that the new key has not seen stays even if", () => {
  test("no list contains it and the new key gets a 404", async () => {
    const { all, half, goneOf, database, sandbox } = start();
    const hidden = hiding(sandbox.fetch, (apiKey, id) => apiKey === half && id % 2 === 1);
    // With every key, the list leaves out account 7.
    const unlisted = hiding(hidden, (_, id) => id === 7);
    const fetch: typeof hidden = (input, init) => (/\/accounts\?/.test(String(input)) ? unlisted : hidden)(input, init);
    const mirrorWith = (apiKey: string) =>
      copyOf(sandbox, new MainClient({ ...sandbox, apiKey, fetch }), { resources: ["accounts"] }, database).copy;
    await mirrorWith(all).apply({ event: "account.updated", event_data: { id: 7 } });
    await mirrorWith(all).sync();
    for (let run = 1; run <= 2; run++) {
      expect(await firstOf(mirrorWith(half).sync())).toMatchObject({ gone: 0, held: { reason: "key", missing: 15 } });
    }
    expect(goneOf("accounts")).toEqual([]);
  });

  test("the new key could not read its parent before, and now reads it without the record", async () => {
    const { all, half, goneOf, database, sandbox } = start();
    const hidden = hiding(sandbox.fetch, (apiKey, id) => apiKey === half && id % 2 === 1);
    let seesParents = false;
    const fetch: typeof hidden = async (input, init) => {
      const isHalf = new Headers(init?.headers).get("authorization")?.includes(half) ?? false;
      const [, user] = /users\/(\d+)\/authentications/.exec(String(input)) ?? [];
      if (isHalf && seesParents && Number(user) % 2 === 1) return Response.json([]);
      return (seesParents && user === undefined ? sandbox.fetch : hidden)(input, init);
    };
    const resources = ["users", "authentications"] as const;
    const mirrorWith = (apiKey: string) =>
      copyOf(sandbox, new MainClient({ ...sandbox, apiKey, fetch, retry: false }), { resources }, database).copy;
    await mirrorWith(all).sync();
    await mirrorWith(half).sync();
    seesParents = true;
    for (let run = 1; run <= 2; run++) {
      const { lists } = await mirrorWith(half).sync();
      expect(lists.map(({ held }) => held?.reason)).toEqual([undefined, "key"]);
    }
    expect(goneOf("authentications")).toEqual([]);
  });
});

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

test("a new key decides about records that it read before its first sweep", async () => {
  const { all, sandbox, database } = start();
  const applied = gate();
  const swept = gate();
  const client = new MainClient({
    ...sandbox,
    apiKey: sandbox.createKey(),
    fetch: async (input, init) => {
      const response = await sandbox.fetch(input, init);
      if (/\/accounts\/7$/.test(String(input)) && response.ok) {
        sandbox.store.accounts.delete(7);
        sweeping = copy.sync();
        await swept.opened;
      } else if (/\/accounts\?/.test(String(input))) {
        swept.open();
        await applied.opened;
      }
      return response;
    },
  });
  let sweeping: Promise<unknown> | null = null;
  await copyOf(sandbox, new MainClient({ ...sandbox, apiKey: all }), { resources: ["accounts"] }, database).copy.sync();
  const { copy } = copyOf(sandbox, client, { resources: ["accounts"] }, database);
  await copy.apply({ event: "account.updated", event_data: { id: 7 } });
  applied.open();
  expect(await sweeping).toMatchObject({ lists: [{ complete: true, gone: 1, held: null }] });
});
