import { ConfigurationError } from "../../core/errors.js";
import { WebhookRecordBusyError } from "../../webhooks/errors.js";
import type { WebhookDelivery } from "../../webhooks/store.js";
import { createWebhookWorker, type GraceOptions, WorkerClosed } from "../../webhooks/work/worker.js";
import type { WebhookWorkerOptions } from "../../webhooks/work/worker-options.js";
import { inboxSettings, type WebhookInboxOptions } from "../options.js";
import { type RedisConnection, scriptsOf } from "./connection.js";
import { type JobsOfRecord, jobIdOf, RedisRecords } from "./records.js";

/** What the processor needs of a job of BullMQ. */
export interface BullJob {
  readonly data: WebhookDelivery;
  readonly attemptsMade: number;
  readonly opts: { readonly attempts?: number | undefined };
  moveToDelayed(timestamp: number, token?: string): PromiseLike<void>;
  /** The state of the job. */
  getState(): PromiseLike<string>;
  /** Lets a delayed job run now. */
  promote(): PromiseLike<void>;
}

/** Options of `webhookProcessor`: those of a worker that BullMQ does not decide, and the ones the inbox has. */
export interface WebhookProcessorOptions
  extends Omit<WebhookWorkerOptions, "store" | keyof typeof DECIDED_BY_BULLMQ>,
    WebhookInboxOptions {}

/** Handles a job; the second argument of BullMQ's `Worker`. */
export interface WebhookProcessor {
  (job: BullJob, token?: string): Promise<void>;
  /** Waits for the listeners, at most `graceMs`, default 8 000; close BullMQ's worker first. */
  close(options?: GraceOptions): Promise<void>;
}

const DECIDED_BY_BULLMQ = {
  maxAttempts: "the option attempts of webhookInbox",
  concurrency: "the option concurrency of BullMQ's Worker",
  backoff: "the options of BullMQ's jobs",
} as const;

/**
 * Hands the jobs of `webhookInbox` to listeners, in as many processes as you like. With `outOfOrder` they handle the events of
 * a record one after the other, in the order in which they were received: an event that has to wait for another one of its
 * record is paused without counting an attempt. A listener that fails makes the job fail, and BullMQ repeats it; after the last
 * attempt `report` gets `dead`, `onDead` is called and the job stays as failed.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function webhookProcessor(connection: RedisConnection, options: WebhookProcessorOptions): WebhookProcessor {
  for (const [name, where] of Object.entries(DECIDED_BY_BULLMQ)) {
    if (Object.hasOwn(options, name)) {
      throw new ConfigurationError(`webhookProcessor: ${name} has no effect here; set ${where}`);
    }
  }
  const { prefix, keepMs, ...workerOptions } = options;
  let anyJob: BullJob | undefined;
  // BullMQ gives a processor no queue. A job with another id stands for the job of that id.
  const jobOf = (id: string): BullJob => Object.create(anyJob ?? null, { id: { value: id } });
  const jobs: JobsOfRecord = { state: (id) => jobOf(id).getState(), promote: (id) => jobOf(id).promote() };
  const records = new RedisRecords(scriptsOf("webhookProcessor", connection), inboxSettings({ prefix, keepMs }), jobs);
  // The receiver puts; workers only share the order of records.
  const store = { put: () => Promise.reject(new Error("This process does not receive")), records };
  const worker = createWebhookWorker({ ...workerOptions, store });
  const { outOfOrder = "deliver", leaseMs = 30_000 } = options;

  const handle = async (job: BullJob, token?: string): Promise<void> => {
    anyJob = job;
    const { data, attemptsMade, opts } = job;
    const { record = null } = data as Partial<{ record: string | null }>;
    try {
      // Without an order the places that the receiver gives are of no use.
      if (record !== null && outOfOrder === "deliver") await records.leave(record, jobIdOf(data));
      await worker.process(data, attemptsMade + 1, { isLast: attemptsMade + 1 >= (opts.attempts ?? 1) });
    } catch (error) {
      const isBusy = error instanceof WebhookRecordBusyError;
      if (!isBusy && !(error instanceof WorkerClosed)) throw error;
      // Woken when its turn comes; otherwise it comes back when the worker before it, if that ended, has lost its lock.
      await job.moveToDelayed(Date.now() + (isBusy ? leaseMs : 0), token);
      // Its turn may have come before it was paused.
      if (isBusy && record !== null && (await records.isNext(record, jobIdOf(data)))) {
        await Promise.resolve(job.promote()).catch(() => undefined);
      }
      throw new Delayed();
    }
  };
  return Object.assign(handle, { close: (grace?: GraceOptions) => worker.close(grace) });
}

/** Tells BullMQ, which goes by the name, that the job was moved and has not failed. */
class Delayed extends Error {
  override readonly name = "DelayedError";
}
