import type { BatchObservableResult, Meter, ObservableGauge } from "@opentelemetry/api";
import type { CallMessage } from "../core/call/trace.js";
import type { RateLimitState } from "../core/limits/rate-limiters.js";
import { serverOf } from "./attributes.js";

type Client = CallMessage["client"];

/**
 * Observes the rate limits of all clients that have made a call. Clients with the same token share a limit. If several
 * tokens are used at one address, the fullest limit is shown, because only an attribute derived from the tokens could
 * distinguish them.
 */
export class RateLimitGauges {
  // Weak, so that clients that are no longer used can be garbage-collected.
  readonly #clients = new Set<WeakRef<Client>>();
  readonly #known = new WeakSet<Client>();
  readonly #meter: Meter;
  readonly #gauges: Readonly<Record<"used" | "limit" | "queued", ObservableGauge>>;
  readonly #callback = (result: BatchObservableResult): void => this.#report(result);

  constructor(meter: Meter) {
    this.#meter = meter;
    const gauge = (name: string, unit: string, description: string) =>
      meter.createObservableGauge(`education_admin.rate_limit.${name}`, { unit, description });
    this.#gauges = {
      used: gauge("used", "{request}", "Requests used in the current rate-limit window."),
      limit: gauge("limit", "{request}", "Requests that the rate limit allows per window."),
      queued: gauge("queued", "{call}", "Calls that wait for the rate limit."),
    };
    meter.addBatchObservableCallback(this.#callback, Object.values(this.#gauges));
  }

  observe(client: Client): void {
    if (this.#known.has(client)) return;
    this.#known.add(client);
    this.#clients.add(new WeakRef(client));
  }

  stop(): void {
    this.#meter.removeBatchObservableCallback(this.#callback, Object.values(this.#gauges));
  }

  #report(result: BatchObservableResult): void {
    for (const [baseUrl, { limit, used, queued }] of this.#fullest()) {
      const attributes = serverOf(baseUrl);
      result.observe(this.#gauges.used, used, attributes);
      result.observe(this.#gauges.queued, queued, attributes);
      if (limit !== null) result.observe(this.#gauges.limit, limit, attributes);
    }
  }

  #fullest(): Map<string, RateLimitState> {
    const fullest = new Map<string, RateLimitState>();
    for (const reference of this.#clients) {
      const client = reference.deref();
      if (!client) {
        this.#clients.delete(reference);
        continue;
      }
      const { origin } = new URL(client.baseUrl);
      const state = client.rateLimit;
      const other = fullest.get(origin);
      if (!other || fullness(state) > fullness(other)) fullest.set(origin, state);
    }
    return fullest;
  }
}

// Waiting calls show that a limit of any size is exhausted, so each counts as much as a full limit.
function fullness({ limit, used, queued }: RateLimitState): number {
  return queued + (limit ? used / limit : 0);
}
