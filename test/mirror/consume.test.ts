import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { changes, consume, FeedGapError, mirror, prune, sqlite } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { amount } from "../support/amount.js";
import { chance } from "../support/chance.js";
import { canonical } from "./support/random.js";

const HISTORIES = amount(6, 300);
type List = "accounts" | "courses" | "leads";
const LISTS: readonly List[] = ["accounts", "courses", "leads"];

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "mirror-consume-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

class Killed extends Error {}

/**
 * Records change, lists are added to the mirror and taken away, the feed is pruned, the database is restored from a copy or made anew,
 * and two consumers of one name are killed within their transactions. In the end what they wrote is what the copy holds.
 */
async function history(seed: number, path: string): Promise<string | null> {
  const random = chance(seed);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const sandbox = createSandbox({ seed, size: 12, skipWaits: true, rateLimit: false });
  const client = new MainClient({ ...sandbox, retry: false });
  const files = { number: 0, backup: null as string | null };
  const open = () => new DatabaseSync(join(path, `${seed}-${files.number}.sqlite`));
  let lists: List[] = ["accounts"];
  let connections: DatabaseSync[] = [];
  const connect = () => {
    const made = open();
    connections.push(made);
    return made;
  };
  const TABLE = "CREATE TABLE IF NOT EXISTS mine (list TEXT, id TEXT, record TEXT, PRIMARY KEY (list, id))";
  const begin = (tx: DatabaseSync) => {
    tx.exec(`${TABLE}; DELETE FROM mine`);
    for (const list of LISTS) {
      const [has] = tx.prepare("SELECT 1 AS found FROM mirror_lists WHERE name = ?").all(list);
      if (has) tx.exec(`INSERT INTO mine SELECT '${list}', CAST(id AS TEXT), record FROM current_${list}`);
    }
  };
  const follow = async (isMortal: boolean, from: DatabaseSync = connect()) => {
    let left = isMortal ? upTo(25) : Number.POSITIVE_INFINITY;
    await consume(
      sqlite(from),
      "mine",
      ({ list, id, after }, tx) => {
        tx.exec(TABLE);
        if (after) tx.prepare("INSERT OR REPLACE INTO mine VALUES (?, ?, ?)").run(list, id, JSON.stringify(after));
        else tx.prepare("DELETE FROM mine WHERE list = ? AND id = ?").run(list, id);
        // The process ends after it has written, before its transaction does.
        if (left-- <= 0) throw new Killed("killed");
      },
      { begin },
    ).catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
    });
  };
  const sync = async () => void (await mirror(client, sqlite(connect()), { resources: lists, share: 1 }).sync());
  await sync();
  for (let round = 0; round < 8; round++) {
    for (let many = upTo(6); many > 0; many--) {
      const list = LISTS[upTo(2)] ?? "accounts";
      const collection = sandbox.store[list];
      const ids = [...collection].map(({ id }) => id);
      const id = ids[upTo(ids.length - 1)] as number;
      if (random() < 0.2) collection.delete(id);
      else collection.update(id, { [list === "leads" ? "title" : "name"]: `${seed} ${round} ${many}` } as object);
    }
    await sandbox.clock.advance(3_600_000);
    const what = random();
    if (what < 0.2) lists = LISTS.filter((list) => list === "accounts" || random() < 0.6);
    else if (what < 0.35) await prune(sqlite(connect()), { before: 1 + upTo(60) });
    else if (what < 0.5) {
      files.backup = join(path, `${seed}-backup-${round}.sqlite`);
      connect().exec(`VACUUM INTO '${files.backup}'`);
    } else if (what < 0.65 && files.backup && existsSync(files.backup)) {
      // What the consumer keeps is elsewhere, such as in letters that were sent: here its table and bookmark survive the restore.
      const kept = connect().prepare("SELECT name, bookmark, lists FROM mirror_consumers").all();
      const mine = connect().prepare("SELECT name FROM sqlite_master WHERE name = 'mine'").all().length;
      const rows = mine ? connect().prepare("SELECT list, id, record FROM mine").all() : [];
      for (const each of connections) each.close();
      connections = [];
      files.number++;
      new DatabaseSync(files.backup).exec(`VACUUM INTO '${join(path, `${seed}-${files.number}.sqlite`)}'`);
      const restored = connect();
      restored.exec(`${TABLE}; DELETE FROM mine; DELETE FROM mirror_consumers`);
      for (const { list, id, record } of rows)
        restored.prepare("INSERT INTO mine VALUES (?, ?, ?)").run(list as string, id as string, record as string);
      for (const { name, bookmark, lists: had } of kept)
        restored
          .prepare("INSERT INTO mirror_consumers VALUES (?, ?, ?)")
          .run(name as string, bookmark as string, had as string);
    }
    if (random() < 0.8) await sync();
    await Promise.all([follow(random() < 0.5), ...(random() < 0.4 ? [follow(true)] : [])]);
  }
  await sync();
  await follow(false);
  const end = connect();
  const copied = end
    .prepare("SELECT name FROM mirror_lists")
    .all()
    .map(({ name }) => String(name));
  const expected = copied.flatMap((list) =>
    end.prepare(`SELECT '${list}' AS list, CAST(id AS TEXT) AS id, record FROM current_${list}`).all(),
  );
  const text = (rows: readonly Record<string, unknown>[]) =>
    rows.map(({ list, id, record }) => `${list} ${id} ${canonical(JSON.parse(String(record)))}`).sort();
  const [mine, theirs] = [text(end.prepare("SELECT list, id, record FROM mine").all()), text(expected)];
  for (const each of connections) each.close();
  const missing = theirs.filter((row) => !mine.includes(row)).length;
  const surplus = mine.filter((row) => !theirs.includes(row)).length;
  return missing + surplus === 0 ? null : `seed ${seed}: ${missing} missing, ${surplus} too many`;
}

