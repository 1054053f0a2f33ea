import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "../../../scripts/run-in-page/programs.ts";
import { type Mistake, typeCheck } from "../../support/type-check.ts";
import { root } from "./code-blocks.ts";
import { entryPoints } from "./entry-points.ts";

/** A program written to a file. */
export interface WrittenProgram extends Program {
  readonly path: string;
}

/** Writes programs to files in a folder, to be compiled and run. */
export function write(programs: readonly Program[], into: string): WrittenProgram[] {
  return programs.map((program) => {
    const [document = "", line] = program.name.replace(/\.(md|ts):/, ":").split(":");
    // Each document has its own folder, so that files named in it can import each other.
    const folder = join(into, document.replaceAll("/", "-"));
    mkdirSync(folder, { recursive: true });
    const path = join(folder, program.file ?? `line-${line}.ts`);
    writeFileSync(path, program.code);
    return { ...program, path };
  });
}

/**
 * Compiles files together, as strictly as the project itself and against the built package. @returns the errors of each
 * file, with line numbers.
 * @returns the errors of each file, with their lines.
 */
export function compile(
  files: readonly string[],
  overrides: { readonly lib?: readonly string[] } = {},
): Promise<Map<string, readonly Mistake[]>> {
  const paths = {
    ...Object.fromEntries(
      Object.entries(entryPoints).map(([specifier, file]) => [
        specifier,
        [join(root, file.replace(/^src/, "dist").replace(/\.ts$/, ".d.ts"))],
      ]),
    ),
    // undici's own declarations, which @types/node includes.
    undici: [join(root, "node_modules/undici-types/index.d.ts")],
  };
  return typeCheck(files, { ...overrides, paths });
}
