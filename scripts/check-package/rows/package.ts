import { deepStrictEqual } from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { ENTRIES } from "../../lib/entries.ts";
import { run } from "../../lib/process.ts";
import { unnamedTypes } from "../public-names.ts";
import type { Context, Passed, Row } from "../row.ts";
import { ROOT } from "../workspace.ts";

type Exports = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Exports;
  readonly imports: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Entries that browsers and Workers import. */
const EVERYWHERE = ENTRIES.filter(({ onlyNode }) => !onlyNode).map(({ name }) => name);

/** Maximum bytes and files of the tarball; docs/decisions/node-build.md explains why the limits are not lower. */
const LARGEST = 2_160_000;
const MOST_FILES = 1_130;

const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];

/** Checks of the tarball itself. */
export const PACKAGE_ROWS: readonly Row[] = [
  { name: "files", group: "node", run: files },
  { name: "install-scripts", group: "node", run: installScripts },
  { name: "publint", run: publint },
  { name: "are-the-types-wrong", group: "attw", run: typesWrong },
  { name: "named-types", group: "node", run: namedTypes },
  { name: "import-graph", group: "node", run: graphs },
];

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}

async function installPackage(context: Context): Promise<{ folder: string; manifest: Manifest }> {
  const folder = join(await context.workspace.install("node"), "node_modules/education-admin-sdk");
  return { folder, manifest: await manifestOf(folder) };
}

/** Checks that the tarball contains the files that exports and bin name, and nothing that is not meant for users. */
async function files(context: Context): Promise<Passed> {
  const { folder, manifest } = await installPackage(context);
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const names = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const strangers = names.filter(
    (name) =>
      !/^(dist\/.*(\.js|\.d\.ts|\/licenses\.txt)|dist\/sbom\.cdx\.json|docs\/.*\.(md|svg|csv)|openapi\/[a-z-]+\.json|examples\/.*|package\.json|[A-Z]+\.md|llms(-full)?\.txt|skills\/.*\/SKILL\.md|LICENSE)$/.test(
        name,
      ),
  );
  if (strangers.length > 0) throw new Error(`not meant for users: ${strangers.join(", ")}`);
  const broken = await brokenLinks(folder, names);
  if (broken.length > 0) throw new Error(`links to files that are not in the package: ${broken.join(", ")}`);
  const targets = [
    ...Object.values(manifest.exports).flatMap((target) =>
      Object.values(typeof target === "string" ? [target] : target),
    ),
    ...Object.values(manifest.bin),
    ...Object.values(manifest.imports),
  ];
  const missing = targets.filter((target) => !existsSync(join(folder, target)));
  if (missing.length > 0) throw new Error(`named in package.json but missing: ${missing.join(", ")}`);
  const { size } = await readFile(await context.workspace.pack()).then((bytes) => ({ size: bytes.length }));
  if (size > LARGEST) throw new Error(`${size} bytes packed, more than ${LARGEST}`);
  if (names.length > MOST_FILES) throw new Error(`${names.length} files, more than ${MOST_FILES}`);
  return { version: manifest.version, note: `${names.length} files, ${Math.round(size / 1000)} kB packed` };
}

/**
 * Finds broken relative links in the tarball's documents. It skips links to sources, tests and scripts, and the last
 * section of README.md, because contributors read these in the repository.
 */
async function brokenLinks(folder: string, names: readonly string[]): Promise<string[]> {
  const broken: string[] = [];
  for (const name of names.filter((file) => /(\.md|llms\.txt)$/.test(file))) {
    const [text = ""] = (await readFile(join(folder, name), "utf8")).split("\n## In a clone of this repository\n");
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)) {
      const path = join(dirname(name), target);
      if (/^(src|test|scripts)\//.test(path) || existsSync(join(folder, path))) continue;
      broken.push(`${name} → ${target}`);
    }
  }
  return broken;
}

/** Checks that neither the package nor its dependencies run a script during installation. */
async function installScripts(context: Context): Promise<Passed> {
  const { manifest } = await installPackage(context);
  const modules = join(await context.workspace.install("node"), "node_modules");
  const folders = (await readdir(modules, { recursive: true })).filter((name) => name.endsWith("package.json"));
  const packages = new Set<string>();
  for (const name of folders) {
    const { name: packageName, scripts = {} } = JSON.parse(await readFile(join(modules, name), "utf8")) as Manifest;
    // A nested package.json that only sets "type" has no name.
    if (!packageName || !join(name, "..").endsWith(packageName)) continue;
    packages.add(packageName);
    // npm runs prepare in the source tree, never for a tarball.
    const found = INSTALL_SCRIPTS.filter((script) => script in scripts && script !== "prepare");
    if (found.length > 0) throw new Error(`${packageName} runs ${found.join(", ")} when it is installed`);
  }
  const dependencies = Object.keys(manifest.dependencies).sort().join(", ");
  if (dependencies !== "ky, zod") throw new Error(`dependencies: ${dependencies}`);
  return { version: manifest.version, note: `none in ${[...packages].sort().join(", ")}` };
}

