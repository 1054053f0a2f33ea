import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";

// Checks that an editor's "go to definition" alone leads from a resource's method to `fetch`, as ARCHITECTURE.md
// promises.

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The next call of a function: its name, the file that "go to definition" opens, and the parameters visible there. */
type Hop = readonly [name: string, file: string, parameters: string];

const FROM_SEND: readonly Hop[] = [
  ["#send", "core/transport.ts", "request"],
  ["runCall", "core/call/run-call.ts", "request, context"],
  ["attempt", "core/call/attempt.ts", "spec, context"],
  ["exchange", "core/call/exchange.ts", "sent, context"],
];

const WAYS: readonly { readonly method: string; readonly hops: readonly Hop[] }[] = [
  {
    method: "create",
    hops: [
      ["call", "core/resource.ts", "resource, row, input, options"],
      ["call", "core/transport.ts", "row, input, options"],
      ...FROM_SEND,
    ],
  },
  {
    method: "list",
    hops: [
      ["pages", "core/resource.ts", "resource, row, input, options"],
      ["pages", "core/transport.ts", "row, input, options"],
      ...FROM_SEND,
    ],
  },
];

let service: ts.LanguageService;

beforeAll(() => {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, ROOT);
  service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [`${ROOT}src/resources/people/accounts.ts`],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const text = ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
  });
  service.getProgram();
}, 120_000);

test.each(WAYS)("accounts.$method leads to fetch in six hops, and each passes on its arguments", ({ method, hops }) => {
  const start = `${ROOT}src/resources/people/accounts.ts`;
  const program = service.getProgram() as ts.Program;
  const methods = nodesIn(program.getSourceFile(start) as ts.SourceFile).filter(ts.isMethodDeclaration);
  let at = methods.find(({ name }) => name.getText() === method) as ts.FunctionLikeDeclaration;
  const walked: Hop[] = [];
  for (const [name] of hops) {
    const callee = calleeIn(at, name);
    const [found] = service.getDefinitionAtPosition(at.getSourceFile().fileName, callee.getStart()) ?? [];
    const source = program.getSourceFile(found?.fileName ?? "") as ts.SourceFile;
    at = nodesIn(source).find(
      (node): node is ts.FunctionLikeDeclaration =>
        (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) &&
        node.body !== undefined &&
        node.name?.getStart() === found?.textSpan.start,
    ) as ts.FunctionLikeDeclaration;
    const parameters = at.parameters.map((parameter) => parameter.name.getText());
    walked.push([name, source.fileName.replace(`${ROOT}src/`, ""), parameters.join(", ")]);
    // The identifiers in the body of this function.
    const used = new Set(
      nodesIn(at.body as ts.Node)
        .filter(ts.isIdentifier)
        .map((node) => node.text),
    );
    expect(parameters.filter((parameter) => !used.has(parameter))).toEqual([]);
  }
  expect(walked).toEqual(hops);
  expect(walked.length).toBeLessThanOrEqual(6);
  expect(calleeIn(at, "fetch").parent.getText()).toBe("settings.fetch");
});

function nodesIn(root: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [root];
  // The list grows while it is walked.
  for (const node of nodes) ts.forEachChild(node, (child) => void nodes.push(child));
  return nodes;
}

// Finds the name in the call of a function. An editor looks up the definition from there.
function calleeIn(from: ts.Node, name: string): ts.Node {
  for (const node of nodesIn(from)) {
    if (!ts.isCallExpression(node)) continue;
    const { expression } = node;
    // A bare `fetch()` calls a local variable; the test looks for `settings.fetch()`.
    if (name === "fetch" && ts.isIdentifier(expression)) continue;
    const callee = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
    if (callee.getText() === name) return callee;
  }
  throw new Error(`${from.getText().slice(0, 60)} does not call ${name}`);
}
