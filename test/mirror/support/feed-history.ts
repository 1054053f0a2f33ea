import type { MainClient } from "../../../src/index.js";
import { MainClient as Client } from "../../../src/index.js";
import { changes, consume, FeedGapError, type MirrorDatabase, mirror, prune } from "../../../src/mirror/index.js";
import { createSandbox } from "../../../src/sandbox/index.js";
import { chance } from "../../support/chance.js";
import { jumpingClock } from "./jumping-clock.js";
import { canonical } from "./random.js";

export type List = "accounts" | "courses" | "leads";
const LISTS: readonly List[] = ["accounts", "courses", "leads"];

/** A record as a consumer stores it. */
export interface Kept {
  readonly list: string;
  readonly id: string;
  readonly record: string;
}

/** A database server that keeps one copy and can restore an earlier state of it. */
export interface FeedPlace<Tx> {
  /** Opens a connection like a newly started process. */
  connect(): MirrorDatabase<Tx>;
  /** Runs a statement with `?` for each value, either on its own or in a consumer's transaction. */
  run(sql: string, values?: readonly string[], tx?: Tx): Promise<void>;
  rows<Row>(sql: string, tx?: Tx): Promise<Row[]>;
  /** Ends the process that runs this transaction. May throw to do so. */
  kill(tx: Tx): Promise<void>;
  backUp(): Promise<void>;
  /** Restores the last backup, or creates an empty database if there is none. */
  setBack(): Promise<void>;
  close(): Promise<void>;
}

class Killed extends Error {}

/** A consumer that keeps its bookmark and its data outside the database, so that a restore does not affect them. */
class Elsewhere<Tx> {
  readonly records = new Map<string, string>();
  #bookmark: string | number = 0;

