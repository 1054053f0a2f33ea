import { describe, expect, it, vi } from "vitest";
import { systemClock } from "../../src/core/clock.js";
import { ConfigurationError } from "../../src/core/errors.js";
import {
  createWebhookHandler,
  createWebhookWorker,
  memoryStore,
  refetch,
  signWebhook,
  verifyWebhook,
  type WebhookHandlerOptions,
} from "../../src/webhooks/index.js";
import { failure } from "../support/manual-clock.js";
import { collector, payloadOf, SECRET, signature, signedRequest } from "./support.js";

const body = payloadOf("invoice.updated", { id: 4071 });
const listener = () => undefined;
const { put, take } = memoryStore();

const cases: [string, object][] = [
  ["signature: text", { signature: "s3cret" }],
  ["signature: null", { signature: null }],
  ["signature: true", { signature: true }],
  ["signature: a list", { signature: ["s3cret"] }],
  ["signature: a function", { signature: () => true }],
  ["signature without anything", { signature: {} }],
  ["an unknown name in signature", { signature: { secrets: SECRET, tolerance: 10 } }],
  ["secrets: a number", { signature: { secrets: 7 } }],
  ["secrets: with an empty one", { signature: { secrets: ["one", ""] } }],
  ["secrets: a list with a hole", { signature: { secrets: new Array(1) } }],
  ["secrets: with a line break within", { signature: { secrets: `${SECRET}\n${SECRET}` } }],
  ["signature without secrets", { signature: { header: "x-signature-v1" } }],
  ["header: a number", { signature: { secrets: SECRET, header: 7 } }],
  ["header with a space", { signature: { secrets: SECRET, header: "x signature" } }],
  ["header empty", { signature: { secrets: SECRET, header: "" } }],
  ["header with a colon", { signature: { secrets: SECRET, header: "x-id:" } }],
  ["on: a function", { on: listener }],
  ["on: a list", { on: [listener] }],
  ["on: null", { on: null }],
  ["on: a listener that is not a function", { on: { "invoice.*": "listener" } }],
  ["on: a pattern that cannot match", { on: { "invoice*": listener } }],
  ["on: two stars", { on: { "*.*": listener } }],
  ["on: a star in the middle", { on: { "a.*.c": listener } }],
  ["onEvent: text", { onEvent: "listener" }],
  ["onDead: an object", { onDead: {} }],
  ["report: console", { report: console }],
  ["store: text", { store: "sqlite" }],
  ["store: null", { store: null }],
  ["store without put", { store: { take } }],
  ["store with take and without done", { store: { put, take } }],
  ["store.pollMs: NaN", { store: { ...memoryStore(), pollMs: Number.NaN } }],
  ["store.records without lock", { store: { put, records: {} } }],
  ["outOfOrder: misspelled", { outOfOrder: "dorp" }],
  ["mode: misspelled", { mode: "handle" }],
  ["a store that handle-then-answer would not use", { mode: "handle-then-answer", store: memoryStore() }],
  ["waitUntil: an object", { waitUntil: {} }],
  ["clock: Date", { clock: Date }],
  ["clock.now: NaN", { clock: { ...systemClock, now: () => Number.NaN } }],
  ["clock.now: nothing", { clock: { ...systemClock, now: () => undefined } }],
  ["backoff: a number", { backoff: 1_000 }],
  ["backoff: misspelled", { backoff: { base: 1_000 } }],
  ["listenerTimeoutMs: 0", { listenerTimeoutMs: 0 }],
  ["listenerTimeoutMs: Infinity", { listenerTimeoutMs: Number.POSITIVE_INFINITY }],
  ["a symbol as a number", { concurrency: Symbol("10") }],
  ["a symbol as a secret", { signature: { secrets: Symbol("s") } }],
  ["a symbol as a word", { outOfOrder: Symbol("drop") }],
  ["an unknown option", { listenerTimeout: 1_000 }],
];

