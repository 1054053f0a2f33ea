import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openAddresses } from "../../scripts/release/addresses.ts";
import { bumpProblem } from "../../scripts/release/bump.ts";
import { addDate, changelogProblem } from "../../scripts/release/changelog.ts";
import { bundledIn, ofUsers } from "../../scripts/release/sbom.ts";

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const manifest = JSON.parse(read("package.json")) as {
  version: string;
  scripts: Record<string, string>;
  engines: { node: string };
};

const named = {
  repository: { type: "git", url: "git+https://git.example/school/sdk.git" },
  homepage: "https://sdk.example",
  bugs: { url: "https://git.example/school/sdk/issues" },
};

test("a release needs the three addresses in package.json", () => {
  expect(openAddresses({})).toEqual(["repository", "homepage", "bugs"]);
  expect(openAddresses({ ...named, bugs: {}, homepage: "" })).toEqual(["homepage", "bugs"]);
  expect(openAddresses(named)).toEqual([]);
});

test("every section of the changelog has a date, which `release:version` adds to the new one", () => {
  expect(changelogProblem(read("CHANGELOG.md"), manifest.version)).toBe(null);
  const written = "# education-admin-sdk\n\n## 1.1.0\n\n- New.\n\n## 1.0.0 (2026-11-26)\n\n- First.\n";
  expect(changelogProblem(written, "1.1.0")).toContain("1.1.0");
  const named = addDate(written, "1.1.0", "2027-01-07");
  expect(named).toContain("\n## 1.1.0 (2027-01-07)\n");
  expect([changelogProblem(named, "1.1.0"), addDate(named, "1.1.0", "2028-01-01")]).toEqual([null, named]);
  expect(changelogProblem(named, "1.2.0")).toContain("1.2.0");
  expect(manifest.scripts["release:version"]).toContain("changeset version && node scripts/release/changelog.ts");
});

