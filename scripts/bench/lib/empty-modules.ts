import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const LIST = /export \{([^}]*)\}/g;
const DECLARATION = /export (?:async )?(?:const|let|class|function\*?) (\w+)/g;

/**
 * Replaces the exports of some modules with empty classes, to measure a bundle without these modules. The resulting
 * bundle cannot run.
 */
export function emptyModules(isEmpty: (path: string) => boolean): Plugin {
  return {
    name: "empty-modules",
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, async ({ path }) =>
        isEmpty(path) ? { contents: emptyExports(await readFile(path, "utf8")) } : null,
      );
    },
  };
}

function emptyExports(text: string): string {
  const listed = [...text.matchAll(LIST)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.trim().split(" as ").at(-1) ?? ""),
  );
  const declared = [...text.matchAll(DECLARATION)].map(([, name = ""]) => name);
  const names = new Set([...listed, ...declared].filter((name) => name !== "" && name !== "default"));
  const classes = [...names].map((name) => `export class ${name} {}`);
  return [...classes, ...(/export default|as default/.test(text) ? ["export default class {}"] : [])].join("\n");
}
