import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { pathOf, reportMissing, type Tool } from "../../../test/support/tools.ts";
import { CommandFailed, run } from "../../lib/process.ts";
import { type Context, type Passed, type Row, rowIn } from "../row.ts";
import { ROOT } from "../workspace.ts";

const GROUP = "openapi";
const APIS = ["main", "admin", "organization"];
const DOCUMENTS = [...APIS, "sandbox-control"];
const STEPS = "list, create, error";
const KEY = "openapi-key";

/**
 * Clients that generators write from the package's OpenAPI documents, compiled and run against the command's sandbox.
 */
export const OPENAPI_ROWS: readonly Row[] = [
  typescriptRow("openapi-typescript", "openapi-typescript", ".d.ts", async (cwd) => {
    for (const api of DOCUMENTS) {
      await node(
        cwd,
        "openapi-typescript/bin/cli.js",
        documentOf(api),
        "-o",
        `generated/openapi-typescript/${api}.d.ts`,
      );
    }
  }),
  typescriptRow("orval", "orval", ".ts", (cwd) =>
    node(cwd, "orval/dist/bin/orval.mjs", "--config", "orval.config.mjs"),
  ),
  typescriptRow("hey-api", "@hey-api/openapi-ts", "/index.ts", async (cwd) => {
    for (const api of DOCUMENTS) {
      const out = ["-o", `generated/hey-api/${api}`, "--no-log-file"];
      await node(cwd, "@hey-api/openapi-ts/bin/run.js", "-i", documentOf(api), ...out);
    }
  }),
  { name: "openapi-generator-python", group: GROUP, run: python },
  rowIn(GROUP, "openapi-strict", "ajv", strict),
];

function typescriptRow(name: string, tool: string, suffix: string, generate: (cwd: string) => Promise<void>): Row {
  return rowIn(GROUP, name, tool, async (cwd) => {
    await generate(cwd);
    const options = ["--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"];
    const files = [`${name}.ts`, ...DOCUMENTS.map((api) => `generated/${name}/${api}${suffix}`)];
    await node(cwd, "typescript/bin/tsc", ...options, "--module", "preserve", ...files);
    // Generated files import each other without extensions, which bundlers allow and Node does not.
    const program = join(cwd, `${name}.mjs`);
    const banner = { js: "[globalThis.apiUrl, globalThis.apiKey] = process.argv.slice(2);" };
    await build({ entryPoints: [join(cwd, `${name}.ts`)], outfile: program, bundle: true, format: "esm", banner });
    await withSandbox(cwd, (url) => expectSteps(run(process.execPath, [program, url, KEY], { cwd })));
    return `4 documents, ${STEPS}`;
  });
}

/** Checks a Python client from OpenAPI Generator, in the newest version that npm provides without another download. */
async function python({ workspace }: Context): Promise<Passed> {
  const cwd = await workspace.install(GROUP);
  const missing = (["java", "python"] satisfies Tool[]).map(reportMissing).find((reason) => reason !== null);
  if (missing) return { version: "", note: `skipped: ${missing}` };
  const interpreter = join(cwd, "venv/bin/python");
  try {
    await run(pathOf("python"), ["-m", "venv", "venv"], { cwd });
    await run(interpreter, ["-m", "pip", "install", "-q", "certifi", "python-dateutil", "six", "urllib3"], { cwd });
  } catch (error) {
    if (process.env.CI === "true" || !(error instanceof CommandFailed)) throw error;
    return { version: "", note: `skipped: pip cannot install what the client needs (${error.message.slice(0, 100)})` };
  }
  const jar = join(cwd, "node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar");
  // This version cannot generate a class for a value that has one of several plain types.
  const mixed = ["--type-mappings", "AnyOfstringnumberbooleanarray=object"];
  for (const api of APIS) {
    const out = ["-o", `generated/python/${api}`, "--package-name", `school_${api}`, ...mixed];
    const args = ["-jar", jar, "generate", "-g", "python", "-i", documentOf(api), ...out];
    await run(pathOf("java"), args, { cwd });
  }
  await run(interpreter, ["-m", "compileall", "-q", "generated/python"], { cwd });
  await withSandbox(cwd, (url) => expectSteps(run(interpreter, ["program.py", url, KEY], { cwd })));
  const version = await workspace.versionOf(GROUP, "@openapitools/openapi-generator-cli");
  return { version, note: `3 documents, ${STEPS}` };
}

/** Runs every operation of every document in the sandbox, checked by third-party validators. */
async function strict(cwd: string): Promise<string> {
  await cp(join(ROOT, "test/contract/data/records.json"), join(cwd, "contract-records.json"));
  const printed = await run(process.execPath, ["strict.mjs"], { cwd });
  const { operations, answers, refusals, withNulls } = JSON.parse(printed) as Record<string, number>;
  return `${operations} operations: ${answers} successes, ${refusals} refusals, ${withNulls} nulls`;
}

function documentOf(api: string): string {
  return `node_modules/education-admin-sdk/openapi/${api}.json`;
}

async function node(cwd: string, script: string, ...args: readonly string[]): Promise<void> {
  await mkdir(join(cwd, "generated"), { recursive: true });
  await run(process.execPath, [join(cwd, "node_modules", script), ...args], { cwd });
}

async function expectSteps(printed: Promise<string>): Promise<void> {
  const last = (await printed).trim().split("\n").at(-1);
  if (last !== STEPS) throw new Error(`printed ${last} instead of ${STEPS}`);
}

/** Serves the sandbox with the package's own command and calls `work` with the URL of the Main API. */
async function withSandbox(cwd: string, work: (url: string) => Promise<void>): Promise<void> {
  const cli = join(cwd, "node_modules/education-admin-sdk/dist/cli/cli.js");
  const args = [cli, "sandbox", "--port", "0", "--key", KEY, "--log", "json", "--quiet"];
  const served = spawn(process.execPath, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
  try {
    const ended = once(served, "close").then(() => Promise.reject(new Error("the sandbox did not start")));
    const [line] = (await Promise.race([once(createInterface(served.stdout), "line"), ended])) as [string];
    await work(`${(JSON.parse(line) as { baseUrl: string }).baseUrl}/api/v1`);
  } finally {
    served.kill();
  }
}
