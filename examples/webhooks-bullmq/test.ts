// Started by test.sh: a real Redis, and receiver and worker as separate processes, each killed in the middle of its
// work.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Queue } from "bullmq";
import { signWebhook } from "education-admin-sdk/webhooks";
import { Redis } from "ioredis";

const SECRET = "a secret for tests";
const folder = mkdtempSync(join(tmpdir(), "webhooks-redis-"));
const children = new Set<ChildProcess>();

function start(command: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(command, args, {
    cwd: import.meta.dirname,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  return child;
}

async function waitForOutput(child: ChildProcess, pattern: RegExp): Promise<string> {
  let output = "";
  for await (const chunk of child.stdout!) {
    output += chunk;
    const [match] = pattern.exec(output) ?? [];
    if (match !== undefined) {
      child.stdout!.resume();
      return match;
    }
  }
  throw new Error(`The process ended without printing ${pattern}: ${output}`);
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.kill(signal);
  children.delete(child);
  return ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const redisPort = await freePort();
const env = {
  WEBHOOK_SECRET: SECRET,
  PORT: "0",
  REDIS_URL: `redis://127.0.0.1:${redisPort}`,
  LOCK_MS: "1000",
  WORK_MS: "20",
};

async function startRedis(): Promise<ChildProcess> {
  const options = [
    "--port",
    String(redisPort),
    "--dir",
    folder,
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
    "--save",
    "",
  ];
  const redis = start("redis-server", options);
  await waitForOutput(redis, /Ready to accept connections/);
  return redis;
}

const run = (file: string): ChildProcess => start(process.execPath, [...process.execArgv, file], env);

async function startReceiver(): Promise<{ receiver: ChildProcess; url: string }> {
  const receiver = run("receiver.ts");
  return { receiver, url: await waitForOutput(receiver, /http:\S+/) };
}

async function post(url: string, id: number, event = "invoice.updated", updated_at?: string): Promise<number> {
  const body = JSON.stringify({
    tenant_id: "t",
    educator: "academy",
    event,
    event_data: { id, status: "open", updated_at },
  });
  const headers = { ...(await signWebhook({ body, secrets: SECRET })), "content-type": "application/json" };
  return (await fetch(url, { method: "POST", body, headers })).status;
}

async function eventually(what: string, check: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await check()); waited += 50) {
    assert.ok(waited < 30_000, `not within 30 s: ${what}`);
    await setTimeout(50);
  }
}

try {
  let redisServer = await startRedis();
  const redis = new Redis(env.REDIS_URL, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined);
  const handledIds = async () => new Set((await redis.hvals("changes")).map(Number));

  // Receiver and worker are killed together three times in the middle of their work.
  const answered = new Set<number>();
  let id = 0;
  let waiting = 0;
  for (let round = 0; round < 3; round++) {
    const { receiver, url } = await startReceiver();
    const worker = run("worker.ts");
    let alive = true;
    const senders = Array.from({ length: 8 }, async () => {
      while (alive) {
        const mine = ++id;
        const status = await post(url, mine).catch(() => 0);
        if (status === 200) answered.add(mine);
        if (status === 0) return;
      }
    });
    await waitForOutput(worker, /Handling webhooks/);
    await setTimeout(400);
    await Promise.all([kill(receiver, "SIGKILL"), kill(worker, "SIGKILL")]);
    alive = false;
    await Promise.all(senders);
    const done = await handledIds();
    waiting = [...answered].filter((one) => !done.has(one)).length;
  }
  assert.ok(waiting > 0, "the last kill came while deliveries were waiting");
  const worker = run("worker.ts");
  await eventually("every answered delivery is handled", async () => {
    const done = await handledIds();
    return [...answered].every((one) => done.has(one));
  });

  // A delivery that arrives three times gets one job and one run; one that fails gets a second attempt.
  const { receiver, url } = await startReceiver();
  const before = await redis.hlen("changes");
  const changedAt = "2026-01-01T10:00:00Z";
  for (let copy = 0; copy < 3; copy++) assert.equal(await post(url, 900_000, "invoice.updated", changedAt), 200);
  assert.equal(await post(url, 900_001, "order.denied"), 200);
  await eventually(
    "duplicate and failing deliveries are handled",
    async () => (await redis.hlen("changes")) >= before + 2,
  );
  assert.equal(await redis.hlen("changes"), before + 2);

  // Two workers, and 20 versions of each of 20 records, sent in a wrong order: every record ends in its newest state.
  const second = run("worker.ts");
  await waitForOutput(second, /Handling webhooks/);
  const RECORDS = 20;
  const VERSIONS = 20;
  const versionAt = (n: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, n)).toISOString();
  for (let n = 0; n < VERSIONS; n++) {
    // 7 and 20 have no common factor: every version comes once.
    const version = versionAt((n * 7) % VERSIONS);
    const records = Array.from({ length: RECORDS }, (_, record) => 800_000 + record);
    await Promise.all(records.map((record) => post(url, record, "invoice.updated", version)));
  }
  const queue = new Queue("webhooks", { connection: redis });
  await eventually("the queue is empty", async () => {
    const { active = 0, waiting = 0, delayed = 0 } = await queue.getJobCounts("active", "waiting", "delayed");
    return active + waiting + delayed === 0;
  });
  await queue.close();
  const states = await redis.hgetall("states");
  const old = Object.entries(states).filter(
    ([record, state]) => Number(record) < 900_000 && state !== versionAt(VERSIONS - 1),
  );
  assert.deepEqual(old, []);
  assert.equal(Object.keys(states).length, RECORDS + 1);
  assert.equal(await kill(second, "SIGTERM"), 0);

  // Without Redis the receiver responds with 503 in time; once Redis is back, with 200, and nothing is lost.
  await kill(redisServer, "SIGKILL");
  const asked = performance.now();
  assert.equal(await post(url, 900_002), 503);
  const refusedMs = Math.round(performance.now() - asked);
  assert.ok(refusedMs < 3_000, `refused after ${refusedMs} ms`);
  redisServer = await startRedis();
  await eventually("the receiver answers 200 again", async () => (await post(url, 900_002)) === 200);
  await eventually("the worker goes on", async () => (await handledIds()).has(900_002));
  const inTheEnd = await handledIds();
  const lost = [...answered].filter((one) => !inTheEnd.has(one)).length;
  assert.equal(lost, 0);

  assert.deepEqual(await Promise.all([kill(receiver, "SIGTERM"), kill(worker, "SIGTERM")]), [0, 0]);
  console.log(
    JSON.stringify({
      campaign: "webhooks-bullmq",
      kills: 3,
      answered: answered.size,
      waitingAtTheLastKill: waiting,
      lost,
      refusedMs,
      recordsInAnOldState: old.length,
    }),
  );
  redis.disconnect();
  await kill(redisServer, "SIGTERM");
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
