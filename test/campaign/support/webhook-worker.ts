// One process of the webhooks campaign: a receiver and its worker on a durable inbox, with listeners that are slow,
// fail or hang. The process logs its steps and may be killed at any moment.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import {
  createWebhookHandler,
  toNodeHandler,
  type WebhookContext,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookReport,
  type WebhookStore,
} from "education-admin-sdk/webhooks";
import { createRandom, seedOf } from "./random.ts";
import { openLog, type Step } from "./webhook-log.ts";

/** The kinds of inboxes that the campaign tests. */
export type InboxKind = "sqlite" | "postgres" | "bullmq";

/** The instructions for a process. */
export interface WebhookWork {
  readonly kind: InboxKind;
  /** The path of the file, or the address of the database. */
  readonly url: string;
  readonly log: string;
  readonly secret: string;
  readonly seed: number;
  /** The number of this process. */
  readonly process: number;
}

// Longer than any wait for the lock of a shared file, during which a process cannot run its timers.
const LISTENER_MS = 3_000;
const LEASE_MS = 5_000;
const work = JSON.parse(process.argv[2] ?? "") as WebhookWork;
const write = openLog(work.log);

// The accepted deliveries by identifier, because reports and stores contain only the identifier.
const known = new Map<string, { record: number; version: number }>();
function note(step: Step, delivery: string): void {
  const { record, version } = known.get(delivery) ?? { record: 0, version: 0 };
  write({ step, delivery, record, version, process: work.process });
}

function remember({ id, payload }: WebhookDelivery): void {
  const { event_data } = JSON.parse(payload) as WebhookEvent;
  known.set(id, { record: Number(event_data.id), version: Number(event_data.version) });
}

async function listener(_: WebhookEvent, { deliveryId, attempt }: WebhookContext): Promise<void> {
  const random = createRandom(seedOf(work.seed, deliveryId, attempt));
  note("began", deliveryId);
  const chance = random.next();
  if (chance < 0.004 && attempt < 4) await new Promise(() => undefined);
  if (chance < 0.054) await setTimeout(random.whole(50, 300));
  else await setTimeout(random.whole(0, 10));
  if (chance > 0.95 && attempt < 4) throw new Error("at random");
  note("effect", deliveryId);
}

const options = {
  outOfOrder: "drop",
  listenerTimeoutMs: LISTENER_MS,
  leaseMs: LEASE_MS,
  onEvent: listener,
  report(report: WebhookReport) {
    if (report.kind === "dropped") note("dropped", report.deliveryId);
    // Prints failures that are not caused by the listeners, so that a person sees them.
    if (report.kind === "dead" || report.kind === "failed") process.stderr.write(`${work.kind}: ${tell(report)}\n`);
  },
} as const;
const signature = { secrets: work.secret };

function tell(report: WebhookReport & { kind: "dead" | "failed" }): string {
  return `${report.kind} ${"what" in report ? report.what : ""} ${String(report.error)}`;
}

function withStore(store: WebhookStore, close: () => unknown) {
  const noted: WebhookStore = {
    ...store,
    pollMs: 100,
    take: async (request) => {
      const taken = await store.take(request);
      for (const delivery of taken) remember(delivery);
      return taken;
    },
    done: async (id, version) => {
      await store.done(id, version);
      note("done", id);
    },
  };
  const handler = createWebhookHandler({ ...options, backoff: { baseMs: 50, maxMs: 1_000 }, signature, store: noted });
  return {
    handler,
    close: async () => {
      await handler.close();
      await close();
    },
  };
}

async function withQueue() {
  const { Queue, Worker } = await import("bullmq");
  const { Redis } = await import("ioredis");
  const { webhookInbox, webhookProcessor } = await import("education-admin-sdk/stores/redis");
  const connection = new Redis(work.url, { maxRetriesPerRequest: null });
  const queue = new Queue<WebhookDelivery, void, string>("webhooks", { connection });
  const handler = createWebhookHandler({ signature, store: webhookInbox(connection, { queue }) });
  const handle = webhookProcessor(connection, options);
  const worker = new Worker<WebhookDelivery>(
    "webhooks",
    (job, token) => {
      remember(job.data);
      return handle(job, token);
    },
    { connection, concurrency: 10, lockDuration: LEASE_MS, stalledInterval: 1_000, maxStalledCount: 1_000 },
  );
  worker.on("completed", (job) => note("done", job.data.id));
  connection.on("error", () => undefined);
  queue.on("error", () => undefined);
  worker.on("error", () => undefined);
  return {
    handler,
    close: async () => {
      await worker.close();
      await Promise.all([handle.close(), handler.close(), queue.close()]);
      connection.disconnect();
    },
  };
}

// Loads only the module of its own inbox, because loading all of them would take longer than a process lives.
async function open() {
  if (work.kind === "bullmq") return withQueue();
  if (work.kind === "postgres") {
    const { default: pg } = await import("pg");
    const { webhookInbox } = await import("education-admin-sdk/stores/postgres");
    const pool = new pg.Pool({ connectionString: work.url, max: 6 });
    pool.on("error", () => undefined);
    return withStore(webhookInbox(pool), () => pool.end());
  }
  const { DatabaseSync } = await import("node:sqlite");
  const { webhookInbox } = await import("education-admin-sdk/stores/sqlite");
  const connection = new DatabaseSync(work.url);
  return withStore(webhookInbox(connection), () => connection.close());
}

const { handler, close } = await open();
const server = createServer(toNodeHandler(handler));
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once("SIGTERM", async () => {
  server.close();
  server.closeIdleConnections();
  await close();
  process.exit(0);
});