test("the bill of materials lists installed and bundled packages with their dependencies, but no tools", () => {
  const refs = {
    "sdk@1.0.0": ["ky@2", "commander@15", "vitest@5"],
    "ky@2": [],
    "commander@15": ["strip@1"],
    "strip@1": [],
  };
  const names = [...Object.keys(refs).slice(1), "vitest@5"];
  const whole = {
    components: names.map((ref) => ({ "bom-ref": ref, name: ref.split("@")[0] ?? "", version: "1" })),
    dependencies: Object.entries(refs).map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
  const metadata = { timestamp: "2030-01-01T00:00:00Z", component: { name: "a folder" } };
  const { components, dependencies, ...others } = ofUsers({ ...whole, metadata }, ["ky"]);
  // Nothing that differs from one build to the next.
  expect(others).toEqual({ metadata: { component: { name: "sdk" } } });
  expect(components.map(({ name }) => name)).toEqual(["ky", "commander", "strip"]);
  expect(dependencies[0]?.dependsOn).toEqual(["ky@2", "commander@15"]);
});

test("the license texts name every bundled package", () => {
  const text = "ky 2.1.0\n\nMIT License\n\nVersion 2.0 of 2004\n@scope/a-b 1.0.0-rc.1\n\nText 1.2\n";
  expect(bundledIn(text)).toEqual(["ky", "@scope/a-b"]);
});

test("a version must rise as the changes of records and exports since the last tag require", () => {
  const reports = ["api/index.api.md"];
  const last = "## 1.3.0 (2027-02-01)\n\n## 1.2.0 (2027-01-01)\n";
  const problem = (version: string, change: (path: string, text: string) => string) =>
    bumpProblem(last.replace("1.3.0", version), version, reports, (tag) => {
      expect([null, "v1.2.0"]).toContain(tag);
      return (path) => (tag === null ? change(path, read(path)) : read(path));
    });
  const mayBeNull = '"description": "Text of the answer.", "nullable": true,';
  const nullable = (_: string, text: string) => text.replace('"description": "Text of the answer.",', mayBeNull);
  const hideClient = (path: string, text: string) =>
    path === reports[0] ? text.replace("export class MainClient", "class MainClient") : text;
  expect(problem("1.2.1", (_, text) => text)).toBe(null);
  expect(problem("1.2.1", nullable)).toMatch(
    /^1\.2\.1 must be a minor release after 1\.2\.0: `value` of \w+ can be null/,
  );
  expect([problem("1.3.0", nullable), problem("2.0.0", hideClient)]).toEqual([null, null]);
  expect(problem("1.3.0", hideClient)).toBe(
    "1.3.0 must be a major release after 1.2.0: api/index.api.md no longer has MainClient",
  );
  expect(bumpProblem("## 1.0.0 (2026-11-26)\n", "1.0.0", reports)).toBe(null);
});

const workflows = globSync(".github/workflows/*.yml");

test.each(workflows)("%s uses only GitHub's own actions, pinned, and existing commands", (file) => {
  const text = read(file);
  const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
  expect(uses.length).toBeGreaterThan(0);
  for (const action of uses) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
  for (const [, script = ""] of text.matchAll(/npm run ([\w:]+)/g))
    expect(Object.keys(manifest.scripts)).toContain(script);
  // Every job has only the permissions it needs; the default is none or read access.
  expect(text).toMatch(/^permissions:( \{\}|\n {2}contents: read)\n\n/m);
  expect(text).not.toMatch(/write-all|secrets\./);
});

test("the workflows test the lowest Node for the scripts, the lowest of `engines`, 24 and 26; only one job can publish", () => {
  const ci = read(".github/workflows/ci.yml");
  expect(ci).toContain(`node: ["20.20", "${manifest.engines.node.replace(">=", "")}", "24", "26"]`);
  expect(ci).toContain("os: [ubuntu-latest, windows-latest, macos-latest]");
  expect(ci).toMatch(/run: npm cit\n/);
  expect(ci).toMatch(/run: \.ci\/run\n/);
  const release = read(".github/workflows/release.yml");
  const jobs = jobsOf(release);
  expect([...jobs.keys()]).toEqual(["changes", "next", "version", "check", "pack", "publish", "tag"]);
  const withRight = (right: string) => [...jobs].filter(([, text]) => text.includes(right)).map(([name]) => name);
  expect(withRight("id-token: write")).toEqual(["publish"]);
  expect(withRight("contents: write")).toEqual(["version", "tag"]);
  expect(withRight("environment: npm")).toEqual(["publish"]);
  // An installation runs foreign code.
  for (const job of [...withRight(": write")]) expect(jobs.get(job), job).not.toMatch(/npm (ci|install|run|exec)|npx /);
});

test("uploads of a workflow fail if a file is missing, and include hidden files if their path is hidden", () => {
  const steps = workflows.flatMap((file) => read(file).split(/^ {6}- /m));
  const uploads = steps.filter((step) => step.includes("actions/upload-artifact"));
  expect(uploads.length).toBeGreaterThan(1);
  for (const step of uploads) {
    expect(step).toContain("if-no-files-found: error");
    if (/^ +(path: )?\.[^./]/m.test(step)) expect(step).toMatch(/^ {10}include-hidden-files: true$/m);
  }
});

/** The text of each job. */
function jobsOf(workflow: string): Map<string, string> {
  const parts = workflow.slice(workflow.indexOf("\njobs:\n")).split(/^ {2}(\w+):\n/m);
  return new Map(parts.flatMap((name, at) => (at % 2 === 1 ? [[name, parts[at + 1] ?? ""] as const] : [])));
}

// Each of these jobs has a permission and may run only this command. Only the job that opens a version's pull request
// needs the repository's code.
test.each([
  [
    "publish",
    [/^npm stage publish \.\/\*\.tgz --provenance --access public --ignore-scripts$/],
    ["download-artifact", "setup-node"],
  ],
  ["tag", [/^gh release create "\$TAG" sbom\.cdx\.json --target "\$GITHUB_SHA" /], ["download-artifact"]],
] as const)("the job %s runs only its command, and no installed or checked-out code", (name, commands, actions) => {
  const job = jobsOf(read(".github/workflows/release.yml")).get(name) ?? "";
  const runs = [...job.matchAll(/run: (.*)/g)].map(([, command]) => command);
  expect(runs).toHaveLength(commands.length);
  for (const [at, command] of commands.entries()) expect(runs[at]).toMatch(command);
  expect([...job.matchAll(/uses: actions\/([\w-]+)@/g)].map(([, action]) => action)).toEqual(actions);
});

test("a job that only reads checked-out code keeps no credentials", () => {
  for (const file of workflows)
    for (const [name, job] of jobsOf(read(file)))
      if (name !== "version" && job.includes("actions/checkout@")) expect(job).toContain("persist-credentials: false");
});
