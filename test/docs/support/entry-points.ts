import { ENTRIES } from "../../../scripts/lib/entries.ts";
import type { ExportedNames } from "../../../scripts/run-in-page/programs.ts";

/** The package's entry points and their sources. */
export const entryPoints: Readonly<Record<string, string>> = Object.fromEntries(
  ENTRIES.map(({ specifier, source }) => [specifier, source]),
);

let exported: Promise<ExportedNames> | undefined;

/** The exports of each entry point. An enumeration or error that two entry points export belongs to the first. */
export function exportedNames(): Promise<ExportedNames> {
  exported ??= (async () => {
    const seen = new Set<string>();
    const entries: [string, string[]][] = [];
    for (const { specifier } of ENTRIES) {
      const names = Object.keys((await import(specifier)) as object).filter((name) => !seen.has(name));
      for (const name of names) seen.add(name);
      entries.push([specifier, names]);
    }
    return entries;
  })();
  return exported;
}
