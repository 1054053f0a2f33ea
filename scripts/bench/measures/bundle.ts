import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { emptyModules } from "../lib/empty-modules.ts";
import { versionOf } from "../lib/machine.ts";
import type { Measure, Table } from "../lib/measure.ts";
import { formatNumber, kilobytes } from "../lib/numbers.ts";
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
  async run() {
    const entries = [...OWN, ...(await peerEntries()), ...BLOCKS];
    const sizes = new Map<Entry, Size>();
    const whole = new Map<Entry, Size>();
    for (const entry of entries) {
      sizes.set(entry, await sizeOf(entry.code, [LOADED_LATER]));
      whole.set(entry, await sizeOf(entry.code, []));
    }
    const gzip = (entry: Entry) => sizes.get(entry)?.gzip ?? Number.NaN;
    const [one, client] = OWN as readonly [Entry, Entry];
    const accountsOnly = await sizeOf(client.code, [LOADED_LATER, ACCOUNTS_ONLY]);
    const perOperation = (gzip(client) - accountsOnly.gzip) / (await furtherOperations());
    return {
      tables: [
        {
          head: ["bundled for browsers", "minified", "gzip", "gzip in one file", "validates"],
          rows: entries.map((entry) => [
            entry.name,
            kilobytes(sizes.get(entry)?.minified ?? 0),
            kilobytes(gzip(entry)),
            kilobytes(whole.get(entry)?.gzip ?? 0),
            entry.validates ? "yes" : "no",
          ]),
        },
        await partsOf(one.code, gzip(one)),
      ],
      goals: [
        {
          goal: "one resource, all dependencies in: at most 45 kB gzip",
          reached: kilobytes(gzip(one)),
          met: gzip(one) <= 45_000,
        },
        { goal: "whole MainClient: at most 63 kB gzip", reached: kilobytes(gzip(client)), met: gzip(client) <= 63_000 },
        {
          goal: "one more operation of a MainClient, its resource's schemas in: at most 90 bytes gzip",
          reached: `${formatNumber(perOperation, 0)} bytes`,
          met: perOperation <= 90,
        },
      ],
      how: "esbuild, `platform: browser`, minified, gzip at level 9: what is loaded at once, and one file that also holds what is otherwise loaded when it is first used (lookups, joins, the guard of a shared store); exact, so measured once.",
    };
  },
};

/** The parts of one resource's bundle: the name of each part, and a pattern for its files. */
const PARTS: Readonly<Record<string, RegExp>> = {
  ky: /\/node_modules\/ky\//,
  "zod/mini": /\/node_modules\/zod\//,
  "checks of records and inputs, drift": /\/dist\/core\/(schema\/|drift\/|json\.)/,
  "errors, with what they say": /\/dist\/core\/(errors|error-details|nearest-name|call\/failure)\./,
  "lists, pages, checkpoints": /\/dist\/core\/lists\//,
  "options and their checks": /\/dist\/core\/(settings|option-checks|credentials|options)\./,
  "the rate limiter": /\/dist\/core\/limits\//,
  "accounts, and the models it names": /\/dist\/(resources|models)\//,
};

// Leaves a MainClient with the operations of accounts only.
const ACCOUNTS_ONLY = emptyModules(
  (path) => path.includes("/dist/resources/") && !path.endsWith("/resources/people/accounts.js"),
);

/** Measures each part of one resource's bundle: by how much the bundle shrinks without that part. */
async function partsOf(code: string, whole: number): Promise<Table> {
  const parts = new Map<string, number>();
  for (const [name, files] of Object.entries(PARTS)) {
    const { gzip } = await sizeOf(code, [LOADED_LATER, emptyModules((path) => files.test(path))]);
    parts.set(name, whole - gzip);
  }
  const rest = [...parts.values()].reduce((left, bytes) => left - bytes, whole);
  return {
    head: ["one resource without", "gzip less"],
    rows: [...[...parts].sort(([, a], [, b]) => b - a), ["all others: requests, retries, answers", rest] as const].map(
      ([name, bytes]) => [name, kilobytes(bytes)],
    ),
  };
}

// Counts a MainClient's operations other than those of accounts.
async function furtherOperations(): Promise<number> {
  const { allOperations } = (await import(
    "education-admin-sdk/operations"
  )) as typeof import("../../../src/operations.ts");
  const operations = allOperations.filter(({ apis }) => apis.includes("main") || apis.includes("organization"));
  return operations.filter(({ id }) => !id.startsWith("accounts.")).length;
}

async function peerEntries(): Promise<Entry[]> {
  const peers = PEERS.filter((peer) => peer.in.includes("bundle") && !peer.isOurs);
  return Promise.all(
    peers.map(async ({ id, name, package: from, validates }) => ({
      name: from === null ? name : `${name} ${await versionOf(from)}`,
      code: `import "./${id}-start.js";`,
      validates,
    })),
  );
}

interface Size {
  readonly minified: number;
  readonly gzip: number;
}

// Keeps dynamically imported modules out of the bundle, because a bundler that splits code writes them to separate
// files.
const LOADED_LATER: Plugin = {
  name: "loaded-later",
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind }) => (kind === "dynamic-import" ? { external: true } : null));
  },
};

async function sizeOf(contents: string, plugins: Plugin[]): Promise<Size> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: PROGRAMS },
    plugins,
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
