import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Measure } from "../lib/measure.ts";
import { formatNumber, median } from "../lib/numbers.ts";
import { ROOT } from "../lib/paths.ts";
import { run } from "../lib/process.ts";

// `npm cit` may take 130 s on a machine on which the unit tests of this commit take 64 s. Machines differ, so both are measured.
const BEFORE = "b56bcd78";
const GOAL = 130 / 64;

const STEPS = ["npm ci", "npm run build", "npm test"] as const;
type Step = (typeof STEPS)[number];

export const unitTests: Measure = {
  name: "unit-tests",
  async run({ quick }) {
    const rounds = quick ? 1 : 3;
    const folder = await mkdtemp(join(tmpdir(), "npm-cit-"));
    try {
      const reference = await clone(BEFORE, join(folder, "before"));
      const before = await cleanInstallAndTest(reference);
      const unit: number[] = [];
      const now: Record<Step, number>[] = [];
      for (let round = 1; round <= rounds; round++) {
        unit.push(await unitTestsOf(reference));
        now.push(await cleanInstallAndTest(await clone("HEAD", join(folder, `now-${round}`))));
      }
      const sums = now.map(sum);
      const ratios = sums.map((seconds, at) => seconds / (unit[at] ?? Number.NaN));
      const rows = STEPS.map((step) => [
        `\`${step}\``,
        formatNumber(before[step], 1),
        formatNumber(median(now.map((times) => times[step])), 1),
      ]);
      return {
        tables: [
          {
            head: ["seconds", `\`${BEFORE}\``, "now"],
            rows: [...rows, ["together, as `npm cit`", formatNumber(sum(before), 1), formatNumber(median(sums), 1)]],
          },
        ],
        goals: [
          {
            goal: `each \`npm cit\` at most ${formatNumber(GOAL, 2)} of the time of \`${BEFORE}\`'s unit tests (130 s where they take 64 s)`,
            reached: ratios.map((ratio) => formatNumber(ratio, 2)).join(", "),
            met: ratios.every((ratio) => ratio <= GOAL),
          },
        ],
        how: `In clean clones, with other tools out of reach (\`.ci/without-tools\`): ${BEFORE} once, now the median of ${rounds}; these took ${list(sums)} s, and before each the unit tests of ${BEFORE} ${list(unit)} s.`,
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function clone(commit: string, folder: string): Promise<string> {
  await run("git", ["clone", "--quiet", ROOT, folder]);
  await run("git", ["checkout", "--quiet", commit], folder);
  return folder;
}

/** Duration of each step of `npm cit`, in seconds. */
async function cleanInstallAndTest(folder: string): Promise<Record<Step, number>> {
  const times: Partial<Record<Step, number>> = {};
  for (const step of STEPS) times[step] = (await run(".ci/without-tools", step.split(" "), folder)).wallMs / 1_000;
  return times as Record<Step, number>;
}

// One test of that commit fails now and then. The run takes just as long, so the failure is ignored.
async function unitTestsOf(folder: string): Promise<number> {
  const started = performance.now();
  await run(process.execPath, ["node_modules/.bin/vitest", "run", "--project", "unit"], folder).catch(() => undefined);
  return (performance.now() - started) / 1_000;
}

function sum(times: Readonly<Record<Step, number>>): number {
  return STEPS.reduce((all, step) => all + times[step], 0);
}

function list(seconds: readonly number[]): string {
  return seconds.map((each) => formatNumber(each)).join(", ");
}
