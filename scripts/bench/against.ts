// What a call costs in the library alone, in this build and in another, in turns in one process: the service is a function. The turns are
// short, and the shortest tenth of them counts, in which nothing else ran: systems count processor time in steps of milliseconds. What a
// turn allocates depends on nothing else. At the end, how long the command takes until it has read its arguments.
//   node scripts/bench/against.ts <folder of the other, with its dist> [turns]
import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import type { MainClient } from "../../src/index.ts";
import { fixed, median } from "./lib/numbers.ts";
import { ROOT } from "./lib/paths.ts";
import { account } from "./lib/records.ts";

const [folder = "", turns = "500"] = process.argv.slice(2);
const CALLS = 20;
const SIZES = [1, 25, 100] as const;

const accounts = Array.from({ length: 100 }, (_, index) => account(index + 1));
const bodies = new Map(SIZES.map((size) => [size, JSON.stringify(size === 1 ? accounts[0] : accounts.slice(0, size))]));
const init = { headers: { "content-type": "application/json" } };

interface Cost {
  readonly us: number;
  readonly bytes: number;
}

async function callsOf(root: string) {
  const built: { MainClient: typeof MainClient } = await import(`${pathToFileURL(root)}/dist/node/index.js`);
  let body: string | undefined;
  const client = new built.MainClient({
    baseUrl: "https://school.example",
    apiKey: "bench",
    rateLimit: { requests: 1_000_000_000, windowMs: 1_000 },
    fetch: async () => new Response(body, init),
  });
  return async (size: (typeof SIZES)[number], validation: "off" | "report"): Promise<Cost> => {
    body = bodies.get(size);
    const { heapUsed } = process.memoryUsage();
    const started = performance.now();
    for (let call = 0; call < CALLS; call++) {
      if (size === 1) await client.accounts.get(1, { validation });
      else await client.accounts.list({ per_page: size }, { validation });
    }
    const us = ((performance.now() - started) * 1_000) / CALLS;
    return { us, bytes: (process.memoryUsage().heapUsed - heapUsed) / CALLS };
  };
}

const [own, other] = [await callsOf(ROOT.replace(/\/$/, "")), await callsOf(folder)];
for (const size of SIZES) {
  for (const mode of ["off", "report"] as const) {
    const mine: Cost[] = [];
    const theirs: Cost[] = [];
    // The first are to warm up.
    for (let turn = -50; turn < Number(turns); turn++) {
      const isFirst = turn % 2 === 0;
      const before = isFirst ? null : await other(size, mode);
      const here = await own(size, mode);
      const there = before ?? (await other(size, mode));
      if (turn < 0) continue;
      mine.push(here);
      theirs.push(there);
    }
    const what = size === 1 ? "a record" : `a page of ${size}`;
    const parts = ([shortest, allocated] as const).map((cost) => {
      const [here, there] = [cost(mine), cost(theirs)];
      return `${fixed(here / there, 3)} (${fixed(here, 1)} to ${fixed(there, 1)})`;
    });
    console.log(`${what}, validation ${mode}: ${parts[0]} µs, ${parts[1]} bytes`);
  }
}

const STARTS = 30;
const started: Record<string, Cost[]> = { [ROOT]: [], [folder]: [] };
for (let turn = 0; turn < STARTS; turn++) {
  for (const [root, times] of Object.entries(started)) {
    const begun = performance.now();
    const { status } = spawnSync(process.execPath, [`${root}/dist/cli/cli.js`, "list", "accounts", "--help"]);
    if (status !== 0) throw new Error(`${root}: the command ended with ${status}`);
    times.push({ us: (performance.now() - begun) * 1_000, bytes: 0 });
  }
}
const [here = 0, there = 0] = Object.values(started).map((times) => shortest(times) / 1_000);
console.log(`the command's start: ${fixed(here / there, 3)} (${fixed(here)} to ${fixed(there)} ms)`);

function shortest(costs: readonly Cost[]): number {
  return costs.map(({ us }) => us).toSorted((one, two) => one - two)[Math.floor(costs.length / 10)] ?? 0;
}

// Turns in which garbage was collected have less than none.
function allocated(costs: readonly Cost[]): number {
  return median(costs.map(({ bytes }) => bytes).filter((bytes) => bytes > 0));
}
