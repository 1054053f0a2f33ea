import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { install, installLibrary } from "../../lib/install.ts";
import { run } from "../../lib/process.ts";
import { BENCH, GENERATED, PROGRAMS, ROOT } from "./paths.ts";
import { PEERS } from "./peers.ts";

/** Installs the peers, builds and installs the library, generates clients from OpenAPI, and writes the programs. */
export async function prepare(): Promise<void> {
  install(BENCH);
  await run("npm", ["run", "build"], { cwd: ROOT });
  installLibrary(BENCH);
  await generateClients();
  await writePrograms();
}

async function generateClients(): Promise<void> {
  await rm(GENERATED, { recursive: true, force: true });
  await mkdir(PROGRAMS, { recursive: true });
  const description = await describeForGenerators();
  // Imported here, because these packages are not installed when the bench first starts.
  const { createClient } = await import("@hey-api/openapi-ts");
  const { generate } = await import("orval");
  for (const [name, compatibilityVersion] of [
    ["hey-api", 4],
    ["hey-api-mini", "mini"],
  ]) {
    await createClient({
      input: description,
      output: { path: `${GENERATED}/${name}-ts` },
      plugins: [
        "@hey-api/typescript",
        "@hey-api/client-ky",
        { name: "zod", compatibilityVersion },
        { name: "@hey-api/sdk", validator: true },
      ],
      logs: { level: "silent" },
    });
    await toJavaScript(`${GENERATED}/${name}-ts`, `${GENERATED}/${name}`);
  }
  await generate({
    input: { target: description },
    output: {
      target: `${GENERATED}/orval-ts/client.ts`,
      // Without generated zod schemas the client would validate nothing.
      schemas: { path: `${GENERATED}/orval-ts/schemas`, type: "zod" },
      mode: "single",
      tsconfig: { compilerOptions: { module: "nodenext", moduleResolution: "nodenext" } },
      client: "fetch",
      baseUrl: { runtime: "globalThis.benchBaseUrl" },
      override: { fetch: { runtimeValidation: true } },
    },
  });
  await toJavaScript(`${GENERATED}/orval-ts`, `${GENERATED}/orval`);
  // The client imports a folder, which bundlers resolve and Node does not.
  const client = `${GENERATED}/orval/client.js`;
  await writeFile(client, (await readFile(client, "utf8")).replaceAll('"./schemas"', '"./schemas/index.js"'));
}

// Both generators turn every int64 into a BigInt, which is slow. For a fair comparison, they get plain integers, as in
// this library.
async function describeForGenerators(): Promise<string> {
  const text = await readFile(`${ROOT}openapi/main.json`, "utf8");
  const description = JSON.parse(text, (key, value) => (key === "format" && value === "int64" ? undefined : value));
  const target = `${GENERATED}/main.json`;
  await writeFile(target, JSON.stringify(description));
  return target;
}

// Compiles each file separately, as a project's own compiler would, so that the generator determines the number of
// files.
async function toJavaScript(from: string, to: string): Promise<void> {
  const { build } = await import("esbuild");
  await build({
    entryPoints: [`${from}/**/*.ts`],
    outdir: to,
    outbase: from,
    bundle: false,
    format: "esm",
    target: "es2022",
  });
}

// Programs are written below scripts/bench, so that their imports find the installed peers.
async function writePrograms(): Promise<void> {
  const headers = 'export const HEADERS = { headers: { authorization: "Bearer bench", accept: "application/json" } };';
  await writeFile(`${PROGRAMS}/headers.js`, headers);
  const importHeaders = 'import { HEADERS } from "./headers.js";';
  for (const { id, imports, construct, page } of PEERS) {
    const needsHeaders = construct.includes("HEADERS") ? importHeaders : "";
    const baseUrl = 'const baseUrl = "https://bench.example";';
    await writeFile(
      `${PROGRAMS}/${id}-start.js`,
      `${imports}\n${needsHeaders}\n${baseUrl}\nglobalThis.benchClient = ${construct};\n`,
    );
    if (page === undefined) continue;
    await writeFile(
      `${PROGRAMS}/${id}-page.js`,
      `${imports}\n${importHeaders}\nexport const create = (baseUrl) => {\n  const client = ${construct};\n  return (size) => ${page};\n};\n`,
    );
  }
}
