import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RedisConnection, rateLimitStore, redisTokens, webhookInbox } from "../../src/stores/redis/index.js";
import { needs } from "../support/tools.ts";
import { rateLimitStoreTests, tokenStoreTests, webhookInboxTests } from "./suite/index.ts";
import { type Server, startRedis } from "./support/servers.js";

interface Client {
  readonly connection: RedisConnection;
  close(): unknown;
}

const DRIVERS: Record<string, (url: string) => Promise<Client>> = {
  ioredis: async (url) => {
    const connection = new Redis(url);
    return { connection, close: () => connection.disconnect() };
  },
  "node-redis": async (url) => {
    const connection = createClient({ url });
    await connection.connect();
    return { connection, close: () => connection.destroy() };
  },
};

describe.each(Object.entries(DRIVERS))("Redis through %s", needs("redis"), (_, connect) => {
  let server: Server;
  let client: Client;
  beforeAll(async () => {
    server = await startRedis();
    client = await connect(server.url);
  });
  afterAll(async () => {
    await client.close();
    await server.remove();
  });
  rateLimitStoreTests({ test, create: () => rateLimitStore(client.connection) });
  let stores = 0;
  const encryptionKey = new Uint8Array(32);
  tokenStoreTests({
    test,
    create: () => redisTokens(client.connection, { prefix: `tokens_${++stores}_`, encryptionKey }),
  });
  const queues: Queue[] = [];
  afterAll(async () => {
    for (const queue of queues) await queue.close();
  });
  webhookInboxTests({
    test,
    takes: false,
    create: () => {
      const prefix = `inbox_${queues.length}_`;
      const queue = new Queue(prefix, { connection: { url: server.url } });
      queues.push(queue);
      return webhookInbox(client.connection, { queue, prefix });
    },
  });

  test("leaves no keys behind", async () => {
    const redis = new Redis(server.url);
    await redis.flushall();
    const store = rateLimitStore(client.connection, { application: "schools" });
    const ask = {
      key: "a",
      now: 0,
      requests: 1,
      batchRequests: 1,
      priority: "batch",
      windowMs: 20,
      leaseMs: 50,
    } as const;
    const answer = await store.reserve(ask);
    if (answer.granted) await store.settle({ ...ask, slot: answer.slot, sent: true });
    await store.reserve(ask);
    await store.block({ key: "a", now: 0, until: 60_000 });
    const keys = await redis.keys("education_admin_*");
    expect(keys).toHaveLength(1);
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
    redis.disconnect();
  });
});
