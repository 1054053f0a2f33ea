// A broken service, or an attacker who imitates it: keys that change prototypes; deep, huge and endless bodies; headers
// that are slow to parse; waits of thirty thousand years. Promises: the call returns the data unchanged or throws a
// typed error, in bounded time and memory, and leaves nothing behind.
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { isEducationAdminError } from "education-admin-sdk";
import { type CampaignOptions, campaign, command, type Figures, type Promises, round } from "./support/command.ts";
import type { Case } from "./support/hostile-case.ts";
import { callerFetch } from "./support/hostile-fetch.ts";
import { headers } from "./support/hostile-headers.ts";
import { overHttp } from "./support/hostile-http.ts";
import { settledHeapMb } from "./support/memory.ts";

export interface HostileCase {
  readonly name: string;
  /** `data` if the call returned data, otherwise the code of its error. */
  readonly end: string;
  readonly ms: number;
  /** The peak growth of heap and buffers, including uncollected garbage. */
  readonly mb: number;
  /** The heap growth that remains after the response is dropped, in megabytes. */
  readonly keptMb: number;
  /** The length of the error's message. */
  readonly message?: number;
}

export interface HostileFigures extends Figures {
  readonly cases: readonly HostileCase[];
  readonly slowestMs: number;
  readonly mostMb: number;
  readonly peakRssMb: number;
  readonly polluted: boolean;
  readonly timers: number;
}

const MOST_KEPT_MB = 8;

export function run(options: CampaignOptions = {}): Promise<HostileFigures> {
  return campaign("hostile-server", options, async ({ long, promises }) => {
    const worker = new Worker(new URL("./support/hostile-worker.ts", import.meta.url));
    const [[origin, dripping, crumbling]] = (await once(worker, "message")) as [[string, string, string]];
    const repeats = long ? 5 : 1;
    const cases: HostileCase[] = [];
    await measure({ name: "warm up", end: "data", act: () => Promise.resolve() }, promises);
    for (const each of [...overHttp(origin, dripping, crumbling), ...headers(), ...callerFetch()]) {
      const found: HostileCase[] = [];
      for (let times = 0; times < repeats; times++) found.push(await measure(each, promises));
      const slowest = found.reduce((a, b) => (b.ms > a.ms ? b : a));
      const most = (figure: "mb" | "keptMb") => Math.max(...found.map((one) => one[figure]));
      cases.push({ ...slowest, mb: most("mb"), keptMb: most("keptMb") });
    }
    worker.postMessage("close");
    await once(worker, "exit");
    const polluted =
      "polluted" in {} || "polluted" in Object || "polluted" in Error.prototype || "polluted" in globalThis;
    promises.check(!polluted, "no prototype is polluted");
    const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    promises.check(timers === 0, "no timer stays", String(timers));
    return {
      cases,
      slowestMs: Math.max(...cases.map(({ ms }) => ms)),
      mostMb: Math.max(...cases.map(({ mb }) => mb)),
      peakRssMb: round(process.resourceUsage().maxRSS / 1024, 0),
      polluted,
      timers,
    };
  });
}

async function measure(each: Case, promises: Promises): Promise<HostileCase> {
  const { name, end, ms = 1_000, mb = 80 } = each;
  const heapBefore = settledHeapMb();
  const { how, took, grown, message, wrong } = await runCase(each);
  let keptMb = round(settledHeapMb() - heapBefore, 1);
  // Waits, because memory that the platform's finalisers have yet to release does not count.
  for (let tries = 0; keptMb > MOST_KEPT_MB && tries < 10; tries++) {
    await pause(20);
    keptMb = round(settledHeapMb() - heapBefore, 1);
  }
  promises.check(how === end, "it ends as it should", `${name}: ${how} instead of ${end}`);
  promises.check(took <= ms, "it takes bounded time", `${name}: ${took} ms, at most ${ms}`);
  promises.check(grown <= mb, "it takes bounded memory", `${name}: ${grown} MB, at most ${mb}`);
  promises.check(keptMb <= MOST_KEPT_MB, "it keeps no memory", `${name}: ${keptMb} MB`);
  promises.check(wrong === null, "what comes out is right", `${name}: ${wrong}`);
  promises.check((message ?? 0) < 5_000, "a message stays readable", `${name}: ${message} characters`);
  return { name, end: how, ms: took, mb: grown, keptMb, ...(message === undefined ? {} : { message }) };
}

async function runCase({ act, inspect }: Case): Promise<{
  how: string;
  took: number;
  grown: number;
  message: number | undefined;
  wrong: string | null;
}> {
  const before = memoryMb();
  let most = before;
  const sample = () => {
    most = Math.max(most, memoryMb());
  };
  const sampler = setInterval(sample, 5);
  // Measures processor time, so that other programs do not matter. The campaign's own timeout catches a case that never
  // ends.
  const started = process.cpuUsage();
  let found: unknown;
  let how = "data";
  try {
    found = await act();
  } catch (error) {
    found = error;
    how = isEducationAdminError(error) ? error.code : `untyped ${String(error).slice(0, 100)}`;
  }
  const { user, system } = process.cpuUsage(started);
  const took = round((user + system) / 1_000, 1);
  sample();
  clearInterval(sampler);
  const message = found instanceof Error ? found.message.length : undefined;
  return { how, took, grown: round(most - before, 1), message, wrong: inspect?.(found) ?? null };
}

function memoryMb(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
}

if (import.meta.main) await command(run);
