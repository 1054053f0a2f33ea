import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";

type Target = string | { readonly [condition: string]: Target };

/**
 * Finds scripts and declarations in dist that cannot be imported, because neither package.json nor any reachable file
 * refers to them. They make up half of the declarations: those of the library's internal modules.
 */
export function findUnreached(folder: string): string[] {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file) || !/\.(js|d\.ts)$/.test(file)) return;
    reached.add(file);
    for (const fileName of importedBy(file, readFileSync(join(folder, file), "utf8"))) {
      if (!fileName.startsWith(".")) continue;
      visit(join(dirname(file), file.endsWith(".d.ts") ? fileName.replace(/\.js$/, ".d.ts") : fileName));
    }
  };
  for (const file of namedIn(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")))) visit(join(file));
  return readdirSync(join(folder, "dist"), { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((file) => /\.(js|d\.ts)$/.test(file) && !reached.has(file))
    .sort();
}

// Uses a full parse, because TypeScript's quick scan fails on regular expressions in minified code.
function importedBy(file: string, text: string): string[] {
  return file.endsWith(".d.ts")
    ? ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName)
    : [...text.matchAll(/\b(?:from|import) ?\(?"(\.[^"\n]+)"/g)].map(([, name = ""]) => name);
}

function namedIn({ exports, imports, bin }: Readonly<Record<"exports" | "imports" | "bin", Target>>): string[] {
  const files = (target: Target): string[] =>
    typeof target === "string" ? [target] : Object.values(target).flatMap(files);
  return [exports, imports, bin].flatMap(files);
}
