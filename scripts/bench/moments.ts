import { performance } from "node:perf_hooks";
import { createSandbox } from "education-admin-sdk/sandbox";
import { createWebhookHandler, signWebhook } from "education-admin-sdk/webhooks";
// Imported by path, because the package does not export this check. Every call makes it to find out whether a program
// listens to the diagnostics channels.
import { isTraced } from "./node_modules/education-admin-sdk/dist/core/call/trace-channels.js";

/** Measures, in a separate process, the operations that guides describe as quick, and prints the results as JSON. */
const rounds = Number(process.argv[2]);
const CALLS = 1_000_000;
const EVENTS = 1_000;

console.log(
  JSON.stringify({
    untracedUs: least(() => measureMs(() => void times(CALLS, isTraced)) / CALLS) * 1_000,
    madeMs: Math.max(...(["small", "medium", "large", 10_000_000] as const).map(makingOf)),
    resetMs: resetOfSmallSandbox(),
    answerMs: await answers(),
  }),
);

function makingOf(size: "small" | "medium" | "large" | number): number {
  const taken = Array.from({ length: 200 * rounds }, () => measureMs(() => void createSandbox({ size })));
  return at(taken, 0.5);
}

function resetOfSmallSandbox(): number {
  const sandbox = createSandbox({ size: "small" });
  const taken = Array.from({ length: 200 * rounds }, () => {
    sandbox.store.accounts.insert({ name: "x" });
    return measureMs(() => sandbox.reset());
  });
  return at(taken, 0.5);
}

/** Measures the 99th percentile of the time to respond to a delivery while listeners take half a second each. */
async function answers(): Promise<number> {
  const handler = createWebhookHandler({
    signature: { secrets: "s" },
    concurrency: 400,
    onEvent: () => new Promise<void>((resolve) => setTimeout(resolve, 500)),
  });
  const taken: number[] = [];
  for (let sequence = 0; sequence < EVENTS; sequence++) {
    const body = JSON.stringify({ event: "invoice.updated", event_data: { id: 1 + (sequence % 40), sequence } });
    const headers = { ...(await signWebhook({ body, secrets: "s" })), "content-type": "application/json" };
    const request = new Request("http://localhost/", { method: "POST", body, headers });
    const started = performance.now();
    const { status } = await handler(request);
    if (status !== 200) throw new Error(`answered ${status}`);
    taken.push(performance.now() - started);
  }
  await handler.drain();
  return at(taken, 0.99);
}

function least(measure: () => number): number {
  return Math.min(...Array.from({ length: 7 * rounds }, measure));
}

function measureMs(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function times(count: number, ask: () => boolean): void {
  for (let call = 0; call < count; call++) if (ask()) throw new Error("somebody listens");
}

function at(values: number[], part: number): number {
  return values.sort((one, other) => one - other)[Math.floor(values.length * part)] ?? Number.NaN;
}
