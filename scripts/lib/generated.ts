import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** Generated files: path in the project and expected content. */
export type GeneratedFiles = Readonly<Record<string, string>>;

/** Names the files whose content on disk differs. */
export function outOfStep(files: GeneratedFiles): string[] {
  return Object.entries(files)
    .filter(([path, content]) => read(path) !== content)
    .map(([path]) => path);
}

/** Writes the files, or with `--check` only compares them: exit status 1 if one is out of step. */
export function bringInStep(files: GeneratedFiles): void {
  const stale = outOfStep(files);
  if (process.argv.includes("--check")) {
    for (const path of stale) console.error(`${path} is out of date: run npm run generate`);
    if (stale.length > 0) process.exitCode = 1;
    return;
  }
  for (const path of stale) writeFileSync(ROOT + path, files[path] ?? "");
  console.log(stale.length > 0 ? `written: ${stale.join(", ")}` : "nothing to write: everything is up to date");
}

function read(path: string): string | null {
  try {
    return readFileSync(ROOT + path, "utf8");
  } catch {
    return null;
  }
}
