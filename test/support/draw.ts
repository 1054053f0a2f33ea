import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const found: { draw?: string; touched?: string } = {};

/**
 * The first eight hex digits of HEAD. They choose the cases if there is no time for all, so that a commit always gives
 * the same result. DRAW repeats the draw of another commit; `DRAW=all` tries every case. Without Git, the draw is
 * `00000000`.
 */
export function draw(): string {
  found.draw ??= process.env.DRAW ?? (git("rev-parse", "HEAD").slice(0, 8) || "00000000");
  if (found.draw !== "all" && !/^[0-9a-f]{1,8}$/.test(found.draw))
    throw new Error(`DRAW is ${found.draw}: it takes up to eight hex digits, or "all"`);
  return found.draw;
}

/** The draw as a number from 0 to 2 ** 32 - 1; 0 if every case is tried. */
export function drawNumber(): number {
  return draw() === "all" ? 0 : Number.parseInt(draw(), 16);
}

/**
 * The names of the resources, guides and examples changed in the working tree or in the last commit, separated by
 * spaces.
 */
export function changedNames(): string {
  found.touched ??= process.env.TOUCHED ?? namesIn(changedFiles()).join(" ");
  return found.touched;
}

/** The draws of the commits before HEAD, the newest first; fewer in a shallow clone. */
export function earlierDraws(count: number): readonly number[] {
  const hashes = git("log", `--max-count=${count}`, "--format=%H", "HEAD~1").split("\n").filter(Boolean);
  return hashes.map((hash) => Number.parseInt(hash.slice(0, 8), 16));
}

/** The names of these files (`planned-courses`), and the same as names of resources (`plannedCourses`). */
export function namesIn(files: readonly string[]): string[] {
  return files
    .filter((file) => /^(src\/resources|docs|examples)\/.*\.(ts|md)$/.test(file))
    .map((file) => basename(file).replace(/\..*/, ""))
    .flatMap((name) => [name, name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]);
}

function changedFiles(): string[] {
  const changed = `${git("diff", "--name-only", "HEAD~1")}\n${git("ls-files", "--others", "--exclude-standard")}`;
  return changed.split("\n");
}

/**
 * The output of a Git command; empty if it fails, for example without Git, outside a repository, or for an unknown
 * commit.
 */
function git(...args: readonly string[]): string {
  try {
    return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
}
