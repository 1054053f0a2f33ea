import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { Console } from "../../src/cli/serve/console.js";
import type { ConsoleNews } from "../../src/cli/serve/console-page.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";

async function serveConsole(cors = false) {
  const page = new Console();
  const sandbox = createSandbox({ size: "small", rateLimit: false, onRequest: (request) => page.request(request) });
  const server = await listen(page.around(sandbox, { cors }), { cors });
  onTestFinished(() => server.close());
  const token = page.path.split("#")[1] ?? "";
  const ask = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    fetch(`${server.url}/__sandbox/console/${path}`, {
      ...init,
      headers: { "x-sandbox-console": token, ...init.headers },
    });
  const client = new MainClient({ baseUrl: server.url, apiKey: sandbox.apiKey, rateLimit: false });
  return { sandbox, server, ask, client, token };
}

/** Reads the events of a feed until it has received the given number of requests. */
async function readUntil(response: Response, count: number): Promise<ConsoleNews["requests"]> {
  const seen: ConsoleNews["requests"][number][] = [];
  let text = "";
  for await (const part of (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
    new TextDecoderStream(),
  )) {
    text += part;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) seen.push(...(JSON.parse(event.slice(6)) as ConsoleNews).requests);
    if (seen.length >= count) return seen;
  }
  return seen;
}

test("the page is under 30 kB, loads without a token, contains neither data nor the token, and its policy allows no other origin", async () => {
  const { server, token } = await serveConsole();
  const response = await fetch(`${server.url}/__sandbox/`);
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(gzipSync(text).length).toBeLessThan(30_000);
  expect(text).not.toContain(token);
  expect(text).not.toMatch(/(src|href)=|https?:\/\//);
  const policy = response.headers.get("content-security-policy");
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'/,
  );
});

test.each([false, true])(
  "requests without the token or from another origin neither read nor change anything; cors %s",
  async (cors) => {
    const { ask, sandbox, server, token } = await serveConsole(cors);
    const paths = ["feed", "call/0", "control", "control/data/accounts", "control/calls"];
    for (const path of paths) {
      expect((await ask(path, { headers: { "x-sandbox-console": "" } })).status).toBe(403);
      expect((await ask(path, { headers: { "x-sandbox-console": `${token}0` } })).status).toBe(403);
      expect((await ask(path, { headers: { origin: "https://school.example" } })).status).toBe(403);
      expect((await ask(path, { headers: { origin: "null" } })).status).toBe(403);
      expect((await fetch(`${server.url}/__sandbox/console/${path}?token=${token}`)).status).toBe(403);
    }
    const before = [...sandbox.store.accounts].length;
    for (const [path, method] of [
      ["control/reset", "POST"],
      ["data/accounts/1", "DELETE"],
      ["deliver", "POST"],
    ] as const) {
      expect((await ask(path, { method, headers: { origin: "https://school.example" } })).status).toBe(403);
      expect((await ask(path, { method, headers: { "x-sandbox-console": "no" } })).status).toBe(403);
    }
    expect([...sandbox.store.accounts]).toHaveLength(before);
  },
);

test("the console refuses other host names, even with the token; the API responds", async () => {
  const page = new Console();
  const sandbox = createSandbox({ size: "small" });
  const { fetch: answer } = page.around(sandbox, { host: "Sandbox.local" });
  const token = page.path.split("#")[1] ?? "";
  const ask = async (host: string, path: string) => {
    const headers = { "x-sandbox-console": token, authorization: `Bearer ${sandbox.apiKey}` };
    return (await answer(new Request(`http://${host}/${path}`, { headers }))).status;
  };
  for (const host of ["localhost:4010", "127.0.0.1", "192.168.1.5:4010", "[::1]:4010", "sandbox.local:4010"]) {
    expect([host, await ask(host, "__sandbox/console/control")]).toEqual([host, 200]);
    expect(await ask(host, "__sandbox/")).toBe(200);
  }
  for (const host of ["school.example:4010", "localhost.school.example", "127.0.0.1.school.example:4010", "sandbox"]) {
    expect([host, await ask(host, "__sandbox/console/control")]).toEqual([host, 403]);
    expect(await ask(host, "__sandbox/")).toBe(403);
    expect(await ask(host, "api/v1/accounts")).toBe(200);
  }
});

