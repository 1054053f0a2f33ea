import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const text = readFileSync("ARCHITECTURE.md", "utf8");
const section = (title: string) => text.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";

interface Step {
  readonly name: string;
  readonly file: string;
}

// "Then" begins a separate call: the preceding step does not call the following one.
const pieces = section("Five ways through the code")
  .split(/\n- |\. Then,/)
  .slice(1)
  .map((piece) =>
    [...piece.matchAll(/`([#\w]+)`\s+\(([\w/.-]+)\)/g)].map(([, name = "", file = ""]) => ({ name, file })),
  );
const calls = pieces.flatMap((steps) =>
  steps.slice(1).map((to, at) => ({ from: steps[at] as Step, to, title: `${steps[at]?.name} in ${steps[at]?.file}` })),
);

test("ARCHITECTURE.md describes five ways", () => {
  expect(section("Five ways through the code").match(/^- /gm)).toHaveLength(5);
  expect(calls.length).toBeGreaterThan(25);
});

test.each(calls)("$title calls $to.name of $to.file", ({ from, to }) => {
  expect(bodiesOf(to), `${to.name} is in ${to.file}`).not.toEqual([]);
  expect(bodiesOf(from).flatMap(calledIn)).toContain(to.name);
});

test("each idea names a file that exists", () => {
  const files = [...section("The ideas in the code").matchAll(/\| `([\w/.-]+)` \|$/gm)].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

test("the questions at the top lead to files and folders that exist", () => {
  const [screen = ""] = text.split("\n## ");
  const paths = [...screen.matchAll(/`((?:src|docs)\/[\w/.-]+)`/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

const parsed = new Map<string, ts.Node[]>();

/** Finds the bodies of the functions and methods with this name in a file. */
function bodiesOf({ name, file }: Step): ts.Node[] {
  const path = resolve("src", file);
  const nodes =
    parsed.get(path) ?? nodesIn(ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true));
  parsed.set(path, nodes);
  return nodes.filter(
    (node) =>
      (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.body && node.name?.getText() === name,
  );
}

function calledIn(body: ts.Node): string[] {
  return nodesIn(body).flatMap((node) => {
    if (ts.isNewExpression(node)) return [node.expression.getText()];
    if (!ts.isCallExpression(node)) return [];
    const { expression } = node;
    return [(ts.isPropertyAccessExpression(expression) ? expression.name : expression).getText()];
  });
}

function nodesIn(root: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [root];
  // The loop itself extends the list.
  for (const node of nodes) ts.forEachChild(node, (child) => void nodes.push(child));
  return nodes;
}