async function publint(context: Context): Promise<Passed> {
  const out = await run(process.execPath, [bin("publint"), "run", "--strict", await context.workspace.pack()], {
    cwd: context.workspace.folder,
  });
  if (!/All good/i.test(out)) throw new Error(out);
  return { version: await toolVersion("publint"), note: "all good" };
}

/**
 * The findings that attw must report, by TypeScript's module resolution; any difference fails. `bundler` and `node16`
 * from ES modules are clean. The package has no CommonJS build: require() accepts its ES modules from Node 22.18 on, a
 * resolution that TypeScript calls `node20` and attw does not check. `node10` ignores the exports map, so it finds only
 * the root entry.
 */
const EXPECTED_OF_ATTW: Readonly<Record<string, number>> = {
  "node10 NoResolution": ENTRIES.length - 1,
  "node16-cjs CJSResolvesToESM": ENTRIES.length,
};

async function typesWrong(context: Context): Promise<Passed> {
  const args = [
    join(await context.workspace.install("attw"), "node_modules/.bin/attw"),
    await context.workspace.pack(),
    // attw exits with 0 if all findings are among those that this profile ignores: node10 and node16-cjs.
    "--profile",
    "esm-only",
    "--format",
    "json",
  ];
  const { analysis } = JSON.parse(await run(process.execPath, args, { cwd: context.workspace.folder })) as {
    analysis: { problems: readonly { kind: string; resolutionKind?: string }[] };
  };
  const found: Record<string, number> = {};
  for (const { kind, resolutionKind } of analysis.problems) {
    const problem = `${resolutionKind} ${kind}`;
    found[problem] = (found[problem] ?? 0) + 1;
  }
  deepStrictEqual(found, EXPECTED_OF_ATTW);
  return {
    version: await context.workspace.versionOf("attw", "@arethetypeswrong/cli"),
    note: "bundler and node16 from ES modules clean; node10 and node16-cjs as expected",
  };
}

/** Checks that every type in a public signature can be imported by its name. */
async function namedTypes(context: Context): Promise<Passed> {
  const { folder, manifest } = await installPackage(context);
  const entries = Object.values(manifest.exports).flatMap((target) =>
    typeof target === "string" ? [] : [target.types ?? ""],
  );
  const { checked, unnamed } = unnamedTypes(folder, entries);
  if (unnamed.length > 0)
    throw new Error(`mentioned in public signatures, exported by no entry:\n  ${unnamed.join("\n  ")}`);
  return { version: await toolVersion("typescript"), note: `${checked} types, all named` };
}

/** Checks that no entry for browsers reaches a module of Node, or any package except those named here. */
async function graphs(context: Context): Promise<Passed> {
  const { folder, manifest } = await installPackage(context);
  const seen = new Set<string>();
  const brought = new Set<string>();
  for (const entry of EVERYWHERE) {
    for (const conditions of [["browser"], ["worker", "workerd", "browser"], ["react-server", "edge-light"]]) {
      const { metafile } = await build({
        stdin: { contents: `export * from "${manifest.name}${entry.slice(1)}"`, resolveDir: folder },
        absWorkingDir: folder,
        bundle: true,
        write: false,
        metafile: true,
        logLevel: "silent",
        platform: "neutral",
        conditions,
        external: ["ky", "zod/mini", "@opentelemetry/api", ...(entry === "./sandbox/msw" ? ["msw"] : [])],
      });
      for (const [name, { imports }] of Object.entries(metafile.inputs)) {
        if (name === "<stdin>") continue;
        // esbuild itself fails on modules that are not installed, such as those of Node.
        if (!name.startsWith("dist/")) throw new Error(`${entry} reaches ${name}`);
        seen.add(name);
        for (const { path, external } of imports) if (external) brought.add(path);
      }
    }
  }
  return {
    version: manifest.version,
    note: `${seen.size} modules, no node:, packages ${[...brought].sort().join(", ")}`,
  };
}

function bin(name: string): string {
  return join(ROOT, "node_modules/.bin", name);
}

async function toolVersion(name: string): Promise<string> {
  return (await manifestOf(join(ROOT, "node_modules", name))).version;
}
