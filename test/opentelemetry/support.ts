import { type Context, context, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { onTestFinished } from "vitest";
import { type InstrumentOptions, instrument } from "../../src/opentelemetry/index.js";

/** OpenTelemetry, set up for one test, with every client of the process instrumented. */
export interface Telemetry {
  readonly tracer: ReturnType<BasicTracerProvider["getTracer"]>;
  /** The ended spans. */
  readonly spans: readonly ReadableSpan[];
  disable(): void;
  /** Runs work within a new span. */
  runWithin<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** The names of a span's parent and all further ancestors, up to the root. */
  ancestors(span: ReadableSpan): string[];
  metrics(): Promise<Map<string, MetricData>>;
}

export function telemetry(options: InstrumentOptions = {}): Telemetry {
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  const spanExporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 1_000_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const tracer = tracerProvider.getTracer("test");
  const { disable } = instrument({ tracer, meter: meterProvider.getMeter("test"), ...options });
  onTestFinished(async () => {
    disable();
    context.disable();
    await meterProvider.shutdown();
  });
  const ancestors = (span: ReadableSpan): string[] => {
    const all = spanExporter.getFinishedSpans();
    const parent = all.find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId);
    return parent ? [parent.name, ...ancestors(parent)] : [];
  };
  return {
    tracer,
    get spans() {
      return spanExporter.getFinishedSpans();
    },
    disable,
    async runWithin(name, work) {
      const span = tracer.startSpan(name);
      const inside: Context = trace.setSpan(context.active(), span);
      try {
        return await context.with(inside, work);
      } finally {
        span.setStatus({ code: SpanStatusCode.OK });
        span.end();
      }
    },
    ancestors,
    async metrics() {
      metricExporter.reset();
      await reader.forceFlush();
      const found = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
      return new Map(found.flatMap(({ metrics }) => metrics).map((metric) => [metric.descriptor.name, metric]));
    },
  };
}
