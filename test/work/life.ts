import { vi } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import { consumeOn } from "../../src/mirror/consume.js";
import { type Change, FeedGapError } from "../../src/mirror/index.js";
import { webhookInbox } from "../../src/stores/sqlite/index.js";
import { createWebhookHandler, signWebhook } from "../../src/webhooks/index.js";
import { copyIn } from "./long-lived.js";
import { HOUR, MINUTE, type World } from "./world.js";

type Names = Map<string, unknown>;

/** Everything that a school's own program runs: a copy, a follower and a consumer of its feed, and an inbox. */
export interface Life {
  /** Each part, the time within which it must work again, and whether it has processed the last `touch`. */
  readonly parts: readonly (readonly [name: string, interval: number, isWell: () => boolean])[];
  /** Renames two records, one of them with an event. */
  touch(): Promise<void>;
  inCopy(): Names;
  consumed(): Names;
  readonly followed: Names;
  /** Deliveries that were accepted and have not been handled. */
  unhandled(): readonly number[];
}

/** Starts all parts in one world. */
export function startLife(world: World): Life {
  const { clock, signal, raw, sandbox } = world;
  // Readers look every half minute instead of every second, or a month would take an hour.
  const seldom: Clock = {
    now: () => clock.now(),
    steady: () => sandbox.clock.steady(),
    setTimeout: (callback, ms) => clock.setTimeout(callback, Math.max(ms, MINUTE / 2)),
    clearTimeout: (timer) => clock.clearTimeout(timer),
  };
  const copy = copyIn(world, { tail: "5m", repair: "15m" });
  const followedCopy = copyIn(world, { clock: seldom });
  void copy.run({ signal }).catch(() => undefined);
  const namesIn = (table: string): Names => {
    try {
      const rows = raw.prepare(`SELECT CAST(id AS TEXT) AS id, name FROM ${table}`).all();
      return new Map(rows.map(({ id, name }) => [String(id), name]));
    } catch {
      // The tables do not exist yet.
      return new Map();
    }
  };

  // Restarts a program a minute after it has failed.
  const keepRunning = (work: () => Promise<unknown>) => {
    const again = () => void (signal.aborted || clock.setTimeout(start, MINUTE));
    const start = () => void work().then(again, again);
    start();
  };
  let followed: Names = new Map();
  let bookmark: string | number = 0;
  keepRunning(async () => {
    try {
      for await (const change of followedCopy.changes({ after: bookmark, follow: true, signal })) {
        if (change.after) followed.set(change.id, change.after.name);
        else followed.delete(change.id);
        bookmark = change.bookmark;
      }
    } catch (error) {
      if (!(error instanceof FeedGapError)) throw error;
      followed = namesIn("current_accounts");
      bookmark = error.bookmark;
    }
  });

  const MINE = "CREATE TABLE IF NOT EXISTS mine (id TEXT PRIMARY KEY, name TEXT)";
  const database = world.database();
  const handle = ({ id, after }: Change, tx: ReturnType<World["connection"]>) => {
    tx.exec(MINE);
    if (after) tx.prepare("INSERT OR REPLACE INTO mine VALUES (?, ?)").run(id, after.name);
    else tx.prepare("DELETE FROM mine WHERE id = ?").run(id);
  };
  const begin = (tx: ReturnType<World["connection"]>) =>
    tx.exec(`${MINE}; DELETE FROM mine; INSERT INTO mine SELECT CAST(id AS TEXT), name FROM current_accounts`);
  keepRunning(() =>
    consumeOn(seldom, database, "mine", handle as never, { follow: true, signal, begin: begin as never }),
  );

  vi.spyOn(Math, "random").mockReturnValue(0.9);
  const accepted = new Set<number>();
  const handled = new Set<number>();
  const handler = createWebhookHandler({
    signature: { secrets: "s" },
    store: webhookInbox(world.connection() as never),
    clock: seldom,
    report: () => {},
    backoff: { baseMs: MINUTE, maxMs: 5 * MINUTE },
    maxAttempts: 1_000,
    async onEvent(event) {
      if (event.event === "account.updated") await copy.apply(event);
      else handled.add(Number(event.event_data.id));
    },
  });
  handler.start();
  const send = async (event: string, id: number) => {
    const body = JSON.stringify({ tenant_id: "t", educator: "e", event, event_data: { id } });
    const headers = { ...(await signWebhook({ body, secrets: "s" })), "content-type": "application/json" };
    return handler(new Request("http://hooks/", { method: "POST", body, headers }));
  };

  const { accounts } = sandbox.store;
  const [first, second] = [...accounts].map(({ id }) => id) as [number, number];
  let turn = 0;
  const hasName = (names: Names, id: number) => names.get(String(id)) === `Turn ${turn}`;
  return {
    parts: [
      ["the inbox", 10 * MINUTE, () => accepted.has(turn) && handled.has(turn)],
      ["the copy, by an event", 15 * MINUTE, () => hasName(namesIn("accounts"), second)],
      // A resumed sweep does not read its first pages again, so their records are read only by the next sweep.
      ["the copy, by a sweep", 2 * HOUR + 5 * MINUTE, () => hasName(namesIn("accounts"), first)],
      ["the follower", 2 * HOUR + 10 * MINUTE, () => hasName(followed, first)],
      ["the consumer", 2 * HOUR + 10 * MINUTE, () => hasName(namesIn("mine"), first)],
    ],
    async touch() {
      turn++;
      for (const id of [first, second]) accounts.update(id as never, { name: `Turn ${turn}` } as never);
      if ((await send("invoice.updated", turn)).status === 200) accepted.add(turn);
      await send("account.updated", second);
    },
    inCopy: () => namesIn("current_accounts"),
    consumed: () => namesIn("mine"),
    get followed() {
      return followed;
    },
    unhandled: () => [...accepted].filter((id) => !handled.has(id)),
  };
}
