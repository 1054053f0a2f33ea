import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { schoolFile } from "../../src/cli/types/school-file.js";
import { parsed } from "../support/editor.js";
import { EVERY_KIND } from "./every-kind.js";

// Checks the completions and errors of an editor in a program that uses a school's file, with the built declarations.

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCHOOL = `${ROOT}test/school/written/school.ts`;
const USER = `${ROOT}test/school/written/user.ts`;
const TEXT = `
import { AdminClient, type ClientOptions, MainClient } from "education-admin-sdk";
import { type School, school } from "./school.js";
const client = new MainClient<School>({ baseUrl: "https://school.example", apiKey: "key", school });
const account = await client.accounts.get(7);
account.custom./*slugs*/sector;
await client.accounts.update(7, { name: "x", custom: { /*sent slugs*/ } });
await client.accounts.update(7, { name: "x", custom: { sector: "/*options*/" } });
await client.users.update(7, { custom: { topics: ["/*several*/"] } });
if (account.custom.sector === "/*compared*/") console.log();
await client.customRecords.create("/*objects*/", { display_name: "x", properties: {} });
await client.customRecords.create("equipment", { display_name: "x", properties: { /*properties*/ } });
await client.courses.update(1, { custom_associations: { /*associations*/ } });
const birthday: string | null | undefined = account.custom.birthday;
const inferred = new AdminClient({ baseUrl: "https://school.example", apiKey: "key", school });
const order = (await inferred.orders.list().take(1)[Symbol.asyncIterator]().next()).value;
const enrollment = (await client.enrollments.list().with({ student: true }).first()).records[0];
enrollment?.student?.custom?./*joined slugs*/sector;
const plain: MainClient = client;
const admin: AdminClient = inferred;
class Own extends MainClient<School> {}
declare const options: ClientOptions;
const own = new Own({ ...options, school });
`;

let service: ts.LanguageService;
let text = TEXT;
let version = 1;

beforeAll(() => {
  const files = new Map([[SCHOOL, schoolFile(EVERY_KIND)]]);
  const read = (name: string) => (name === USER ? text : (files.get(name) ?? ts.sys.readFile(name)));
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [USER], include: [] }, ts.sys, ROOT);
  const paths = {
    "education-admin-sdk": [`${ROOT}dist/index.d.ts`],
    "education-admin-sdk/school": [`${ROOT}dist/school/index.d.ts`],
  };
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => ({ ...options, paths: { ...options.paths, ...paths } }),
    getScriptFileNames: () => [USER],
    getScriptVersion: (name) => (name === USER ? String(version) : "1"),
    getScriptSnapshot: (name) => {
      const found = read(name);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === USER || files.has(name) || ts.sys.fileExists(name),
    readFile: read,
    directoryExists: (name) => name.startsWith(`${ROOT}test/school/written`) || ts.sys.directoryExists(name),
  };
  service = ts.createLanguageService(host, parsed);
});

function completions(marker: string): string[] {
  const at = TEXT.indexOf(`/*${marker}*/`);
  if (at < 0) throw new Error(`no ${marker}`);
  // If the marker stands in quotes, the position is right after the opening quote.
  const found = service.getCompletionsAtPosition(USER, TEXT.charAt(at - 1) === '"' ? at : at + marker.length + 4, {});
  return (found?.entries ?? []).map(({ name }) => name);
}

function complaints(more = ""): string[] {
  text =
    TEXT.replaceAll(/"\/\*(?:options|several|compared)\*\/"/g, '"care" as never').replace(
      '"/*objects*/"',
      '"equipment"',
    ) + more;
  version += 1;
  const found = [...service.getSyntacticDiagnostics(USER), ...service.getSemanticDiagnostics(USER)];
  text = TEXT;
  version += 1;
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}

