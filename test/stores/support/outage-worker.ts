// A program whose parts keep their state in one database. It prints one line for each piece of work and for each
// message about trouble with the database. It ends when its standard input closes.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { Queue, Worker } from "bullmq";
import { MainClient, type RateLimitStore } from "education-admin-sdk";
import { apply, plan } from "education-admin-sdk/bulk";
import { mirror, postgres as postgresOf } from "education-admin-sdk/mirror";
import * as postgres from "education-admin-sdk/stores/postgres";
import * as redis from "education-admin-sdk/stores/redis";
import {
  createWebhookHandler,
  toNodeHandler,
  type WebhookDelivery,
  type WebhookHandler,
  type WebhookReport,
} from "education-admin-sdk/webhooks";
import { Redis } from "ioredis";
import pg from "pg";
import { createClient } from "redis";
import { FastClock } from "../../campaign/support/fast-clock.ts";

/** The instructions for a program. */
export interface OutageWork {
  readonly parts: readonly Part[];
  readonly database: "postgres" | "ioredis" | "node-redis";
  readonly url: string;
  /** The address of the service that counts the requests. */
  readonly limited: string;
  readonly limit: number;
  readonly windowMs: number;
  /** The service that has the records. */
  readonly school: { readonly baseUrl: string; readonly apiKey: string };
  readonly number: number;
  readonly started: number;
}

export type Part = "limit" | "inbox" | "mirror" | "feed" | "journal";

/** A line that a program prints. */
export type OutageLine =
  | { readonly part: Part; readonly did: number | string }
  | { readonly part: Part; readonly said: string }
  | { readonly part: Part; readonly failed: string }
  | { readonly part: "inbox"; readonly url: string };

const work = JSON.parse(process.argv[2] ?? "") as OutageWork;
const tell = (line: OutageLine) => process.stdout.write(`${JSON.stringify(line)}\n`);
const stop = new AbortController();
const { signal } = stop;
const closing: (() => unknown)[] = [];

const openPool = (settings: pg.PoolConfig = {}) => {
  const pool = new pg.Pool({ connectionString: work.url, max: 4, connectionTimeoutMillis: 3_000, ...settings });
  closing.push(() => pool.end());
  return pool;
};

async function openLimits(): Promise<RateLimitStore> {
  if (work.database === "postgres") return postgres.rateLimitStore(openPool());
  if (work.database === "ioredis") {
    const connection = new Redis(work.url, { maxRetriesPerRequest: 1, retryStrategy: () => 100 });
    connection.on("error", () => undefined);
    closing.push(() => connection.disconnect());
    return redis.rateLimitStore(connection);
  }
  const connection = createClient({ url: work.url, disableOfflineQueue: true, socket: { reconnectStrategy: 100 } });
  connection.on("error", () => undefined);
  await connection.connect();
  closing.push(() => connection.destroy());
  return redis.rateLimitStore(connection);
}

// Makes ten calls at a time, as many as the limit allows.
async function callAllTheTime(): Promise<void> {
  console.warn = (text: string) => tell({ part: "limit", said: text });
  const rateLimit = { requests: work.limit, windowMs: work.windowMs, reserve: 0, store: await openLimits() };
  const client = new MainClient({ baseUrl: work.limited, apiKey: "one-token", rateLimit, validation: "off" });
  const lane = async () => {
    while (!signal.aborted) {
      await client.accounts.get(1, { signal }).then(
        () => tell({ part: "limit", did: work.number }),
        (error) => signal.aborted || tell({ part: "limit", failed: String(error) }),
      );
    }
  };
  for (let lanes = 0; lanes < 10; lanes++) void lane();
}

const webhooks = {
  leaseMs: 2_000,
  onEvent: async ({ event_data }: { readonly event_data: object }) => {
    await setTimeout(5);
    tell({ part: "inbox", did: String((event_data as { id?: unknown }).id) });
  },
  report(report: WebhookReport) {
    if (report.kind === "failed") tell({ part: "inbox", said: `${report.what}: ${String(report.error)}` });
    if (report.kind === "dead") tell({ part: "inbox", failed: String(report.error) });
  },
};

