import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { root } from "./support/code-blocks.ts";

const files = [
  ...globSync(
    [
      "*.md",
      "llms*.txt",
      "skills/**/*.md",
      "docs/guides/*.md",
      "docs/decisions/*.md",
      "docs/*.md",
      "examples/**/README.md",
    ],
    {
      cwd: root,
      exclude: (name) => name.includes("node_modules"),
    },
  ),
].sort();

interface Link {
  readonly line: number;
  readonly target: string;
}

test("the documents exist", () => {
  expect(files).toEqual(
    expect.arrayContaining(["README.md", "llms.txt", "docs/guides/errors.md", "docs/operations.md"]),
  );
});

test.each(files)("every link in %s leads to an existing file and heading", (file) => {
  const dead = linksOf(file).filter(({ target }) => !leadsSomewhere(file, target));
  expect(dead.map(({ line, target }) => `${file}:${line} ${target}`)).toEqual([]);
});

const { files: patterns } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };
// npm always includes these files.
const shipped = ["README.md", "LICENSE", "package.json", ...patterns.filter((pattern) => !pattern.startsWith("!"))];
const isShipped = (file: string) => shipped.some((one) => file === one || file.startsWith(`${one}/`));

test.each(files.filter(isShipped))("in the package, %s links only to files that are also in the package", (file) => {
  const outside = linksOf(file)
    .map(({ line, target }) => ({
      line,
      path: relative(root, resolve(root, dirname(file), target.split("#")[0] ?? "")),
    }))
    .filter(
      ({ path }) => path !== "" && !/^(src|test|scripts)\//.test(path) && !isShipped(path) && path !== dirname(file),
    );
  expect(outside.map(({ line, path }) => `${file}:${line} ${path}`)).toEqual([]);
});

test("the package contains no documents for maintainers", () => {
  for (const file of [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/releasing.md",
    "docs/performance.md",
    "docs/decisions/README.md",
  ])
    expect(isShipped(file), file).toBe(false);
});

test.each([
  ["README.md", "docs/guides/README.md"],
  ["README.md", "docs/guides/errors.md"],
  ["README.md", "docs/operations.md"],
  ["README.md", "examples/README.md"],
  ["CONTRIBUTING.md", "docs/decisions/README.md"],
])("%s links to %s", (from, to) => {
  expect(linksOf(from).map(({ target }) => target.split("#")[0])).toContain(to);
});

test("every guide is linked from llms.txt and from the page of all guides, to which README.md links", () => {
  const page = "docs/guides/README.md";
  const guides = files.filter((file) => file.startsWith("docs/guides/") && file !== page);
  for (const from of [page, "llms.txt"]) {
    const linked = linksOf(from).map(({ target }) =>
      relative(root, resolve(root, dirname(from), target.split("#")[0] ?? "")),
    );
    expect(
      guides.filter((guide) => !linked.includes(guide)),
      from,
    ).toEqual([]);
  }
});

test("every decision is in the list of decisions", () => {
  const decisions = files.filter((file) => file.startsWith("docs/decisions/") && !file.endsWith("README.md"));
  const linked = linksOf("docs/decisions/README.md").map(({ target }) => `docs/decisions/${target}`);
  expect(decisions.filter((decision) => !linked.includes(decision))).toEqual([]);
});

function linksOf(file: string): Link[] {
  const links: Link[] = [];
  let inFence = false;
  for (const [index, text] of readFileSync(join(root, file), "utf8").split("\n").entries()) {
    if (/^\s*```/.test(text)) inFence = !inFence;
    if (inFence) continue;
    for (const [, target = ""] of text.replace(/`[^`]*`/g, "``").matchAll(/\]\(([^)\s]+)\)/g)) {
      if (!/^[a-z]+:/.test(target)) links.push({ line: index + 1, target });
    }
  }
  return links;
}

function leadsSomewhere(from: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? join(root, from) : resolve(root, dirname(from), path);
  // Readers may not have files outside the repository.
  if (relative(root, file).startsWith("..") || !existsSync(file)) return false;
  if (anchor === undefined) return true;
  if (!statSync(file).isFile()) return false;
  const text = readFileSync(file, "utf8");
  const lineNumber = /^L(\d+)$/.exec(anchor)?.[1];
  if (lineNumber !== undefined) return Number(lineNumber) <= text.split("\n").length;
  return headings(text).includes(anchor);
}

// Derives the anchors of headings as repository sites do: lower case, no punctuation, hyphens for spaces.
function headings(text: string): string[] {
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-"),
  );
}
