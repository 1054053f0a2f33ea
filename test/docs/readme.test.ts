import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Api } from "../../src/core/operation.ts";
import { allOperations } from "../../src/operations.ts";
import { start } from "../support/program.ts";
import { makeFolder } from "../support/type-check.ts";
import { documents, fencesOf, programsOf, root } from "./support/code-blocks.ts";

const FIRST = "docs/guides/getting-started.md";

test("README.md begins with the installation and a program that prints the comments at its end", async () => {
  const [install, program] = fencesOf("README.md");
  expect(install?.code).toBe("npm install education-admin-sdk");
  expect(program?.line).toBeLessThan(14);
  const lines = program?.code.split("\n") ?? [];
  const printed = lines.filter((line) => line.startsWith("// ")).map((line) => line.slice(3));
  expect([lines.length <= 14, printed.length], "the program fits one screen").toEqual([true, 3]);
  const cwd = makeFolder();
  // Prepares the folder as `npm init -y` and `npm install` would.
  writeFileSync(join(cwd, "package.json"), '{ "type": "commonjs" }');
  mkdirSync(join(cwd, "node_modules"));
  symlinkSync(root, join(cwd, "node_modules", "education-admin-sdk"));
  writeFileSync(join(cwd, "first.mts"), program?.code ?? "");
  const { code, output } = await start(join(cwd, "first.mts"), [], { cwd }).ended;
  rmSync(cwd, { recursive: true });
  expect([code, output]).toEqual([0, `${printed.join("\n")}\n`]);
});

test("README.md names the number of operations, and above its picture links to at most six pages and the page of all guides", () => {
  const [screen = ""] = readFileSync(join(root, "README.md"), "utf8").split("\n![");
  expect(screen).toContain(`${new Set(allOperations.map(({ id }) => id)).size} operations`);
  const row = screen.slice(screen.indexOf("**[What do you want"));
  expect(row.match(/\]\(/g)).toHaveLength(7);
  expect(row).toMatch(/\[All guides\]\(docs\/guides\/README\.md\)\*\*\s*$/);
});

test("the first program needs no account and no server", async () => {
  const [first] = fencesOf(FIRST).filter(({ language }) => language === "ts");
  const cwd = makeFolder();
  writeFileSync(join(cwd, "first.mts"), first?.code ?? "");
  const { code, output } = await start(join(cwd, "first.mts"), [], { cwd }).ended;
  rmSync(cwd, { recursive: true });
  expect([code, output]).toEqual([0, expect.stringMatching(/^\S.+ (business|personal)\n$/)]);
});

test("the programs of the first page form one program: each can be appended to those above it", () => {
  expect(programsOf(FIRST)).toHaveLength(1);
  expect(programsOf(FIRST)[0]?.blocks.length).toBeGreaterThan(4);
});

test("README.md names the statuses that are retried, not a whole class of statuses", () => {
  const text = readFileSync(join(root, "README.md"), "utf8");
  expect(text).toContain("**408, 500, 502, 503 or 504**");
  expect(text).not.toMatch(/408 or 5xx/);
});

test("README.md names the resources that only one API has", () => {
  const only = (api: Api) =>
    new Set(
      allOperations
        .map(({ id }) => id.slice(0, id.lastIndexOf(".")))
        .filter((resource) =>
          allOperations.every(({ id, apis }) => !id.startsWith(`${resource}.`) || apis.every((each) => each === api)),
        ),
    );
  const rows = readFileSync(join(root, "README.md"), "utf8").split("\n");
  const rowOf = (client: string) => rows.find((line) => line.startsWith(`| \`${client}\` |`));
  expect([...only("main")].sort()).toEqual(["invoiceVats", "invoices"]);
  expect(rowOf("MainClient")).toContain("only it has invoices and VAT rates");
  const named = ["certificates", "departments", "emails", "organizations"];
  expect(
    named.filter(
      (resource) =>
        !only("admin").has(resource) || !rowOf("AdminClient")?.replace("e-mails", "emails").includes(resource),
    ),
  ).toEqual([]);
});

test("no hand-written document links to a line of the source", () => {
  for (const file of [...documents(), "llms.txt", "ARCHITECTURE.md", "CONTRIBUTING.md", "examples/README.md"]) {
    expect(readFileSync(join(root, file), "utf8").match(/\]\([^)]*#L\d+\)/g), file).toBeNull();
  }
});

test("llms.txt lists every document exactly once", () => {
  const targets = [...readFileSync(join(root, "llms.txt"), "utf8").matchAll(/\]\(([^)]+)\)/g)].map(
    ([, target]) => target,
  );
  expect(targets).toEqual([...new Set(targets)]);
});

test("no document or example adds amounts as floating-point numbers", () => {
  const mine = documents().filter((file) => !/(testing|payments)\.md$/.test(file));
  const examples = ["examples/integration-test/open-invoices.ts", "examples/integration-test/open-invoices.test.ts"];
  for (const file of [...mine, ...examples]) {
    const code = file.endsWith(".md")
      ? fencesOf(file).map((block) => block.code)
      : [readFileSync(join(root, file), "utf8")];
    expect(code.join("\n").match(/Number\([\w.?]*(total|cost|price|amount)\w*\)/g), file).toBeNull();
  }
});
