import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.ts";
import { listen } from "../../src/sandbox/node.ts";
import { chance } from "../support/chance.ts";
import { start } from "../support/program.ts";
import { makeFolder } from "../support/type-check.ts";
import { programsOf, root } from "./support/code-blocks.ts";
import { entryPoints } from "./support/entry-points.ts";

// Bundles the programs, because they start about 90 times, and a bundle starts several times faster.
const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(async () => {
  for (const { file, code } of guide) if (file) writeFileSync(join(folder, file), code);
  await build({
    entryPoints: [join(folder, "export-contacts.ts")],
    outdir: folder,
    entryNames: "[name]",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["education-admin-sdk-source"],
    alias: Object.fromEntries(Object.entries(entryPoints).map(([name, file]) => [name, join(root, file)])),
    external: [],
  });
});

const guide = programsOf("docs/guides/pagination.md");

interface Program {
  readonly file: string;
  readonly options: readonly string[];
  /** The path of the file that the program writes, relative to its folder. */
  readonly result: string;
  readonly list: string;
}

/** Serves a sandbox over HTTP; counts the requests for one list, and how many runs continued the export. */
async function serve(list: string) {
  const sandbox = createSandbox({ size: 1_000, rateLimit: { requests: 100_000 } });
  const counts = { ofRun: 0, until: 1, continued: 0 };
  let reportArrival = () => {};
  const server = await listen({
    fetch: async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      if (url.includes(list)) {
        if (counts.ofRun++ === 0 && url.includes("cursor=")) counts.continued++;
        if (counts.ofRun === counts.until) reportArrival();
        await setTimeout(5);
      }
      return sandbox.fetch(input, init);
    },
  });
  onTestFinished(() => server.close());
  return {
    env: { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey },
    counts,
    /** Resolves when the next run has requested this many pages. */
    nextRun: (pages: number) => {
      Object.assign(counts, { ofRun: 0, until: pages });
      return new Promise<void>((resolve) => {
        reportArrival = resolve;
      });
    },
  };
}

// A seed always gives the same numbers, so that a failure can be repeated.
function randomNumbers(seed: number): (below: number) => number {
  const next = chance(seed);
  return (below) => Math.floor(next() * below);
}

/** Damages a file as a power cut may: half of the last line is missing, or only part of the last page was written. */
function tear(path: string, random: (below: number) => number): void {
  if (!existsSync(`${path}.part`)) return;
  const size = existsSync(`${path}.state`) ? JSON.parse(readFileSync(`${path}.state`, "utf8")).size : 0;
  const kind = random(3);
  if (kind === 1) appendFileSync(`${path}.part`, '{"id":12345,"name":"To');
  if (kind === 2) truncateSync(`${path}.part`, size + random(statSync(`${path}.part`).size - size));
}

/** Kills a program at random moments and damages its output; after every sixth kill it may finish. */
async function killAndCompare({ file, options, result, list }: Program, kills: number): Promise<void> {
  const { env, counts, nextRun } = await serve(list);
  const random = randomNumbers(kills);
  const place = () => mkdtempSync(join(tmpdir(), "export-"));
  const whole = place();
  void nextRun(1);
  expect(await start(file, options, { cwd: whole, env }).ended).toMatchObject({ code: 0 });
  const expected = readFileSync(join(whole, result), "utf8");

  let killed = 0;
  while (killed < kills) {
    const cwd = place();
    for (let inThisFolder = 0; inThisFolder < 6; inThisFolder++) {
      const asked = nextRun(1 + random(5));
      const run = start(file, options, { cwd, env });
      await Promise.race([asked, run.ended]);
      await setTimeout(random(30));
      run.process.kill("SIGKILL");
      await run.ended;
      killed++;
      tear(join(cwd, result), random);
    }
    void nextRun(1);
    const last = await start(file, options, { cwd, env }).ended;
    expect([last.code, last.output]).toEqual([0, expect.anything()]);
    expect(readFileSync(join(cwd, result), "utf8") === expected, `identical after ${killed} kills`).toBe(true);
  }
  expect(counts.continued, "runs that continued the list").toBeGreaterThan(kills / 10);
}

describe("exports that are killed", () => {
  test("the guide's export is byte-identical after 12 kills, half of which also damage the last line", async () => {
    await killAndCompare(
      { file: join(folder, "export-contacts.mjs"), options: [], result: "contacts.ndjson", list: "/contacts" },
      12,
    );
  }, 200_000);
});