describe("an unusable option is a ConfigurationError at construction", () => {
  it.each(cases)("%s", (_, options) => {
    expect(() => createWebhookHandler({ signature, ...options } as WebhookHandlerOptions)).toThrow(ConfigurationError);
  });

  it.each<[named: string, signature: object]>([
    ["header must be", { header: "x y" }],
    ["createWebhookHandler: signature.tolerance is unknown", { tolerance: 1 }],
    ["createWebhookHandler: signature.scheme is unknown", { scheme: {} }],
  ])("and the message names it: %s", (named, more) => {
    const signature = { secrets: SECRET, ...more };
    expect(() => createWebhookHandler({ signature } as WebhookHandlerOptions)).toThrow(named);
  });

  it("and the message names the function that needs a secret", async () => {
    expect(() => createWebhookHandler({ signature: { secrets: [] } })).toThrow(/^createWebhookHandler needs/);
    await expect(verifyWebhook({ body, headers: {}, secrets: [] })).rejects.toThrow(/^verifyWebhook needs/);
    await expect(signWebhook({ body, secrets: [] })).rejects.toThrow(/^signWebhook: secrets must be/);
  });

  it("also without any options, and for a worker, a pattern and a listener added later", () => {
    expect(() => createWebhookHandler(undefined as never)).toThrow(ConfigurationError);
    expect(() => createWebhookWorker({ signature } as never)).toThrow("createWebhookWorker: signature is unknown");
    const worker = createWebhookWorker({});
    for (const pattern of [Symbol("x"), 7, null, undefined]) {
      expect(() => worker.on(pattern as never, listener)).toThrow(ConfigurationError);
    }
    expect(() => worker.on("invoice.*", undefined as never)).toThrow(ConfigurationError);
  });

  it("and the message contains no secret", () => {
    for (const given of [{ secrets: ["hush-hush", ""] }, "hush-hush", { secrets: ["hush-hush", 7] }]) {
      try {
        createWebhookHandler({ signature: given as never });
        expect.unreachable();
      } catch (error) {
        expect(String(error)).not.toContain("hush");
      }
    }
  });

  it("but a listener may be undefined, as the types allow", () => {
    createWebhookHandler({ signature, on: { "invoice.*": undefined } });
  });
});

describe("verifyWebhook, for a delivery that is years old,", () => {
  const verify = async (more: object): Promise<unknown> =>
    verifyWebhook({
      body,
      headers: await signWebhook({ body, secrets: SECRET, timestamp: 1 }),
      secrets: SECRET,
      ...more,
    });

  it.each([Number.NaN, undefined, Number.POSITIVE_INFINITY, "2026", new Date(0), 1_000n])(
    "refuses a function now that returns %s",
    async (time) => {
      const error = await failure(verify({ now: () => time }));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toBe("Webhooks: now must return milliseconds since the epoch, as Date.now does");
    },
  );

  it("reads the time when it is called, so that a test may set it", async () => {
    vi.useFakeTimers({ now: 1_000, toFake: ["Date"] });
    await expect(verify({}).finally(() => vi.useRealTimers())).resolves.toMatchObject({ timestamp: 1 });
  });

  it("refuses a number for now, an unknown option, and options that are not an object", async () => {
    await expect(verify({ now: Date.now() })).rejects.toThrow(
      new ConfigurationError("verifyWebhook: now must be a function"),
    );
    await expect(verify({ tolerance: 5 })).rejects.toThrow("verifyWebhook: tolerance is unknown");
    await expect(verifyWebhook(undefined as never)).rejects.toBeInstanceOf(ConfigurationError);
  });
});

it("a clock that stops working refuses deliveries, and the error names the clock", async () => {
  let time: number | undefined = Date.now();
  const { reports, report } = collector();
  const clock = { ...systemClock, now: () => time as number };
  const handler = createWebhookHandler({ signature, clock, report });
  time = undefined;
  expect((await handler(await signedRequest(body))).status).toBe(503);
  expect(reports).toEqual([
    {
      kind: "failed",
      what: "verification",
      error: expect.objectContaining({ message: expect.stringContaining("clock.now") }),
    },
    { kind: "refused", status: 503, reason: "verification" },
  ]);
});

it("memoryStore and refetch refuse unknown options", () => {
  expect(() => memoryStore({ max: 0 } as never)).toThrow("memoryStore: max is unknown");
  expect(() => refetch({}, { windwMs: 1 } as never)).toThrow('refetch: windwMs is unknown; did you mean "windowMs"?');
});

describe("secrets from a function", () => {
  it("are first needed for a delivery, so that a build works without them", async () => {
    let secret: string | undefined;
    const secrets = vi.fn(() => secret);
    const { reports, report } = collector();
    const handler = createWebhookHandler({ signature: { secrets }, report });
    expect(secrets).not.toHaveBeenCalled();
    expect((await handler(await signedRequest(body))).status).toBe(503);
    expect(reports).toEqual([
      { kind: "failed", what: "secrets", error: expect.any(ConfigurationError) },
      { kind: "refused", status: 503, reason: "secrets" },
    ]);
    secret = SECRET;
    expect((await handler(await signedRequest(body))).status).toBe(200);
  });

  it("may be a promise, and several; a failing function causes a 503", async () => {
    const report = () => undefined;
    const signed = createWebhookHandler({ signature: { secrets: async () => ["new", SECRET] }, report });
    expect((await signed(await signedRequest(body))).status).toBe(200);
    const failing = createWebhookHandler({
      signature: {
        secrets: () => {
          throw new Error("vault closed");
        },
      },
      report,
    });
    const answer = await failing(await signedRequest(body));
    expect([answer.status, await answer.text()]).toEqual([503, "Temporarily unavailable\n"]);
  });
});
