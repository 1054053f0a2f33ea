// Generates a client for each API with each generator, as its users would, into the given folder. The tests in
// test/generators call these clients.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { createClient } from "@hey-api/openapi-ts";
import readDocument, { astToString } from "openapi-typescript";
import { generate } from "orval";
import { ROOT } from "./lib/paths.ts";

const [folder = ""] = process.argv.slice(2);
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const api of ["main", "admin", "organization"]) {
  const document = `${ROOT}openapi/${api}.json`;
  await writeFile(`${folder}/${api}-schema.ts`, astToString(await readDocument(pathToFileURL(document))));
  await createClient({
    input: document,
    output: { path: `${folder}/${api}-sdk` },
    plugins: ["@hey-api/typescript", "@hey-api/client-fetch", "zod", { name: "@hey-api/sdk", validator: true }],
    logs: { level: "silent" },
  });
  await generate({
    input: { target: document },
    output: {
      target: `${folder}/${api}-client/index.ts`,
      schemas: { path: `${folder}/${api}-client/schemas`, type: "zod" },
      mode: "single",
      tsconfig: { compilerOptions: { module: "esnext", moduleResolution: "bundler" } },
      client: "fetch",
      baseUrl: { runtime: "globalThis.generatedBaseUrl" },
      override: { fetch: { runtimeValidation: true } },
    },
  });
}
