import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { operations, records, unionNames } from "./support/contract-data.js";
import { PRELUDE, type TypeLine, typeLines } from "./support/type-lines.js";

// The compiler's complaints, by what the line it complains about is about.
const complaints = new Map<string, string[]>();
const UNTRUE: TypeLine = { subject: "an untrue line", code: 'holds<Same<keyof MainClient["accounts"], "list">>();' };
const lines: readonly TypeLine[] = [...typeLines(), UNTRUE];

beforeAll(() => {
  const text = [...PRELUDE, ...lines.map((line) => line.code)].join("\n");
  for (const { line, message } of diagnose(text)) {
    const about = lines[line - PRELUDE.length];
    const subject = about?.subject ?? "the prelude";
    complaints.set(subject, [...(complaints.get(subject) ?? []), `${about?.code ?? ""} ${message}`]);
  }
});

describe("clients have exactly the contract's resources and methods in their types", () => {
  test.each(["MainClient", "AdminClient", "OrganizationClient"])("%s", holds);
});

describe("operations take and return the contract's types", () => {
  test.each(operations.map((operation) => operation.id))("%s", holds);
});

describe("records have the contract's fields and types", () => {
  test.each([...records.keys(), ...unionNames.read])("%s", holds);
});

test("nothing else is wrong, and a line that is not true is noticed", () => {
  expect(complaints.get("the prelude")).toBeUndefined();
  expect(complaints.get(UNTRUE.subject)).toHaveLength(1);
});

function holds(subject: string): void {
  expect(lines.filter((line) => line.subject === subject).length, "lines about it").toBeGreaterThan(0);
  expect(complaints.get(subject) ?? []).toEqual([]);
}

function diagnose(text: string): { line: number; message: string }[] {
  // A file that does not exist, beside this one, so that its imports are found.
  const file = fileURLToPath(new URL("generated-lines.ts", import.meta.url));
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [file], include: [] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, version, ...rest) =>
    name === file ? ts.createSourceFile(name, text, version, true) : getSourceFile(name, version, ...rest);
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((found) => ({
    line: source?.getLineAndCharacterOfPosition(found.start ?? 0).line ?? -1,
    message: ts.flattenDiagnosticMessageText(found.messageText, " "),
  }));
}
