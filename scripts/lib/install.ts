// Tools that few contributors need have their own package.json, so that `npm ci` of the project stays quick.
import { execSync } from "node:child_process";
import { cpSync, rmSync, statSync } from "node:fs";
import { ROOT } from "./generated.ts";

/** Installs the lockfile of a folder, unless it was installed since the lockfile last changed. */
export function install(folder: string): void {
  // npm writes the first of these files at the end of an installation.
  const [installed = 0, locked = 0] = ["node_modules/.package-lock.json", "package-lock.json"].map(
    (file) => statSync(`${folder}/${file}`, { throwIfNoEntry: false })?.mtimeMs,
  );
  if (installed > locked) return;
  execSync("npm ci --ignore-scripts --no-audit --no-fund --prefer-offline", { cwd: folder, stdio: "inherit" });
}

/** Copies the built package into a folder's node_modules, so that it uses the packages beside it. */
export function installLibrary(folder: string): void {
  const target = `${folder}/node_modules/education-admin-sdk`;
  rmSync(target, { recursive: true, force: true });
  for (const part of ["package.json", "dist"]) cpSync(`${ROOT}${part}`, `${target}/${part}`, { recursive: true });
}

if (import.meta.main) install(process.argv[2] ?? ".");
