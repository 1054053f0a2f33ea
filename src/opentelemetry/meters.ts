import type { Attributes, Counter, Histogram, Meter } from "@opentelemetry/api";
import type { CallMessage, RequestMessage } from "../core/call/trace.js";
import { callAttributes, callOutcome, OPERATION, requestOutcome, serverOf } from "./attributes.js";
import { RateLimitGauges } from "./rate-limit-gauges.js";

// The boundaries in OpenTelemetry's conventions for requests. Calls may wait minutes for the rate limit, so theirs are
// higher.
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const CALL_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export class Meters {
  readonly #requests: Histogram;
  readonly #calls: Histogram;
  readonly #drift: Counter;
  readonly #started = new WeakMap<object, number>();
  readonly #rateLimits: RateLimitGauges;

  constructor(meter: Meter) {
    // With OpenTelemetry's usual name, requests would be counted twice if undici is instrumented, too.
    this.#requests = meter.createHistogram("education_admin.request.duration", {
      description: "Duration of requests.",
      unit: "s",
      advice: { explicitBucketBoundaries: REQUEST_SECONDS },
    });
    this.#calls = meter.createHistogram("education_admin.call.duration", {
      description: "Duration of calls, including waits, retries and reading the body.",
      unit: "s",
      advice: { explicitBucketBoundaries: CALL_SECONDS },
    });
    this.#drift = meter.createCounter("education_admin.drift", {
      description:
        "Differences between responses and their schemas; each client reports one per operation, field and kind.",
      unit: "{difference}",
    });
    this.#rateLimits = new RateLimitGauges(meter);
  }

  startCall(message: CallMessage): void {
    this.startRequest(message);
    this.#rateLimits.observe(message.client);
  }

  startRequest(message: object): void {
    this.#started.set(message, performance.now());
  }

  endCall(message: CallMessage): void {
    const { operation, client } = message;
    const attributes = operation === null ? {} : { [OPERATION]: operation };
    this.#record(this.#calls, message, { ...attributes, ...serverOf(client.baseUrl), ...callOutcome(message) });
    for (const event of message.events) {
      if (event.name === "drift") this.#drift.add(1, { ...attributes, "education_admin.drift.kind": event.kind });
    }
  }

  endRequest(message: RequestMessage): void {
    const { [OPERATION]: _, ...attributes } = callAttributes(message.call);
    this.#record(this.#requests, message, { ...attributes, ...requestOutcome(message) });
  }

  stop(): void {
    this.#rateLimits.stop();
  }

  #record(histogram: Histogram, message: object, attributes: Attributes): void {
    const started = this.#started.get(message);
    // Undefined for a call that had already started when the meters were created.
    if (started !== undefined) histogram.record((performance.now() - started) / 1000, attributes);
  }
}
