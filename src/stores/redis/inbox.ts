import { methods, type OptionTable, optionsOf, whole } from "../../core/option-checks.js";
import {
  COPY_MS,
  isCopy,
  type Known,
  type ReceivedDelivery,
  type WebhookDelivery,
  type WebhookInbox,
} from "../../webhooks/store.js";
import { INBOX_OPTIONS, type WebhookInboxOptions } from "../options.js";
import type { DeadDelivery, InboxOperations } from "../sql-inbox.js";
import { type RedisConnection, type RunScript, scriptsOf } from "./connection.js";
import { jobIdOf, RedisRecords } from "./records.js";

/** The parts of a BullMQ job that the inbox uses. */
export interface BullStoredJob {
  readonly data: WebhookDelivery;
  readonly attemptsMade: number;
  /** True if the job has failed and will not be retried. */
  isFailed(): PromiseLike<boolean>;
  /** Runs a delayed job now. */
  promote(): PromiseLike<void>;
  /** Runs a failed job again. */
  retry(state: "failed", options: { resetAttemptsMade: boolean }): PromiseLike<void>;
}

/** The options with which the inbox adds a job. */
export interface BullJobOptions {
  jobId: string;
  attempts: number;
  backoff: { type: "exponential"; delay: number; jitter: number };
  removeOnComplete: { age: number };
  removeOnFail: { age: number };
}

/** The parts of a BullMQ `Queue` that the inbox uses. */
export interface BullQueue {
  /** Adds a job. */
  add(name: string, data: WebhookDelivery, options: BullJobOptions): PromiseLike<unknown>;
  /** Finds the job with this identifier. */
  getJob(id: string): PromiseLike<BullStoredJob | undefined>;
  getJobState(id: string): PromiseLike<string>;
  /** Counts the jobs in each state. */
  getJobCounts(): PromiseLike<{ readonly [state: string]: number }>;
  /** Lists the jobs in these states. */
  getJobs(states: "failed"[], start: number, end: number, oldestFirst: boolean): PromiseLike<BullStoredJob[]>;
}

/** Options for `webhookInbox` on Redis. */
export interface RedisInboxOptions extends WebhookInboxOptions {
  /** The BullMQ queue to which deliveries are added as jobs. */
  readonly queue: BullQueue;
  /** The number of attempts to handle a delivery before its job fails for good. Default 12. */
  readonly attempts?: number | undefined;
}

const OPTIONS = {
  ...INBOX_OPTIONS,
  queue: [/* @__PURE__ */ methods<BullQueue>("add", "getJob", "getJobState", "getJobCounts", "getJobs")],
  attempts: [/* @__PURE__ */ whole(1, 1_000_000), 12],
} satisfies OptionTable<RedisInboxOptions>;

/** An inbox whose deliveries are BullMQ jobs, with operations to inspect and repair it. */
export interface QueueInbox extends WebhookInbox, InboxOperations {}

/**
 * Keeps a receiver's deliveries as BullMQ jobs; `webhookProcessor` handles them in workers. The inbox itself stores
 * which deliveries are duplicates, and the order, locks and versions of records. Configure Redis to write to disk
 * (`appendonly yes`, `appendfsync always`); otherwise it loses deliveries when it stops.
 * @throws ConfigurationError if the connection or the queue lacks a method, or an option is invalid.
 */
export function webhookInbox(connection: RedisConnection, options: RedisInboxOptions): QueueInbox {
  const { queue, attempts, ...settings } = optionsOf("webhookInbox", options, OPTIONS);
  return new BullInbox(scriptsOf("webhookInbox", connection), queue as BullQueue, attempts, settings);
}

const GET = `return redis.call('GET', KEYS[1])`;
const SET = `redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`;

class BullInbox implements QueueInbox {
  readonly records: RedisRecords;
  readonly #run: RunScript;
  readonly #queue: BullQueue;
  readonly #attempts: number;
  readonly #prefix: string;
  readonly #keepMs: number;

  constructor(run: RunScript, queue: BullQueue, attempts: number, settings: { prefix: string; keepMs: number }) {
    this.#run = run;
    this.#queue = queue;
    this.#attempts = attempts;
    this.#prefix = settings.prefix;
    this.#keepMs = settings.keepMs;
    this.records = new RedisRecords(run, settings, {
      state: (id) => queue.getJobState(id),
      promote: async (id) => (await queue.getJob(id))?.promote(),
    });
  }

  put = async ({ foldKey, ...delivery }: ReceivedDelivery): Promise<"stored" | "duplicate"> => {
    const jobId = jobIdOf(delivery);
    if ((await this.#queue.getJobState(jobId)) !== "unknown") return "duplicate";
    const { record, receivedAt, sentAt } = delivery;
    if (record !== null) {
      const last = this.#key("last", record);
      const equal = foldKey === null ? undefined : await this.#equal(foldKey);
      const known = { ...delivery, foldKey };
      if (equal && isCopy(known, equal, (await this.#run(GET, [last], [])) === equal.jobId)) return "duplicate";
      // The job's id is stored before the job is added, because a worker may start it at once. The `foldKey` is stored
      // last: a failure then costs only the recognition of duplicates, not the delivery itself.
      await this.#run(SET, [last], [jobId, COPY_MS]);
      await this.records.join(record, delivery);
    }
    // Simultaneous calls still add only one job, because adding an existing id changes nothing.
    await this.#queue.add(delivery.event, delivery, {
      jobId,
      attempts: this.#attempts,
      backoff: { type: "exponential", delay: 1_000, jitter: 1 },
      // Completed jobs are kept, so that a repeated delivery is recognized by its job id.
      removeOnComplete: { age: this.#keepMs / 1_000 },
      removeOnFail: { age: this.#keepMs / 1_000 },
    });
    if (foldKey !== null) {
      const added = JSON.stringify({ jobId, foldKey, receivedAt, sentAt });
      await this.#run(SET, [this.#key("fold", foldKey)], [added, this.#keepMs]);
    }
    return "stored";
  };

  count = async (): Promise<Record<"waiting" | "done" | "dead", number>> => {
    const { completed: done = 0, failed: dead = 0, ...others } = await this.#queue.getJobCounts();
    return { waiting: Object.values(others).reduce((sum, many) => sum + many, 0), done, dead };
  };

  listDead = async (limit = 100): Promise<readonly DeadDelivery[]> => {
    const jobs = await this.#queue.getJobs(["failed"], 0, limit - 1, true);
    return jobs.map(({ data: { id, event, receivedAt }, attemptsMade: attempt }) => ({
      id,
      event,
      receivedAt,
      attempt,
    }));
  };

  revive = async (id: string): Promise<boolean> => {
    const job = await this.#queue.getJob(jobIdOf({ id }));
    if (!job || !(await job.isFailed())) return false;
    await job.retry("failed", { resetAttemptsMade: true });
    return true;
  };

  async #equal(foldKey: string): Promise<(Known & { readonly jobId: string }) | undefined> {
    const text = await this.#run(GET, [this.#key("fold", foldKey)], []);
    return typeof text === "string" ? JSON.parse(text) : undefined;
  }

  #key(what: "fold" | "last", of: string): string {
    return `${this.#prefix}inbox:${what}:{${of}}`;
  }
}
