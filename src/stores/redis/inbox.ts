import type { ReceivedDelivery, WebhookDelivery, WebhookInbox, WebhookRecords } from "../../webhooks/store.js";
import { checkConnection, checkOptions, inboxSettings, type WebhookInboxOptions } from "../options.js";
import { type RedisConnection, type RunScript, scriptsOf } from "./connection.js";
import { RedisRecords } from "./records.js";

/** What the inbox needs of a job of BullMQ. */
export interface BullWaitingJob {
  readonly attemptsStarted: number;
  isWaiting(): PromiseLike<boolean>;
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
  add(name: string, data: WebhookDelivery, options: BullJobOptions): PromiseLike<unknown>;
  getJob(id: string): PromiseLike<BullWaitingJob | undefined>;
  getJobState(id: string): PromiseLike<string>;
}

/** Options of `webhookInbox` on Redis. */
export interface RedisInboxOptions extends WebhookInboxOptions {
  /** The BullMQ queue whose jobs the deliveries become. */
  readonly queue: BullQueue;
  /** How many times a delivery is handled before its job stays as failed. Default 12. */
  readonly attempts?: number | undefined;
}

/**
 * Keeps deliveries as jobs of BullMQ, for a receiver; `webhookProcessor` handles them in workers. The connection is for what
 * BullMQ does not keep: which deliveries cannot be told apart, and the locks and versions of records. Let Redis write to its
 * disk (`appendonly yes`), or the deliveries end with it.
 * @throws ConfigurationError when the connection or the queue lacks a method or an option makes no sense.
 */
export function webhookInbox(connection: RedisConnection, options: RedisInboxOptions): WebhookInbox {
  checkOptions("webhookInbox", options, { queue: 1, attempts: 1, prefix: 1, keepMs: 1 });
  const { queue, attempts = 12, prefix, keepMs } = options;
  checkConnection("webhookInbox", queue, ["add", "getJob", "getJobState"]);
  return new BullInbox(scriptsOf("webhookInbox", connection), queue, attempts, inboxSettings({ prefix, keepMs }));
}

const FIND_FOLD = `return redis.call('GET', KEYS[1])`;
const SET_FOLD = `redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`;

class BullInbox implements WebhookInbox {
  readonly records: WebhookRecords;
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
    this.records = new RedisRecords(run, settings.prefix, settings.keepMs);
  }

  put = async ({ record: _record, foldKey, ...delivery }: ReceivedDelivery): Promise<"stored" | "duplicate"> => {
    // BullMQ takes no job ids that are numbers.
    const jobId = `delivery-${delivery.id}`;
    if ((await this.#queue.getJobState(jobId)) !== "unknown") return "duplicate";
    if (foldKey !== null && (await this.#isWaiting(foldKey))) return "duplicate";
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
