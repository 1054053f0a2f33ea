import type { Stats } from "node:fs";
import { lstat, readlink, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { InputError } from "../../core/errors.js";
import { orNull } from "./node-files.js";

export interface Target {
  /** Path of the file itself, with symbolic links resolved. */
  readonly path: string;
  /** Permissions of the file that is replaced; null for a new file. */
  readonly mode: number | null;
}

export interface Obstacle {
  /** The obstacle, phrased to follow the path in a sentence: `is a folder`. */
  readonly what: string;
  /** The remedy, phrased as an imperative: `name a file`. */
  readonly advice: string;
  /** True if a stream would work instead: the path accepts bytes but is not a file. */
  readonly stream: boolean;
}

type Kinds = Pick<Stats, "isFile" | "isDirectory" | "isFIFO" | "isSocket">;

// Paths of a process's open streams. They must not be replaced even if they are files, because other writers would go
// on writing to the old file.
const STREAM_NAME = /^\/(dev\/(std(in|out|err)|fd\/\d+)|proc\/[^/]+\/fd\/\d+)$/;

/**
 * Describes an obstacle at a path that a file must not replace, such as a folder; null if there is none. @param stats
 * of the target, with links followed; null if it does not exist.
 */
export function obstacleOf(path: string, stats: Kinds | null): Obstacle | null {
  const obstacle = (what: string, stream = true) => ({ what, advice: "name a file", stream });
  if (STREAM_NAME.test(path)) return obstacle("is a stream of the process");
  if (stats === null || stats.isFile()) return null;
  if (stats.isDirectory()) return obstacle("is a folder", false);
  if (stats.isFIFO()) return obstacle("is a named pipe");
  return obstacle(stats.isSocket() ? "is a socket" : "is a device");
}

function unwritable(advice: string): Obstacle {
  return { what: "cannot be written", advice, stream: false };
}

/**
 * Resolves a path to the file that it names. Opens nothing.
 * @param suffixes endings of further files that are written next to the file.
 */
export async function targetAt(path: string, ...suffixes: readonly string[]): Promise<Target | Obstacle> {
  let stats: Stats | null;
  try {
    stats = await orNull(stat(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ELOOP") throw error;
    return unwritable("its symbolic links form a loop; name a file");
  }
  const obstacle = obstacleOf(path, stats);
  if (obstacle) return obstacle;
  const real = await fileAt(path);
  const folder = dirname(real);
  if (!(await orNull(stat(folder)))?.isDirectory()) return unwritable(`the folder ${folder} does not exist`);
  for (const beside of suffixes.map((suffix) => real + suffix)) {
    const found = await orNull(lstat(beside));
    if (found && !found.isFile()) return unwritable(`${beside} is not a regular file; move it away`);
  }
  return { path: real, mode: stats && stats.mode & 0o777 };
}

/** Like {@link targetAt}. @throws InputError if there is something at the path that a file must not replace. */
export async function checkedTarget(path: string, ...suffixes: readonly string[]): Promise<Target> {
  const found = await targetAt(path, ...suffixes);
  if ("path" in found) return found;
  const message = `${path} ${found.what}; ${found.advice}`;
  throw new InputError(`${message}. Nothing was written.`, [{ path: "", message }]);
}

/** The path of the file that a path names, with symbolic links resolved. */
export async function fileAt(path: string): Promise<string> {
  return (await orNull(realpath(path))) ?? endOfLinks(path);
}

// A link may point to a file that does not exist yet. Circular links were already refused by the system.
async function endOfLinks(path: string): Promise<string> {
  const stats = await orNull(lstat(path));
  return stats?.isSymbolicLink() ? endOfLinks(resolve(dirname(path), await readlink(path))) : path;
}
