import { ConfigurationError } from "../../core/errors.js";
import { optionsOf } from "../../core/option-checks.js";
import { WebhookRecordBusyError } from "../../webhooks/errors.js";
import type { WebhookDelivery } from "../../webhooks/store.js";
import { createWebhookWorker, type GraceOptions, WorkerClosed } from "../../webhooks/work/worker.js";
import type { WebhookWorkerOptions } from "../../webhooks/work/worker-options.js";
import { INBOX_OPTIONS, type WebhookInboxOptions } from "../options.js";
import { type RedisConnection, scriptsOf } from "./connection.js";
import { type JobsOfRecord, jobIdOf, RedisRecords } from "./records.js";

/** The parts of a BullMQ job that the processor uses. */
export interface BullJob {
  readonly data: WebhookDelivery;
  readonly attemptsMade: number;
  readonly opts: { readonly attempts?: number | undefined };
  moveToDelayed(timestamp: number, token?: string): PromiseLike<void>;
  /** The state of the job. */
  getState(): PromiseLike<string>;
  /** Runs a delayed job now. */
  promote(): PromiseLike<void>;
}

/** Options for `webhookProcessor`: those of the inbox, and the worker's options that BullMQ does not control. */
export interface WebhookProcessorOptions
  extends Omit<WebhookWorkerOptions, "store" | keyof typeof DECIDED_BY_BULLMQ>,
    WebhookInboxOptions {}

/** Handles a job; pass this function to BullMQ's `Worker` as its second argument. */
export interface WebhookProcessor {
  (job: BullJob, token?: string): Promise<void>;
  /** Waits at most `graceMs` (default 8,000) for running listeners. Close BullMQ's worker first. */
  close(options?: GraceOptions): Promise<void>;
}

const DECIDED_BY_BULLMQ = {
  maxAttempts: "the `attempts` option of webhookInbox",
  concurrency: "the `concurrency` option of BullMQ's Worker",
  backoff: "the options of BullMQ's jobs",
} as const;

/**
 * Hands the jobs of `webhookInbox` to listeners, in any number of processes. With `outOfOrder: "drop"` or `"mark"`, the
 * events of a record are handled one at a time, in the order of receipt; an event that waits for another one is delayed
 * without counting an attempt. If a listener fails, the job fails and BullMQ retries it. After the last attempt the job
 * stays failed, `report` receives `dead` and `onDead` is called.
 * @throws ConfigurationError if the connection lacks a method or an option is invalid.
 */
export function webhookProcessor(connection: RedisConnection, options: WebhookProcessorOptions): WebhookProcessor {
  for (const [name, where] of Object.entries(DECIDED_BY_BULLMQ)) {
    if (Object.hasOwn(options, name)) {
      throw new ConfigurationError(`webhookProcessor: ${name} has no effect here; set ${where}`);
    }
  }
  const { prefix, keepMs, ...workerOptions } = options;
  const settings = optionsOf("webhookProcessor", { prefix, keepMs }, INBOX_OPTIONS);
  let anyJob: BullJob | undefined;
  // BullMQ gives the processor no queue, so other jobs are reached through a known job whose id is replaced.
  const jobOf = (id: string): BullJob => Object.create(anyJob ?? null, { id: { value: id } });
  const jobs: JobsOfRecord = { state: (id) => jobOf(id).getState(), promote: (id) => jobOf(id).promote() };
  const records = new RedisRecords(scriptsOf("webhookProcessor", connection), settings, jobs);
  const store = { put: () => Promise.reject(new Error("This process receives no deliveries")), records };
  const worker = createWebhookWorker({ ...workerOptions, store });
  const { outOfOrder = "deliver", leaseMs = 30_000 } = options;

  const handle = async (job: BullJob, token?: string): Promise<void> => {
    anyJob = job;
    const { data, attemptsMade, opts } = job;
    const { record = null } = data as Partial<{ record: string | null }>;
    try {
      // `deliver` keeps no order, so the delivery gives up the position that the receiver gave it.
      if (record !== null && outOfOrder === "deliver") await records.leave(record, jobIdOf(data));
      await worker.process(data, attemptsMade + 1, { isLast: attemptsMade + 1 >= (opts.attempts ?? 1) });
    } catch (error) {
      const isBusy = error instanceof WebhookRecordBusyError;
      if (!isBusy && !(error instanceof WorkerClosed)) throw error;
      // The previous job wakes this job when it ends. If that job's worker dies, this job runs after the worker's lock
      // has expired.
      await job.moveToDelayed(Date.now() + (isBusy ? leaseMs : 0), token);
      // If the job's turn came before it was delayed, nothing else wakes it.
      if (isBusy && record !== null && (await records.isNext(record, jobIdOf(data)))) {
        await Promise.resolve(job.promote()).catch(() => undefined);
      }
      throw new Delayed();
    }
  };
  return Object.assign(handle, { close: (grace?: GraceOptions) => worker.close(grace) });
}

/** BullMQ recognizes by this name that the job was delayed and has not failed. */
class Delayed extends Error {
  override readonly name = "DelayedError";
}
