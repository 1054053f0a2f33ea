import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../src/cli/main.js";
import type { Sandbox } from "../../src/sandbox/index.js";
import { temporaryFolder } from "../cli/types-support.js";
import { type Otherwise, overHttp, refusal, serveSchool } from "../doctor/support.js";

interface School {
  readonly sandbox: Sandbox;
  run(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }>;
}

async function schoolAt(otherwise: Otherwise = {}): Promise<School> {
  const { sandbox, baseUrl } = await overHttp(serveSchool(otherwise, { size: 25 }));
  const env = { EDUCATION_ADMIN_BASE_URL: baseUrl, EDUCATION_ADMIN_API_KEY: sandbox.main.apiKey };
  return {
    sandbox,
    async run(...args) {
      const written = { stdout: "", stderr: "" };
      const output = (name: keyof typeof written) => ({ write: (text: string) => (written[name] += text) });
      const status = await runCli(args, { env, stdout: output("stdout"), stderr: output("stderr") });
      return { status, ...written };
    },
  };
}

let text: Promise<string> | undefined;

/** Writes the twin file of the school and returns its path. */
async function twinFile(): Promise<string> {
  const file = join(temporaryFolder(), "school.twin.json");
  text ??= schoolAt()
    .then(({ run }) => run("twin", "--to", file))
    .then(() => readFileSync(file, "utf8"));
  writeFileSync(file, await text);
  return file;
}

test("announces the number of requests, and writes the file only if something has changed", async () => {
  const { run } = await schoolAt();
  const file = join(temporaryFolder(), "school.twin.json");
  const first = await run("twin", "--to", file);
  expect([first.status, first.stdout]).toEqual([0, ""]);
  expect(first.stderr).toMatch(
    /^This takes about \d+ requests, including the \d+ that this estimate took\.\n.* was written, .* kB: \d+ requests\n$/,
  );
  const text = readFileSync(file, "utf8");
  // A twin that was taken on another day.
  const earlier = text.replace(/"taken": "[^"]+"/, '"taken": "2020-01-01"');
  writeFileSync(file, earlier);
  expect((await run("twin", "--to", file)).stderr).toContain("is unchanged: ");
  expect(readFileSync(file, "utf8")).toBe(earlier);
});

test("compares the school with the file, and ends with 1 if something has changed", async () => {
  const { run, sandbox } = await schoolAt();
  const file = join(temporaryFolder(), "school.twin.json");
  await run("twin", "--to", file, "--without", "names");
  sandbox.store.users.insert({ first_name: "Ada" });
  const same = await run("twin", "--compare", file);
  expect([same.status, same.stdout]).toEqual([0, ""]);
  const { id } = sandbox.store.categories.insert({ name: "A new category" });
  const changed = await run("twin", "--compare", file);
  expect([changed.status, changed.stdout]).toEqual([1, `data.categories.${id}: came\n`]);
});

// Stops after at most 20 requests, because later ones read the school's fields and are repeated with pauses.
test.each([0, 10, 20])("a service that fails after %d requests leaves the earlier file", async (requests) => {
  let left = Number.POSITIVE_INFINITY;
  const { run, sandbox } = await schoolAt({ answer: () => (left-- > 0 ? undefined : refusal(503)) });
  const file = await twinFile();
  const before = readFileSync(file, "utf8");
  sandbox.store.categories.insert({ name: "A new category" });
  for (const option of ["--to", "--compare"]) {
    left = requests;
    const { status, stderr } = await run("twin", option, file);
    expect([status, stderr]).toEqual([2, expect.stringContaining("503")]);
  }
  expect(readFileSync(file, "utf8")).toBe(before);
  expect(readdirSync(dirname(file))).toEqual(["school.twin.json"]);
});

test("refuses a file that it did not write", async () => {
  const { run, sandbox } = await schoolAt();
  const file = join(temporaryFolder(), "package.json");
  writeFileSync(file, "{}");
  for (const args of [
    ["twin", "--to", file],
    ["twin", "--compare", file],
    ["sandbox", "--twin", file],
    ["types", "--twin", file],
  ]) {
    const { status, stderr } = await run(...args);
    expect([status, stderr], args.join(" ")).toEqual([2, expect.stringContaining("was not written by")]);
  }
  expect((await run("twin")).stderr).toContain("Give either --to or --compare");
  expect([readFileSync(file, "utf8"), sandbox.requests.length]).toEqual(["{}", 0]);
});

test("types uses no fields from a file whose key could not read them", async () => {
  const { run } = await schoolAt({
    answer: (_, __, { pathname }) => (pathname.endsWith("/signup_questions") ? refusal(403) : undefined),
  });
  const file = join(temporaryFolder(), "school.twin.json");
  expect((await run("twin", "--to", file)).stderr).toContain("signupQuestions could not be read: 403");
  const { status, stdout, stderr } = await run("types", "--twin", file);
  expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining("could not read the school's own fields")]);
});

test("types reads the custom fields from the file, without any request", async () => {
  const { run, sandbox } = await schoolAt();
  const file = await twinFile();
  const { stdout } = await run("types");
  const { length } = sandbox.requests;
  expect((await run("types", "--twin", file)).stdout).toBe(stdout);
  expect(sandbox.requests.length).toBe(length);
});
