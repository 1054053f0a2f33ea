// The processor time of a page of records, of this build and of another, in turns in one process.
//   node scripts/bench/against.ts <folder of the other, with its dist> [turns]
import { pathToFileURL } from "node:url";
import type { MainClient } from "../../src/index.ts";
import { fixed, median } from "./lib/numbers.ts";
import { BENCH, ROOT } from "./lib/paths.ts";
import { Worker } from "./lib/process.ts";

const [folder = "", turns = "41"] = process.argv.slice(2);
const PAGES = 200;
const ROWS = ([25, 100] as const).flatMap((size) => (["off", "report"] as const).map((mode) => [size, mode] as const));

const server = new Worker(`${BENCH}server.ts`);
const baseUrl = await server.ask<string>("listen");

async function pagesOf(root: string): Promise<(size: number, mode: "off" | "report") => Promise<number>> {
  const built: { MainClient: typeof MainClient } = await import(`${pathToFileURL(root)}/dist/node/index.js`);
  const rateLimit = { requests: 1_000_000_000, windowMs: 1_000 };
  const client = new built.MainClient({ baseUrl, apiKey: "bench", rateLimit });
  return async (size, validation) => {
    const { user, system } = process.cpuUsage();
    for (let page = 0; page < PAGES; page++) await client.accounts.list({ per_page: size }, { validation });
    const after = process.cpuUsage();
    return (after.user + after.system - user - system) / PAGES;
  };
}

const [own, other] = [await pagesOf(ROOT.replace(/\/$/, "")), await pagesOf(folder)];
for (const [size, mode] of ROWS) {
  const ratios: number[] = [];
  const taken: number[] = [];
  for (let turn = -5; turn < Number(turns); turn++) {
    const both =
      turn % 2 === 0
        ? [await own(size, mode), await other(size, mode)]
        : [await other(size, mode), await own(size, mode)].reverse();
    const [mine = 0, theirs = 1] = both;
    // The first are to warm up.
    if (turn < 0) continue;
    ratios.push(mine / theirs);
    taken.push(mine);
  }
  console.log(
    `${size} records, validation ${mode}: ${fixed(median(ratios), 3)} of its processor time, ${fixed(median(taken))} µs`,
  );
}
server.stop();