function receive(): void {
  const handler = work.database === "postgres" ? withPool() : withQueue();
  const server = createServer(toNodeHandler(handler));
  server.listen(0, "127.0.0.1", () => {
    tell({ part: "inbox", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  closing.push(async () => {
    server.close();
    server.closeAllConnections();
    await handler.close();
  });
}

function withPool(): WebhookHandler {
  const store = { ...postgres.webhookInbox(openPool({ query_timeout: 5_000 })), pollMs: 100 };
  return createWebhookHandler({ ...webhooks, backoff: { baseMs: 50, maxMs: 1_000 }, signature: false, store });
}

function withQueue(): WebhookHandler {
  // Follows the guide: while Redis is down, the receiver fails at once and the worker waits.
  const receiver = new Redis(work.url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    retryStrategy: () => 100,
  });
  const connection = new Redis(work.url, { maxRetriesPerRequest: null, retryStrategy: () => 100 });
  const queue = new Queue<WebhookDelivery, void, string>("webhooks", { connection: receiver });
  const handler = createWebhookHandler({
    ...webhooks,
    signature: false,
    store: redis.webhookInbox(receiver, { queue }),
  });
  const handle = redis.webhookProcessor(connection, webhooks);
  const settings = { connection, lockDuration: 2_000, stalledInterval: 1_000, maxStalledCount: 1_000 };
  const worker = new Worker<WebhookDelivery>("webhooks", (job, token) => handle(job, token), settings);
  receiver.on("error", () => undefined);
  connection.on("error", () => undefined);
  queue.on("error", () => undefined);
  worker.on("error", (error) => tell({ part: "inbox", said: String(error) }));
  closing.push(async () => {
    await worker.close(true);
    await queue.close();
    receiver.disconnect();
    connection.disconnect();
  });
  return handler;
}

const school = () => new MainClient({ ...work.school, rateLimit: false });

function copyAllTheTime(): void {
  const copy = mirror(school(), postgresOf(openPool()), {
    resources: ["accounts"],
    every: { default: "1m" },
    tail: "20s",
    // On this clock, a minute of waiting takes half a second.
    clock: new FastClock(120, work.started),
    onReport: ({ complete, error }) =>
      tell(complete ? { part: "mirror", did: 1 } : { part: "mirror", said: String(error?.message) }),
  });
  copy.run({ signal }).catch((error) => signal.aborted || tell({ part: "mirror", failed: String(error) }));
  const follow = async () => {
    const onWait = ({ error }: { readonly error: Error }) => tell({ part: "feed", said: error.message });
    for await (const { seq } of copy.changes({ follow: true, signal, onWait })) tell({ part: "feed", did: seq });
  };
  follow().catch((error) => signal.aborted || tell({ part: "feed", failed: String(error) }));
}

// Applies one plan after the other, and starts each one again until it is complete.
async function writeAllTheTime(): Promise<void> {
  const pool = openPool();
  const client = school();
  for (let number = 1; !signal.aborted; number++) {
    const journal = postgres.bulkJournal(pool, `plan-${number}`);
    const rows = Array.from({ length: 10 }, (_, row) => ({
      email: `person-${number}-${row}@example.com`,
      first_name: "New",
      last_name: `P${row}`,
    }));
    let isPlanned = false;
    for (let isDone = false; !isDone && !signal.aborted; ) {
      try {
        if (!isPlanned) await plan(client.users, rows, { to: journal, key: "email", signal });
        isPlanned = true;
        isDone = (await apply(client, journal, { settleMs: 500, signal })).complete;
      } catch (error) {
        if (signal.aborted) return;
        tell({ part: "journal", said: String(error) });
        await setTimeout(200);
      }
    }
    if (!signal.aborted) tell({ part: "journal", did: number });
  }
}

process.stdin.resume().once("end", async () => {
  stop.abort();
  // A database that is down must not delay the test.
  await Promise.race([Promise.allSettled(closing.map((close) => close())), setTimeout(3_000)]);
  process.exit(0);
});
if (work.parts.includes("limit")) await callAllTheTime();
if (work.parts.includes("inbox")) receive();
if (work.parts.includes("mirror")) copyAllTheTime();
if (work.parts.includes("journal")) void writeAllTheTime();
