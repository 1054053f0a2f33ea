import { DatabaseSync } from "node:sqlite";
import { isEducationAdminError, MainClient } from "../../../src/index.js";
import { type Mirror, mirror, type SqliteConnection, type SqliteStatement, sqlite } from "../../../src/mirror/index.js";
import { createSandbox, type Fault, type Sandbox } from "../../../src/sandbox/index.js";
import type { WebhookEvent } from "../../../src/webhooks/index.js";
import { chance } from "../../support/chance.js";
import { LISTS, type List, listAt, OFTEN, REVISION, read, TABLES, toFieldValue } from "./history-lists.js";
import { type JumpingClock, jumpingClock } from "./jumping-clock.js";
import { hiding } from "./keys.js";
import { canonical } from "./random.js";

/**
 * Random histories of a service and its mirror, including everything that goes wrong between the two or with the clock
 * of the mirror's machine. A model that shares no code with the mirror computes what the copy may contain.
 */

interface AnyCollection extends Iterable<{ readonly id: number }> {
  readonly count: number;
  insert(fields: object): { readonly id: number };
  update(id: number, changes: object): object | undefined;
  delete(id: number): boolean;
  get(id: number): object | undefined;
}

/** The events of one history, and its first problem. */
export interface Told {
  readonly seed: number;
  readonly problem: string | null;
  readonly changes: number;
  readonly deletions: number;
  readonly kills: number;
  readonly faults: number;
  readonly runs: number;
  /** How often the mirror's key was changed. */
  readonly keys: number;
}

class Killed extends Error {}

/** Greater than every number in the seeded records. */
const FIRST_REVISION = 1_000_000;

