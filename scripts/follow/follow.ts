// Follows a new description of the service: npm run follow -- main.json admin.json organization.json
// The documents are the OpenAPI documents that the service publishes, or one folder with the contract.
//   --check           only compares: ends with 1 if something has changed
//   --report <file>   drafts the fields that a doctor's report (--json) names as new
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ROOT } from "../lib/generated.ts";
import { BUMPS, bumpOf, compare, type Fact, NEEDS } from "./compare.ts";
import { APIS, ownDocuments, readContracts } from "./contract.ts";
import { Drafts } from "./draft.ts";
import { DATA, storeFacts } from "./stored.ts";

const CHANGESET = ".changeset/the-service-changed.md";
const shell = process.platform === "win32";
const MOST_PLACES = 20;
const KNOWN = "openapi/known-differences.json";

/** The new differences of a description. @throws Error for a known difference that no longer exists. */
export function factsOf(paths: readonly string[]): Fact[] {
  const after = readContracts(paths);
  const isFolder = existsSync(`${paths[0]}/records.json`);
  const known = JSON.parse(readFileSync(ROOT + KNOWN, "utf8")) as Record<string, Record<string, string>>;
  const reasons = known[isFolder ? "contract" : "documents"] ?? {};
  const facts = compare(isFolder ? readContracts([DATA]) : ownDocuments(), after);
  const found = new Set(facts.map(({ kind, where }) => `${kind} ${where}`));
  const over = Object.keys(reasons).filter((one) => !found.has(one) && Object.keys(after).length === APIS.length);
  // A test may compare the stored contract data with itself.
  if (over.length > 0 && paths[0] !== DATA)
    throw new Error(`${KNOWN}: take out, the service no longer differs in ${over.join(", ")}`);
  return facts.filter(({ kind, where }) => !Object.hasOwn(reasons, `${kind} ${where}`));
}

/** The fields that a doctor's report names as new, as facts. */
export function factsOfReport(report: string): Fact[] {
  const { api, findings } = JSON.parse(report) as {
    api: "main" | "admin";
    findings: { check: string; seen: string }[];
  };
  const rows = ownDocuments()[api]?.operations ?? {};
  const seen = findings.find(({ check }) => check === "unknown_fields")?.seen ?? "";
  return [...seen.matchAll(/([\w.]+)\.(\w+) \((\w+), null in (few|\d+ %)\)/g)].flatMap(
    ([, list = "", name = "", kind = "", nulls]) => {
      const of = /array<(\w+)>/.exec(rows[`${list}.list`]?.response ?? "")?.[1];
      const type = { text: "string", number: "number", boolean: "boolean" }[kind];
      if (!of || !type) return [];
      const spec = { type: nulls === "0 %" ? type : `${type}|null` };
      const words = `\`${name}\` of ${of} is new (seen at one school)`;
      return [
        { kind: "field new", where: `${of}.${name}`, severity: "minor", words, apis: [api], of, name, spec } as const,
      ];
    },
  );
}

/** The lines that mention something removed as plain text, which the compiler does not find. */
export function placesOf({ kind, where, of, name: field }: Fact): string[] {
  const isValue = kind.startsWith("value");
  const name = field || of;
  const search = ["grep", "-n", isValue ? "-F" : "-wF", isValue ? `"${name}"` : name, "--", "src", "test", "docs"];
  search.push("examples", "skills", ":!src/generated", ":!test/contract/data", ":!docs/operations.md");
  const found = spawnSync("git", search, { cwd: ROOT, encoding: "utf8" }).stdout.split("\n").filter(Boolean);
  if (found.length > MOST_PLACES)
    return [`${found.length} lines have the word of ${where}: git ${search.slice(0, 5).join(" ")} src`];
  return found.map((one) => `${one.split(":", 2).join(":")} has the word of ${where}`);
}

/** Writes the changeset of facts for users. Keeps the lines of `known`, the changeset of an earlier run. */
export function changesetOf(facts: readonly Fact[], name: string, known = ""): string {
  const lines = facts.map(({ words, severity, kind }) => {
    const gone = kind === "operation gone" ? " FOLLOW: name the call that replaces it." : "";
    return `- ${NEEDS[severity]}${words}.${gone}`;
  });
  const all = [...new Set([...(known.match(/^- .*$/gm) ?? []), ...lines])];
  const bump = BUMPS.find((one) => one === bumpOf(facts) || known.includes(`": ${one}\n`));
  return `---\n"${name}": ${bump}\n---\n\nFollow the service's new description:\n\n${all.join("\n")}\n`;
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { check: { type: "boolean", default: false }, report: { type: "string" } },
  });
  if (!values.report && positionals.length === 0)
    throw new Error(
      "Name the service's OpenAPI documents (main.json admin.json organization.json), or the folder of its contract.",
    );
  const facts = values.report ? factsOfReport(readFileSync(values.report, "utf8")) : factsOf(positionals);
  if (facts.length === 0) {
    console.log("Nothing to do: the description agrees with this project.");
    return;
  }
  for (const { severity, kind, where, words, apis } of facts)
    console.log(`${severity.padEnd(6)}  ${kind} ${where}: ${words} (${apis.join(", ")})`);
  if (values.check) {
    process.exitCode = 1;
    return;
  }
  const drafts = new Drafts(facts);
  // New records come last, because drafting the fields that use them also drafts them.
  const refused = [...facts]
    .sort((one, other) => Number("all" in one) - Number("all" in other))
    .flatMap((fact) => {
      const reason = drafts.draft(fact);
      return reason === null ? [] : [`${fact.kind} ${fact.where}: ${reason}${drafts.placeOf(fact)}`];
    });
  const files = [...drafts.changes.keys()];
  for (const [file, text] of drafts.changes) writeFileSync(ROOT + file, text);
  if (!values.report) storeFacts(facts);
  const { name } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as { name: string };
  const known = existsSync(ROOT + CHANGESET) ? readFileSync(ROOT + CHANGESET, "utf8") : "";
  writeFileSync(ROOT + CHANGESET, changesetOf(facts, name, known));
  console.log(
    `\nDrafted ${facts.length - refused.length} of ${facts.length}, in ${files.length} files, and ${CHANGESET}.`,
  );
  for (const one of refused) console.log(`Not drafted: ${one}`);
  const gone = facts.filter(({ kind }) => /^(field|value|operation) gone$/.test(kind));
  for (const one of [...drafts.left, ...gone.flatMap(placesOf)]) console.log(`For you: ${one}`);
  const steps = [
    ["biome", "check", "--write", ...files],
    ["node", "scripts/exports.ts"],
    ["node", "scripts/generate.ts"],
  ];
  const failed = steps.find(
    (step) => spawnSync("npx", step, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"], shell }).status !== 0,
  );
  if (failed)
    throw new Error(
      `${failed.slice(0, 2).join(" ")} failed, as it says above: mend the drafts, then run npm run generate.`,
    );
  const hasDrafts = [...drafts.changes.values(), readFileSync(ROOT + CHANGESET, "utf8")].join().includes("FOLLOW");
  const replace = hasDrafts ? "replace each FOLLOW (git grep -nw FOLLOW -- src .changeset), and " : "";
  console.log(`Then: ${replace}go on with "Change a resource" in CONTRIBUTING.md.`);
}

if (import.meta.main) {
  try {
    main();
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 2;
  }
}
