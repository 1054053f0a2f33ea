import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { changes, consume, FeedGapError, mirror, prune, sqlite } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { seeds } from "../support/amount.js";
import { feedHistory } from "./support/feed-history.js";
import { sqlitePlace } from "./support/feed-places.js";

const HISTORIES = seeds("mirror/consume", 2, 240);

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "mirror-consume-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test(`after ${HISTORIES.length} histories, consumers have the same records as the copy`, {
  timeout: 60_000 + HISTORIES.length * 10_000,
}, async () => {
  const path = folder();
  const wrong: string[] = [];
  for (const seed of HISTORIES) {
    const problem = await feedHistory(seed, sqlitePlace(path, `${seed}`));
    if (problem) wrong.push(problem);
  }
  expect(wrong).toEqual([]);
});

test("readers of a copy refuse options that they do not know", async () => {
  const database = sqlite(new DatabaseSync(":memory:"));
  const copy = mirror(new MainClient(createSandbox()), database, { resources: ["labels"] });
  await copy.sync();
  const handle = () => expect.unreachable();
  expect(() => changes(database, { afterr: 40 } as never)).toThrow(/afterr is unknown; did you mean "after"/);
  for (const wrong of [{ resource: ["labels"] }, { after: 1 }, { begin: "now" }])
    await expect(consume(database, "a", handle, wrong as never)).rejects.toThrow(/(is unknown|must be a function)/);
  await expect(copy.freshness("labels", { atMosst: "1ms" } as never)).rejects.toThrow(/atMosst is unknown/);
});

describe("a bookmark", () => {
  async function start() {
    const sandbox = createSandbox({ size: 20, skipWaits: true, rateLimit: false });
    const client = new MainClient(sandbox);
    const connection = new DatabaseSync(":memory:");
    const make = (resources: readonly ("accounts" | "courses")[], history = true, at = connection) =>
      mirror(client, sqlite(at), { resources, history, share: 1 });
    await make(["accounts"]).sync();
    const bookmarkOf = async () => {
      let last: string | number = 0;
      for await (const { bookmark } of changes(sqlite(connection))) last = bookmark;
      return last;
    };
    return { sandbox, connection, make, bookmarkOf };
  }
  const read = async (connection: DatabaseSync, after: string | number) => {
    const found: string[] = [];
    for await (const { list, id } of changes(sqlite(connection), { after })) found.push(`${list} ${id}`);
    return found;
  };

  test("delivers the records of a list that the mirror copies later", async () => {
    const { connection, make, bookmarkOf, sandbox } = await start();
    const bookmark = await bookmarkOf();
    await make(["accounts", "courses"]).sync();
    expect(await read(connection, bookmark)).toHaveLength(sandbox.store.courses.count);
  });

  test("of a copy that was created again, or changed without history, causes an error that names the place to continue", async () => {
    const { connection, make, bookmarkOf, sandbox } = await start();
    const bookmark = await bookmarkOf();
    const anew = new DatabaseSync(":memory:");
    await make(["accounts"], true, anew).sync();
    await expect(read(anew, bookmark)).rejects.toThrow("`after` is from another copy");
    sandbox.store.accounts.update(3, { name: "Unnoted" });
    await make(["accounts"], false).sync();
    const gap = (await read(connection, bookmark).catch((error: unknown) => error)) as FeedGapError;
    expect(gap).toBeInstanceOf(FeedGapError);
    expect(gap.message).toContain("changed by a mirror without history");
    expect(await read(connection, gap.bookmark)).toEqual([]);
    await expect(read(connection, 0)).rejects.toThrow("were removed");
  });

  test("identifies a change: a reused number does not match it", async () => {
    const { connection, make, sandbox } = await start();
    const path = join(folder(), "backup.sqlite");
    connection.exec(`VACUUM INTO '${path}'`);
    const change = async (name: string, at: DatabaseSync) => {
      for (const id of [1, 2, 3]) sandbox.store.accounts.update(id, { name });
      await make(["accounts"], true, at).sync();
    };
    await change("one", connection);
    let bookmark = "";
    for await (const change of changes(sqlite(connection))) bookmark = change.bookmark;
    const restored = new DatabaseSync(path);
    await change("two", restored);
    await expect(read(restored, bookmark)).rejects.toThrow("restored to an earlier state");
  });

  test("of a quiet list stays valid if other lists' changes are removed, and a change removed during a read is not returned", async () => {
    const { connection, make, sandbox } = await start();
    const both = make(["accounts", "courses"]);
    await both.sync();
    let quiet = "";
    for await (const { bookmark } of changes(sqlite(connection), { resources: ["accounts"] })) quiet = bookmark;
    for (const name of ["one", "two"]) {
      for (const { id } of [...sandbox.store.courses]) sandbox.store.courses.update(id, { name });
      await both.sync();
    }
    const reading = changes(sqlite(connection), { after: quiet });
    await reading.next();
    for (const { id } of [...sandbox.store.courses]) sandbox.store.courses.update(id, { name: "three" });
    await both.sync();
    expect(await prune(sqlite(connection), { before: 1_000_000 })).toBeGreaterThan(0);
    await expect(
      (async () => {
        for await (const { after } of reading) expect(after).not.toBeNull();
      })(),
    ).rejects.toThrow(FeedGapError);
    const rest: unknown[] = [];
    for await (const change of changes(sqlite(connection), { after: quiet, resources: ["accounts"] }))
      rest.push(change);
    expect(rest).toEqual([]);
  });

  test("of `consume` is stored together with the handler's writes, and an additional list means starting over", async () => {
    const { connection, make } = await start();
    await make(["accounts", "courses"]).sync();
    const database = sqlite(connection);
    connection.exec("CREATE TABLE done (id TEXT)");
    const options = { resources: ["accounts"] };
    const handled = consume(
      database,
      "one",
      ({ id }, tx) => {
        tx.prepare("INSERT INTO done VALUES (?)").run(id);
        if (id === "5") throw new Error("no");
      },
      options,
    );
    await expect(handled).rejects.toThrow("no");
    await expect(consume(database, "", () => undefined)).rejects.toThrow("consume: name must be text");
    expect(connection.prepare("SELECT count(*) AS rows FROM done").get()).toEqual({ rows: 4 });
    expect(await consume(database, "one", () => undefined, options)).toBe(16);
    await expect(consume(database, "one", () => undefined)).rejects.toThrow("has so far followed only accounts");
    let begun = 0;
    await consume(database, "one", () => undefined, { begin: () => ++begun });
    expect(begun).toBe(1);
    expect(await consume(database, "one", () => undefined)).toBe(0);
  });
});

