// Runs the type check of the sources and the unit tests with the newest ky and zod, in a temporary copy.
//   npm run check:latest
//   npm run check:latest -- zod@4.5.0                  other versions, instead of the newest
//   npm run check:latest -- --tests test/core          some of the unit tests
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../lib/generated.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: "string", multiple: true, default: [] } },
});
const wanted = positionals.length > 0 ? positionals : ["ky@latest", "zod@latest"];
const names = wanted.map((version) => version.replace(/(?<=.)@.*/, ""));
const copy = mkdtempSync(join(tmpdir(), "check-latest-"));
try {
  copyProject();
  const installed = install();
  const versions = names.map((name) => [name, versionOf(join(installed, "node_modules", name))] as const);
  const types = run("node_modules/.bin/tsc", "-p", "tsconfig.build.json", "--noEmit", "--emitDeclarationOnly", "false");
  const tests = run("node_modules/.bin/vitest", "run", "--project", "unit", ...values.tests);
  console.log();
  const rows = [
    ...versions.map(([name, version]) => [name, version, `beside ${versionOf(join(ROOT, "node_modules", name))} here`]),
    ["type check", types ? "ok" : "FAILED", ""],
    ["unit tests", tests ? "ok" : "FAILED", values.tests.join(" ")],
  ];
  for (const [first = "", second = "", third = ""] of rows)
    console.log(`${first.padEnd(12)} ${second.padEnd(8)} ${third}`.trim());
  process.exitCode = types && tests ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function copyProject(): void {
  for (const entry of readdirSync(ROOT, { withFileTypes: true })) {
    if (["node_modules", "dist", ".git", ".artefacts"].includes(entry.name)) continue;
    const filter = (path: string): boolean => !/\/(node_modules|generated|site)$/.test(path) || path.includes("/src/");
    cpSync(join(ROOT, entry.name), join(copy, entry.name), { recursive: true, filter });
  }
}

/** Installs the requested versions beside the project's other dependencies. */
function install(): string {
  const folder = join(copy, "latest");
  mkdirSync(folder);
  const args = ["install", "--prefix", folder, "--prefer-online", "--ignore-scripts", ...wanted];
  const { status } = spawnSync("npm", args, { cwd: copy, stdio: "inherit" });
  if (status !== 0) throw new Error(`npm could not install ${wanted.join(" and ")}`);
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    const from = names.includes(name) ? join(folder, "node_modules", name) : join(ROOT, "node_modules", name);
    symlinkSync(from, join(copy, "node_modules", name));
  }
  return folder;
}

function run(program: string, ...args: readonly string[]): boolean {
  return spawnSync(process.execPath, [program, ...args], { cwd: copy, stdio: "inherit" }).status === 0;
}

function versionOf(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version;
}
