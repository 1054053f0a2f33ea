// Refuses a release that is not ready: `npm run release:check`, the first step of `npm run release`.
import { readdirSync, readFileSync } from "node:fs";
import { ROOT } from "../lib/generated.ts";
import { openAddresses } from "./addresses.ts";

const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as { version: string };
const problems = openAddresses(manifest).map((name) => `package.json names no ${name}`);
const changesets = readdirSync(`${ROOT}.changeset`).filter((file) => file.endsWith(".md"));
if (changesets.length > 0) problems.push(`${changesets.length} changesets are in no version: npm run release:version`);
if (!readFileSync(`${ROOT}CHANGELOG.md`, "utf8").includes(`\n## ${manifest.version}\n`))
  problems.push(`CHANGELOG.md has no section for ${manifest.version}`);

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${manifest.version} can be released`);