describe("a field that the service adds", () => {
  async function copied() {
    const sandbox = createSandbox({ size: 20, skipWaits: true, rateLimit: false });
    let added = false;
    const client = new MainClient({
      ...sandbox,
      on: { drift: () => undefined },
      async fetch(url, init) {
        const response = await sandbox.fetch(url, init);
        if (!added) return response;
        const records = (await response.json()) as object[];
        return Response.json(
          records.map((each) => ({ ...each, mood: null })),
          { headers: response.headers },
        );
      },
    });
    const database = sqlite(new DatabaseSync(":memory:"));
    const copy = mirror(client, database, { resources: ["accounts"], share: 1 });
    await copy.sync();
    const add = () => {
      added = true;
    };
    return { sandbox, database, sync: () => copy.sync(), add };
  }

  test("is named in the sweep's report, with the number of records that differ in nothing else", async () => {
    const { sandbox, sync, add } = await copied();
    await new MainClient(sandbox).accounts.update(1, { name: "Edited" });
    add();
    const [list] = (await sync()).lists;
    expect(list).toMatchObject({ changed: 20, reshaped: [{ field: "mood", records: 19 }] });
    expect((await sync()).lists[0]?.reshaped).toEqual([]);
  });

  test("can be skipped by `consume`, which passes on all other changes", async () => {
    const { sandbox, database, sync, add } = await copied();
    await consume(database, "letters", () => undefined);
    await new MainClient(sandbox).accounts.update(1, { name: "Edited" });
    add();
    await sync();
    const handled: string[] = [];
    const count = await consume(database, "letters", ({ id }) => void handled.push(id), { ignore: "reshaped" });
    expect([count, handled]).toEqual([1, ["1"]]);
    expect(await consume(database, "letters", () => expect.fail("was passed over"))).toBe(0);
    const wrong = consume(database, "letters", () => undefined, { ignore: "all" as "reshaped" });
    await expect(wrong).rejects.toThrow('ignore must be "reshaped"');
  });
});
