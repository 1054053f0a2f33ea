import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";

// ARCHITECTURE.md names the functions between a method of a resource and fetch: an editor's "go to definition" leads along.

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A call in the source: the file, its text up to the name of what it calls, and the file in which that is defined. */
type Hop = readonly [file: string, text: string, definedIn: string];

const ONE_RECORD: readonly Hop[] = [
  ["resources/people/accounts.ts", "return call|(this, operations.create", "core/resource.ts"],
  ["core/resource.ts", "transportOf(resource).call|(", "core/transport.ts"],
  ["core/transport.ts", "this.#make|<", "core/transport.ts"],
  ["core/transport.ts", "this.#calls.build|(", "core/call/calls.ts"],
  ["core/call/calls.ts", "this.#builder.build|(", "core/call/request.ts"],
  ["core/transport.ts", "this.#calls.request|(build", "core/call/calls.ts"],
  ["core/transport.ts", "this.#calls.make|(", "core/call/calls.ts"],
];

const LIST: readonly Hop[] = [
  ["resources/people/accounts.ts", "return pages|(this, operations.list", "core/resource.ts"],
  ["core/resource.ts", "transportOf(resource).pages|(", "core/transport.ts"],
  ["core/transport.ts", "new PageSource|(", "core/lists/page-source.ts"],
  ["core/transport.ts", "new Pages|(", "core/lists/pages.ts"],
  ["core/lists/pages.ts", "??= firstPage|(", "core/lists/pages.ts"],
  ["core/lists/pages.ts", "new PageCursor|(source, null", "core/lists/cursor.ts"],
  ["core/lists/cursor.ts", "source.prepare|(", "core/lists/page-source.ts"],
  ["core/lists/page-source.ts", "this.calls.build|(", "core/call/calls.ts"],
  ["core/lists/pages.ts", "await cursor.fetch|(start", "core/lists/cursor.ts"],
  ["core/lists/cursor.ts", "this.source.fetch|(", "core/lists/page-source.ts"],
  ["core/lists/page-source.ts", "this.calls.make|(", "core/call/calls.ts"],
];

const BOTH: readonly Hop[] = [
  ["core/call/calls.ts", "this.#run|(", "core/call/calls.ts"],
  ["core/call/calls.ts", "await runCall|(", "core/call/run-call.ts"],
  ["core/call/run-call.ts", "running.attempt|(", "core/call/run-call.ts"],
  ["core/call/run-call.ts", "await attempt|(", "core/call/attempt.ts"],
  ["core/call/run-call.ts", "running.retry|(", "core/call/run-call.ts"],
  ["core/call/run-call.ts", "decide|(", "core/call/retry.ts"],
  ["core/call/attempt.ts", "exchange|(spec", "core/call/attempt.ts"],
  ["core/call/attempt.ts", "settings.fetch|(", "core/settings.ts"],
  ["core/call/calls.ts", "await answerOf|(", "core/call/answer.ts"],
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

describe("the way of one call", () => {
  it.each([...LIST, ...ONE_RECORD, ...BOTH])("%s: %s leads to %s", (file, text, definedIn) => {
    const [before = "", after = ""] = text.split("|");
    const path = `${ROOT}src/${file}`;
    const start = readFileSync(path, "utf8").indexOf(before + after);
    expect(start, `${file} has ${text}`).toBeGreaterThanOrEqual(0);
    const definitions = service.getDefinitionAtPosition(path, start + before.length - 1) ?? [];
    expect(definitions.map(({ fileName }) => fileName.replace(`${ROOT}src/`, ""))).toContain(definedIn);
    // A property that holds a function would hide what it calls; only the client's own fetch is one.
    const kinds = new Set(definitions.map(({ kind }) => kind));
    const isVisible = ["method", "function", "class", "constructor"].some((kind) => kinds.has(kind as never));
    expect(isVisible || text.startsWith("settings.fetch")).toBe(true);
  });
});
