import type { ReceivedDelivery, WebhookDelivery, WebhookInbox } from "../../webhooks/store.js";
import type { DeadDelivery, InboxOperations } from "../inbox.js";
import { checkConnection, checkOptions, inboxSettings, type WebhookInboxOptions } from "../options.js";
import { type RedisConnection, type RunScript, scriptsOf } from "./connection.js";
import { jobIdOf, RedisRecords } from "./records.js";

/** What the inbox needs of a job of BullMQ. */
export interface BullStoredJob {
  readonly data: WebhookDelivery;
  readonly attemptsMade: number;
  readonly attemptsStarted: number;
  /** Whether the job waits. */
  isWaiting(): PromiseLike<boolean>;
  /** Whether the job failed for the last time. */
  isFailed(): PromiseLike<boolean>;
  /** Lets a delayed job run now. */
  promote(): PromiseLike<void>;
  /** Lets a failed job run again. */
  retry(state: "failed", options: { resetAttemptsMade: boolean }): PromiseLike<void>;
}

/** How the inbox adds a job. */
export interface BullJobOptions {
  jobId: string;
  attempts: number;
  backoff: { type: "exponential"; delay: number; jitter: number };
  removeOnComplete: { age: number };
  removeOnFail: { age: number };
}

/** What the inbox needs of a `Queue` of BullMQ. */
export interface BullQueue {
  /** Adds a job. */
  add(name: string, data: WebhookDelivery, options: BullJobOptions): PromiseLike<unknown>;
  /** The job with an identifier. */
  getJob(id: string): PromiseLike<BullStoredJob | undefined>;
  getJobState(id: string): PromiseLike<string>;
  /** How many jobs have each of these states. */
  getJobCounts(): PromiseLike<{ readonly [state: string]: number }>;
  /** The jobs with these states. */
  getJobs(states: "failed"[], start: number, end: number, oldestFirst: boolean): PromiseLike<BullStoredJob[]>;
}

/** Options of `webhookInbox` on Redis. */
export interface RedisInboxOptions extends WebhookInboxOptions {
  /** The BullMQ queue whose jobs the deliveries become. */
  readonly queue: BullQueue;
  /** How many times a delivery is handled before its job stays as failed. Default 12. */
  readonly attempts?: number | undefined;
}

/** An inbox whose deliveries are jobs of BullMQ, and what an operator needs. */
export interface QueueInbox extends WebhookInbox, InboxOperations {}

/**
 * Keeps deliveries as jobs of BullMQ, for a receiver; `webhookProcessor` handles them in workers. The connection is for what
 * BullMQ does not keep: which deliveries cannot be told apart, and the order, locks and versions of records. Let Redis write to
 * its disk (`appendonly yes`), or the deliveries end with it.
 * @throws ConfigurationError when the connection or the queue lacks a method or an option makes no sense.
 */
export function webhookInbox(connection: RedisConnection, options: RedisInboxOptions): QueueInbox {
  checkOptions("webhookInbox", options, { queue: 1, attempts: 1, prefix: 1, keepMs: 1 });
  const { queue, attempts = 12, prefix, keepMs } = options;
  checkConnection("webhookInbox", queue, ["add", "getJob", "getJobState", "getJobCounts", "getJobs"]);
  return new BullInbox(scriptsOf("webhookInbox", connection), queue, attempts, inboxSettings({ prefix, keepMs }));
}

const FIND_FOLD = `return redis.call('GET', KEYS[1])`;
const SET_FOLD = `redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`;

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
    if (foldKey !== null && (await this.#isWaiting(foldKey))) return "duplicate";
    // Before there is a job that a worker may begin with.
    if (delivery.record !== null) await this.records.join(delivery.record, delivery);
    // Two at the same moment still make one job: adding an id that exists changes nothing.
    await this.#queue.add(delivery.event, delivery, {
      jobId,
      attempts: this.#attempts,
      backoff: { type: "exponential", delay: 1_000, jitter: 1 },
      // Kept to recognise a delivery that is sent again: it has the same job id.
      removeOnComplete: { age: this.#keepMs / 1_000 },
      removeOnFail: { age: this.#keepMs / 1_000 },
    });
    if (foldKey !== null) await this.#run(SET_FOLD, [this.#foldKey(foldKey)], [jobId, this.#keepMs]);
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

  /** Tells whether a delivery with this key waits and was never handed out. */
  async #isWaiting(foldKey: string): Promise<boolean> {
    const jobId = await this.#run(FIND_FOLD, [this.#foldKey(foldKey)], []);
    const job = typeof jobId === "string" ? await this.#queue.getJob(jobId) : undefined;
    return job !== undefined && job.attemptsStarted === 0 && (await job.isWaiting());
  }

  #foldKey(foldKey: string): string {
    return `${this.#prefix}inbox:fold:{${foldKey}}`;
  }
}
