import { execFileSync } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { BUNDLED, type Sbom } from "../../scripts/release/sbom.js";
import { ROOT } from "./bundle.js";
import { staysUnderCeiling } from "./ceilings.js";

// Node reads the files of a package one by one, so their number determines the start time; see
// docs/decisions/node-build.md. Each command is loaded separately, so code shared by several commands has its own
// files.
const COMMAND_FILES = 45;

describe("Node loads only a few files", () => {
  test.each([
    ["index.js", 16, ["zod/mini"]],
    ["schemas.js", 8, ["zod/mini"]],
    ["operations.js", 17, ["zod/mini"]],
    ["webhooks/index.js", 18, []],
    ["proxy/index.js", 21, ["zod/mini"]],
    ["stores/sqlite/index.js", 3, []],
    ["stores/postgres/index.js", 4, []],
    ["stores/redis/index.js", 3, []],
    ["export/node.js", 2, ["zod/mini"]],
    ["doctor/index.js", 2, ["zod/mini"]],
    ["opentelemetry/index.js", 2, ["@opentelemetry/api"]],
  ])("dist/node/%s", async (entry, ceiling, packages) => {
    const loaded = await loadedFrom(join(ROOT, "dist/node", entry));
    expect(loaded.files.length, loaded.files.join("\n")).toBeLessThanOrEqual(ceiling);
    expect(loaded.packages.filter((name) => !name.startsWith("node:"))).toEqual(packages);
  });
});

test("the command line bundles its packages, and loads only a few files for one command", async () => {
  const folder = join(ROOT, "dist/cli");
  const [list = ""] = (await readdir(folder)).filter((name) => name.startsWith("list-"));
  const { files, packages } = await loadedFrom(join(folder, list));
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(COMMAND_FILES);
  expect(packages.filter((name) => !name.startsWith("node:"))).toEqual([]);
});

test("the bill of materials in dist lists every package with a license there, and the command prints it", async () => {
  const read = (name: string) => readFile(join(ROOT, "dist", name), "utf8");
  const texts = await Promise.all(["cli", "schools", "workbook"].map((name) => read(`${name}/licenses.txt`)));
  const inside = [...texts.join("\n").matchAll(/^(\S+) \d+\.\d+\.\d+$/gm)].map(([line]) => line);
  const { components } = JSON.parse(await read("sbom.cdx.json")) as Sbom;
  const listed = components.map(({ name, version }) => `${name} ${version}`);
  expect(listed).toEqual(expect.arrayContaining(inside));
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...BUNDLED, ...Object.keys(manifest.dependencies)]));
  const shown = execFileSync(process.execPath, [join(ROOT, "dist/cli/cli.js"), "--version", "--verbose"]).toString();
  expect(shown.split("\n")[0]).toBe(manifest.version);
  for (const line of listed) expect(shown).toMatch(new RegExp(`^${line} \\S+$`, "m"));
});

test("the package stays within its ceilings: files and bytes in dist", async () => {
  const names = (await readdir(join(ROOT, "dist"), { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const sizes = await Promise.all(names.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  staysUnderCeiling("files in dist", names.length);
  staysUnderCeiling("bytes in dist", bytes);
});

/** Follows the static imports of a file. */
async function loadedFrom(entry: string): Promise<{ files: string[]; packages: string[] }> {
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    const text = await readFile(file, "utf8");
    // Minified code has several statements on a line.
    for (const [, source = ""] of text.matchAll(/(?<=^|;)(?:import|export)\b[^"';]*?"([^"\n]+)";/gm)) {
      if (source.startsWith(".")) waiting.push(join(dirname(file), source));
      else packages.add(source);
    }
  }
  return { files: [...files], packages: [...packages] };
}
