// Imports every entry of the built package, makes everything that a module can make, and uses nothing. Prints what
// the library did all the same, then must end by itself.
import { readFileSync } from "node:fs";

const did = [];
const note = (what) => {
  if (/\/dist\//.test(new Error(what).stack)) did.push(what);
};
process.env = new Proxy(process.env, {
  get(env, name) {
    note(`read ${String(name)} of the environment`);
    return env[name];
  },
});
for (const name of ["setTimeout", "setInterval", "setImmediate", "fetch"]) {
  const original = globalThis[name];
  globalThis[name] = (...given) => {
    note(name);
    return original(...given);
  };
}

const { ".": main, ...others } = JSON.parse(readFileSync(new URL("../../entries.json", import.meta.url), "utf8"));
const entries = { ".": await import("education-admin-sdk") };
for (const name of Object.keys(others)) entries[name] = await import(`education-admin-sdk${name.slice(1)}`);

const touched = (what) => () => {
  did.push(what);
  throw new Error(what);
};
const inSqlite = touched("opened SQLite");
const inPostgres = { query: touched("asked Postgres"), connect: touched("connected to Postgres") };
const inRedis = { eval: touched("asked Redis") };
const queue = Object.fromEntries(
  ["add", "getJob", "getJobState", "getJobCounts", "getJobs"].map((name) => [name, touched("asked the queue")]),
);
const clientOf = () => new entries["."].MainClient();
const encryptionKey = new Uint8Array(32);
const [stores, webhooks] = [
  { sqlite: entries["./stores/sqlite"], postgres: entries["./stores/postgres"], redis: entries["./stores/redis"] },
  entries["./webhooks"],
];
const signature = { secrets: touched("read the secret") };
const onEvent = touched("handled a delivery");
const receive = (store) => [
  webhooks.createWebhookHandler({ signature, store, onEvent }),
  ...(store.take ? [webhooks.createWebhookWorker({ store, onEvent })] : []),
];

const made = {
  clients: () => [clientOf(), new entries["."].AdminClient(), new entries["."].OrganizationClient()],
  lists: () => [clientOf().users.list(), clientOf().enrollments.list().with({ student: true }).take(7)],
  copies: () => clientOf().withOptions?.({ readOnly: true }),
  proxy: () => entries["./proxy"].createProxyHandler(clientOf(), { allow: ["courses.list"] }),
  "proxy for node:http": () =>
    entries["./proxy"].toNodeHandler(entries["./proxy"].createProxyHandler(clientOf(), { allow: ["courses.list"] })),
  receivers: () => [
    webhooks.createWebhookHandler({ signature, onEvent }),
    webhooks.createWebhookHandler({ signature, mode: "handle-then-answer", onEvent }),
    receive(webhooks.memoryStore()),
    receive(stores.sqlite.webhookInbox(inSqlite)),
    receive(stores.postgres.webhookInbox(inPostgres)),
    receive(stores.redis.webhookInbox(inRedis, { queue })),
    stores.redis.webhookProcessor(inRedis, { onEvent }),
    webhooks.refetch(clientOf()),
  ],
  limits: () => [
    stores.sqlite.rateLimitStore(inSqlite),
    stores.postgres.rateLimitStore(inPostgres),
    new entries["."].MainClient({ rateLimit: { store: stores.redis.rateLimitStore(inRedis) } }),
  ],
  journals: () => [stores.sqlite.bulkJournal(inSqlite, "plan"), stores.postgres.bulkJournal(inPostgres, "plan")],
  schools: () =>
    [
      stores.sqlite.sqliteTokens(inSqlite, { encryptionKey }),
      stores.postgres.postgresTokens(inPostgres, { encryptionKey }),
      stores.redis.redisTokens(inRedis, { encryptionKey }),
    ].map((tokens) =>
      entries["./schools"].createSchools({
        clientId: "application",
        clientSecret: "secret",
        redirectUri: (school) => `https://app.example/callback/${school.id}`,
        tokens,
      }),
    ),
  mirrors: () =>
    [entries["./mirror"].sqlite(inSqlite), entries["./mirror"].postgres(inPostgres)].map((database) =>
      entries["./mirror"].mirror(clientOf(), database, { resources: ["accounts"] }),
    ),
  tracing: () => entries["./opentelemetry"].instrument(),
  assistant: () => entries["./assistant"].assistantTools(clientOf()),
  sandbox: () => {
    const sandbox = entries["./sandbox"].createSandbox({ size: "small" });
    return [entries["./sandbox/msw"].handlers(sandbox), new entries["."].MainClient(sandbox)];
  },
};
for (const [name, make] of Object.entries(made)) {
  const before = did.length;
  try {
    make();
  } catch (error) {
    did.push(`${name}: ${error}`);
  }
  for (let at = before; at < did.length; at++) did[at] = `${name} ${did[at]}`;
}
process.on("exit", () =>
  console.log(JSON.stringify({ entries: Object.keys(entries).length, made: Object.keys(made).length, did })),
);
