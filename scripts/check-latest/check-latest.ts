// Runs the type check of the sources and the unit tests with the newest ky and zod, in a temporary copy.
//   npm run check:latest
//   npm run check:latest -- zod@4.5.0    other versions, instead of the newest
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../lib/generated.ts";

const wanted = process.argv.length > 2 ? process.argv.slice(2) : ["ky@latest", "zod@latest"];
const names = wanted.map((version) => version.replace(/(?<=.)@.*/, ""));
const copy = mkdtempSync(join(tmpdir(), "check-latest-"));
try {
  for (const entry of readdirSync(ROOT, { withFileTypes: true })) {
    if (["node_modules", "dist", ".git", ".artefacts"].includes(entry.name)) continue;
    const filter = (path: string): boolean => !path.endsWith("/node_modules");
    cpSync(join(ROOT, entry.name), join(copy, entry.name), { recursive: true, filter });
  }
  const installed = join(copy, "latest");
  mkdirSync(installed);
  run("npm", ["install", "--prefix", installed, "--no-audit", "--no-fund", "--ignore-scripts", ...wanted]);
  // Everything else is what the project itself has installed.
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    const from = names.includes(name) ? join(installed, "node_modules", name) : join(ROOT, "node_modules", name);
    symlinkSync(from, join(copy, "node_modules", name));
  }
  run(process.execPath, [
    "node_modules/.bin/tsc",
    "-p",
    "tsconfig.build.json",
    "--noEmit",
    "--emitDeclarationOnly",
    "false",
  ]);
  run(process.execPath, ["node_modules/.bin/vitest", "run", "--project", "unit"]);
  console.log(`The unit tests pass with ${wanted.join(" and ")}.`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: copy, stdio: "inherit" });
  if (status === 0) return;
  rmSync(copy, { recursive: true, force: true });
  console.error(`${command} ${args.join(" ")} failed with ${wanted.join(" and ")}`);
  process.exit(1);
}
