import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { ROOT } from "../../../scripts/lib/generated.ts";
import { install } from "../../../scripts/lib/install.ts";
import type { ApiName, Input } from "./inputs.js";

// The bench compares the library with generated clients, so its folder has the generators.
const BENCH = `${ROOT}scripts/bench`;
/** The folder of the generated clients and of the programs that call them. */
export const FOLDER = `${BENCH}/.artefacts/clients`;

/** How a program that uses a generated client is written. */
interface Generator {
  /** Its start; the second part is in a function that has `baseUrl` and `apiKey`. */
  start(api: ApiName): readonly [imports: string, setup: string];
  /** An expression that calls an operation. */
  call(input: Input): string;
}

const camel = (operation: string) => operation.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

/** An object literal without the properties that are undefined or an empty object. */
function literal(values: Readonly<Record<string, unknown>>): string {
  const used = Object.entries(values).filter(
    ([name, value]) => value !== undefined && (name === "body" || JSON.stringify(value) !== "{}"),
  );
  return used.length > 0 ? JSON.stringify(Object.fromEntries(used)) : "";
}

export const GENERATORS: Readonly<Record<string, Generator>> = {
  "openapi-typescript": {
    start: (api) => [
      `import createClient from "openapi-fetch";\nimport type { paths } from "./${api}-schema.js";`,
      "const client = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + apiKey } });",
    ],
    call({ method, path, params, query, body }) {
      const init = literal({ params: JSON.parse(literal({ path: params, query }) || "{}"), body });
      return `client.${method}(${[JSON.stringify(path), init].filter(Boolean).join(", ")})`;
    },
  },
  orval: {
    start: (api) => [
      `import * as client from "./${api}-client/index.js";\ndeclare global { var generatedBaseUrl: string }`,
      "globalThis.generatedBaseUrl = baseUrl;\nconst init = { headers: { authorization: 'Bearer ' + apiKey } };",
    ],
    call({ operation, params, query, body, hasQuery }) {
      const values = [...Object.values(params), ...(body === undefined ? [] : [body]), ...(hasQuery ? [query] : [])];
      return `client.${camel(operation)}(${[...values.map((value) => JSON.stringify(value)), "init"].join(", ")})`;
    },
  },
  "hey-api": {
    start: (api) => [
      `import * as sdk from "./${api}-sdk/index.js";\nimport { client } from "./${api}-sdk/client.gen.js";`,
      "client.setConfig({ baseUrl, auth: apiKey, throwOnError: true });",
    ],
    call: ({ operation, params, query, body }) => `sdk.${camel(operation)}(${literal({ path: params, query, body })})`,
  },
};

/** Installs the generators and writes the clients, each with a program that calls it. */
export function writeClients(inputs: Readonly<Record<ApiName, readonly Input[]>>): void {
  install(BENCH);
  execFileSync(process.execPath, [`${BENCH}/clients.ts`, FOLDER], { stdio: ["ignore", "ignore", "inherit"] });
  for (const [name, { start, call }] of Object.entries(GENERATORS)) {
    for (const [api, all] of Object.entries(inputs) as [ApiName, readonly Input[]][]) {
      const [imports, setup] = start(api);
      const calls = all.map((input) => `${JSON.stringify(input.name)}: () => ${call(input)},`).join("\n");
      const callsOf = `export function callsOf(baseUrl: string, apiKey: string) {\n${setup}\nreturn {\n${calls}\n};\n}`;
      writeFileSync(`${FOLDER}/${api}-${name}.ts`, `${imports}\n${callsOf}\n`);
    }
  }
}
