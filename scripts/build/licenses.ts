import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Plugin } from "esbuild";

/** Writes the licenses of all packages in a bundle to a file; fails if a package has none. */
export const licenses = (file: string): Plugin => ({
  name: "licenses",
  setup({ onEnd }) {
    onEnd(({ metafile }) => {
      if (!metafile) return;
      const inputs = Object.keys(metafile.inputs);
      const folders = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, [...folders].sort().map(licenseOf).join("\n"));
    });
  },
});

function licenseOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const found = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  // The license from the package's repository, for packages that do not contain it.
  const kept = new URL(`licenses/${name}.txt`, import.meta.url);
  if (found === undefined && !existsSync(kept)) throw new Error(`${name} is bundled, and has no file with its license`);
  return `${name} ${version}\n\n${readFileSync(found === undefined ? kept : `${folder}/${found}`, "utf8")}`;
}
