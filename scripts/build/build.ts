// Builds dist and stamps it with a hash of its sources.
//   --if-stale   does nothing if dist is up to date
//   --quiet      prints the tools' output only if one of them fails
import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import manifest from "../../package.json" with { type: "json" };
import type { Operation } from "../../src/operations.ts";
import { writeSbom } from "../release/sbom.ts";
import { documentDeclarations } from "./declaration-docs.ts";
import { type MethodLines, methodLines } from "./method-docs.ts";
import { distState, ROOT, STAMP_FILE, sourceHash } from "./stamp.ts";
import { findUnreached } from "./unreached.ts";

const { values } = parseArgs({ options: { "if-stale": { type: "boolean" }, quiet: { type: "boolean" } } });

if (!values["if-stale"] || distState() !== "fresh") process.exitCode = await build();

async function build(): Promise<number> {
  // Takes the hash first, so that a source that changes during the build makes dist stale.
  const hash = sourceHash();
  // Replaces tsup's `clean`: the steps below run in parallel, and one would remove the output of another.
  rmSync(`${ROOT}dist`, { recursive: true, force: true });
  // TypeScript 7 takes a quarter of the time to write the declarations. It uses a single checker, because each further
  // checker would read all types again.
  const declarations = ["typescript-7/bin/tsc", "-p", "tsconfig.build.json", "--checkers", "1"] as const;
  const statuses = await Promise.all([run("tsup/dist/cli-default.js"), run(...declarations)]);
  const failed = statuses.find((status) => status !== 0);
  if (failed !== undefined) return failed;
  documentDeclarations(`${ROOT}dist`, await builtMethods());
  for (const file of findUnreached(ROOT)) rmSync(`${ROOT}${file}`);
  writeSbom("dist", Object.keys(manifest.dependencies));
  writeFileSync(STAMP_FILE, hash);
  return 0;
}

/** Runs a tool. @returns its exit status. */
function run(tool: string, ...args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`${ROOT}node_modules/${tool}`, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    }
    child.on("error", reject);
    child.on("close", (status) => {
      if (status !== 0 || !values.quiet) process.stderr.write(printed);
      resolve(status ?? 1);
    });
  });
}

// Reads the classes and tables from the new build.
async function builtMethods(): Promise<MethodLines> {
  const importBuilt = (file: string) => import(`${ROOT}dist/${file}.js`) as Promise<never>;
  const classes = await importBuilt("generated/resources");
  const { allOperations }: { allOperations: readonly Operation[] } = await importBuilt("operations");
  return methodLines(Object.values(classes), allOperations, await importBuilt("core/operation"));
}
