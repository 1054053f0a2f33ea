import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { MainClient } from "../../src/index.js";
import { createWebhookHandler, refetch, signWebhook, toNodeHandler } from "../../src/webhooks/index.js";
import { payloadOf, SECRET, signature, sleep } from "./support.js";

// The short campaign posts in four seconds what the long one (WEBHOOK_CAMPAIGN=long) posts in ten, and its listeners take
// half a second instead of two.
const long = process.env.WEBHOOK_CAMPAIGN === "long";
const EVENTS = 1_000;
const RECORDS = 40;
const POSTING_MS = long ? 10_000 : 4_000;
const WINDOW_MS = POSTING_MS * 1.5;
const HANDLER_MS = long ? 2_000 : 500;

// Other tests share the processors: a second look when one of them took them away for a while.
const OPTIONS = { timeout: 120_000, retry: 1 };

async function listen(listener: Parameters<typeof createServer>[1]) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

function post(url: string, agent: Agent, body: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: "POST", agent, headers: { ...headers, "content-type": "application/json" } },
      (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
      },
    );
    outgoing.on("error", reject).end(body);
  });
}

it(
  `answers ${EVENTS} events about ${RECORDS} records in ${POSTING_MS / 1_000} s at once, fetches each record once and loses nothing`,
  OPTIONS,
  async () => {
    let fetches = 0;
    const service = await listen((incoming, outgoing) => {
      fetches++;
      outgoing
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ id: Number(incoming.url?.split("/").at(-1)) }));
    });
    const client = new MainClient({ baseUrl: service.url, apiKey: "key", validation: "off" });
    const fresh = refetch(client, { windowMs: WINDOW_MS });

    const handled = new Map<unknown, number>();
    let thrown = 0;
    let active = 0;
    let mostActive = 0;
    const handler = createWebhookHandler({
      signature,
      concurrency: 400,
      maxAttempts: 20,
      backoff: { baseMs: 20, maxMs: 200 },
      report: () => undefined,
      async onEvent(event, context) {
        const record = (await fresh({ ...event, event: "invoice.updated" }, context))!;
        mostActive = Math.max(mostActive, ++active);
        await sleep(HANDLER_MS);
        active--;
        expect(record.id).toBe(event.event_data.id);
        if (Math.random() < 0.2) {
          thrown++;
          throw new Error("at random");
        }
        handled.set(event.event_data.sequence, (handled.get(event.event_data.sequence) ?? 0) + 1);
      },
    });
    const receiver = await listen(toNodeHandler(handler));
    const agent = new Agent({ keepAlive: true });

    const durations: number[] = [];
    const statuses: number[] = [];
    const started = performance.now();
    const posts: Promise<void>[] = [];
    for (let sequence = 0; sequence < EVENTS; sequence++) {
      const due = (sequence * POSTING_MS) / EVENTS - (performance.now() - started);
      if (due > 0) await sleep(due);
      const body = payloadOf("invoice.updated", { id: 1 + (sequence % RECORDS), type: "Invoice", sequence });
      const headers = await signWebhook({ body, secrets: SECRET });
      posts.push(
        (async () => {
          const sentAt = performance.now();
          statuses.push(await post(receiver.url, agent, body, headers));
          durations.push(performance.now() - sentAt);
        })(),
      );
    }
    await Promise.all(posts);
    const postedMs = Math.round(performance.now() - started);
    expect(await handler.drain({ graceMs: 100_000 })).toBe(true);

    durations.sort((one, other) => one - other);
    const figures = {
      campaign: "webhooks",
      events: EVENTS,
      records: RECORDS,
      postedMs,
      windowMs: WINDOW_MS,
      handlerMs: HANDLER_MS,
      mostHandlersAtATime: mostActive,
      answerMs: {
        p50: rounded(durations[EVENTS * 0.5]!),
        p99: rounded(durations[EVENTS * 0.99]!),
        max: rounded(durations.at(-1)!),
      },
      fetches,
      thrown,
      handled: handled.size,
      handledTwice: [...handled.values()].filter((times) => times > 1).length,
      totalMs: Math.round(performance.now() - started),
    };
    console.log(JSON.stringify(figures));
    agent.destroy();
    receiver.close();
    service.close();

    expect(statuses.every((status) => status === 200)).toBe(true);
    expect(figures.answerMs.p99).toBeLessThan(250);
    // One for each record, and one more for each window a slow machine needed more to post them all.
    expect(fetches).toBeLessThanOrEqual(RECORDS * (1 + Math.floor(postedMs / WINDOW_MS)));
    expect(thrown).toBeGreaterThan(100);
    expect([figures.handled, figures.handledTwice]).toEqual([EVENTS, 0]);
  },
);

const rounded = (ms: number) => Math.round(ms * 10) / 10;
