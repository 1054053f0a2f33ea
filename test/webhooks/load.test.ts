import { expect, it } from "vitest";
import { wait } from "../../src/core/clock.js";
import { createWebhookHandler, refetch } from "../../src/webhooks/index.js";
import { amount } from "../support/amount.js";
import { ManualClock } from "../support/manual-clock.js";
import { payloadOf, signature, signedRequest } from "./support.js";

const EVENTS = amount(500, 1_000);
const RECORDS = 40;
const POSTING_MS = 10_000;

it(`accepts ${EVENTS} events about ${RECORDS} records at once, fetches each record once and loses nothing`, async () => {
  const clock = new ManualClock(Date.now());
  let fetches = 0;
  const client = {
    invoices: {
      async get(id: number) {
        fetches++;
        return { id };
      },
    },
  };
  const fresh = refetch(client, { windowMs: 1.5 * POSTING_MS, clock });
  const handled = new Map<unknown, number>();
  let thrown = 0;
  const handler = createWebhookHandler({
    signature,
    clock,
    concurrency: 400,
    backoff: { baseMs: 20, maxMs: 200 },
    report: () => undefined,
    async onEvent(event, context) {
      const record = await fresh({ ...event, event: "invoice.updated" }, context);
      await wait(clock, 2_000, undefined);
      expect(record?.id).toBe(event.event_data.id);
      const sequence = Number(event.event_data.sequence);
      if (context.attempt === 1 && sequence % 5 === 0) {
        thrown++;
        throw new Error("the first time");
      }
      handled.set(sequence, (handled.get(sequence) ?? 0) + 1);
    },
  });
  const refused: number[] = [];
  for (let sequence = 0; sequence < EVENTS; sequence++) {
    const body = payloadOf("invoice.updated", { id: 1 + (sequence % RECORDS), type: "Invoice", sequence });
    // The clock stands still until the handler responds.
    const { status } = await handler(await signedRequest(body));
    if (status !== 200) refused.push(status);
    if (sequence % 10 === 9) await clock.advance((10 * POSTING_MS) / EVENTS);
  }
  expect(await clock.run(handler.drain({ graceMs: 100_000 }))).toBe(true);
  expect([refused, fetches, thrown]).toEqual([[], RECORDS, EVENTS / 5]);
  expect([handled.size, [...handled.values()].filter((times) => times > 1)]).toEqual([EVENTS, []]);
});
