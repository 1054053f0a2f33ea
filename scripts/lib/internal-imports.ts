import manifest from "../../package.json" with { type: "json" };
import tsconfig from "../../tsconfig.json" with { type: "json" };

/**
 * The sources that stand for `#platform` and other names of the library's own, relative to the project.
 * @param where which file each name stands for: that of Node, which tsconfig.json names and which the build for Node has
 *   inside, or that of browsers and Workers, which package.json's `imports` names.
 */
export function internalImports(where: "node" | "default"): Readonly<Record<string, string>> {
  return where === "node"
    ? mapValues(tsconfig.compilerOptions.paths, ([source = ""]) => source.replace(/^\.\//, ""))
    : mapValues(manifest.imports, (file) => file.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts"));
}

function mapValues<File>(names: Readonly<Record<string, File>>, to: (file: File) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([name, file]) => [name, to(file)]));
}
