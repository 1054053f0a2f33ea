import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. Declared here, because a copy made for a build contains no other folder of scripts. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));
const STAMP = "dist/.built-from";

// Files outside these folders that the build reads.
const CONFIGURATION = ["package.json", "tsconfig.json", "tsconfig.build.json", "tsup.config.ts", "entries.json"];
const FOLDERS = ["src", "scripts/build"];

/** A hash of all files that the build reads. The build writes it into dist, so that tests recognize a stale dist. */
export function sourceHash(): string {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length)),
  );
  const hash = createHash("sha256");
  for (const name of [...CONFIGURATION, ...sources.sort()]) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(ROOT, name)))
      .update("\0");
  }
  return hash.digest("hex");
}

/** Whether dist matches the current sources and configuration; "missing" if dist has no stamp. */
export function distState(): "fresh" | "stale" | "missing" {
  let built: string;
  try {
    built = readFileSync(join(ROOT, STAMP), "utf8");
  } catch {
    return "missing";
  }
  return built === sourceHash() ? "fresh" : "stale";
}

/** Path of the stamp file, below the project's folder. */
export const STAMP_FILE: string = join(ROOT, STAMP);
