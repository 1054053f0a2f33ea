import { randomUUID } from "node:crypto";
import {
  createWebhookWorker,
  memoryStore,
  parseWebhook,
  type ReceivedDelivery,
  signWebhook,
  type TakeRequest,
  type WebhookReport,
  type WebhookWorkerOptions,
} from "../../src/webhooks/index.js";
import { recordOf } from "../../src/webhooks/record-version.js";
import { ManualClock } from "../support/manual-clock.js";

export const SECRET = "a secret for tests";
export const signature = { secrets: SECRET };

/** The payload of an event. */
export function payloadOf(event: string, data: Record<string, unknown> = { id: 1 }): string {
  const tenant_id = "5f0c1d7e-2b7a-4b60-9d7c-0a4a3f1f6a11";
  return JSON.stringify({ tenant_id, educator: "academy", event, event_data: data });
}

/** A delivery as the service would post it, signed now. */
export async function signedRequest(body: string, init: RequestInit & { timestamp?: number } = {}): Promise<Request> {
  const headers = {
    ...(await signWebhook({ body, secrets: SECRET, timestamp: init.timestamp })),
    ...(init.headers as object),
  };
  return new Request("http://localhost/webhooks", {
    method: "POST",
    body,
    ...init,
    headers: { "content-type": "application/json", ...headers },
  });
}

/** A delivery as a receiver passes it to a store. */
export function deliveryOf(event: string, data?: Record<string, unknown>, id: string = randomUUID()): ReceivedDelivery {
  const payload = payloadOf(event, data);
  const record = recordOf(parseWebhook(payload));
  return { id, event, payload, receivedAt: Date.now(), sentAt: null, record, foldKey: null };
}

/** The request of a worker to a store for everything that is available at a time. */
export function takeAt(now: number, limit = 100, onePerRecord = false): TakeRequest {
  return { limit, now, leaseUntil: now + 30_000, onePerRecord };
}

/** Collects reports. */
export function collector(): {
  reports: WebhookReport[];
  report: (report: WebhookReport) => void;
  kinds: () => string[];
} {
  const reports: WebhookReport[] = [];
  return { reports, report: (report) => void reports.push(report), kinds: () => reports.map(({ kind }) => kind) };
}

/** Puts deliveries into a memory store, lets a worker handle them, and returns the reports. */
export async function runWorker(
  deliveries: ReceivedDelivery[],
  options: WebhookWorkerOptions,
): Promise<ReturnType<typeof collector>> {
  const store = memoryStore();
  const reported = collector();
  const worker = createWebhookWorker({ store, report: reported.report, backoff: { baseMs: 1, maxMs: 4 }, ...options });
  for (const delivery of deliveries) await store.put(delivery);
  worker.wake();
  await worker.drain();
  return reported;
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * The clock of a runtime such as Workers. When a request ends, the runtime stops its timers and promises, but the
 * isolate and the state of its modules live on.
 */
export class RequestClock extends ManualClock {
  #ofRequest = new Set<unknown>();

  override setTimeout(callback: () => void, ms: number): unknown {
    const handle = super.setTimeout(callback, ms);
    this.#ofRequest.add(handle);
    return handle;
  }

  /** Stops all timers, as the end of their requests does. */
  endRequests(): void {
    for (const handle of this.#ofRequest) this.clearTimeout(handle);
    this.#ofRequest.clear();
  }
}