  async follow(place: FeedPlace<Tx>): Promise<void> {
    try {
      for await (const { bookmark, list, id, after } of changes(place.connect(), { after: this.#bookmark })) {
        if (after) this.records.set(`${list} ${id}`, canonical(after));
        else this.records.delete(`${list} ${id}`);
        this.#bookmark = bookmark;
      }
    } catch (error) {
      if (!(error instanceof FeedGapError)) throw error;
      // The error contains the bookmark from which to continue once the tables have been read.
      this.records.clear();
      for (const { list, id, record } of await readCopy(place))
        this.records.set(`${list} ${id}`, canonical(JSON.parse(record)));
      this.#bookmark = error.bookmark;
    }
  }
}

async function listsIn<Tx>(place: FeedPlace<Tx>, tx?: Tx): Promise<string[]> {
  return (await place.rows<{ name: string }>("SELECT name FROM mirror_lists", tx)).map(({ name }) => name);
}

async function readCopy<Tx>(place: FeedPlace<Tx>): Promise<Kept[]> {
  const all: Kept[] = [];
  for (const list of await listsIn(place)) {
    const query = `SELECT '${list}' AS list, CAST(id AS TEXT) AS id, CAST(record AS TEXT) AS record FROM current_${list}`;
    all.push(...(await place.rows<Kept>(query)));
  }
  return all;
}

/**
 * Plays a history in which records change, lists join and leave the mirror, and the feed is pruned. The database is
 * restored from a backup or created again, and the mirror's clock jumps. The mirror is killed during syncs, and two consumers with the same name are
 * killed during their transactions. At the end the consumers' data must equal the copy.
 * @returns the problem, or null if there is none.
 */
export async function feedHistory<Tx>(seed: number, place: FeedPlace<Tx>): Promise<string | null> {
  const random = chance(seed);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const sandbox = createSandbox({ seed, size: 12, skipWaits: true, rateLimit: false });
  const clock = jumpingClock(sandbox.clock, seed);
  let requestsLeft = Number.POSITIVE_INFINITY;
  let kill = () => {};
  const client: MainClient = new Client({
    ...sandbox,
    retry: false,
    pageSize: 5,
    fetch: (input, init) => {
      if (requestsLeft-- <= 0) kill();
      return sandbox.fetch(input, init);
    },
  });
  let lists: List[] = ["accounts"];
  const other = new Elsewhere<Tx>();
  const table = () =>
    place.run("CREATE TABLE IF NOT EXISTS mine (list TEXT, id TEXT, record TEXT, PRIMARY KEY (list, id))");
  const begin = async (tx: Tx) => {
    await place.run("DELETE FROM mine", [], tx);
    for (const list of await listsIn(place, tx)) {
      const query = `SELECT '${list}', CAST(id AS TEXT), CAST(record AS TEXT) FROM current_${list}`;
      await place.run(`INSERT INTO mine ${query}`, [], tx);
    }
  };
  const follow = async (isMortal: boolean) => {
    let left = isMortal ? upTo(25) : Number.POSITIVE_INFINITY;
    let isKilled = false;
    const handling = consume(
      place.connect(),
      "mine",
      async ({ list, id, after }, tx) => {
        const upsert =
          "INSERT INTO mine VALUES (?, ?, ?) ON CONFLICT (list, id) DO UPDATE SET record = excluded.record";
        if (after) await place.run(upsert, [list, id, JSON.stringify(after)], tx);
        else await place.run("DELETE FROM mine WHERE list = ? AND id = ?", [list, id], tx);
        if (left-- > 0) return;
        // The process ends after its write but before its transaction is committed.
        isKilled = true;
        await place.kill(tx);
        throw new Killed("killed");
      },
      { begin },
    );
    await handling.catch((error: unknown) => {
      if (!isKilled) throw error;
    });
  };
  const sync = async (isMortal: boolean) => {
    const stop = new AbortController();
    kill = () => stop.abort(new Killed("killed"));
    requestsLeft = isMortal ? upTo(6) : Number.POSITIVE_INFINITY;
    const copy = mirror(client, place.connect(), { resources: lists, share: 1, clock });
    await copy.sync({ signal: stop.signal }).catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
    });
  };
  const change = () => {
    const list = LISTS[upTo(2)] ?? "accounts";
    const collection = sandbox.store[list];
    const ids = [...collection].map(({ id }) => id);
    const id = ids[upTo(ids.length - 1)] as number;
    if (random() < 0.2) collection.delete(id);
    else collection.update(id, { [list === "leads" ? "title" : "name"]: `${seed} ${upTo(1_000_000)}` } as object);
  };
  await sync(false);
  await table();
  for (let round = 0; round < 8; round++) {
    for (let many = upTo(6); many > 0; many--) change();
    await sandbox.clock.advance(3_600_000);
    clock.jump(0.3);
    const what = random();
    if (what < 0.2) lists = LISTS.filter((list) => list === "accounts" || random() < 0.6);
    else if (what < 0.3) await prune(place.connect(), { before: 1 + upTo(60) });
    else if (what < 0.35) await prune(place.connect(), { before: new Date(clock.now() - upTo(4) * 3_600_000) });
    else if (what < 0.5) await place.backUp();
    else if (what < 0.65) {
      // Imitates a consumer with effects outside the database, such as sent letters: its table and its bookmark survive
      // the restore.
      const rows = await place.rows<Kept>("SELECT list, id, record FROM mine");
      const marks = await place.rows<{ name: string; bookmark: string; lists: string }>(
        "SELECT name, bookmark, lists FROM mirror_consumers",
      );
      await place.setBack();
      await sync(false);
      await table();
      await place.run("DELETE FROM mine");
      await place.run("DELETE FROM mirror_consumers");
      for (const { list, id, record } of rows) await place.run("INSERT INTO mine VALUES (?, ?, ?)", [list, id, record]);
      for (const { name, bookmark, lists: had } of marks)
        await place.run("INSERT INTO mirror_consumers VALUES (?, ?, ?)", [name, bookmark, had]);
    }
    if (random() < 0.8) await sync(random() < 0.3);
    await Promise.all([follow(random() < 0.5), ...(random() < 0.4 ? [follow(true)] : [])]);
    if (random() < 0.7) await other.follow(place);
  }
  await sync(false);
  await follow(false);
  await other.follow(place);
  const theirs = (await readCopy(place)).map(
    ({ list, id, record }) => `${list} ${id} ${canonical(JSON.parse(record))}`,
  );
  const kept = await place.rows<Kept>("SELECT list, id, record FROM mine");
  const consumers = {
    "of consume": kept.map(({ list, id, record }) => `${list} ${id} ${canonical(JSON.parse(record))}`),
    "of changes": [...other.records].map(([name, record]) => `${name} ${record}`),
  };
  await place.close();
  for (const [name, mine] of Object.entries(consumers)) {
    const missing = theirs.filter((row) => !mine.includes(row)).length;
    const surplus = mine.filter((row) => !theirs.includes(row)).length;
    if (missing + surplus > 0) return `seed ${seed}, ${name}: ${missing} missing, ${surplus} too many`;
  }
  return null;
}