/** Lines that must not compile, each with the expected error. */
const WRONG = [
  ['await client.accounts.update(7, { name: "x", custom: { sectr: "care" } });', "'sectr' does not exist"],
  ['await client.accounts.update(7, { name: "x", custom: { sector: "other" } });', '"other"'],
  ["await client.users.update(7, { custom: { active: 1 } });", "'number' is not assignable to type 'boolean"],
  ['await client.users.update(7, { custom: { topics: ["other"] } });', '"other"'],
  ["account.custom.sectr;", "Property 'sectr' does not exist"],
  ["order?.custom?.sectr;", "Property 'sectr' does not exist"],
  ['(await client.accounts.lookup("email").get("x"))?.custom.sectr;', "Property 'sectr' does not exist"],
  ["(await client.accounts.getMany([7]))[0]?.custom.sectr;", "Property 'sectr' does not exist"],
  ["enrollment?.student?.custom?.sectr;", "Property 'sectr' does not exist"],
  ["client.enrollments.list().with({ teacher: true });", "No overload matches this call"],
  ['await client.customRecords.list("rooms");', '"rooms"'],
  [
    '(await client.customRecords.get({ object_slug: "equipment", record_id: 1 })).properties.seats;',
    "'seats' does not exist",
  ],
  ["await client.courses.update(1, { custom_associations: { vehicle: [1] } });", "'vehicle' does not exist"],
  ["new MainClient<School>({ school: { connect: 1 } });", "not assignable"],
] as const;

const SLUGS = ["active", "birthday", "mobile", "number", "remarks", "sector", "size", "ssn", "topics", "vat"];

describe("an editor with the file of a school", { timeout: 240_000 }, () => {
  it("accepts a program that uses the school's own fields", () => {
    expect(complaints()).toEqual([]);
    expect(service.getSemanticDiagnostics(SCHOOL)).toEqual([]);
  });

  it("offers only the slugs of fields, both when reading and when sending", () => {
    expect(completions("slugs")).toEqual(SLUGS);
    expect(completions("sent slugs")).toEqual(SLUGS);
  });

  it("offers the slugs of fields of joined records", () => {
    expect(completions("joined slugs")).toEqual(SLUGS);
  });

  it("offers the options of a field", () => {
    expect(completions("options")).toEqual(["care", "education", "industry"]);
    expect(completions("several").sort()).toEqual(['a \\"quoted\\" one', "safety"]);
    expect(completions("compared")).toEqual(expect.arrayContaining(["care", "education", "industry"]));
  });

  it("offers custom objects, their properties and associations", () => {
    expect(completions("objects")).toEqual(["equipment", "vehicles"]);
    expect(completions("properties")).toEqual(["serial-number", "weight"].map((name) => expect.stringContaining(name)));
    expect(completions("associations")).toEqual(["equipment"]);
  });

  it("shows the title of a field over its slug", () => {
    const info = service.getQuickInfoAtPosition(USER, TEXT.indexOf("custom.birthday") + "custom.b".length);
    expect(ts.displayPartsToString(info?.documentation)).toBe("When were you born?");
  });

  it("refuses fields that the school does not have", () => {
    const found = complaints(WRONG.map(([line]) => `${line}\n`).join(""));
    expect(found).toEqual(WRONG.map(([, complaint]) => expect.stringContaining(complaint)));
  });

  it("completes a client without a school as if the option did not exist", () => {
    const line = "const bare = new MainClient(options); const anything = (await bare.accounts.get(7)).custom.anything;";
    expect(complaints(`${line}\n`)).toEqual([]);
    text = `${TEXT}${line}\nbare.accounts.get;`;
    version += 1;
    const at = (marker: string) =>
      ts.displayPartsToString(
        service.getQuickInfoAtPosition(USER, text.lastIndexOf(marker) + marker.length - 1)?.displayParts,
      );
    expect(at("bare.accounts")).toContain("accounts: Accounts");
    expect(at("bare.accounts.get")).toContain("(id: number, options?: RequestOptions): Call<Account>");
    expect(at("const anything")).toContain("const anything: CustomFieldValue");
    text = TEXT;
    version += 1;
  });
});
