import { run } from "../../lib/process.ts";
import { type Row, rowIn } from "../row.ts";
import { STEPS } from "../steps.ts";

const GROUP = "jest";
const MODULES = ["--experimental-vm-modules"];

/** Jest with the configurations of docs/guides/runtimes.md, and the recipes of docs/guides/testing.md. */
export const JEST_ROWS: readonly Row[] = [
  smokeRow("jest-modules", MODULES, "modules/jest.config.cjs"),
  smokeRow("jest-commonjs", [], "commonjs/jest.config.cjs"),
  smokeRow("jest-ts-jest", [], "ts-jest/jest.config.cjs"),
  smokeRow("jest-jsdom", MODULES, "jsdom/jest.config.cjs"),
  rowIn(GROUP, "jest-recipes", "jest", async (cwd) => {
    await jest(cwd, MODULES, "recipes/jest.config.cjs");
    await jest(cwd, [], "recipes/jest.commonjs.cjs");
    await jest(cwd, [], "recipes/jest.ts-jest.cjs");
    await jest(cwd, MODULES, "recipes/jest.jsdom.cjs");
    return "ES modules with and without msw, Babel, ts-jest, jsdom";
  }),
];

function smokeRow(name: string, flags: readonly string[], config: string): Row {
  return rowIn(GROUP, name, "jest", async (cwd, { service }) => {
    const { url, apiKey } = await service();
    await jest(cwd, flags, config, { SMOKE_BASE_URL: url, SMOKE_API_KEY: apiKey });
    return `${STEPS.length} smoke steps`;
  });
}

async function jest(
  cwd: string,
  flags: readonly string[],
  config: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  await run(process.execPath, [...flags, "node_modules/jest/bin/jest.js", "--ci", "-c", config], { cwd, env });
}
