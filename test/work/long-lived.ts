import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { vi } from "vitest";
import { run as runBulk } from "../../src/bulk/node.js";
import { exportTo } from "../../src/export/node.js";
import { consumeOn } from "../../src/mirror/consume.js";
import {
  type Change,
  type Mirror,
  type MirrorDatabase,
  type MirrorOptions,
  mirror,
  postgres,
  sqlite,
} from "../../src/mirror/index.js";
import { createSchools, memoryTokens } from "../../src/schools/index.js";
import { webhookInbox } from "../../src/stores/sqlite/index.js";
import {
  createWebhookHandler,
  memoryStore,
  recoverWebhooks,
  signWebhook,
  type WebhookStore,
} from "../../src/webhooks/index.js";
import { startPglite } from "../support/pglite.js";
import { HOUR, MINUTE, STEP, type World } from "./world.js";

/** A part of the library that runs for months. */
export interface LongLived {
  readonly name: string;
  /** The time within which the part must work again after a disturbance. */
  readonly interval: number;
  /** Names of disturbances that do not concern the part. */
  readonly not?: readonly string[];
  start(world: World): Promise<Running>;
}

/** A started part. */
export interface Running {
  /** Runs just before a disturbance and leaves work that is due later. */
  before?(): Promise<unknown>;
  /** Gives the part something to do. */
  touch(): unknown;
  /** True if the part has processed the last `touch`. */
  isWell(): boolean;
}

/** Shared, because its start takes a second. */
let pglite: ReturnType<typeof startPglite> | undefined;

