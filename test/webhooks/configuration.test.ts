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
const scheme = (given: object) => ({ signature: { secrets: SECRET, scheme: given } });
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
  ["verify: true", { signature: { verify: true } }],
  ["parameter: empty", { signature: { urlSecrets: "s", parameter: "" } }],
  ["toleranceSeconds: NaN", { signature: { secrets: SECRET, toleranceSeconds: Number.NaN } }],
  ["toleranceSeconds: Infinity", { signature: { secrets: SECRET, toleranceSeconds: Number.POSITIVE_INFINITY } }],
  ["toleranceSeconds: negative", { signature: { secrets: SECRET, toleranceSeconds: -1 } }],
  ["toleranceSeconds: text", { signature: { secrets: SECRET, toleranceSeconds: "300" } }],
  ["scheme: text", { signature: { secrets: SECRET, scheme: "sha256" } }],
  ["header: a number", scheme({ header: 7 })],
  ["signatureField: a number", scheme({ signatureField: 7 })],
  ["parameter: a number", { signature: { urlSecrets: "s", parameter: 7 } }],
  ["header with a space", scheme({ header: "x signature" })],
  ["header empty", scheme({ header: "" })],
  ["deliveryIdHeader with a colon", scheme({ deliveryIdHeader: "x-id:" })],
  ["timestampField with a comma", scheme({ timestampField: "t,u" })],
  ["signatureField with an equals sign", scheme({ signatureField: "v1=" })],
  ["signatureField as timestampField", scheme({ timestampField: "v1", signatureField: "v1" })],
  ["algorithm that WebCrypto writes otherwise", scheme({ algorithm: "sha256" })],
  ["encoding base64url", scheme({ encoding: "base64url" })],
  ["a misspelt scheme field", scheme({ headers: "x-signature" })],
  ["on: a function", { on: listener }],
  ["on: a list", { on: [listener] }],
  ["on: null", { on: null }],
  ["on: a listener that is not a function", { on: { "invoice.*": "listener" } }],
  ["on: a pattern that cannot match", { on: { "invoice*": listener } }],
  ["onEvent: text", { onEvent: "listener" }],
  ["onDead: an object", { onDead: {} }],
  ["report: console", { report: console }],
  ["store: text", { store: "sqlite" }],
  ["store: null", { store: null }],
  ["store without put", { store: { take } }],
  ["store with take and without done", { store: { put, take } }],
  ["store.pollMs: NaN", { store: { ...memoryStore(), pollMs: Number.NaN } }],
  ["store.records without lock", { store: { put, records: {} } }],
  ["outOfOrder: misspelt", { outOfOrder: "dorp" }],
  ["mode: misspelt", { mode: "handle" }],
  ["a store that handle-then-answer would not use", { mode: "handle-then-answer", store: memoryStore() }],
  ["waitUntil: an object", { waitUntil: {} }],
  ["clock: Date", { clock: Date }],
  ["clock.now: NaN", { clock: { ...systemClock, now: () => Number.NaN } }],
  ["clock.now: nothing", { clock: { ...systemClock, now: () => undefined } }],
  ["backoff: a number", { backoff: 1_000 }],
  ["backoff: misspelt", { backoff: { base: 1_000 } }],
  ["listenerTimeoutMs: 0", { listenerTimeoutMs: 0 }],
  ["listenerTimeoutMs: Infinity", { listenerTimeoutMs: Number.POSITIVE_INFINITY }],
  ["a symbol as a number", { concurrency: Symbol("10") }],
  ["a symbol as a secret", { signature: { secrets: Symbol("s") } }],
  ["a symbol as a word", { outOfOrder: Symbol("drop") }],
  ["an unknown option", { listenerTimeout: 1_000 }],
];

