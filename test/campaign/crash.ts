// A nightly job that is killed many times: a process reads a list and stores records and checkpoints, and SIGKILL ends
// it at random moments until a run finishes. Promises: no record is missing or out of order; a kill costs at most the
// page in progress and, with prefetch, the pages fetched ahead.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CampaignOptions, campaign, command, type Figures, type Promises } from "./support/command.ts";
import { createRandom, type Random, seedOf } from "./support/random.ts";

export interface CrashRun {
  readonly prefetch: number;
  readonly kills: number;
  readonly records: number;
  readonly missing: number;
  /** The number of pages whose records were stored twice, over all kills. */
  readonly pagesKeptTwice: number;
  readonly mostPagesKeptTwicePerKill: number;
  /** The number of pages that were requested again after a kill. */
  readonly pagesReadTwice: number;
  readonly mostPagesReadTwicePerKill: number;
}

export interface CrashFigures extends Figures {
  readonly records: number;
  readonly runs: readonly CrashRun[];
}

const PAGE_SIZE = 100;
const TIME = "2026-01-01T00:00:00.000Z";
const READER = fileURLToPath(new URL("./support/crash-reader.ts", import.meta.url));

export function run(options: CampaignOptions = {}): Promise<CrashFigures> {
  return campaign("crash", options, async ({ seed, long, promises }) => {
    const records = long ? 20_000 : 2_000;
    const runs: CrashRun[] = [];
    for (const prefetch of [0, 1]) runs.push(await killUntilDone(records, prefetch, seed, promises));
    return { records, runs };
  });
}

async function killUntilDone(records: number, prefetch: number, seed: number, promises: Promises): Promise<CrashRun> {
  const random = createRandom(seedOf(seed, "crash", prefetch));
  const service = await startService(records, random);
  const folder = mkdtempSync(join(tmpdir(), "crash-campaign-"));
  const pagesOfRuns: number[][] = [];
  const keptAfterRuns: number[] = [];
  try {
    for (let done = false; !done; ) {
      service.pages = [];
      done = await runOnce(service, [service.baseUrl, folder, String(prefetch)], random, 10);
      pagesOfRuns.push(service.pages);
      keptAfterRuns.push(linesOf(folder).length);
      if (pagesOfRuns.length > records) throw new Error("the reader makes no progress");
    }
    const kept = linesOf(folder).map((line) => JSON.parse(line) as number[]);
    const found = new Set(kept.flat());
    const missing = Array.from({ length: records }, (_, index) => index + 1).filter((id) => !found.has(id)).length;
    promises.check(missing === 0 && found.size === records, "the union of all runs is complete", `${missing} missing`);
    // The order of the records is the service's, if each counts where it occurs first.
    const firsts = [...found];
    promises.check(
      firsts.every((id, index) => id === index + 1),
      "pages come in order, whatever the kills",
    );
    const readTwice = repeatsPerRun(pagesOfRuns);
    const keptTwice = repeatsPerRun(
      runsOf(
        kept.map(([first = 0]) => first),
        keptAfterRuns,
      ),
    );
    const mostRead = Math.max(...readTwice);
    const mostKept = Math.max(...keptTwice);
    promises.check(
      mostRead <= 1 + prefetch,
      "a kill costs one page and those ahead",
      `prefetch ${prefetch}: ${mostRead}`,
    );
    promises.check(
      mostKept <= 1,
      "a kill makes the reader keep at most one page twice",
      `prefetch ${prefetch}: ${mostKept}`,
    );
    return {
      prefetch,
      kills: pagesOfRuns.length - 1,
      records: found.size,
      missing,
      pagesKeptTwice: sum(keptTwice),
      mostPagesKeptTwicePerKill: mostKept,
      pagesReadTwice: sum(readTwice),
      mostPagesReadTwicePerKill: mostRead,
    };
  } finally {
    rmSync(folder, { recursive: true });
    await service.close();
  }
}

// Counts the values of each run that an earlier run also had.
function repeatsPerRun(runs: readonly (readonly number[])[]): number[] {
  const seen = new Set<number>();
  return runs.map((values) => {
    const repeats = new Set(values.filter((value) => seen.has(value))).size;
    for (const value of values) seen.add(value);
    return repeats;
  });
}

function runsOf(values: readonly number[], ends: readonly number[]): number[][] {
  return ends.map((end, index) => values.slice(ends[index - 1] ?? 0, end));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function linesOf(folder: string): string[] {
  const file = join(folder, "records.ndjson");
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1);
}

// Starts the reader and kills it after some pages or some time. @returns true if the reader finished first.
async function runOnce(service: Service, parameters: string[], random: Random, mostPages: number): Promise<boolean> {
  const child = spawn(process.execPath, [READER, ...parameters], { stdio: ["ignore", "ignore", "inherit"] });
  const kill = () => void child.kill("SIGKILL");
  const timers: NodeJS.Timeout[] = [];
  if (random.chance(0.2)) timers.push(setTimeout(kill, random.whole(10, 400)));
  const pages = random.whole(1, mostPages);
  const delay = random.next() * 12;
  service.onPage = (count) => {
    if (count === pages) timers.push(setTimeout(kill, delay));
  };
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  for (const timer of timers) clearTimeout(timer);
  service.onPage = () => undefined;
  if (signal === null && code !== 0) throw new Error(`the reader ended with status ${code}`);
  return signal === null;
}

interface Service {
  readonly baseUrl: string;
  /** The pages requested since this list was last emptied. */
  pages: number[];
  onPage: (count: number) => void;
  close(): Promise<void>;
}

async function startService(records: number, random: Random): Promise<Service> {
  const server = createServer((request, response) => {
    const page = Number(new URL(request.url ?? "", "http://server").searchParams.get("cursor") ?? 0);
    service.pages.push(page);
    service.onPage(service.pages.length);
    const ids = Array.from({ length: PAGE_SIZE }, (_, index) => page * PAGE_SIZE + index + 1);
    const body = ids.map((id) => ({ id, name: `Variant ${id}`, updated_at: TIME, created_at: TIME }));
    const next = (page + 1) * PAGE_SIZE < records ? { link: `</?cursor=${page + 1}>; rel="next"` } : {};
    setTimeout(
      () => response.writeHead(200, { "content-type": "application/json", ...next }).end(JSON.stringify(body)),
      random.next() * 8,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const service: Service = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages: [],
    onPage: () => undefined,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return service;
}

if (import.meta.main) await command(run);
