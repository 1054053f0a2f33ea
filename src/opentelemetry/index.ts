/** The `./opentelemetry` entry: spans and metrics of every client in the process. Requires `@opentelemetry/api`. */
import { type Meter, metrics, type Tracer, trace } from "@opentelemetry/api";
import type { CallMessage, RequestMessage } from "../core/call/trace.js";
import { channels } from "../core/call/trace-channels.js";
import { ConfigurationError } from "../core/errors.js";
import { type Check, configurationError, flag, must, type OptionTable, readOptions } from "../core/option-checks.js";
import { Meters } from "./meters.js";
import { Spans } from "./spans.js";

/** Options of {@link instrument}. */
export interface InstrumentOptions {
  /** Creates the spans; false for none. Default: a tracer from the global tracer provider. */
  readonly tracer?: Tracer | false | undefined;
  /** Creates the metrics; false for none. Default: a meter from the global meter provider. */
  readonly meter?: Meter | false | undefined;
  /**
   * Adds `url.full`, which the conventions require and some backends need, to the spans of requests, with parameter
   * names in place of values, such as `https://school.example/api/v1/accounts/{id}`. Default false.
   */
  readonly urlFull?: boolean | undefined;
}

/** The result of {@link instrument}. */
export interface Instrumentation {
  /** Stops creating spans and metrics. Can be called more than once. */
  disable(): void;
}

const NAME = "education-admin-sdk";
const OPTIONS = {
  tracer: [/* @__PURE__ */ falseOr<Tracer>("startSpan", "must be a Tracer")],
  meter: [/* @__PURE__ */ falseOr<Meter>("createHistogram", "must be a Meter")],
  urlFull: [flag, false],
} satisfies OptionTable<InstrumentOptions>;
// Copies of the package in one process share the diagnostics channels, so they also share one subscription.
const ACTIVE = Symbol.for(`${NAME}:instrumentation`);
const shared = globalThis as { [ACTIVE]?: Instrumentation | undefined };

/**
 * Makes a span for every call of every client in the process, with a child span for each request, and measures both.
 * Set up OpenTelemetry first. No attribute contains a key, a value that was sent, or a field of a record. `fetch` runs
 * with tracing suppressed, so no other instrumentation makes a second span for a request. Until `disable` is called,
 * calling this function again, even from another copy of the package, changes nothing and returns the same object.
 * @throws ConfigurationError when an option is wrong, and on platforms without `node:diagnostics_channel`, such as
 * browsers.
 * @example
 * const { disable } = instrument();
 * await client.accounts.get(7); // a span accounts.get, with a child span for each request
 * disable();
 */
export function instrument(options: InstrumentOptions = {}): Instrumentation {
  const read = readOptions(options, OPTIONS, configurationError);
  const { tracer = trace.getTracer(NAME), meter = metrics.getMeter(NAME), urlFull } = read;
  const all = channels();
  if (all === null) throw new ConfigurationError("instrument: this platform has no node:diagnostics_channel");
  if (shared[ACTIVE]) return shared[ACTIVE];
  const meters = meter && new Meters(meter);
  const watchers = [tracer && new Spans(tracer, urlFull), meters].filter((watcher) => watcher !== false);
  const each =
    <Message>(work: (watcher: Spans | Meters, message: Message) => void) =>
    (message: Message) => {
      for (const watcher of watchers) {
        try {
          work(watcher, message);
        } catch {
          // Ignore this error of a watcher: it would crash the process or make the call fail.
        }
      }
    };
  const call = {
    start: each<CallMessage>((watcher, message) => watcher.startCall(message)),
    asyncEnd: each<CallMessage>((watcher, message) => watcher.endCall(message)),
  };
  const request = {
    start: each<RequestMessage>((watcher, message) => watcher.startRequest(message)),
    asyncEnd: each<RequestMessage>((watcher, message) => watcher.endRequest(message)),
  };
  all.call.subscribe(call);
  all.request.subscribe(request);
  const instrumentation = {
    disable() {
      if (shared[ACTIVE] === instrumentation) shared[ACTIVE] = undefined;
      all.call.unsubscribe(call);
      all.request.unsubscribe(request);
      if (meters) meters.stop();
    },
  };
  shared[ACTIVE] = instrumentation;
  return instrumentation;
}

function falseOr<T extends object>(method: keyof T & string, rule: string): Check<T | false> {
  return must((value) => value === false || typeof (value as T | null)?.[method] === "function", rule);
}
