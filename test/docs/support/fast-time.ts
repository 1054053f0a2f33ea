// `node --import` loads this module before a program of a guide. It shortens waits of a minute to seconds and sets the
// clock ahead by the time saved, also in processes that start later. Timeouts of requests are not changed.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const TIMES = 12;
const SHORTEST_WAIT_MS = 5_000;
const REQUEST_LIMIT_MS = 30_000;
const file = process.env.TIME_FILE ?? "";
const { setTimeout } = globalThis;
const { now } = Date;
let ahead = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;

Date.now = () => now() + ahead;
globalThis.Date = new Proxy(Date, {
  construct: (date, given) => Reflect.construct(date, given.length ? given : [Date.now()]),
});
globalThis.setTimeout = ((callback: (...more: unknown[]) => void, ms = 0, ...more: unknown[]) => {
  if (ms < SHORTEST_WAIT_MS || ms === REQUEST_LIMIT_MS) return setTimeout(callback, ms, ...more);
  const skipTime = () => {
    ahead += Math.round(ms - ms / TIMES);
    writeFileSync(file, String(ahead));
    callback(...more);
  };
  return setTimeout(skipTime, ms / TIMES);
}) as typeof globalThis.setTimeout;
