import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drawDemo, PICTURE } from "../../scripts/docs/demo-picture.ts";
import { start } from "../support/program.ts";
import { fencesOf, root } from "./support/code-blocks.ts";

// Removes the port and the durations, which differ from run to run.
const steady = (text: string) => text.replace(/127\.0\.0\.1:\d+/, "127.0.0.1").replace(/\d+ ms/g, "ms");

test("the picture in README.md shows the output of the demo", async () => {
  const { code, output } = await start("examples/demo/demo.ts", [], { cwd: root }).ended;
  expect(code).toBe(0);
  expect(steady(readFileSync(join(root, PICTURE), "utf8")), "run npm run docs:demo").toBe(steady(drawDemo(output)));
});

test("README.md shows a picture from the package by a relative path", () => {
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };
  expect(readFileSync(join(root, "README.md"), "utf8")).toMatch(/!\[[^\]]{20,}\]\(docs\/diagrams\/demo\.svg\)/);
  expect(files).toContain("docs/diagrams/demo.svg");
  expect(fencesOf("README.md").map(({ code }) => code)).toContainEqual(expect.stringContaining("npm run demo"));
});
