import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { run } from "../../src/bulk/node.js";
import { runCli } from "../../src/cli/main.js";
import { type ClientOptions, MainClient } from "../../src/index.js";
import { mirror, sqlite } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { createWebhookHandler, toNodeHandler, type WebhookSecrets } from "../../src/webhooks/index.js";
import { testFolder } from "../bulk/support/folder.js";
import { failure } from "../support/manual-clock.js";
import { root } from "./support/code-blocks.ts";

type Told = string | Promise<string>;

/** Collects everything that a program can learn from an error. */
async function describeFailure(work: Promise<unknown> | (() => unknown)): Promise<string> {
  const error = (await failure(work as never)) as Error & { outcome?: string; reason?: string; status?: number };
  return `${error.name} ${error.message} ${error.status} outcome: ${JSON.stringify(error.outcome)} ${error.reason}`;
}

function client(options: Partial<ClientOptions> = {}) {
  const sandbox = createSandbox({ size: "small" });
  return { sandbox, client: new MainClient({ ...sandbox, retry: false, ...options }) };
}

const unreachable = (code: string) =>
  client({
    fetch: () => Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) })),
  });

/** The result of a delivery signed with the secret "another". */
async function deliverySignedWith(secrets: WebhookSecrets): Promise<string> {
  const handler = createWebhookHandler({ signature: { secrets }, report: () => undefined });
  const { sandbox } = client();
  sandbox.webhooks.subscribe({ to: handler, secrets: "another", events: ["account.updated"] });
  sandbox.store.accounts.update(1, { name: "Other Ltd" });
  await sandbox.webhooks.settled();
  return sandbox.webhooks.deliveries.map(({ status }) => `every delivery is a ${status}`).join();
}

const STUDENT = { email: "jo@example.com", first_name: "Jo", last_name: "Fox" };

