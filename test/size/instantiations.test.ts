import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { schoolFile } from "../../src/cli/types/school-file.js";
import { ROOT } from "./bundle.js";

// A file that does not exist, in the package's folder, so that the package's name resolves to its built declarations.
const CONSUMER = `${ROOT}consumer.ts`;
const SCHOOL = `${ROOT}school.ts`;

// The benchmark compares the same 20 lines with consumers of other clients.
const TWENTY_LINES = readFileSync(`${ROOT}scripts/bench/consumers/education-admin-sdk/consumer.ts`, "utf8");

const EVERY_CLIENT = `import { AdminClient, MainClient, OrganizationClient } from "education-admin-sdk";
export const clients = [new MainClient(), new AdminClient(), new OrganizationClient()] as const;
export const first = async () => (await clients[0].courses.list({}).take(1)[Symbol.asyncIterator]().next()).value?.name;
`;

const ALL_SCHEMAS = `import * as schemas from "education-admin-sdk/schemas";
export const { invoiceCreateSchema, courseSchema } = schemas;
export type Invoice = schemas.Invoice;
`;

const FIELDS = Object.fromEntries(
  Array.from({ length: 200 }, (_, at) => [
    `question_${at}`,
    at % 5 === 0 ? ({ type: "multiselect", options: ["first", "second", "third"] } as const) : ("boolean" as const),
  ]),
);

/** The program with clients that use the school in `school.ts` beside it. */
function withSchool(text: string): string {
  const changed = text
    .replaceAll("new MainClient()", "new MainClient({})")
    .replaceAll("new MainClient({", "new MainClient<School>({ school,");
  expect(changed).toContain("<School>");
  return `import { type School, school } from "./school.js";\n${changed}`;
}

describe("type-checking a consumer stays under its ceiling of instantiations", () => {
  test.each([
    ["20 lines", TWENTY_LINES, 4_050],
    ["all three clients", EVERY_CLIENT, 4_000],
    ["the schemas", ALL_SCHEMAS, 4_500],
  ])("%s", (_, text, ceiling) => {
    const { program, complaints } = check(text);
    expect(complaints).toEqual([]);
    expect(program.getInstantiationCount()).toBeLessThanOrEqual(ceiling);
  });
});

describe("200 fields of each of three kinds of record", () => {
  const school = schoolFile({ accounts: FIELDS, orders: FIELDS, users: FIELDS });
  const count = (text: string) => {
    const { program, complaints } = check(text, school);
    expect(complaints).toEqual([]);
    return program.getInstantiationCount();
  };

  test("add at most a twentieth to the instantiations of the demo", () => {
    const text = readFileSync(`${ROOT}examples/demo/demo.ts`, "utf8");
    expect(count(withSchool(text))).toBeLessThanOrEqual(count(text) * 1.05);
  });

  test("add at most 365 instantiations to 20 lines", () => {
    const text = `${TWENTY_LINES}
export const readCustom = async () => (await client.accounts.get(7)).custom.question_1;
export const change = () => client.accounts.update(7, { name: "x", custom: { question_1: true } });`;
    expect(count(withSchool(text)) - count(text)).toBeLessThanOrEqual(365);
  });

  test("add at most 290 instantiations to a list with joined records", () => {
    const text = `import { MainClient } from "education-admin-sdk";
const client = new MainClient();
for await (const { student } of client.enrollments.list().with({ student: true, planned_course: true })) {
  console.log(student?.custom?.question_1);
}`;
    expect(count(withSchool(text)) - count(text)).toBeLessThanOrEqual(290);
  });

  test("add almost none to a function that takes a client, even without a school", () => {
    const text = `import { MainClient } from "education-admin-sdk";
const read = (client: MainClient) => client.accounts.get(7);
export const first = read(new MainClient({ readOnly: true }));`;
    expect(count(text)).toBeLessThanOrEqual(4_000);
    expect(count(withSchool(text)) - count(text)).toBeLessThanOrEqual(100);
  });
});

// Declarations are parsed only once; each program checks them again.
const parsed = new Map<string, ts.SourceFile | undefined>();

function check(text: string, school = ""): { program: ts.Program; complaints: string[] } {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    types: school === "" ? [] : ["node"],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  const texts = new Map([[CONSUMER, text]]);
  if (school !== "") texts.set(SCHOOL, school);
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.getSourceFile = (name, version, ...rest) => {
    const own = texts.get(name);
    if (own !== undefined) return ts.createSourceFile(name, own, version, true);
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, version, ...rest));
    return parsed.get(name);
  };
  const program = ts.createProgram([CONSUMER], options, host);
  const complaints = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
  return { program, complaints };
}
