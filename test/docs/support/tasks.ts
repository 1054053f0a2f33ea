import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Fence, fencesOf } from "./code-blocks.ts";

/** The task pages whose programs run in Node. */
export const TASK_PAGES = ["nightly-export", "mirror", "import"] as const;

/** Work that programs should leave to the library: CSV, pages, retries. */
export const BY_HAND = /\.join\(["'][,;\t]|\bcursor\b|nextPage|\bper_page\b|setTimeout|setInterval/;

/** The programs of a task page: its blocks whose first line names a file. */
export function taskPrograms(page: string): ReadonlyMap<string, Fence> {
  const fences = fencesOf(`docs/guides/${page}.md`);
  return new Map(
    fences.flatMap((fence) => {
      const [, name] = /^\/\/ (\S+\.tsx?)\n/.exec(fence.code) ?? [];
      return name === undefined ? [] : [[name, fence] as const];
    }),
  );
}

/** Writes the programs of a page into a folder. @returns the path of each. */
export function writeTask(page: string, folder: string): ReadonlyMap<string, string> {
  const programs = [...taskPrograms(page)];
  for (const [name, { code }] of programs) writeFileSync(join(folder, name), `${code}\n`);
  return new Map(programs.map(([name]) => [name, join(folder, name)]));
}