test("the page lists the manners that differ from the sandbox's defaults", async () => {
  const page = new Console();
  const sandbox = createSandbox({ size: "small", manners: { custom: "replaced" } });
  const { fetch: answer } = page.around(sandbox, { host: "127.0.0.1" });
  const headers = { "x-sandbox-console": page.path.split("#")[1] ?? "" };
  const feed = await answer(new Request("http://127.0.0.1/__sandbox/console/feed", { headers }));
  const reader = (feed.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  await reader.cancel();
  expect(new TextDecoder().decode(value)).toContain('"manners":["custom: replaced"]');
});

test("a request with a foreign Host header is refused", async () => {
  const { server, token } = await serveConsole();
  const { port } = new URL(server.url);
  const status = await new Promise((resolve, reject) => {
    const headers = { host: `school.example:${port}`, "x-sandbox-console": token };
    request({ host: "127.0.0.1", port, path: "/__sandbox/console/control", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
  expect(status).toBe(403);
});

test("an open page receives each request when it ends, with its request and response", async () => {
  const { ask, client } = await serveConsole();
  await client.accounts.get(1);
  const feed = await ask("feed");
  await client.accounts.create({ name: "Seen Ltd" });
  const requests = await readUntil(feed, 2);
  expect(requests.map(({ operation, status }) => [operation, status])).toEqual([
    ["accounts.get", 200],
    ["accounts.create", 201],
  ]);
  const call = await (await ask(`call/${requests[1]?.n}`)).json();
  expect(call).toMatchObject({ operation: "accounts.create", body: { name: "Seen Ltd" }, data: { name: "Seen Ltd" } });
  expect(JSON.stringify(call)).not.toContain("Bearer");
});

test("a page that reads nothing delays no request, and a page that opens late gets the last 1,000 requests", async () => {
  const { ask, sandbox } = await serveConsole();
  const feed = await ask("feed");
  const [first] = await readUntilFirst(feed);
  expect(first?.requests).toEqual([]);
  const headers = { authorization: `Bearer ${sandbox.apiKey}` };
  for (let n = 0; n < 3_000; n++) await sandbox.fetch(new Request(`${sandbox.baseUrl}/api/nothing/${n}`, { headers }));
  const late = await ask("feed");
  const last = await readUntil(late, 1_000);
  expect(last).toHaveLength(1_000);
  expect(last.at(-1)?.n).toBe(2_999);
});

async function readUntilFirst(response: Response): Promise<ConsoleNews[]> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  return [JSON.parse(new TextDecoder().decode(value).slice(6)) as ConsoleNews];
}

test("the page adds, changes and deletes records, adds faults, moves the clock and resets", async () => {
  const { ask, sandbox } = await serveConsole();
  const post = (path: string, body: unknown) => ask(path, { method: "POST", body: JSON.stringify(body) });
  expect((await post("control/data", { accounts: [{ id: 1, name: "Renamed Ltd" }] })).status).toBe(201);
  expect(sandbox.store.accounts.get(1)?.name).toBe("Renamed Ltd");
  expect((await ask("data/labels/1", { method: "DELETE" })).status).toBe(204);
  expect((await ask("data/labels/1", { method: "DELETE" })).status).toBe(404);
  expect((await ask("data/nothing/1", { method: "DELETE" })).status).toBe(404);
  const found = await (await ask("data/enrollments?search=completed")).json();
  expect(found.links).toMatchObject({ student_id: "users", planned_course_id: "plannedCourses" });
  expect(found.records.length).toBeGreaterThan(0);
  for (const one of found.records) expect(JSON.stringify(one)).toContain("completed");
  expect((await (await ask("data/users?search=7")).json()).records).toEqual([sandbox.store.users.get(7)]);
  expect((await post("control/faults", { status: 503 })).status).toBe(201);
  expect(sandbox.faults.pending).toMatchObject([{ status: 503 }]);
  expect((await post("deliver", { event: "no.event" })).status).toBe(422);
  const before = sandbox.clock.now();
  await post("control/clock", { advanceMs: 300_000 });
  expect(sandbox.clock.now() - before).toBeGreaterThanOrEqual(300_000);
  expect((await post("control/reset", {})).status).toBe(204);
  expect(sandbox.store.accounts.get(1)?.name).not.toBe("Renamed Ltd");
});