test(`${HISTORIES} histories leave a consumer with what the copy holds`, {
  timeout: 60_000 + HISTORIES * 10_000,
}, async () => {
  const path = folder();
  const wrong: string[] = [];
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const problem = await history(seed, path);
    if (problem) wrong.push(problem);
  }
  expect(wrong).toEqual([]);
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

  test("gives what a list brings that the mirror copies later", async () => {
    const { connection, make, bookmarkOf, sandbox } = await start();
    const bookmark = await bookmarkOf();
    await make(["accounts", "courses"]).sync();
    expect(await read(connection, bookmark)).toHaveLength(sandbox.store.courses.count);
  });

  test("of a copy that was made anew, or changed without history, says so and where to go on", async () => {
    const { connection, make, bookmarkOf, sandbox } = await start();
    const bookmark = await bookmarkOf();
    const anew = new DatabaseSync(":memory:");
    await make(["accounts"], true, anew).sync();
    await expect(read(anew, bookmark)).rejects.toThrow("after is from another copy");
    sandbox.store.accounts.update(3, { name: "Unnoted" });
    await make(["accounts"], false).sync();
    const gap = (await read(connection, bookmark).catch((error: unknown) => error)) as FeedGapError;
    expect(gap).toBeInstanceOf(FeedGapError);
    expect(gap.message).toContain("changed by a mirror without history");
    expect(await read(connection, gap.bookmark)).toEqual([]);
    await expect(read(connection, 0)).rejects.toThrow("were removed");
  });

  test("is that of a change: a number that was used again is not it", async () => {
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

  test("of a quiet list stays good when others' changes are removed, and a change removed while it is read is not given", async () => {
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

  test("of `consume` moves with what the handler wrote, and a list more means to begin anew", async () => {
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
    expect(connection.prepare("SELECT count(*) AS rows FROM done").get()).toEqual({ rows: 4 });
    expect(await consume(database, "one", () => undefined, options)).toBe(16);
    await expect(consume(database, "one", () => undefined)).rejects.toThrow("has followed accounts only");
    let begun = 0;
    await consume(database, "one", () => undefined, { begin: () => ++begun });
    expect(begun).toBe(1);
    expect(await consume(database, "one", () => undefined)).toBe(0);
  });
});
