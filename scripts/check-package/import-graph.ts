import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";

/** What an entry pulls in. */
export interface Graph {
  /** Files of the package, relative to its folder. */
  readonly files: readonly string[];
  /** Bare specifiers, with the file that imports each. */
  readonly packages: ReadonlyMap<string, string>;
}

type Target = string | { readonly [condition: string]: Target };

/**
 * Follows the imports of a built file through the package, as a resolver with these conditions would.
 * @param folder of the installed package.
 * @throws Error when an import leads to no file.
 */
export function importGraph(folder: string, entry: string, conditions: readonly string[]): Graph {
  const { imports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    imports?: Record<string, Target>;
  };
  const files = new Set<string>();
  const packages = new Map<string, string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const specifier of specifiersOf(join(folder, file))) {
      if (specifier.startsWith("#")) visit(join(choose(imports[specifier], conditions) ?? fail(file, specifier)));
      else if (!specifier.startsWith(".")) packages.set(specifier, file);
      else visit(relative(folder, join(folder, dirname(file), specifier)));
    }
  };
  visit(join(entry));
  for (const file of files) if (!existsSync(join(folder, file))) fail(entry, file);
  return { files: [...files], packages };
}

/** The file a target of `exports` or `imports` names under these conditions; null when it names none. */
export function choose(target: Target | undefined, conditions: readonly string[]): string | null {
  if (target === undefined || typeof target === "string") return target ?? null;
  for (const [condition, inner] of Object.entries(target)) {
    if (condition !== "default" && !conditions.includes(condition)) continue;
    const found = choose(inner, conditions);
    if (found !== null) return found;
  }
  return null;
}

function specifiersOf(file: string): string[] {
  if (!existsSync(file)) return [];
  return ts.preProcessFile(readFileSync(file, "utf8"), true, true).importedFiles.map(({ fileName }) => fileName);
}

function fail(from: string, to: string): never {
  throw new Error(`${from} imports ${to}, which is not there`);
}
