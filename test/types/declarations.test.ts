import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

// The declaration files that the compiler reads for a program that imports `.`, and the packages they import.
function declarationsFrom(entry: string): { readonly files: Map<string, string>; readonly packages: Set<string> } {
  const files = new Map<string, string>();
  const packages = new Set<string>();
  const open = [entry];
  // The loop itself extends the list.
  for (const file of open) {
    if (files.has(file)) continue;
    const text = readFileSync(join(ROOT, file), "utf8");
    files.set(file, text);
    for (const [, named, called] of text.matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/g)) {
      const name = named ?? called ?? "";
      if (name.startsWith(".")) open.push(relative(ROOT, join(ROOT, dirname(file), name.replace(/\.js$/, ".d.ts"))));
      else packages.add(name);
    }
  }
  return { files, packages };
}

it("the declarations of . mention neither ky nor zod's internals", () => {
  const { files, packages } = declarationsFrom("dist/index.d.ts");
  expect(files.size).toBeGreaterThan(100);
  expect([...packages]).toEqual(["zod/mini"]);
  expect([...files].filter(([, text]) => text.includes("_zod")).map(([file]) => file)).toEqual([]);
});

it("only one source file reads zod's internals", () => {
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const reads = (name: string) => /_zod|zod\/v4\/core/.test(readFileSync(join(ROOT, "src", name), "utf8"));
  expect(sources.filter(reads)).toEqual([join("core", "schema", "traits.ts")]);
});
