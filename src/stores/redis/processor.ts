import { WebhookRecordBusyError } from "../../webhooks/errors.js";
import type { WebhookDelivery } from "../../webhooks/store.js";
import { createWebhookWorker, type GraceOptions } from "../../webhooks/worker.js";
import type { WebhookWorkerOptions } from "../../webhooks/worker-options.js";
import { inboxSettings, type WebhookInboxOptions } from "../options.js";
import { type RedisConnection, scriptsOf } from "./connection.js";
import { RedisRecords } from "./records.js";

/** What the processor needs of a job of BullMQ. */
export interface BullJob {
  readonly data: WebhookDelivery;
  readonly attemptsMade: number;
  moveToDelayed(timestamp: number, token?: string): PromiseLike<void>;
}

/** Options of `webhookProcessor`: those of a worker, and the ones the inbox has. */
export interface WebhookProcessorOptions extends Omit<WebhookWorkerOptions, "store">, WebhookInboxOptions {}

/** Handles a job; the second argument of BullMQ's `Worker`. */
export interface WebhookProcessor {
  (job: BullJob, token?: string): Promise<void>;
  /** Waits for the listeners, at most `graceMs`, default 8 000; close BullMQ's worker first. */
  close(options?: GraceOptions): Promise<void>;
}

// How soon a job comes back while another worker handles an event of its record.
const BUSY_MS = 100;

/**
 * Hands the jobs of `webhookInbox` to listeners, in as many processes as you like. With `outOfOrder` they handle one event
 * of a record at a time, and never an older one after a newer one; an event that has to wait for another one of its record
 * comes back without counting an attempt. A listener that fails makes the job fail, and BullMQ repeats it.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function webhookProcessor(connection: RedisConnection, options: WebhookProcessorOptions): WebhookProcessor {
  const { prefix, keepMs, ...workerOptions } = options;
  const settings = inboxSettings({ prefix, keepMs });
  const records = new RedisRecords(scriptsOf("webhookProcessor", connection), settings.prefix, settings.keepMs);
  // The receiver puts; workers only share the order of records.
  const store = { put: () => Promise.reject(new Error("This process does not receive")), records };
  const worker = createWebhookWorker({ ...workerOptions, store });
  const handle = async (job: BullJob, token?: string): Promise<void> => {
    try {
      await worker.process(job.data, job.attemptsMade + 1);
    } catch (error) {
      if (!(error instanceof WebhookRecordBusyError)) throw error;
      await job.moveToDelayed(Date.now() + BUSY_MS, token);
      throw new Delayed();
    }
  };
  return Object.assign(handle, { close: (grace?: GraceOptions) => worker.close(grace) });
}

/** Tells BullMQ, which goes by the name, that the job was moved and has not failed. */
class Delayed extends Error {
  override readonly name = "DelayedError";
}
