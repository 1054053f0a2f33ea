import manifest from "../../package.json" with { type: "json" };
import tsconfig from "../../tsconfig.json" with { type: "json" };

/**
 * The sources behind `#platform` and other internal names, relative to the project.
 * @param where "node" for the files that tsconfig.json names and the build for Node includes; "default" for the files
 * for browsers and Workers that `imports` in package.json names.
 */
export function internalImports(where: "node" | "default"): Readonly<Record<string, string>> {
  return where === "node"
    ? mapValues(tsconfig.compilerOptions.paths, ([source = ""]) => source.replace(/^\.\//, ""))
    : mapValues(manifest.imports, (file) => file.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts"));
}

function mapValues<File>(names: Readonly<Record<string, File>>, to: (file: File) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([name, file]) => [name, to(file)]));
}
