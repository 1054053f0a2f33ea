// Checks the completions that an editor offers in src/completions.ts: `node completions.mjs typescript-5.4`. Prints the
// number of positions checked.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const CONFIG = resolve("tsconfig.nodenext.json");
const FILE = resolve("src/completions.ts");

/** The expected completions after each text of the file. */
const OFFERED = {
  "account.custom.": ["newsletter", "sector"],
  'account.custom.sector === "': ["care", "industry"],
  'update(7, { name: "x", custom: { ': ["newsletter", "sector"],
  'update(8, { name: "x", custom: { sector: "': ["care", "industry"],
  "update(9, {": ["address_attributes", "custom", "email", "label_ids", "phone"],
  "joined = client.enrollments.list().with({ ": ["order", "planned_course", "student"],
  "new MainClient().enrollments.list().with({ ": ["order", "planned_course", "student"],
  'client.customRecords.list("': ["equipment", "vehicles"],
  "of records) void properties.": ["supplier", "weight"],
  'client.customRecords.create("': ["equipment", "vehicles"],
  '{ display_name: "x", properties: { ': ["supplier", "weight"],
};

const release = process.argv[2];
// Since version 7.0, the compiler is a separate program with another interface.
const offered = release === "typescript-7.0" ? await withServer() : await withLanguageService();
const text = readFileSync(FILE, "utf8");
for (const [place, expected] of Object.entries(OFFERED)) {
  const at = text.indexOf(place);
  assert.notEqual(at, -1, place);
  assert.deepEqual(offered(at + place.length).sort(), expected, place);
}
console.log(Object.keys(OFFERED).length);
process.exit();

async function withLanguageService() {
  const { default: ts } = await import(release);
  const { config } = ts.readConfigFile(CONFIG, ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const service = ts.createLanguageService({
    readFile: ts.sys.readFile,
    fileExists: ts.sys.fileExists,
    directoryExists: ts.sys.directoryExists,
    getCurrentDirectory: ts.sys.getCurrentDirectory,
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => ts.ScriptSnapshot.fromString(ts.sys.readFile(name)),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  return (at) => service.getCompletionsAtPosition(FILE, at, {}).entries.map(({ name }) => name);
}

async function withServer() {
  const { API } = await import(`${release}/unstable/sync`);
  const api = new API({ cwd: process.cwd() });
  const { checker } = api.updateSnapshot({ openProjects: [CONFIG] }).getProject(CONFIG);
  // TypeScript returns labels: the names of optional properties end in a question mark.
  return (at) => checker.getCompletionsAtPosition(FILE, at).entries.map(({ name }) => name.replace(/\?$/, ""));
}
