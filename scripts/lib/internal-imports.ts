import manifest from "../../package.json" with { type: "json" };

/**
 * The sources that stand for the names of package.json's `imports`, such as `#platform`, relative to the project.
 * @param condition which file each name stands for: that of Node, or the one of browsers and Workers.
 */
export function internalImports(condition: "node" | "default"): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(manifest.imports).map(([name, files]) => [
      name,
      files[condition].replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts"),
    ]),
  );
}
