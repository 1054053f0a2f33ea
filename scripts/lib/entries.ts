import { readFileSync } from "node:fs";
import entries from "../../entries.json" with { type: "json" };
import { type GeneratedFiles, ROOT } from "./generated.ts";

export interface Entry {
  /** Name in package.json's `exports`, such as "." or "./schemas". */
  readonly name: string;
  /** Specifier that programs import. */
  readonly specifier: string;
  readonly source: string;
  /** Whether it imports modules of Node, which only files named node or cli may. */
  readonly onlyNode: boolean;
}

/** The package's entry points, from entries.json, the only list of them. */
export const ENTRIES: readonly Entry[] = Object.entries(entries).map(([name, source]) => ({
  name,
  specifier: `education-admin-sdk${name.slice(1)}`,
  source,
  onlyNode: /\/node[^/]*\.ts$/.test(source),
}));

/** package.json with the `exports` for the entries. */
export function packageJson(): GeneratedFiles {
  const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as Record<string, unknown>;
  const targets = ENTRIES.map(({ name, source, onlyNode }) => {
    const file = source.replace(/^src\/|\.ts$/g, "");
    const [types, node] = [`./dist/${file}.d.ts`, `./dist/node/${file}.js`];
    return [name, onlyNode ? { types, default: node } : { types, node, default: `./dist/${file}.js` }] as const;
  });
  const data = ["main", "admin", "organization", "sandbox-control"].map((name) => `./openapi/${name}.json`);
  const files = [...data, "./package.json"].map((file) => [file, file] as const);
  manifest.exports = Object.fromEntries([...targets, ...files]);
  return { "package.json": `${JSON.stringify(manifest, null, 2)}\n` };
}