export const LONG_LIVED: readonly LongLived[] = [
  {
    name: "client with a key function, called every minute",
    interval: 10 * MINUTE,
    async start(world) {
      const client = world.client();
      return repeated(world, MINUTE, () => client.accounts.list({ per_page: 5 }).first());
    },
  },
  {
    name: "mirror.run, a list every hour",
    interval: HOUR + 5 * MINUTE,
    async start(world) {
      run(world, copyIn(world, { tail: false, repair: false }));
      return renamed(world, (isDone) => isDone(rowsOf(world)));
    },
  },
  {
    name: "mirror.run in Postgres, a list every hour",
    interval: HOUR + 5 * MINUTE,
    not: ["the copy is set back to an hour ago"],
    async start(world) {
      pglite ??= startPglite();
      const database = await pglite;
      await database.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
      const connection = world.inProcess(database as never);
      run(world, copyIn(world, { tail: false, repair: false }, postgres(connection)));
      let rows: readonly Named[] = [];
      world.repeat(MINUTE, async () => {
        const found = await database.query<{ record: Named }>("SELECT record FROM accounts");
        rows = found.rows.map(({ record }) => record);
      });
      return renamed(world, (isDone) => isDone(rows));
    },
  },
  {
    name: "mirror.run, the end of a list every 5 minutes",
    interval: 70 * MINUTE,
    async start(world) {
      run(world, copyIn(world, { every: { default: "6h" }, tail: "5m", repair: false }));
      let last: unknown;
      return {
        touch() {
          last = world.sandbox.store.accounts.insert({ name: "New" } as never).id;
        },
        isWell: () => rowsOf(world).some(({ id }) => id === last),
      };
    },
  },
  {
    name: "mirror.run, failed notifications every 15 minutes",
    interval: 20 * MINUTE,
    async start(world) {
      run(world, copyIn(world, { tail: false, repair: "15m" }));
      return countCalls(() => world.sandbox.requests.filter(({ operation }) => operation === "webhooks.list").length);
    },
  },
  {
    name: "follower of the feed, sync every 10 minutes",
    // A resumed sweep does not read its first pages again, so their records are read only by the next sweep.
    interval: 25 * MINUTE,
    async start(world) {
      const writer = copyIn(world);
      world.repeat(10 * MINUTE, () => writer.sync());
      if (world.databaseIs === "there") await world.pass(MINUTE);
      const received: Named[] = [];
      let isTold = false;
      const follow = async () => {
        for await (const { after } of copyIn(world).changes({ after: 0, follow: true, signal: world.signal }))
          if (after) received.push(after);
      };
      void follow().catch((error: Error) => {
        isTold = error.constructor.name === "FeedGapError";
      });
      return renamed(world, (isDone) => isTold || isDone(received));
    },
  },
  {
    name: "consumer of the feed, sync every 10 minutes",
    interval: 25 * MINUTE,
    async start(world) {
      const writer = copyIn(world);
      world.repeat(10 * MINUTE, () => writer.sync());
      if (world.databaseIs === "there") await world.pass(MINUTE);
      const database = world.database();
      const another = sqlite(new DatabaseSync(":memory:"));
      const received: Named[] = [];
      let begun = 0;
      const options = { follow: true, signal: world.signal, begin: () => ++begun };
      const handle = async ({ after }: Change) => {
        // Imitates work that looks something up in another copy, which another turn guards.
        await another.read("SELECT 1", []);
        if (after) received.push(after);
      };
      // A program that is restarted a minute after it has failed.
      const start = async () => {
        await consumeOn(world.clock, database, "letters", handle, options).catch(() => undefined);
        if (!world.signal.aborted) world.clock.setTimeout(start, MINUTE);
      };
      void start();
      // `begin` reads the tables.
      return renamed(world, (isDone) => isDone(received) || (begun > 0 && isDone(rowsOf(world))));
    },
  },
  inbox("inbox in memory", () => memoryStore()),
  inbox("inbox in SQLite", (world) => webhookInbox(world.connection() as never)),
  {
    name: "recovery of webhooks every 50 minutes",
    interval: 55 * MINUTE,
    async start(world) {
      const client = world.client();
      const received = new Set<number>();
      const put = async ({ payload }: { payload: string }) => {
        received.add(Number(JSON.parse(payload).event_data.id));
        return "stored" as const;
      };
      let [last, since] = [0, new Date(world.clock.now() - HOUR)];
      let isSubscribed = false;
      world.repeat(50 * MINUTE, async () => {
        if (!isSubscribed) await client.webhooks.create({ url: "https://hooks.example/", events: ["invoice.updated"] });
        isSubscribed = true;
        since = (await recoverWebhooks(client, { inbox: { put }, since, clock: world.clock })).until;
      });
      return {
        async touch() {
          world.sandbox.webhooks.send("invoice.updated", { id: ++last });
          await world.sandbox.webhooks.settled();
        },
        isWell: () => received.has(last),
      };
    },
  },
  {
    name: "a school's client, called every minute",
    interval: 10 * MINUTE,
    not: ["the key is replaced late"],
    async start(world) {
      const baseUrl = String(world.sandbox.baseUrl);
      const schools = createSchools({
        clientId: "agency",
        clientSecret: "a-secret-of-25-characters",
        redirectUri: "https://agency.example/callback",
        tokens: memoryTokens(),
        fetch: world.fetch,
        clock: world.clock,
      });
      const agreed = await world.fetch(await schools.authorizeUrl(baseUrl), { redirect: "manual" });
      await schools.connect(String(agreed.headers.get("location")));
      const client = await schools.client(baseUrl);
      return repeated(world, MINUTE, () => client.accounts.list({ per_page: 5 }).first());
    },
  },
  {
    name: "bulk run, every half hour",
    interval: 35 * MINUTE,
    async start(world) {
      const { users } = world.client();
      const to = join(world.folder, "people.plan");
      let turn = 0;
      return repeated(world, 30 * MINUTE, async () => {
        const row = { email: `jo${++turn}@example.com`, first_name: "Jo", last_name: "Fox" };
        const { complete } = await runBulk(users, [row], { to, key: "email" });
        if (!complete) throw new Error("not complete");
      });
    },
  },
  {
    name: "export with resume, every half hour",
    interval: 35 * MINUTE,
    async start(world) {
      const client = world.client();
      const file = join(world.folder, "accounts.ndjson");
      return repeated(world, 30 * MINUTE, () =>
        exportTo(file, client.accounts.list(), { format: "ndjson", resume: true }),
      );
    },
  },
];

