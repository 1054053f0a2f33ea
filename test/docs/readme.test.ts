import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { documents, fencesOf, root } from "./support/code-blocks.ts";
import { start } from "./support/example.ts";

test("the first program of README.md needs no account and no server, and begins before line 38", async () => {
  const [first] = fencesOf("README.md").filter(({ language }) => language === "ts");
  expect(first?.line).toBeLessThan(38);
  const cwd = mkdtempSync(join(tmpdir(), "readme-"));
  writeFileSync(join(cwd, "first.ts"), first?.code ?? "");
  const { code, output } = await start(join(cwd, "first.ts"), [], { cwd }).ended;
  expect([code, output]).toEqual([0, expect.stringMatching(/^\S.+ (business|personal)\n$/)]);
});

test("README.md names the statuses that are retried, not a whole class of them", () => {
  const text = readFileSync(join(root, "README.md"), "utf8");
  expect(text).toContain("**408, 500, 502, 503 or 504**");
  expect(text).not.toMatch(/408 or 5xx/);
});

test("no document that is written by hand links to a line of the source", () => {
  for (const file of [...documents(), "llms.txt", "ARCHITECTURE.md", "CONTRIBUTING.md", "examples/README.md"]) {
    expect(readFileSync(join(root, file), "utf8").match(/\]\([^)]*#L\d+\)/g), file).toBeNull();
  }
});

test("llms.txt lists every document once", () => {
  const targets = [...readFileSync(join(root, "llms.txt"), "utf8").matchAll(/\]\(([^)]+)\)/g)].map(
    ([, target]) => target,
  );
  expect(targets).toEqual([...new Set(targets)]);
});

test("no document or example adds amounts as floating-point numbers", () => {
  const mine = documents().filter((file) => !/(testing|webhooks|drift|runtimes)\.md$/.test(file));
  const examples = ["examples/integration-test/open-invoices.ts", "examples/integration-test/open-invoices.test.ts"];
  for (const file of [...mine, ...examples]) {
    const code = file.endsWith(".md")
      ? fencesOf(file).map((block) => block.code)
      : [readFileSync(join(root, file), "utf8")];
    expect(code.join("\n").match(/Number\([\w.?]*(total|cost|price|amount)\w*\)/g), file).toBeNull();
  }
});
