import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diagramsIn, stampOf } from "../../scripts/docs/diagrams.ts";
import { root } from "./support/code-blocks.ts";

const diagrams = diagramsIn(readFileSync(join(root, "ARCHITECTURE.md"), "utf8"));

test("ARCHITECTURE.md has the diagrams of the house and of one call", () => {
  expect(diagrams.map(({ title, file }) => [title, file])).toEqual([
    ["The house", "docs/diagrams/the-house.svg"],
    ["One call", "docs/diagrams/one-call.svg"],
  ]);
});

test.each(diagrams)("the site's picture of $title is drawn from the diagram (npm run docs:diagrams)", (diagram) => {
  const picture = readFileSync(join(root, diagram.file), "utf8");
  expect(picture).toMatch(/^<svg /);
  expect(picture.trimEnd().endsWith(stampOf(diagram))).toBe(true);
});
