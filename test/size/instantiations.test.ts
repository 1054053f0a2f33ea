import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { ROOT } from "./bundle.js";

// A file that does not exist, in the package's own folder, so that the package's name means its built declarations.
const CONSUMER = `${ROOT}consumer.ts`;

// The same 20 lines that the bench compares with other clients' consumers.
const TWENTY_LINES = readFileSync(`${ROOT}scripts/bench/consumers/education-admin-sdk/consumer.ts`, "utf8");

const EVERY_CLIENT = `import { AdminClient, MainClient, OrganizationClient } from "education-admin-sdk";
export const clients = [new MainClient(), new AdminClient(), new OrganizationClient()] as const;
export const first = async () => (await clients[0].courses.list({}).take(1).next()).value?.name;
`;

const ALL_SCHEMAS = `import * as schemas from "education-admin-sdk/schemas";
export const { invoiceCreateSchema, courseSchema } = schemas;
export type Invoice = schemas.Invoice;
`;

describe("type-checking a consumer stays under its ceiling of instantiations", () => {
  test.each([
    ["20 lines", TWENTY_LINES, 4_000],
    ["all three clients", EVERY_CLIENT, 4_000],
    ["the schemas", ALL_SCHEMAS, 4_500],
  ])("%s", (_, text, ceiling) => {
    const { program, complaints } = check(text);
    expect(complaints).toEqual([]);
    expect(program.getInstantiationCount()).toBeLessThanOrEqual(ceiling);
  });
});

function check(text: string): { program: ts.Program; complaints: string[] } {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    types: [],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === CONSUMER || fileExists(name);
  host.getSourceFile = (name, version, ...rest) =>
    name === CONSUMER ? ts.createSourceFile(name, text, version, true) : getSourceFile(name, version, ...rest);
  const program = ts.createProgram([CONSUMER], options, host);
  const complaints = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
  return { program, complaints };
}
