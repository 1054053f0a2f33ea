import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runCli } from "../../src/cli/main.js";
import type { Terminal } from "../../src/cli/terminal.js";
import { MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import {
  createWebhookHandler,
  refetch,
  toNodeHandler,
  type WebhookContext,
  type WebhookEvent,
  WebhookEventName,
} from "../../src/webhooks/index.js";
import { ANOTHER, genuine, hmacOf } from "../webhooks/service-signer.js";

const SECRET = "canary-secret";
const ends: (() => unknown)[] = [];
let sandbox: Sandbox;
let env: Record<string, string>;
/** True while the address of the sandbox's webhook is reachable. */
let isUp: boolean;

beforeEach(async () => {
  isUp = false;
  sandbox = createSandbox({
    size: 20,
    empty: true,
    webhooks: {
      data: "record",
      retryAfterMs: [],
      fetch: async () => new Response(null, { status: isUp ? 200 : 503 }),
    },
  });
  const server = await listen(sandbox);
  ends.push(() => server.close());
  env = { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey, WEBHOOK_SECRET: SECRET };
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Received {
  readonly event: WebhookEvent;
  readonly context: WebhookContext;
}

/** A receiver that verifies and keeps deliveries, or responds with a fixed status. */
async function receiver(status?: number, header?: string) {
  const received: Received[] = [];
  const handler = createWebhookHandler({
    signature: { secrets: SECRET, header },
    report: () => undefined,
    onEvent: (event, context) => void received.push({ event, context }),
  });
  const node = toNodeHandler(handler);
  const server = createServer((request, response) => {
    if (status === undefined) node(request, response);
    else request.resume().on("end", () => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks?secret=canary` };
}

function start(args: readonly string[], own: Record<string, string> = env) {
  const written = { stdout: "", stderr: "" };
  const stop = new AbortController();
  const output = (name: keyof typeof written) => ({
    columns: 100,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const terminal: Terminal = { env: own, stdout: output("stdout"), stderr: output("stderr"), stop: stop.signal };
  return { written, stop, status: runCli(["webhooks", ...args], terminal) };
}

async function run(args: readonly string[], own?: Record<string, string>) {
  const { status, written } = start(args, own);
  return { status: await status, ...written };
}

async function subscribe(): Promise<number> {
  const now = new Date().toISOString();
  const url = "https://hooks.school.example/events?secret=canary";
  return sandbox.store.webhooks.insert({ url, active: true, events: ["lead.*"], created_at: now, updated_at: now }).id;
}

async function send(...ids: number[]): Promise<void> {
  for (const id of ids) sandbox.webhooks.send("lead.updated", { id, updated_at: new Date().toISOString() });
  await sandbox.webhooks.settled();
}

const countWrites = () => sandbox.requests.filter(({ method }) => method !== "GET").length;

describe("webhooks list", () => {
  test("prints the webhooks, and leaves out the query of their addresses", async () => {
    await subscribe();
    const { status, stdout, stderr } = await run(["list"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^id +active +events +url\nwebhook-1 +true +3 +https:\/\/hooks\.school\.example\/events\?…\n$/,
    );
    const [json] = JSON.parse((await run(["list", "--json", "--api", "admin"])).stdout);
    expect(json.events).toEqual(["lead.created", "lead.deleted", "lead.updated"]);
    expect(stdout + JSON.stringify(json)).not.toContain("canary");
  });
});

describe("webhooks forward --failed --once", () => {
  const again = (url: string, ...options: string[]) => run(["forward", url, "--failed", "--once", ...options]);

  test("posts each delivery that the service gave up on since then once, signed, and ends", async () => {
    await subscribe();
    await subscribe();
    isUp = true;
    await send(9);
    isUp = false;
    await send(1, 2, 3);
    const { received, url } = await receiver();
    const { status, stdout, stderr } = await again(url, "--since", "1h");
    expect([status, stderr]).toEqual([0, "3 of 3 events accepted.\n"]);
    expect(stdout).toMatch(/^(\d\d:\d\d:\d\d {2}200 {2}lead\.updated {2}delivery-\d\n){3}$/);
    await vi.waitFor(() => expect(received.map(({ event }) => event.event_data.id)).toEqual([1, 2, 3]), 60_000);
    expect((await again(url, "--since", "1h", "--webhook", "webhook-2")).stderr).toContain("3 of 3");
    const later = new Date().toISOString();
    expect((await again(url, "--since", later)).stderr).toBe("0 of 0 events accepted.\n");
    const all = await run(["forward", url, "--since", "1h", "--once"]);
    expect([all.status, all.stderr]).toEqual([0, "4 of 4 events accepted.\n"]);
    expect(countWrites()).toBe(0);
  });

  test("ends with 1 if a delivery is refused, the address is unreachable, or the command is stopped", async () => {
    await subscribe();
    await send(1, 2);
    const { url } = await receiver(500);
    const refused = await again(url, "--since", "2h");
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining("2 events were not accepted") });
    expect(refused.stdout).toMatch(/ {2}500 {2}lead\.updated/);
    for (const end of ends.splice(-1)) await end();
    const nobody = await again(url, "--since", "2h");
    expect(nobody).toMatchObject({ status: 1, stdout: expect.stringContaining("no connection (ECONNREFUSED)") });
    const stopped = start(["forward", url, "--since", "2h", "--once"]);
    stopped.stop.abort();
    expect(await stopped.status).toBe(1);
    expect(stopped.written.stderr).toContain("Stopped");
  });
});

describe("webhooks forward", () => {
  test("posts new deliveries, signed, even if the webhook reached its address, and stops cleanly", async () => {
    await subscribe();
    await send(1);
    const { received, url } = await receiver(undefined, "x-signature");
    const options = ["--every", "1", "--header", "x-signature"];
    const command = start(["forward", url, ...options]);
    await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThan(1), 60_000);
    isUp = true;
    await send(2);
    isUp = false;
    await send(3);
    await vi.waitFor(() => expect(received).toHaveLength(2), 60_000);
    expect(received.map(({ event }) => event.event_data.id)).toEqual([2, 3]);
    sandbox.faults.next({ operation: "webhooks.list", status: 403 });
    await send(4);
    await vi.waitFor(() => expect(received).toHaveLength(3), 60_000);
    command.stop.abort();
    expect(await command.status).toBe(0);
    expect(command.written.stderr).toMatch(
      /^Forwarding to http:\/\/127[.\d]+:\d+\/webhooks\. Press Ctrl-C to stop\.\n/,
    );
    expect(command.written.stderr).toContain("403");
    expect(command.written.stderr).toMatch(/Stopped after 3 events\.\n$/);
    expect(JSON.stringify(command.written)).not.toContain("canary");
    expect(countWrites()).toBe(0);
  });

  test("posts twelve kinds of deliveries, signed as the service does; the receiver rejects wrong signatures", async () => {
    // This sandbox contains the records named by the older bodies.
    sandbox = createSandbox({ size: 20 });
    const server = await listen(sandbox);
    ends.push(() => server.close());
    env = { ...env, EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
    const webhook_id = await subscribe();
    const now = Math.floor(Date.now() / 1_000);
    const created_at = new Date().toISOString();
    for (const [at, { body }] of genuine(now).entries()) {
      const data = JSON.parse(String(body).replace(/^\ufeff/, "")) as Record<string, unknown>;
      const send_attempts = [{ response: "", status_code: 503, created_at }];
      sandbox.store.webhookNotifications.insert({
        webhook_id,
        event_id: `event-${at}`,
        data,
        status: "retry",
        send_attempts,
        created_at,
      });
    }
    const { received, url } = await receiver();
    // Verifies each delivery before the receiver gets it: its header must be the one that the service documents.
    let genuineHeaders = 0;
    const proxy = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const [name = ""] = Object.keys(request.headers).filter((one) => one.endsWith("-signature-v1"));
      const [, time = "", ...macs] =
        /^t=(\d+),signature=([0-9a-f]{64}),signature=([0-9a-f]{64})$/.exec(String(request.headers[name])) ?? [];
      if (macs.join() === [SECRET, ANOTHER].map((secret) => hmacOf(secret, time, body)).join()) genuineHeaders++;
      const headers = { "content-type": "application/json", [name]: String(request.headers[name]) };
      response.writeHead((await fetch(url, { method: "POST", headers, body })).status).end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    ends.push(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const to = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`;
    const postFrom = async (secrets: string) => {
      const command = start(["forward", to, "--since", "1h", "--webhook", `webhook-${webhook_id}`], {
        ...env,
        WEBHOOK_SECRET: secrets,
      });
      const lines = () => command.written.stdout.split("\n").length - 1;
      await vi.waitFor(() => expect(lines()).toBe(12), 60_000);
      command.stop.abort();
      expect(await command.status).toBe(0);
      return command.written.stdout.match(/ {2}200 {2}invoice\.updated {2}event-\d+\n/g)?.length ?? 0;
    };
    expect([await postFrom(ANOTHER), genuineHeaders]).toEqual([0, 0]);
    expect([await postFrom(`${SECRET},${ANOTHER}`), genuineHeaders]).toEqual([12, 12]);
    await vi.waitFor(() => expect(received).toHaveLength(12), 60_000);
    expect(received.map(({ event }) => event.event_data.id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test("starts with deliveries attempted since a time, of one webhook, and stops during a request", async () => {
    await subscribe();
    await send(1, 2);
    const { received, url } = await receiver();
    const command = start(["forward", url, "--since", "1h", "--webhook", "webhook-1"]);
    await vi.waitFor(() => expect(received).toHaveLength(2), 60_000);
    command.stop.abort();
    expect(await command.status).toBe(0);
    const hanging = createServer(() => undefined);
    await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve));
    ends.push(() => {
      hanging.closeAllConnections();
      hanging.close();
    });
    let asked = false;
    hanging.on("request", () => {
      asked = true;
    });
    const stuck = start(["forward", `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`, "--since", "1h"]);
    await vi.waitFor(() => expect(asked).toBe(true), 60_000);
    stuck.stop.abort();
    expect(await stuck.status).toBe(0);
  });

  test("ends with 1 when the service refuses the first request", async () => {
    const { url } = await receiver();
    const wrong = { ...env, EDUCATION_ADMIN_API_KEY: "wrong" };
    expect(await run(["forward", url], wrong)).toMatchObject({ status: 1 });
  });
});

describe("webhooks trigger", () => {
  const withoutSandbox = { WEBHOOK_SECRET: SECRET };

  test("posts a record of the sandbox at the environment's address, and refetch accepts it", async () => {
    const served = createSandbox({ size: "small" });
    const server = await listen(served);
    ends.push(() => server.close());
    const access = { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: served.apiKey };
    served.store.invoices.update(2, { description: "changed" });
    const { received, url } = await receiver();
    for (const name of ["invoice.updated", "invoice.updated", "account.updated"] as const) {
      expect(await run(["trigger", name, url, "--id", "2"], { ...withoutSandbox, ...access })).toMatchObject({
        status: 0,
      });
    }
    // The receiver drops duplicates, and refetch refuses a record older than its event.
    await vi.waitFor(() => expect(received).toHaveLength(3), 60_000);
    expect(received[0]?.event.event_data).toMatchObject({ id: 2, description: "changed" });
    const fresh = refetch(new MainClient({ baseUrl: server.url, apiKey: served.apiKey }), { windowMs: 0 });
    for (const { event } of received) expect(await fresh(event as WebhookEvent)).toMatchObject({ id: 2 });
  });

  test("does not contact any other address that the environment names", async () => {
    const { received, url } = await receiver();
    const school = { EDUCATION_ADMIN_BASE_URL: "https://school.invalid", EDUCATION_ADMIN_API_KEY: "canary-key" };
    const fetched = vi.spyOn(globalThis, "fetch");
    ends.push(() => fetched.mockRestore());
    await run(["trigger", "invoice.updated", url], { ...withoutSandbox, ...school });
    await vi.waitFor(() => expect(received).toHaveLength(1), 60_000);
    expect(fetched.mock.calls.filter(([to]) => String(to instanceof Request ? to.url : to).includes("school"))).toEqual(
      [],
    );
    const fresh = refetch(new MainClient(createSandbox()), { windowMs: 0 });
    expect(await fresh(received[0]?.event as WebhookEvent)).toMatchObject({ id: 1 });
  });

  test("posts a signed event about a given record, without a request to the service", async () => {
    const { received, url } = await receiver();
    const { status, stdout } = await run(["trigger", "invoice.updated", url, "--id", "2"], withoutSandbox);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/ {2}200 {2}invoice\.updated {2}[-0-9a-f]{36}\n$/)]);
    await run(["trigger", "invoice.updated", url, "--id", "2"], withoutSandbox);
    await vi.waitFor(() => expect(received).toHaveLength(2), 60_000);
    expect(received[0]?.event).toMatchObject({
      event: "invoice.updated",
      event_data: { id: 2, status: expect.any(String) },
    });
    // Each delivery contains a different change, because the receiver drops duplicates.
    expect(received[0]?.event.event_data).not.toEqual(received[1]?.event.event_data);
    expect(sandbox.requests).toEqual([]);
  });

  test("has a sample for every event", async () => {
    const { received, url } = await receiver();
    for (const name of WebhookEventName.values)
      expect(await run(["trigger", name, url], withoutSandbox), name).toMatchObject({ status: 0 });
    await vi.waitFor(() => expect(received).toHaveLength(WebhookEventName.values.length), 60_000);
    const thin = received.filter(({ event }) => Object.keys(event.event_data).length <= 3);
    expect([...new Set(thin.map(({ event }) => event.event.split(".")[0]))]).toEqual([
      "custom_field_option",
      "custom_record",
      "invoice_vat",
    ]);
  });

  test("says if the event is not signed, and ends with 1 if the receiver refuses it", async () => {
    const { url } = await receiver();
    const { status, stdout, stderr } = await run(["trigger", "lead.created", url], {});
    expect(status).toBe(1);
    expect(stdout).toContain("  401  lead.created");
    expect(stderr).toMatch(/^Events are sent without a signature: WEBHOOK_SECRET is not set\.\n/);
    expect(stderr).not.toContain("canary");
  });

  test("refuses a header name that HTTP does not allow", async () => {
    const { url } = await receiver();
    const { status, stderr } = await run(["trigger", "lead.created", url, "--header", "x signature"]);
    expect(status).not.toBe(0);
    expect(stderr).toContain("must be a valid header name");
  });
});

test.each(["list", "forward", "trigger"])("%s has its own help", async (name) => {
  const { status, stdout } = await run([name, "--help"]);
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^Usage: education-admin-sdk webhooks ${name} `)),
  ]);
  expect(stdout.split("\n").filter((line) => line.length > 120)).toEqual([]);
});