// Reproduces each row of the page. The keys are the first words of the rows.
const ROWS: Readonly<Record<string, () => Told>> = {
  "`No base URL`": async () => {
    for (const name of ["EDUCATION_ADMIN_BASE_URL", "EDUCATION_ADMIN_API_KEY"]) vi.stubEnv(name, undefined);
    let text = "";
    const output = {
      write: (more: string) => {
        text += more;
      },
    };
    await runCli(["list", "accounts"], { env: {}, stdout: output, stderr: output });
    text += await describeFailure(new MainClient().accounts.get(1));
    text += await describeFailure(() => new MainClient({ apiKey: "key" } as ClientOptions).accounts.get(1));
    text += await describeFailure(() =>
      new MainClient({ baseUrl: "https://school.example" } as ClientOptions).accounts.get(1),
    );
    vi.unstubAllEnvs();
    return text;
  },
  "`could not connect": () => describeFailure(unreachable("ENOTFOUND").client.accounts.get(1)),
  "`ECONNREFUSED`": async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((listening) => server.once("listening", listening));
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    const refused = new MainClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "key", retry: false });
    return describeFailure(refused.accounts.get(1));
  },
  "`certificate`": () => describeFailure(unreachable("SELF_SIGNED_CERT_IN_CHAIN").client.accounts.get(1)),
  "401, 403": async () => {
    const { sandbox, client: known } = client();
    sandbox.revokeKey(sandbox.apiKey);
    return (await describeFailure(known.accounts.get(1))).includes("Likely reasons: ") ? "" : "no reasons";
  },
  "`RateLimitError`": () => {
    const { sandbox, client: limited } = client({ totalTimeout: 1_000 });
    sandbox.faults.next({ retryAfter: 287 });
    return describeFailure(limited.accounts.get(1));
  },
  "`RequestTimeoutError`": () => {
    const { sandbox, client: hurried } = client({ timeout: 20 });
    sandbox.faults.next({ delayMs: Number.POSITIVE_INFINITY });
    return describeFailure(hurried.accounts.get(1));
  },
  "`outcome: ": () => {
    const { sandbox, client: writing } = client();
    sandbox.faults.next({ reset: true, applied: true });
    return describeFailure(writing.accounts.create({ name: "Example Ltd" }));
  },
  "`InputError`": () => describeFailure(client().client.accounts.get(0)),
  "`UnprocessableEntityError`": () => {
    const { sandbox, client: refused } = client();
    sandbox.faults.next({ errors: { name: ["is taken"] } });
    return describeFailure(refused.accounts.create({ name: "Example Ltd" }));
  },
  "`returned something": () => {
    const { sandbox, client: behind } = client();
    sandbox.faults.next({ html: true, status: 200 });
    return describeFailure(behind.accounts.get(1));
  },
  "`CheckpointError`": async () => {
    const { client: reading } = client();
    const { checkpoint } = await reading.accounts.list({ per_page: 2 });
    return describeFailure(reading.accounts.list({ account_type: "business" }, { resume: checkpoint }).first());
  },
  "`refused` rows": async () => {
    const { client: writing } = client();
    const rows = [STUDENT, STUDENT];
    const report = await run(writing.users, rows, { to: testFolder()("a.plan"), key: "email" });
    return `${report.refused} refused`.replace("0 refused", "");
  },
  "`in_use`": async () => {
    const { client: writing } = client();
    const at = testFolder();
    let second = "";
    const options = { to: at("a.plan"), key: "email" } as const;
    const confirm = async () => {
      second = await describeFailure(run(writing.users, [STUDENT], options));
      return false;
    };
    await run(writing.users, [STUDENT], { ...options, confirm });
    return second;
  },
  "`held`": async () => {
    const { sandbox, client: reading } = client();
    const copy = mirror(reading, sqlite(new DatabaseSync(":memory:")), { resources: ["accounts"] });
    await copy.sync();
    for (const { id } of sandbox.store.accounts) sandbox.store.accounts.delete(id);
    return Object.entries((await copy.sync()).lists[0] ?? {})
      .filter(([, value]) => value !== null)
      .map(([name]) => name)
      .join();
  },
  "webhooks: every delivery is a 401": () => deliverySignedWith("mine"),
  "webhooks: every delivery is a 503": () => deliverySignedWith(() => ["another", ""]),
  "`parsed_body`": () => {
    const handler = toNodeHandler(createWebhookHandler({ signature: { secrets: "mine" } }));
    const parsed = {
      method: "POST",
      headers: { "content-type": "application/json" },
      readableEnded: true,
      async *[Symbol.asyncIterator]() {},
    };
    return new Promise((said) => {
      const response = { writeHead: () => undefined, end: () => undefined };
      handler(parsed, response, (error) => said(describeFailure(Promise.reject(error))));
    });
  },
  "`drift`": async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { sandbox, client: reading } = client();
    sandbox.faults.next({ status: 200, body: [{ id: 1 }] });
    await reading.courses.list();
    const text = String(warned.mock.calls);
    warned.mockRestore();
    return text;
  },
};

// Rows about messages of Node, TypeScript and browsers, and rows without any message.
const OF_OTHERS = ["the program waits", "`Cannot find module", "`Cannot use import", "a page: `CORS`"];

const page = readFileSync(`${root}/docs/guides/troubleshooting.md`, "utf8");
const cells = [...page.matchAll(/^\| (?!message|---)(.*?) \|/gm)].map(([, cell = ""]) => cell);

test("a test reproduces every row whose message comes from the library", () => {
  const known = [...Object.keys(ROWS), ...OF_OTHERS];
  expect(cells.filter((cell) => !known.some((begin) => cell.startsWith(begin)))).toEqual([]);
  expect(known.filter((begin) => !cells.some((cell) => cell.startsWith(begin)))).toEqual([]);
});

test.each(Object.entries(ROWS))("the page quotes the message: %s", async (begin, provoke) => {
  const cell = cells.find((one) => one.startsWith(begin)) ?? "";
  const text = await provoke();
  const wanted = cell.startsWith("webhooks")
    ? [cell.slice("webhooks: ".length)]
    : [...cell.matchAll(/`(.*?)`/g)].map(([, words = ""]) => words);
  for (const part of wanted.flatMap((words) => words.split("…"))) expect(text).toContain(part.trim());
});
