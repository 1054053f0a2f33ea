import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { webhookInbox } from "../../src/stores/sqlite/index.js";
import { start } from "../support/program.ts";
import { makeFolder } from "../support/type-check.ts";
import { ANOTHER, forgedDeliveries, genuine, MINE, type Post, rotatedDelivery } from "./service-signer.js";
import { deliveryOf } from "./support.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const guide = ["webhooks", "webhook-workers", "webhook-servers", "webhook-deliveries"]
  .map((name) => read(`docs/guides/${name}.md`))
  .join("\n");
const programs = new Map<string, string>();
for (const [, name, code] of guide.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)^```$/gm)) programs.set(name!, code!);
// Whole programs around one line of the guide, and a program that posts signed deliveries to a receiver.
const servers = new Map(
  ["express.ts", "handler.ts", "hono.ts", "receiver.ts", "route.ts", "send.ts"].map((name) => [
    name,
    readFileSync(join(root, "test/webhooks/servers", name), "utf8"),
  ]),
);
const SERVERLESS = "examples/webhooks-serverless";
for (const name of ["cloudflare.ts", "lambda.ts"]) {
  servers.set(name, readFileSync(join(root, SERVERLESS, name), "utf8"));
}
// test/docs/code-blocks.test.ts compiles these programs.
const folder = makeFolder();
const env = { WEBHOOK_SECRET: "s3cret", PORT: "0", DATABASE: join(folder, "webhooks.sqlite") };

beforeAll(() => {
  for (const [name, code] of [...programs, ...servers, ["skill.ts", skillReceiver()] as const])
    writeFileSync(join(folder, name), code);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The receiver of the skill, as a program that listens. */
function skillReceiver(): string {
  const skill = read("skills/education-admin-sdk/SKILL.md");
  const [receiver] = /^export const POST = createWebhookHandler\([\s\S]*?^}\);/m.exec(skill) ?? [];
  return `import { createServer } from "node:http";
    import { DatabaseSync } from "node:sqlite";
    import { webhookInbox } from "education-admin-sdk/stores/sqlite";
    import { createWebhookHandler, toNodeHandler } from "education-admin-sdk/webhooks";
    ${receiver?.replace('"inbox.sqlite"', JSON.stringify(join(folder, "skill.sqlite")))}
    const server = createServer(toNodeHandler(POST));
    server.listen(0, "127.0.0.1", () => console.log(\`http://127.0.0.1:\${server.address().port}/webhooks\`));`;
}

/** Posts bytes and headers unchanged, even two headers of one name; resolves with the status. */
function post(url: string, { headers, body }: Post): Promise<number | undefined> {
  const raw = [["content-type", "application/json"], ["content-length", `${body.length}`], ["host", "x"], ...headers];
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers: raw.flat() as unknown as readonly string[] }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode));
    });
    sent.on("error", reject).end(body);
  });
}

const numbersTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

const write = (name: string, code: string): string => {
  writeFileSync(join(folder, name), code);
  return name;
};

const runToTheEnd = async (name: string, more: Record<string, string> = {}) => {
  const program = start(join(folder, name), [], { env: { ...env, ...more } });
  const { code, output } = await program.ended;
  return [code, ...output.trim().split("\n")];
};

