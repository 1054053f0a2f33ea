import { run } from "../process.ts";
import type { Row } from "../row.ts";
import { STEPS } from "../steps.ts";

/** Jest with the configurations of docs/guides/runtimes.md, and the recipes of docs/guides/testing.md. */
export const JEST_ROWS: readonly Row[] = [
  row("jest-modules", ["--experimental-vm-modules"], "modules/jest.config.cjs"),
  row("jest-commonjs", [], "commonjs/jest.config.cjs"),
  row("jest-ts-jest", [], "ts-jest/jest.config.cjs"),
  row("jest-jsdom", ["--experimental-vm-modules"], "jsdom/jest.config.cjs"),
  {
    name: "jest-recipes",
    group: "recipes-jest",
    async run({ workspace }) {
      const cwd = await workspace.install("recipes-jest");
      await run("npm", ["test"], { cwd });
      return {
        version: await workspace.versionOf("recipes-jest", "jest"),
        note: "ES modules with and without msw, Babel, ts-jest, jsdom",
      };
    },
  },
];

function row(name: string, flags: readonly string[], config: string): Row {
  return {
    name,
    group: "jest",
    async run({ workspace, service }) {
      const cwd = await workspace.install("jest");
      const { url, apiKey } = await service();
      const env = { SMOKE_BASE_URL: url, SMOKE_API_KEY: apiKey };
      await run(process.execPath, [...flags, "node_modules/jest/bin/jest.js", "--ci", "-c", config], { cwd, env });
      return { version: await workspace.versionOf("jest", "jest"), note: `${STEPS.length} smoke steps` };
    },
  };
}