/** Repeats work; the part works if the work succeeds again. */
function repeated(world: World, ms: number, work: () => Promise<unknown>): Running {
  let successes = 0;
  world.repeat(ms, async () => {
    await work();
    successes++;
  });
  return countCalls(() => successes);
}

/** Counts calls; the part works if the count has grown. */
function countCalls(count: () => number): Running {
  let before = 0;
  return {
    touch() {
      before = count();
    },
    isWell: () => count() > before,
  };
}

interface Named {
  readonly id: unknown;
  readonly name?: unknown;
}

/** Renames a record of which the part keeps a copy; the part works if the copy has the new name. */
function renamed(world: World, isWell: (isDone: (records: readonly Named[]) => boolean) => boolean): Running {
  let turn = 0;
  const { accounts } = world.sandbox.store;
  const [first] = [...accounts] as unknown as [{ readonly id: number }];
  const isDone = (records: readonly Named[]) =>
    records.some(({ id, name }) => String(id) === String(first.id) && name === `Turn ${turn}`);
  return {
    touch() {
      accounts.update(first.id, { name: `Turn ${++turn}` } as never);
    },
    isWell: () => isWell(isDone),
  };
}

/** A mirror of the accounts of a world. */
export function copyIn(
  world: World,
  more: MirrorOptions<"accounts"> = {},
  database: MirrorDatabase = world.database(),
): Mirror<"accounts"> {
  const options = { resources: ["accounts"], every: { default: "1h" }, clock: world.clock, share: 1, ...more } as const;
  return mirror(world.client(), database, options);
}

function run(world: World, copy: Mirror<"accounts">): void {
  void copy.run({ signal: world.signal }).catch(() => undefined);
}

function rowsOf({ raw }: World): readonly Named[] {
  try {
    return raw
      .prepare("SELECT record FROM accounts")
      .all()
      .map(({ record }) => JSON.parse(String(record)));
  } catch {
    // The tables do not exist yet.
    return [];
  }
}

function inbox(name: string, storeOf: (world: World) => WebhookStore): LongLived {
  return {
    name,
    interval: 10 * MINUTE,
    async start(world) {
      const accepted = new Set<number>();
      const handled = new Set<number>();
      let isWrong = false;
      let last = 0;
      const handler = createWebhookHandler({
        signature: { secrets: "s" },
        store: storeOf(world),
        clock: world.clock,
        report: () => {},
        backoff: { baseMs: MINUTE, maxMs: 5 * MINUTE },
        maxAttempts: 1_000,
        onEvent({ event_data: { id } }) {
          if (isWrong || world.refuses !== null) throw new Error("not now");
          handled.add(Number(id));
        },
      });
      handler.start();
      const send = async () => {
        const event = { tenant_id: "t", educator: "e", event: "invoice.updated", event_data: { id: ++last } };
        const body = JSON.stringify(event);
        const headers = { ...(await signWebhook({ body, secrets: "s" })), "content-type": "application/json" };
        const { status } = await handler(new Request("http://hooks/", { method: "POST", body, headers }));
        if (status === 200) accepted.add(last);
      };
      vi.spyOn(Math, "random").mockReturnValue(0.9);
      return {
        // Leaves a delivery that waits for its next attempt during the disturbance.
        async before() {
          isWrong = true;
          await send();
          await world.pass(STEP);
          isWrong = false;
        },
        touch: send,
        isWell: () => accepted.size > 0 && [...accepted].every((id) => handled.has(id)),
      };
    },
  };
}