describe("the guides to webhooks", () => {
  it("have only blocks of TypeScript that are programs", () => {
    expect(guide.match(/^```ts$/gm)).toHaveLength(programs.size);
    expect(programs.size).toBe(7);
  });

  it("contain the lines of the servers that run here", () => {
    const table = guide.slice(guide.indexOf("share this handler"), guide.indexOf("**Fastify**"));
    const lines = [...table.matchAll(/`((?:app\.|export const POST)[^`]*)`/g)].map(([, line = ""]) => line);
    const code = [...servers.values()].join("");
    expect(lines).toHaveLength(3);
    // The guide wraps its lines, also those of comments, at a smaller width.
    const unbroken = (program = "") => program.replace(/,?\s+(?:\/\/ )?/g, "");
    expect(unbroken(programs.get("handler.ts"))).toBe(unbroken(servers.get("handler.ts")));
    for (const line of lines) expect(code).toContain(line);
  });

  it("contain no secret that a reader could deploy", () => {
    expect(guide).not.toMatch(/s3cret/i);
    for (const [name, code] of programs)
      expect(code, name).not.toMatch(/(?:SECRET\w*|secrets?)\s*(?:=|:|\?\?|\|\|)\s*["'`]/);
  });

  it.each(["server.ts", "receiver.ts", "express.ts", "fastify.ts", "hono.ts"])(
    "%s receives what send.ts sends",
    async (name) => {
      const more = { DATABASE: join(folder, `${name}.sqlite`), WEBHOOK_SECRET: "another,s3cret" };
      const receiver = start(join(folder, name), [], { env: { ...env, ...more } });
      const RECEIVER_URL = await receiver.waitForOutput(/http:\/\/\S+/);
      expect(await runToTheEnd("send.ts", { RECEIVER_URL })).toEqual([
        0,
        "invoice.updated 4071: 200",
        "course.deleted 12: 200",
        "invoice.updated 4072: 401",
      ]);
      if (name === "receiver.ts") expect(await receiver.end("SIGTERM")).toBe(0);
      else {
        await receiver.waitForOutput(
          /invoice\.updated 4071\n[\s\S]*course\.deleted 12\n|course\.deleted 12\n[\s\S]*invoice\.updated 4071\n/,
        );
        await receiver.end("SIGKILL");
      }
    },
  );

  it.each(["skill.ts", "server.ts", "receiver.ts", "express.ts", "fastify.ts", "hono.ts"])(
    "%s accepts twelve forms of genuine deliveries and refuses forty forged, stale, mixed and truncated ones",
    async (name) => {
      const DATABASE = join(folder, `genuine-${name}.sqlite`);
      const receiver = start(join(folder, name), [], { env: { ...env, WEBHOOK_SECRET: MINE, DATABASE } });
      const url = await receiver.waitForOutput(/http:\/\/\S+/);
      const now = Math.floor(Date.now() / 1_000);
      const answers = async (posts: Post[]) => {
        const found: string[] = [];
        for (const one of posts) found.push(`${one.name}: ${await post(url, one)}`);
        return found;
      };
      const [good, bad] = [genuine(now), forgedDeliveries(now)];
      expect([good.length, bad.length]).toEqual([12, 40]);
      expect(await answers(good)).toEqual(good.map((one) => `${one.name}: 200`));
      expect(await answers(bad)).toEqual(bad.map((one) => `${one.name}: 401`));
      if (name === "receiver.ts") {
        const changes = new DatabaseSync(DATABASE).prepare("SELECT record_id FROM changes ORDER BY record_id + 0");
        const ids = () => changes.all().map(({ record_id }) => Number(record_id));
        await expect.poll(ids, { timeout: 60_000 }).toEqual(numbersTo(12));
        expect(await receiver.end("SIGTERM")).toBe(0);
        expect(ids()).toEqual(numbersTo(12));
        return;
      }
      for (const id of numbersTo(12)) await receiver.waitForOutput(new RegExp(`invoice\\.updated ${id}\\n`));
      expect(receiver.output()).not.toMatch(/updated 9[0-9]/);
      await receiver.end("SIGKILL");
    },
  );

  it("lose no delivery while the secret is rotated and the receiver is restarted with the new one", async () => {
    const DATABASE = join(folder, "rotated.sqlite");
    let sent = 0;
    const phase = async (known: string, ...signedWith: string[][]) => {
      const receiver = start(join(folder, "receiver.ts"), [], { env: { ...env, WEBHOOK_SECRET: known, DATABASE } });
      const url = await receiver.waitForOutput(/http:\/\/\S+/);
      const statuses: unknown[] = [];
      for (const secrets of signedWith) statuses.push(await post(url, rotatedDelivery(++sent, secrets)));
      await receiver.end("SIGKILL");
      return statuses;
    };
    const [old, fresh] = [MINE, ANOTHER];
    expect(await phase(old, [old], [fresh, old])).toEqual([200, 200]);
    expect(await phase(`${fresh},${old}`, [fresh, old], [old])).toEqual([200, 200]);
    expect(await phase(fresh, [fresh, old], [fresh])).toEqual([200, 200]);
    expect(await phase(fresh, [old])).toEqual([401]);
    expect((await webhookInbox(new DatabaseSync(DATABASE)).count()).dead).toBe(0);
  });

  it("worker.ts handles deliveries that another process receives, and ends on SIGTERM", async () => {
    const more = { ...env, DATABASE: join(folder, "shared.sqlite") };
    const worker = start(join(folder, "worker.ts"), [], { env: more });
    await worker.waitForOutput(/Handling webhooks/);
    const inbox = webhookInbox(new DatabaseSync(more.DATABASE));
    await inbox.put(deliveryOf("invoice.updated", { id: 4071 }));
    await worker.waitForOutput(/invoice\.updated 4071, attempt 1/);
    expect(await worker.end("SIGTERM")).toBe(0);
  });

  it("cloudflare.ts sends deliveries to its queue and processes messages from it", async () => {
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

  it("lambda.ts responds after its listeners have succeeded", async () => {
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

  it("fetch one record for three events", async () => {
    const [code, ...said] = await runToTheEnd("fresh-records.ts");
    expect([code, said.at(-1)]).toEqual([0, "1 request for three events"]);
    expect(said).toContain("course.deleted: deleted");
  });

  it("load as a route", async () => {
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
