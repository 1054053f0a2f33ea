import { existsSync, globSync, readFileSync } from "node:fs";
import { ServerResponse } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { ENTRIES } from "../../scripts/lib/entries.ts";
import { outOfStep } from "../../scripts/lib/generated.ts";
import { llmsFull, SKILL } from "../../scripts/lib/llms-full.ts";
import { readSources } from "../../scripts/lib/source-index.ts";
import { allOperations, notesOf } from "../../src/operations.js";
import * as schemas from "../../src/schemas.js";
import { operations, records } from "../contract/support/contract-data.js";
import { documents, fencesOf, root } from "./support/code-blocks.ts";

const files = llmsFull({ operations: allOperations, notesOf }, schemas, readSources());
const full = files["llms-full.txt"] ?? "";
const skill = readFileSync(join(root, SKILL), "utf8");
const lines = full.split("\n");
// llms-full.txt explains these names before it lists the calls.
const NOT_WRITTEN = ["CustomFields", "Date", "EnumName", "InvoiceStatus", "X", "T"];
const types = new Map(lines.map((line) => [/^- `(\w+)`: /.exec(line)?.[1], line]));
const typeOf = (name: string) => types.get(name) ?? "";

test("llms-full.txt matches the tables and the skill", () => {
  expect(outOfStep(files), "run npm run generate").toEqual([]);
});

test("llms-full.txt begins with the skill, and so with the mistakes to avoid, and fits into an assistant's context", () => {
  const mistakes = full.indexOf("## Six common mistakes");
  expect(mistakes).toBeGreaterThan(0);
  expect(mistakes).toBeLessThan(400);
  expect(full).not.toContain("name: education-admin-sdk\n");
  // About 27,000 tokens.
  expect(full.length).toBeLessThan(111_000);
});

const offered = operations.filter(({ apis, deprecated_in }) => apis.some((api) => !deprecated_in?.includes(api)));

test("every operation has a line, unless all its APIs discourage it", () => {
  expect(offered.length).toBeGreaterThan(200);
  const missing = offered.filter(
    ({ id }) => !lines.some((line) => /^- `(client|main|admin)\.(.*?)\(/.exec(line)?.[2] === id),
  );
  expect(missing.map(({ id }) => id)).toEqual([]);
});

test.each(offered)("$id: the line has its filters, and the type has the fields of its body", (operation) => {
  const found = lines
    .filter((line) => new RegExp(`^- \`(client|main|admin)\\.${operation.id}\\(`).test(line))
    .join("\n");
  const filters = operation.query.filter(
    ({ name, deprecated }) => !deprecated && !["cursor", "per_page", "page"].includes(name),
  );
  for (const { name } of filters) expect(found).toMatch(new RegExp(`[ {]${name}\\??: `));
  for (const { name } of operation.params) expect(found).toContain(`${name}: `);
  const [, body] = /body: (\w+)/.exec(found) ?? [];
  const fields = (operation.body(operation.apis[0] ?? "main") ?? []).filter(
    ({ deprecated, deprecatedIn }) => !deprecated && deprecatedIn.length === 0,
  );
  expect(body !== undefined).toBe(fields.length > 0);
  for (const { name, required } of fields) expect(typeOf(body ?? "")).toContain(`${name}${required ? ": " : ""}`);
});

