// Refuses a release that is not ready, and writes its bill of materials: `npm run release:check`, part of `npm run
// release:pack`.
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { ROOT } from "../lib/generated.ts";
import { openAddresses } from "./addresses.ts";
import { bumpProblem } from "./bump.ts";
import { changelogProblem, changesets } from "./changelog.ts";
import { BUNDLED, bundledIn, writeSbom } from "./sbom.ts";

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as Manifest;
const problems = openAddresses(manifest).map((name) => `package.json does not name ${name}`);
const waiting = changesets().length;
if (waiting > 0) problems.push(`${waiting} changesets are not in a version yet: run npm run release:version`);
const changelog = readFileSync(`${ROOT}CHANGELOG.md`, "utf8");
const wrong = changelogProblem(changelog, manifest.version);
if (wrong) problems.push(wrong);

const bump = bumpProblem(changelog, manifest.version, globSync("api/*.api.md", { cwd: ROOT }));
if (bump) problems.push(bump);

const audit = spawnSync("npm", ["audit", "--omit=dev"], {
  cwd: ROOT,
  encoding: "utf8",
  shell: process.platform === "win32",
});
if (audit.status !== 0) problems.push(`npm audit --omit=dev: ${audit.stdout}${audit.stderr}`);

const dependencies = Object.keys(manifest.dependencies);
const named = writeSbom(".artefacts", dependencies).components.map(({ name }) => name);
// The license files that the bundler writes name the bundled packages.
const licenses = globSync("dist/**/licenses.txt", { cwd: ROOT }).map((file) => readFileSync(`${ROOT}${file}`, "utf8"));
const missing = [...new Set([...dependencies, ...BUNDLED, ...licenses.flatMap(bundledIn)])].filter(
  (name) => !named.includes(name),
);
if (missing.length > 0) problems.push(`the bill of materials lacks ${missing.join(", ")}`);
console.log(`.artefacts/sbom.cdx.json names ${named.length} packages`);

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${manifest.version} can be released`);
