import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { webhookInbox } from "../../src/stores/sqlite/index.js";
import { makeFolder } from "../support/type-check.ts";
import { startProgram } from "./programs.js";
import { deliveryOf } from "./support.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const guide = readFileSync(join(root, "docs/guides/webhooks.md"), "utf8");
const programs = new Map<string, string>();
for (const [, name, code] of guide.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)^```$/gm)) programs.set(name!, code!);
// Whole programs around a line of the guide, and one that posts signed deliveries to a receiver.
const servers = new Map(
  ["express.ts", "handler.ts", "hono.ts", "route.ts", "send.ts"].map((name) => [
    name,
    readFileSync(join(root, "test/webhooks/servers", name), "utf8"),
  ]),
);
const SERVERLESS = "examples/webhooks-serverless";
for (const name of ["cloudflare.ts", "lambda.ts"]) {
  servers.set(name, readFileSync(join(root, SERVERLESS, name), "utf8"));
}
// That they compile is seen in test/docs/code-blocks.test.ts.
const folder = makeFolder();
const env = { WEBHOOK_SECRET: "s3cret", PORT: "0" };

beforeAll(() => {
  for (const [name, code] of [...programs, ...servers]) writeFileSync(join(folder, name), code);
});

afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, code: string): string => {
  writeFileSync(join(folder, name), code);
  return name;
};

const runToTheEnd = async (name: string, more: Record<string, string> = {}) => {
  const program = startProgram(join(folder, name), { ...env, ...more });
  const code = await program.ended;
  return [code, ...program.output().trim().split("\n")];
};

describe("the webhooks guide", () => {
  it("has no block of TypeScript that is not one of its programs", () => {
    expect(guide.match(/^```ts$/gm)).toHaveLength(programs.size);
    expect(programs.size).toBe(8);
  });

  it("shows the durable receiver exactly as it stands in the examples", () => {
    expect(programs.get("receiver.ts")).toBe(readFileSync(join(root, "examples/webhooks-sqlite/receiver.ts"), "utf8"));
  });

  it("shows the lines of the servers that are run here", () => {
    const table = guide.slice(guide.indexOf("## 7."), guide.indexOf("**Fastify**"));
    const lines = [...table.matchAll(/`((?:app\.|export const POST)[^`]*)`/g)].map(([, line = ""]) => line);
    const code = [...servers.values()].join("");
    expect(lines).toHaveLength(3);
    expect(programs.get("handler.ts")).toBe(servers.get("handler.ts"));
    for (const line of lines) expect(code).toContain(line);
  });

  it("publishes no secret that a reader could deploy", () => {
    expect(guide).not.toMatch(/s3cret/i);
    for (const [name, code] of programs)
      expect(code, name).not.toMatch(/(?:SECRET\w*|secrets?)\s*(?:=|:|\?\?|\|\|)\s*["'`]/);
  });

  it.each(["receiver.ts", "express.ts", "fastify.ts", "hono.ts"])("%s receives what send.ts sends", async (name) => {
    const receiver = startProgram(join(folder, name), { ...env, DATABASE: join(folder, `${name}.sqlite`) });
    const RECEIVER_URL = await receiver.printed(/http:\/\/\S+/);
    expect(await runToTheEnd("send.ts", { RECEIVER_URL })).toEqual([
      0,
      "invoice.updated 4071: 200",
      "course.deleted 12: 200",
      "invoice.updated 4072: 401",
    ]);
    if (name === "receiver.ts") expect(await receiver.end("SIGTERM")).toBe(0);
    else {
      await receiver.printed(
        /invoice\.updated 4071\n[\s\S]*course\.deleted 12\n|course\.deleted 12\n[\s\S]*invoice\.updated 4071\n/,
      );
      await receiver.end("SIGKILL");
    }
  });

  it("worker.ts handles what another process receives, and ends on SIGTERM", async () => {
    const more = { ...env, DATABASE: join(folder, "shared.sqlite") };
    const worker = startProgram(join(folder, "worker.ts"), more);
    await worker.printed(/Handling webhooks/);
    const inbox = webhookInbox(new DatabaseSync(more.DATABASE));
    await inbox.put(deliveryOf("invoice.updated", { id: 4071 }));
    await worker.printed(/invoice\.updated 4071, attempt 1/);
    expect(await worker.end("SIGTERM")).toBe(0);
  });

  it("cloudflare.ts sends deliveries to its queue and handles what comes from there", async () => {
    const said = await runToTheEnd(
      write(
        "cloudflare-run.ts",
        `import { signWebhook } from "education-admin-sdk/webhooks";
        import worker from "./cloudflare.ts";
        const secret = process.env.WEBHOOK_SECRET ?? "";
        const sent: Parameters<typeof worker.queue>[0]["messages"][number]["body"][] = [];
        const env = { WEBHOOK_SECRET: secret, EVENTS: { send: async (one: (typeof sent)[number]) => sent.push(one) } };
        const body = JSON.stringify({ event: "user.merged", event_data: { id: 7 } });
        const post = async (secrets: string) => {
          const headers = { ...(await signWebhook({ body, secrets })), "content-type": "application/json" };
          const request = new Request("https://hooks.school.example/", { method: "POST", body, headers });
          return (await worker.fetch(request, env)).status;
        };
        console.log(await post(secret), await post("another"), sent.length);
        const messages = sent.map((body) => ({
          body,
          attempts: 1,
          ack: () => console.log("ack"),
          retry: () => console.log("retry"),
        }));
        await worker.queue({ messages });`,
      ),
    );
    expect(said.filter((line) => /^(\d{3} |user|ack|retry)/.test(String(line)))).toEqual([
      "200 401 1",
      "user.merged",
      "ack",
    ]);
  });

  it("lambda.ts answers once its listeners have succeeded", async () => {
    const said = await runToTheEnd(
      write(
        "lambda-run.ts",
        `import { signWebhook } from "education-admin-sdk/webhooks";
        import { lambda } from "./lambda.ts";
        const text = JSON.stringify({ event: "user.merged", event_data: { id: 7 } });
        const headers = {
          ...(await signWebhook({ body: text, secrets: process.env.WEBHOOK_SECRET ?? "" })),
          "content-type": "application/json",
        };
        const body = Buffer.from(text).toString("base64");
        const call = (method: string) => ({ headers, body, isBase64Encoded: true, requestContext: { http: { method } } });
        console.log((await lambda(call("POST"))).statusCode, (await lambda(call("GET"))).statusCode);`,
      ),
    );
    expect(said).toContain("user.merged");
    expect(said).toContain("200 405");
  });

  it("fetches one record for three events", async () => {
    const [code, ...said] = await runToTheEnd("fresh-records.ts");
    expect([code, said.at(-1)]).toEqual([0, "1 request for three events"]);
    expect(said).toContain("course.deleted: deleted");
  });

  it("verifies by hand, and loads as a route", async () => {
    expect(await runToTheEnd("verify.ts")).toEqual([0, "Verified with secret 1: user.merged", "Refused: too_old"]);
    const route = write(
      "route-run.ts",
      `import { POST } from "./route.ts";
      const headers = { "content-type": "application/json" };
      console.log((await POST(new Request("http://localhost/", { method: "POST", body: "{}", headers }))).status);
      process.exit();`,
    );
    expect(await runToTheEnd(route)).toContain("401");
  });
});
