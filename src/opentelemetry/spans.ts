import {
  type Attributes,
  context,
  createContextKey,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { CallMessage, RequestMessage, TraceEvent } from "../core/call/trace.js";
import {
  ATTEMPTS,
  callAttributes,
  callOutcome,
  ERROR_TYPE,
  fullUrl,
  OPERATION,
  RESEND_COUNT,
  requestOutcome,
} from "./attributes.js";

// With this context key, OpenTelemetry's SDK creates no span. The instrumentations of undici and node:http would
// otherwise create a second span for each request, with the URL and its query.
const SUPPRESSED = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

export class Spans {
  readonly #tracer: Tracer;
  readonly #urlFull: boolean;
  readonly #spans = new WeakMap<CallMessage | RequestMessage, Span>();

  constructor(tracer: Tracer, urlFull: boolean) {
    this.#tracer = tracer;
    this.#urlFull = urlFull;
  }

  /** Called before the call waits, so that the caller's active span is the parent. */
  startCall(message: CallMessage): void {
    const attributes = callAttributes(message);
    const span = this.#tracer.startSpan(message.operation ?? "request", { kind: SpanKind.INTERNAL, attributes });
    this.#spans.set(message, span);
  }

  endCall(message: CallMessage): void {
    const span = this.#spans.get(message);
    if (!span) return;
    for (const event of message.events) addEvent(span, event);
    end(span, { ...callOutcome(message), [ATTEMPTS]: message.attempts });
  }

  startRequest(message: RequestMessage): void {
    const { call, attempt } = message;
    const parent = this.#spans.get(call);
    if (!parent) return;
    const within = trace.setSpan(context.active(), parent);
    const { [OPERATION]: _, ...attributes } = callAttributes(call);
    const span = this.#tracer.startSpan(
      [call.method, attributes["url.template"]].filter(Boolean).join(" "),
      {
        kind: SpanKind.CLIENT,
        attributes: {
          ...attributes,
          ...(this.#urlFull && fullUrl(call)),
          ...(attempt > 1 && { [RESEND_COUNT]: attempt - 1 }),
        },
      },
      within,
    );
    this.#spans.set(message, span);
    const withSpan = trace.setSpan(within, span).setValue(SUPPRESSED, true);
    message.within = (work) => context.with(withSpan, work);
  }

  endRequest(message: RequestMessage): void {
    const span = this.#spans.get(message);
    if (span) end(span, requestOutcome(message));
  }
}

function end(span: Span, outcome: Attributes): void {
  span.setAttributes(outcome);
  if (outcome[ERROR_TYPE] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

// Field names are left out: names of custom fields belong to the school, and an unknown name can be any text that the
// service sent.
function addEvent(span: Span, event: TraceEvent): void {
  switch (event.name) {
    case "wait": {
      const { reason, expectedAt, at } = event;
      const expected = expectedAt && {
        "education_admin.wait.expected_ms": Math.max(0, Number(expectedAt) - Number(at)),
      };
      span.addEvent("wait", { "education_admin.wait.reason": reason, ...expected }, at);
      return;
    }
    case "retry":
      span.addEvent(
        "retry",
        { "education_admin.retry.reason": event.reason, "education_admin.retry.delay_ms": event.delayMs },
        event.at,
      );
      return;
    case "drift":
      span.addEvent("drift", { "education_admin.drift.kind": event.kind }, event.at);
  }
}