describe("an option that cannot work is a ConfigurationError at construction", () => {
  it.each(cases)("%s", (_, options) => {
    expect(() => createWebhookHandler({ signature, ...options } as WebhookHandlerOptions)).toThrow(ConfigurationError);
  });

  it.each<[named: string, signature: object]>([
    ["scheme.header", { scheme: { header: "x y" } }],
    ["scheme.deliveryIdHeader", { scheme: { deliveryIdHeader: "" } }],
    ["scheme.timestampField", { scheme: { timestampField: "" } }],
    ["scheme.signatureField", { scheme: { signatureField: "a=b" } }],
    ["scheme.algorithm", { scheme: { algorithm: "MD5" } }],
    ["scheme.encoding", { scheme: { encoding: "text" } }],
    ["scheme has no option headers", { scheme: { headers: "x" } }],
    ["toleranceSeconds", { toleranceSeconds: -1 }],
    ["signature has no option tolerance; it has secrets, scheme, toleranceSeconds", { tolerance: 1 }],
  ])("whose message names it: %s", (named, more) => {
    const signature = { secrets: SECRET, ...more };
    expect(() => createWebhookHandler({ signature } as WebhookHandlerOptions)).toThrow(named);
  });

  it("whose message names it: the secret in the URL, and who needs a secret", async () => {
    const inUrl = { urlSecrets: "s", param: "x" };
    expect(() => createWebhookHandler({ signature: inUrl } as WebhookHandlerOptions)).toThrow(
      "signature has no option param; it has urlSecrets, parameter",
    );
    expect(() => createWebhookHandler({ signature: { secrets: [] } })).toThrow(/^createWebhookHandler needs/);
    await expect(verifyWebhook({ body, headers: {}, secrets: [] })).rejects.toThrow(/^verifyWebhook needs/);
    await expect(signWebhook({ body, secrets: [] })).rejects.toThrow(/^signWebhook needs/);
  });

  it("also without any options, and for a worker, a pattern and a listener added later", () => {
    expect(() => createWebhookHandler(undefined as never)).toThrow(ConfigurationError);
    expect(() => createWebhookWorker({ signature } as never)).toThrow(/no option signature/);
    const worker = createWebhookWorker({});
    for (const pattern of [Symbol("x"), 7, null, undefined]) {
      expect(() => worker.on(pattern as never, listener)).toThrow(ConfigurationError);
    }
    expect(() => worker.on("invoice.*", undefined as never)).toThrow(ConfigurationError);
  });

  it("quotes no secret", () => {
    for (const given of [{ secrets: ["hush-hush", ""] }, "hush-hush", { urlSecrets: ["hush-hush", 7] }]) {
      try {
        createWebhookHandler({ signature: given as never });
        expect.unreachable();
      } catch (error) {
        expect(String(error)).not.toContain("hush");
      }
    }
  });

  it("leaves out a listener that is undefined, as the types allow", () => {
    createWebhookHandler({ signature, on: { "invoice.*": undefined } });
  });
});

it("verifyWebhook and signWebhook refuse the same", async () => {
  const headers = await signWebhook({ body, secrets: SECRET, timestamp: 1 });
  const verify = (more: object) => verifyWebhook({ body, headers, secrets: SECRET, ...more });
  await expect(verify({ toleranceSeconds: Number.NaN })).rejects.toBeInstanceOf(ConfigurationError);
  await expect(verify({ scheme: { encoding: "text" } })).rejects.toBeInstanceOf(ConfigurationError);
  const sign = signWebhook({ body, secrets: SECRET, scheme: { algorithm: "MD5" as never } });
  await expect(sign).rejects.toBeInstanceOf(ConfigurationError);
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

  it("refuses a number for now, an option it does not have, and options that are no object", async () => {
    await expect(verify({ now: Date.now() })).rejects.toThrow(
      new ConfigurationError("Webhooks: now must be a function"),
    );
    await expect(verify({ tolerance: 5 })).rejects.toThrow(
      /the options of verifyWebhook has no option tolerance; it has body/,
    );
    await expect(verifyWebhook(undefined as never)).rejects.toBeInstanceOf(ConfigurationError);
  });
});

it("a clock that stops telling the time refuses deliveries, and is reported as the verification", async () => {
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

it("memoryStore and refetch refuse an option they do not have", () => {
  expect(() => memoryStore({ max: 0 } as never)).toThrow(/has no option max; it has maxPending/);
  expect(() => refetch({}, { windwMs: 1 } as never)).toThrow(/has no option windwMs; it has windowMs/);
});

describe("secrets from a function", () => {
  it("are not needed before the first delivery, so that a build without them works", async () => {
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

  it("may come later, several at a time, and for the secret in the URL; a failing function is a 503", async () => {
    const report = () => undefined;
    const signed = createWebhookHandler({ signature: { secrets: async () => ["new", SECRET] }, report });
    expect((await signed(await signedRequest(body))).status).toBe(200);
    const inUrl = createWebhookHandler({ signature: { urlSecrets: async () => "in the URL" }, report });
    const init = { method: "POST", body, headers: { "content-type": "application/json" } };
    expect((await inUrl(new Request("http://localhost/?secret=in%20the%20URL", init))).status).toBe(200);
    expect((await inUrl(new Request("http://localhost/?secret=another", init))).status).toBe(401);
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

it("looks for the secret in the parameter that is set, and refuses a URL without it", async () => {
  const { reports, report } = collector();
  const handler = createWebhookHandler({ signature: { urlSecrets: "s", parameter: "key" }, report });
  const post = async (url: string) =>
    (await handler(new Request(url, { method: "POST", body, headers: { "content-type": "application/json" } }))).status;
  expect(await post("http://localhost/?key=s")).toBe(200);
  expect(await post("http://localhost/?secret=s")).toBe(401);
  expect(reports.filter(({ kind }) => kind === "refused")).toEqual([
    { kind: "refused", status: 401, reason: "wrong_secret" },
  ]);
});

it("accepts a delivery only when the custom check resolves to true", async () => {
  for (const verdict of [1, "yes", {}, [], undefined, null]) {
    const verify = async () => verdict as boolean;
    const { reports, report } = collector();
    const handler = createWebhookHandler({ signature: { verify }, report });
    expect((await handler(await signedRequest(body))).status, String(verdict)).toBe(401);
    expect(reports.at(-1)).toMatchObject({ reason: "wrong_signature" });
  }
});
