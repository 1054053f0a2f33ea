import { expect, it } from "vitest";
import { createWebhookHandler, memoryStore, type WebhookStore } from "../../src/webhooks/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { payloadOf, signature, signedRequest } from "./support.js";

const METHODS = ["put", "take", "newest", "done", "retry", "extend"] as const;
const PATTERNS: Readonly<Record<string, (call: number) => boolean>> = {
  once: (call) => call === 1,
  twice: (call) => call <= 2,
  "every third time": (call) => call % 3 === 0,
};
const RECORDS = 12;

it.each(METHODS.flatMap((method) => Object.keys(PATTERNS).map((pattern) => [method, pattern] as const)))(
  "a store whose %s hangs %s loses nothing permanently",
  async (method, pattern) => {
    const clock = new ManualClock(Date.now());
    const memory: WebhookStore = { ...memoryStore(), newest: async () => null };
    let calls = 0;
    const hanging = (...given: never[]) =>
      PATTERNS[pattern]?.(++calls)
        ? new Promise<never>(() => undefined)
        : (memory[method] as (...given: never[]) => unknown)(...given);
    const handled = new Set<unknown>();
    const failed = new Set<unknown>();
    const handler = createWebhookHandler({
      signature,
      clock,
      store: { ...memory, pollMs: 1_000, [method]: hanging },
      outOfOrder: "drop",
      concurrency: 3,
      report: () => undefined,
      onEvent: ({ event_data: { id } }) => {
        // One delivery in three fails at first, so that the worker calls `retry`.
        if (Number(id) % 3 === 0 && !failed.has(id)) {
          failed.add(id);
          throw new Error("at first");
        }
        handled.add(id);
      },
    });
    for (let id = 1; id <= RECORDS; id++) {
      for (let status = 0, attempt = 0; status !== 200 && attempt < 5; attempt++) {
        const timestamp = Math.floor(clock.now() / 1_000);
        const data = { id, status: "open", updated_at: "2026-01-01T10:00:00Z" };
        const request = await signedRequest(payloadOf("invoice.updated", data), { timestamp });
        ({ status } = await clock.run(handler(request)));
      }
    }
    for (let minute = 0; minute < 30 && handled.size < RECORDS; minute++) await clock.advance(60_000);
    expect(handled.size).toBe(RECORDS);
    if (method !== "extend") expect(calls).toBeGreaterThan(0);
  },
);