/** Plays the history of a seed. */
export async function tell(seed: number): Promise<Told> {
  const told = new History(seed);
  try {
    await told.play();
    return { ...told.counts, seed, problem: null };
  } catch (error) {
    return { ...told.counts, seed, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

class History {
  readonly counts = { changes: 0, deletions: 0, kills: 0, faults: 0, runs: 0, keys: 0 };
  readonly #random: () => number;
  readonly #sandbox: Sandbox;
  readonly #clock: JumpingClock;
  readonly #file = new DatabaseSync(":memory:");
  readonly #events: WebhookEvent[] = [];
  /** The records that have been deleted at some time. */
  readonly #deleted = new Map<List, Set<number>>();
  readonly #applying = new Set<Promise<unknown>>();
  /** A key that cannot see every third record. */
  readonly #half: string;
  #apiKey: string | (() => string);
  #revision = 0;
  #alive: { killed: boolean; left: number } = { killed: false, left: Number.POSITIVE_INFINITY };
  #quiet = false;
  #unexpected: unknown = null;

  constructor(seed: number) {
    this.#random = chance(seed);
    this.#sandbox = createSandbox({ seed, size: 10 + this.#upTo(20), skipWaits: true, rateLimit: false });
    this.#clock = jumpingClock(this.#sandbox.clock, seed);
    this.#half = this.#sandbox.createKey();
    this.#apiKey = this.#sandbox.apiKey;
    this.#sandbox.webhooks.subscribe({
      to: async (request) => {
        this.#events.push((await request.json()) as WebhookEvent);
        return new Response();
      },
    });
  }

  async play(): Promise<void> {
    let mirrors = this.#start();
    for (let round = 1 + this.#upTo(4); round > 0; round--) {
      for (let changes = this.#upTo(8); changes > 0; changes--) this.#change();
      for (let faults = this.#upTo(3); faults > 0; faults--) this.#fault();
      if (this.#chance(0.3)) this.#alive.left = this.#upTo(60);
      const [first, second] = mirrors;
      this.#clock.jump(0.5);
      this.counts.runs++;
      const runs = [first.sync()];
      if (this.#chance(0.25)) runs.push(second.sync());
      if (this.#chance(0.2)) runs.push(first.tail() as never);
      this.#deliver(second);
      for (const run of await Promise.allSettled(runs)) {
        const { reason } = run as { reason?: unknown };
        if (reason && !(reason instanceof Killed) && !isEducationAdminError(reason)) this.#unexpected ??= reason;
      }
      await this.#sandbox.webhooks.settled();
      this.#deliver(first);
      while (this.#applying.size > 0) await Promise.allSettled([...this.#applying]);
      if (this.#unexpected) throw this.#unexpected;
      const killed = this.#alive.killed;
      if (killed) this.counts.kills++;
      const changed = this.#chance(0.3);
      if (changed) this.#changeKey();
      if (killed || changed) mirrors = this.#start();
      this.#alive.left = Number.POSITIVE_INFINITY;
      this.#check();
    }
    if (this.#apiKey === this.#half) {
      this.#apiKey = this.#sandbox.apiKey;
      mirrors = this.#start();
    }
    await this.#settle(mirrors[0]);
  }

  // After all faults and changes, a complete run must make the copy equal to the service.
  async #settle(copy: Mirror): Promise<void> {
    this.#quiet = true;
    this.#sandbox.faults.clear();
    // A sweep is considered later than a change only if the two are not in the same millisecond.
    await this.#sandbox.clock.advance(1_000);
    const since = this.#clock.now();
    // If the clock was set back, the date of a sweep that an earlier run began does not show that it began earlier, so
    // one more complete run follows.
    for (let runs = 1, whole = 0; ; runs++) {
      const { lists, complete } = await copy.sync({ accept: [...LISTS] });
      if (complete && lists.every(({ asOf }) => asOf !== null && asOf.getTime() >= since)) whole++;
      if (whole === 2) break;
      if (runs >= 5) {
        throw new Error(
          `no complete run: ${JSON.stringify(lists.filter((list) => !list.complete).map(({ error, ...rest }) => ({ ...rest, error: String(error) })))}`,
        );
      }
    }
    this.#check();
    const client = new MainClient(this.#sandbox);
    for (const list of LISTS) {
      const listed = await this.#listRecords(client, list);
      if (listed.length !== this.#collection(list).count) throw new Error(`${list}: the list is not the store's`);
      const expected = new Map(listed.map((record) => [record.id, record]));
      const found = new Map(
        this.#file
          .prepare(`SELECT id, record FROM current_${TABLES[list]}`)
          .all()
          .map(({ id, record }) => [id as number, JSON.parse(record as string) as unknown]),
      );
      if (expected.size !== found.size)
        throw new Error(`${list}: ${found.size} rows, the service has ${expected.size}`);
      for (const [id, record] of expected) {
        if (canonical(found.get(id)) !== canonical(record)) throw new Error(`${list} ${id} differs from the service`);
      }
    }
  }

  async #listRecords(client: MainClient, list: List): Promise<readonly { readonly id: number }[]> {
    if (list !== "authentications") return client[list].list().toArray();
    const users = [...this.#sandbox.store.users];
    return (await Promise.all(users.map(({ id }) => client.authentications.listForUser(id).toArray()))).flat();
  }

  // Switches to a key that sees less, to one that sees everything, or to a function that rotates keys.
  #changeKey(): void {
    this.counts.keys++;
    const kind = this.#random();
    if (kind < 0.4) this.#apiKey = this.#half;
    else if (kind < 0.7) this.#apiKey = this.#sandbox.createKey();
    else this.#apiKey = () => this.#sandbox.createKey();
  }

  #start(): [Mirror, Mirror] {
    const alive = { killed: false, left: Number.POSITIVE_INFINITY };
    this.#alive = alive;
    const fetch = hiding(this.#sandbox.fetch, (apiKey, id) => apiKey === this.#half && id % 3 === 0);
    const client = new MainClient({
      ...this.#sandbox,
      apiKey: this.#apiKey,
      pageSize: 7,
      retry: { limit: 1, backoffLimit: 1 },
      fetch: async (input, init) => {
        this.#step(alive);
        if (!this.#quiet) this.#clock.jump(0.02);
        if (!this.#quiet && this.#chance(0.15)) this.#change();
        const response = await this.#cutOff(await fetch(input, init));
        if (!this.#quiet && this.#chance(0.15)) this.#change(listAt(String(input)));
        if (!this.#quiet && this.#chance(0.15)) {
          // While this response is on its way, events are delivered, and other requests are sent, answered and stored.
          await turns(5);
          this.#deliver(first);
          await turns(this.#upTo(20));
        }
        this.#step(alive);
        return response;
      },
    });
    const database = sqlite(this.#mortal(alive));
    const options = { resources: LISTS, clock: this.#clock, share: 1 };
    const first = mirror(client, database, options);
    return [first as Mirror, mirror(client, database, options) as Mirror];
  }

  // Sometimes returns an empty or partial page that is marked as the last.
  async #cutOff(response: Response): Promise<Response> {
    if (this.#quiet || response.status !== 200 || !this.#chance(0.03)) return response;
    const body = (await response.json()) as unknown;
    const kept = Array.isArray(body) ? body.slice(0, this.#chance(0.5) ? 0 : this.#upTo(body.length)) : body;
    return Response.json(kept);
  }

  // A killed process does nothing more, and its open transaction is rolled back.
  #step(alive: { killed: boolean; left: number }): void {
    if (!alive.killed && alive.left-- <= 0) {
      alive.killed = true;
      try {
        this.#file.exec("ROLLBACK");
      } catch {
        // No transaction was open.
      }
    }
    if (alive.killed) throw new Killed("killed");
  }

  #mortal(alive: { killed: boolean; left: number }): SqliteConnection {
    const file = this.#file;
    return {
      exec: (sql) => {
        this.#step(alive);
        return file.exec(sql);
      },
      prepare: (sql): SqliteStatement => {
        this.#step(alive);
        const statement: SqliteStatement = file.prepare(sql);
        return {
          run: (...values) => {
            this.#step(alive);
            return statement.run(...values);
          },
          all: (...values) => {
            this.#step(alive);
            return statement.all(...values);
          },
        };
      },
    };
  }

  // Delivers events: some are lost, duplicated, late or out of order.
  #deliver(copy: Mirror): void {
    for (const event of this.#events.splice(0)) {
      if (this.#chance(0.2)) continue;
      if (this.#chance(0.2)) this.#events.push(event);
      if (this.#chance(0.3)) {
        this.#events.splice(this.#upTo(this.#events.length), 0, event);
        continue;
      }
      const applying = copy.apply(event).catch((error: unknown) => {
        if (!(error instanceof Killed) && !isEducationAdminError(error)) this.#unexpected ??= error;
      });
      this.#applying.add(applying);
      void applying.then(() => this.#applying.delete(applying));
    }
  }

  #change(list: List = OFTEN[this.#upTo(OFTEN.length - 1)] ?? "accounts"): void {
    const collection = this.#collection(list);
    const ids = [...collection].map(({ id }) => id);
    const id = ids[this.#upTo(ids.length - 1)];
    const number = FIRST_REVISION + ++this.#revision;
    const revision = { [REVISION[list]]: toFieldValue(list, number) };
    this.counts.changes++;
    const kind = this.#random();
    const { authentications, users } = this.#sandbox.store;
    if (kind < 0.35 || id === undefined) {
      const parents = [...users];
      const user_id = parents[this.#upTo(parents.length - 1)]?.id ?? 1;
      collection.insert(list === "authentications" ? { ...revision, user_id } : revision);
    } else if (kind < 0.75 || ids.length < 3) {
      const moved = this.#chance(0.5) && "updated_at" in (collection.get(id) ?? {});
      collection.update(id, {
        ...revision,
        ...(moved && { updated_at: new Date(this.#sandbox.clock.now()).toISOString() }),
      });
    } else {
      this.#delete(list, id);
      // Deleting a user also deletes the authentications below it.
      const below = list === "users" ? authentications.filter(({ user_id }) => user_id === id) : [];
      for (const authentication of below) this.#delete("authentications", authentication.id);
    }
  }

  #delete(list: List, id: number): void {
    this.#collection(list).delete(id);
    this.counts.deletions++;
    this.#deleted.set(list, (this.#deleted.get(list) ?? new Set()).add(id));
  }

  #fault(): void {
    const list = OFTEN[this.#upTo(OFTEN.length - 1)] ?? "accounts";
    const isSingle = (list === "accounts" || list === "enrollments" || list === "users") && this.#chance(0.3);
    const operation = list === "authentications" ? `${list}.listForUser` : `${list}.${isSingle ? "get" : "list"}`;
    const faults: Fault[] = [
      { retryAfter: 1 },
      { status: 500, times: 3 },
      { status: 503 },
      { reset: true, times: 2 },
      { cut: 0.5, times: 2 },
      { html: true },
      { status: 403, times: 1 + this.#upTo(5) },
      { status: 404, times: 1 + this.#upTo(2) },
    ];
    const fault = faults[this.#upTo(faults.length - 1)];
    this.counts.faults++;
    this.#sandbox.faults.next({ ...fault, operation: operation as "accounts.list" });
  }

  // Throws if the copy is in a state that must never occur: a row is marked as gone although its record was never
  // deleted, or a record was reverted to an older version.
  #check(): void {
    for (const list of LISTS) {
      const known = this.#file.prepare("SELECT name FROM sqlite_master WHERE name = ?").all(TABLES[list]);
      if (known.length === 0) continue;
      const gone = this.#file.prepare(`SELECT id FROM ${TABLES[list]} WHERE gone_at IS NOT NULL`).all();
      const deleted = this.#deleted.get(list) ?? new Set();
      for (const { id } of gone) {
        if (!deleted.has(id as number))
          throw new Error(`${list} ${String(id)} is marked as gone, but was never deleted`);
      }
    }
    this.#checkFeed();
  }

  #checkFeed(): void {
    const made = this.#file.prepare("SELECT name FROM sqlite_master WHERE name = 'mirror_changes'").all();
    if (made.length === 0) return;
    const newest = new Map<string, number>();
    const revise = (list: List, id: unknown, record: unknown) => {
      const key = `${list} ${String(id)}`;
      const number = read(list, (record as Record<string, unknown>)[REVISION[list]]);
      const revision = number > FIRST_REVISION ? number : 0;
      const before = newest.get(key) ?? 0;
      if (revision < before) throw new Error(`${key} went back from revision ${before} to ${revision}`);
      newest.set(key, revision);
    };
    const rows = this.#file
      .prepare("SELECT list, id, after FROM mirror_changes WHERE after IS NOT NULL ORDER BY seq")
      .all();
    for (const { list, id, after } of rows) revise(list as List, id, JSON.parse(after as string));
    for (const list of LISTS) {
      const table = this.#file.prepare("SELECT name FROM sqlite_master WHERE name = ?").all(TABLES[list]);
      if (table.length === 0) continue;
      for (const { id, record } of this.#file.prepare(`SELECT id, record FROM ${TABLES[list]}`).all()) {
        revise(list, id, JSON.parse(record as string));
      }
    }
  }

  #collection(list: List): AnyCollection {
    return this.#sandbox.store[list] as unknown as AnyCollection;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #upTo(most: number): number {
    return Math.floor(this.#random() * (most + 1));
  }
}

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
}
