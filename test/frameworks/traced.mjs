// Calls a served sandbox while `instrument` and undici's own instrumentation are active, which also records headers, and
// prints the spans and metrics. Needs `npm ci` in this folder.
import { context, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { MainClient } from "../../dist/node/index.js";
import { instrument } from "../../dist/node/opentelemetry/index.js";
import { createSandbox } from "../../dist/node/sandbox/index.js";
import { listen } from "../../dist/node/sandbox/node.js";

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 1_000_000 });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
const named = ["authorization", "x-own", "content-type", "x-request-id"];
const undici = new UndiciInstrumentation({
  headersToSpanAttributes: { requestHeaders: named, responseHeaders: named },
});
instrument();

const apiKey = "canary-key";
const sandbox = createSandbox({ apiKey });
const server = await listen(sandbox);
// The program's own requests keep their spans.
await fetch(`${server.url}/own`);
const options = { apiKey, headers: { "x-own": "canary-header" }, retry: false };
const client = new MainClient({ ...options, baseUrl: server.url });
const ownFetch = new MainClient({ ...options, baseUrl: server.url, fetch: (...given) => fetch(...given) });
const nowhere = new MainClient({ ...options, baseUrl: "http://127.0.0.1:1" });
const calls = [client, ownFetch, nowhere].flatMap((used) => [
  () => used.accounts.list({ search: "canary-query" }),
  () => used.accounts.create({ name: "canary-body" }),
  () => used.accounts.update(7, { name: "canary-body" }),
  () => used.courses.get("canary-path"),
  () => used.request({ method: "POST", path: "api/v1/canary-path", body: { note: "canary-body" } }),
]);
const { size } = new Set(calls);
for (const call of calls) await call().catch(() => undefined);
await server.close();
await reader.forceFlush();
const spans = exporter.getFinishedSpans();
console.log(
  JSON.stringify({
    calls: size,
    spans: spans.map(({ name, kind, attributes, events, status, links, instrumentationScope }) => ({
      by: instrumentationScope.name,
      ...{ name, kind, attributes, events, status, links },
    })),
    durations: measured.getMetrics().flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap(({ scope, metrics: all }) =>
        all
          .filter(({ descriptor }) => /duration$/.test(descriptor.name))
          .map(({ descriptor, dataPoints }) => ({
            by: scope.name,
            name: descriptor.name,
            count: dataPoints.reduce((sum, { value }) => sum + value.count, 0),
            attributes: dataPoints.map(({ attributes }) => attributes),
          })),
      ),
    ),
  }),
);
undici.disable();
process.exit(0);
