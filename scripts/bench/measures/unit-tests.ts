import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Measure } from "../lib/measure.ts";
import { fixed, median } from "../lib/numbers.ts";
import { ROOT } from "../lib/paths.ts";
import { run } from "../lib/process.ts";

const CIT_SECONDS = 130;

export const unitTests: Measure = {
  name: "unit-tests",
  async run({ quick }) {
    const rounds = quick ? 1 : 3;
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const args = [`${ROOT}node_modules/.bin/vitest`, "run", "--project", "unit"];
      times.push((await run(process.execPath, args, ROOT)).wallMs / 1_000);
    }
    const seconds = median(times);
    const cit = await cleanInstallAndTest();
    const rows = [
      ["unit tests: `vitest run --project unit`", fixed(seconds, 1)],
      ["`npm cit` in a clean clone", fixed(cit, 1)],
    ];
    return {
      tables: [{ head: ["tests", "seconds"], rows }],
      goals: [{ goal: `npm cit under ${CIT_SECONDS} s`, reached: `${fixed(cit, 1)} s`, met: cit < CIT_SECONDS }],
      how: `Median of ${rounds} ${rounds === 1 ? "run" : "runs"} of the unit tests; one of \`npm cit\`, of what is committed.`,
    };
  },
};

/** The seconds that `npm cit` takes in a clean clone. */
async function cleanInstallAndTest(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "npm-cit-"));
  try {
    await run("git", ["clone", "--quiet", ROOT, folder]);
    return (await run("npm", ["cit"], folder)).wallMs / 1_000;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
