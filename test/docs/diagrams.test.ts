import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DOCUMENTS, diagramsIn, stampOf } from "../../scripts/docs/diagrams.ts";
import { root } from "./support/code-blocks.ts";

const diagrams = DOCUMENTS.flatMap((name) => diagramsIn(readFileSync(join(root, name), "utf8")));

test("the documents contain the diagrams of the modules, of one call and of the records", () => {
  expect(diagrams.map(({ title, file }) => [title, file])).toEqual([
    ["The house", "docs/diagrams/the-house.svg"],
    ["One call", "docs/diagrams/one-call.svg"],
    ["How records hang together", "docs/diagrams/how-records-hang-together.svg"],
  ]);
});

test.each(diagrams)("the site's picture of $title matches its diagram (npm run docs:diagrams)", (diagram) => {
  const picture = readFileSync(join(root, diagram.file), "utf8");
  expect(picture).toMatch(/^<svg /);
  expect(picture.trimEnd().slice(-stampOf(diagram).length)).toBe(stampOf(diagram));
});
