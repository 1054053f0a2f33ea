import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { versionOf } from "../lib/machine.ts";
import type { Measure } from "../lib/measure.ts";
import { kilobytes } from "../lib/numbers.ts";
import { PROGRAMS } from "../lib/paths.ts";
import { PEERS } from "../lib/peers.ts";

const OPTIONS = '{ baseUrl: "https://bench.example", apiKey: "bench" }';

interface Entry {
  readonly name: string;
  readonly code: string;
  readonly validates: boolean;
}

const OWN: readonly Entry[] = [
  {
    name: "education-admin-sdk, one resource",
    code: `import { Accounts } from "education-admin-sdk"; import { Transport } from "education-admin-sdk/operations"; globalThis.benchClient = new Accounts(new Transport(${OPTIONS}));`,
    validates: true,
  },
  {
    name: "education-admin-sdk, whole MainClient",
    code: `import { MainClient } from "education-admin-sdk"; globalThis.benchClient = new MainClient(${OPTIONS});`,
    validates: true,
  },
  {
    name: "education-admin-sdk, MainClient and all schemas",
    code: `import { MainClient } from "education-admin-sdk"; import * as schemas from "education-admin-sdk/schemas"; globalThis.benchClient = [new MainClient(${OPTIONS}), schemas];`,
    validates: true,
  },
];

const BLOCKS: readonly Entry[] = [
  {
    name: "zod/mini, an object with one text",
    code: 'import * as z from "zod/mini"; globalThis.bench = z.object({ name: z.string() });',
    validates: true,
  },
];

export const bundle: Measure = {
  name: "bundle",
  charts: [{ table: 0, column: "gzip", title: "Bundled for browsers, kB gzip" }],
  async run() {
    const entries = [...OWN, ...(await peerEntries()), ...BLOCKS];
    const sizes = new Map<Entry, { minified: number; gzip: number }>();
    for (const entry of entries) sizes.set(entry, await sizeOf(entry.code));
    const gzip = (entry: Entry) => sizes.get(entry)?.gzip ?? Number.NaN;
    const [one, whole] = OWN as readonly [Entry, Entry];
    return {
      tables: [
        {
          head: ["bundled for browsers", "minified", "gzip", "validates"],
          rows: entries.map((entry) => [
            entry.name,
            kilobytes(sizes.get(entry)?.minified ?? 0),
            kilobytes(gzip(entry)),
            entry.validates ? "yes" : "no",
          ]),
        },
      ],
      goals: [
        {
          goal: "one resource, all dependencies in: at most 36 kB gzip",
          reached: kilobytes(gzip(one)),
          met: gzip(one) <= 36_000,
        },
        { goal: "whole MainClient: at most 46 kB gzip", reached: kilobytes(gzip(whole)), met: gzip(whole) <= 46_000 },
      ],
      how: "esbuild, `platform: browser`, one ES module, minified, gzip at level 9; exact, so measured once.",
    };
  },
};

async function peerEntries(): Promise<Entry[]> {
  const peers = PEERS.filter((peer) => peer.in.includes("bundle") && !peer.own);
  return Promise.all(
    peers.map(async ({ id, name, package: from, validates }) => ({
      name: from === null ? name : `${name} ${await versionOf(from)}`,
      code: `import "./${id}-start.js";`,
      validates,
    })),
  );
}

async function sizeOf(contents: string): Promise<{ minified: number; gzip: number }> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: PROGRAMS },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "error",
  });
  const code = outputFiles[0]!.contents;
  return { minified: code.length, gzip: gzipSync(code, { level: 9 }).length };
}