test("exactly the nullable fields of a record are marked as nullable", () => {
  const wrong: string[] = [];
  let nullable = 0;
  for (const { name, fields } of records.values()) {
    for (const field of typeOf(name) ? fields.filter(({ deprecated }) => !deprecated) : []) {
      const [, type] = new RegExp(`[{;] ${field.name}\\??: (.*?)(?=; \\w+\\??: | })`).exec(typeOf(name)) ?? [];
      if (type === undefined || type.includes("{")) continue;
      if (field.nullable) nullable += 1;
      if (type.split(" | ").includes("null") !== field.nullable) wrong.push(`${name}.${field.name}: ${type}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(nullable).toBeGreaterThan(150);
  expect(full).not.toMatch(/"null"|null \| null|OrNull/);
});

test("every type that is named is also defined", () => {
  const code = full.slice(full.indexOf("# Every call")).match(/^- `.*$/gm) ?? [];
  const written = code.map((line) => line.replace(/"[^"]*"/g, "").replace(/; [a-z][^`]*$/, "")).join("\n");
  const named = new Set([...written.matchAll(/(?<=: |→ |of |\| |\(|`)[A-Z]\w+/g)].map(([name]) => name));
  expect(named.size).toBeGreaterThan(150);
  expect([...named].filter((name) => !NOT_WRITTEN.includes(name) && typeOf(name) === "")).toEqual([]);
});

test("the skill has a name, a description and sources that are in the package, and stays below 3,000 tokens", () => {
  const [, matter = ""] = /^---\n(.*?)\n---\n/s.exec(skill) ?? [];
  // Metadata values must be text (https://agentskills.io).
  const [, sources = ""] =
    /^name: education-admin-sdk\ndescription: .{40,1024}\nmetadata:\n {2}library: education-admin-sdk\n {2}sources: (.+)$/.exec(
      matter,
    ) ?? [];
  expect(sources.split(", ").filter((path) => !existsSync(join(root, path)))).toEqual([]);
  // On average, a token of this text has 4.1 characters (o200k_base).
  expect(skill.length).toBeLessThan(12_300);
});

test("the skill, and therefore llms-full.txt, shows a call for every part of the package", () => {
  const code = [...skill.matchAll(/```ts\n(.*?)```/gs)].map(([, block]) => block).join("\n");
  const imported = new Set([...code.matchAll(/ from "(education-admin-sdk[\w/-]*)";/g)].map(([, name]) => name));
  // The skill mentions these parts only in a sentence, such as "`listen(sandbox)` of /sandbox/node", because they need
  // another package or another process.
  const isNamed = (part: string) => new RegExp(`\\w\\([^\`]*\\)\`? of \`?${part}\\b`).test(skill);
  const missing = ENTRIES.filter(({ name, specifier }) => !imported.has(specifier) && !isNamed(name.slice(1)));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

// Exports and methods that only the guides name. This list may only get shorter.
const ONLY_IN_GUIDES = `
ApiError CheckpointError DefinedSchool DriftEvent FetchLike NotFoundError OperationId
PlanSummary Transport accountCreateSchema advance apply consume courseSchema createKey createWebhookWorker
drain expectNoFaultsLeft fakeCall fakeError fakePages fakeResource formatReport freshness insert listDead
logTo memoryTokens nextPage prune recoverWebhooks refetch requestPages reset rest revive revokeKey rowsOf
scopesOf settled signWebhook subscribe undo
`;

test("programs in README.md and the guides use only exports and methods that the skill and llms-full.txt name", () => {
  const api = globSync(join(root, "api/*.api.md")).map((file) => readFileSync(file, "utf8"));
  const declared = api.join("\n").matchAll(/^ {4}(?:static |readonly )?(\w+)\??(?:: )?(?:<.*>)?\(/gm);
  const methods = new Set([...declared].map(([, name]) => name));
  // Ignores methods that these objects have too: in a program, such a name usually belongs to one of them.
  const others = [Array, Date, Map, Promise, RegExp, Set, String, DatabaseSync, ServerResponse];
  for (const each of others.flatMap((one) => [one, one.prototype]))
    for (const name of Object.getOwnPropertyNames(each)) methods.delete(name);
  const code = documents().flatMap((file) => fencesOf(file).filter(({ language }) => /^tsx?\b/.test(language)));
  const used = code.flatMap(({ code }) => [
    ...[...code.matchAll(/import (?:type )?\{([^}]*)\} from "education-admin-sdk/g)].flatMap(([, names = ""]) =>
      [...names.matchAll(/(?:^|,)\s*(?:type )?(\w+)/g)].map(([, name = ""]) => name),
    ),
    ...[...code.matchAll(/\.(\w+)(?:<[^()]*>)?\(/g)].flatMap(([, name = ""]) => (methods.has(name) ? name : [])),
  ]);
  const known = new Set(`${skill} ${full}`.match(/\w+/g));
  expect(new Set(used).size).toBeGreaterThan(100);
  const unknown = [...new Set(used)].filter((name) => !known.has(name));
  expect(unknown.sort()).toEqual(ONLY_IN_GUIDES.trim().split(/\s+/));
});

test("llms.txt, llms-full.txt and the skill are in the package", () => {
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };
  expect(files).toEqual(expect.arrayContaining(["llms.txt", "llms-full.txt", "skills"]));
});

// The amounts that dates-and-money.md names.
test.each(["llms.txt", SKILL])("%s names every amount that is a number", (file) => {
  const text = readFileSync(join(root, file), "utf8").replace(/\s+/g, " ");
  for (const part of ["`cost` of plannedCourses.create and update", "programEditions.create and programs.create"]) {
    expect(text).toContain(part);
  }
  expect(text).toMatch(/`amount` of a discount code and `available_from` of a payment option/);
});
