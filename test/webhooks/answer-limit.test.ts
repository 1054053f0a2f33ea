import { afterEach, expect, it, vi } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { createWebhookHandler, memoryStore } from "../../src/webhooks/index.js";
import { ManualClock, settle, until } from "../support/manual-clock.js";
import { collector, payloadOf, SECRET, signature, signedRequest } from "./support.js";

const { subtle } = globalThis.crypto;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Delays WebCrypto until `release` is called; `asked` returns true once it was called. */
function heldCrypto(method: "sign" | "digest"): { asked: () => boolean; release: () => void } {
  const released = Promise.withResolvers<void>();
  let asked = false;
  const original = subtle[method].bind(subtle) as (...args: unknown[]) => Promise<ArrayBuffer>;
  vi.spyOn(subtle, method).mockImplementation(async (...args: unknown[]) => {
    asked = true;
    await released.promise;
    return original(...args);
  });
  return { asked: () => asked, release: released.resolve };
}

const signedOn = (clock: ManualClock, data?: Record<string, unknown>) =>
  signedRequest(payloadOf("a.b", data), { timestamp: Math.floor(clock.now() / 1_000) });

it.each([
  ["verifies", "sign"],
  ["identifies a delivery", "digest"],
] as const)("does not count a clock that is advanced while the library %s", async (_, method) => {
  const clock = new ManualClock();
  const { kinds, report } = collector();
  const handler = createWebhookHandler({ signature, clock, report });
  const request = await signedOn(clock, { id: 1, status: "open", updated_at: "2026-01-01T10:00:00Z" });
  const held = heldCrypto(method);
  const answer = handler(request);
  await until(held.asked);
  await clock.advance(15_000);
  held.release();
  expect((await answer).status).toBe(200);
  await clock.run(handler.drain());
  expect(kinds()).toEqual(["stored", "handled"]);
  expect(clock.pending).toBe(0);
});

it("still limits a slow function `secrets` and a slow store", async () => {
  const never = () => new Promise<never>(() => undefined);
  const cases = [
    ["secrets", { signature: { secrets: never } }],
    ["store", { signature, store: { ...memoryStore(), put: never } }],
  ] as const;
  for (const [reason, options] of cases) {
    const clock = new ManualClock();
    const { reports, report } = collector();
    const handler = createWebhookHandler({ ...options, clock, report });
    const answer = handler(await signedOn(clock));
    await settle();
    await settle();
    await clock.advance(2_500);
    expect((await clock.run(answer)).status, reason).toBe(503);
    expect(reports).toEqual([{ kind: "refused", status: 503, reason }]);
    expect(clock.pending, reason).toBe(0);
  }
});

it("never responds 503 because verification is slow: on a busy machine the service would only send the delivery again", async () => {
  const clock = new ManualClock();
  const { kinds, report } = collector();
  const handler = createWebhookHandler({ signature, clock, report, timeoutMs: 20 });
  const held = heldCrypto("sign");
  const body = payloadOf("a.b");
  const timestamp = Math.floor(clock.now() / 1_000);
  const headers = {
    "content-type": "application/json",
    "x-signature-v1": `t=${timestamp},signature=${"ab".repeat(32)}`,
  };
  const answer = handler(new Request("http://localhost", { method: "POST", body, headers }));
  await until(held.asked);
  await clock.advance(60_000);
  held.release();
  expect([(await answer).status, kinds(), clock.pending]).toEqual([401, ["refused"], 0]);
});

it("responds to the retries of a sandbox whose time is advanced past several of them", async () => {
  let down = true;
  const { reports, report } = collector();
  const sandbox = createSandbox({
    size: "small",
    now: "2030-01-01T09:00:00.000Z",
    webhooks: {
      secrets: SECRET,
      fetch: (request) => (down ? Promise.resolve(new Response(null, { status: 503 })) : handler(request)),
    },
  });
  const handler = createWebhookHandler({ signature, clock: sandbox.clock, report, onEvent: () => undefined });
  await new MainClient(sandbox).webhooks.create({ url: "https://hooks.school.example/in", events: ["lead.updated"] });
  sandbox.store.leads.update(2, { status: "won" });
  await sandbox.webhooks.settled();
  down = false;
  await sandbox.clock.advance(15_000);
  await sandbox.webhooks.settled();
  expect(reports.filter(({ kind }) => kind === "refused")).toEqual([]);
  expect(sandbox.webhooks.deliveries.at(-1)?.status).toBe(200);
});
