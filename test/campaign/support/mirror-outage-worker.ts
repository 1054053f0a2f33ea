// A program that keeps a copy in Postgres in one of three ways, whatever happens to its connections. SIGTERM ends it.

import { argv } from "node:process";
import { MainClient } from "education-admin-sdk";
import { mirror, postgres } from "education-admin-sdk/mirror";
import pg from "pg";
import { FastClock } from "./fast-clock.ts";

const [, , baseUrl = "", apiKey = "", database = "", role = "", started = ""] = argv;
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
// The pool has no error listener, because the mirror must add one.
const pool = new pg.Pool({ connectionString: database, max: 4, connectionTimeoutMillis: 5_000 });
const client = new MainClient({ baseUrl, apiKey, rateLimit: false, pageSize: 50 });
const copy = mirror(client, postgres(pool), {
  resources: ["accounts", "users"],
  keyName: "campaign",
  every: { default: "1m" },
  tail: "20s",
  // At this speed, waiting for a minute after an outage takes half a second.
  clock: new FastClock(120, Number(started)),
});
const { signal } = stop;
const failures = { count: 0 };
const countFailure = () => void failures.count++;

if (role === "run") await copy.run({ signal }).catch(() => undefined);
let id = 0;
while (!signal.aborted) {
  if (role === "sync") await copy.sync({ signal }).catch(countFailure);
  else {
    id = (id % 300) + 1;
    await copy.apply({ event: "account.updated", event_data: { id } }, { signal }).catch(countFailure);
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
}
await pool.end().catch(() => undefined);
