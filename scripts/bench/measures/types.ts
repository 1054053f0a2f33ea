import { run } from "../../lib/process.ts";
import { versionOf } from "../lib/machine.ts";
import type { Measure } from "../lib/measure.ts";
import { formatNumber, median } from "../lib/numbers.ts";
import { BENCH } from "../lib/paths.ts";

const CONSUMERS = [
  { id: "education-admin-sdk", name: "education-admin-sdk", package: null },
  { id: "ky-zod-mini", name: "ky and zod/mini by hand", package: null },
  { id: "openai", name: "openai", package: "openai" },
  { id: "stripe", name: "stripe", package: "stripe" },
] as const;

interface Check {
  readonly instantiations: number;
  readonly seconds: number;
  readonly megabytes: number;
}

export const types: Measure = {
  name: "types",
  async run({ quick }) {
    const rounds = quick ? 1 : 7;
    const checks = new Map<string, Check[]>(CONSUMERS.map(({ id }) => [id, []]));
    for (let round = 0; round < rounds; round++) {
      for (const { id } of round % 2 === 0 ? CONSUMERS : CONSUMERS.toReversed())
        checks.get(id)?.push(await check(`${BENCH}consumers/${id}`));
    }
    const middle = (id: string, part: keyof Check) => median((checks.get(id) ?? []).map((found) => found[part]));
    const rows = CONSUMERS.map(async ({ id, name, package: from }) => [
      from === null ? name : `${name} ${await versionOf(from)}`,
      formatNumber(middle(id, "instantiations")),
      formatNumber(middle(id, "seconds"), 2),
      formatNumber(middle(id, "megabytes")),
    ]);
    const instantiations = middle("education-admin-sdk", "instantiations");
    const [seconds, openai] = [middle("education-admin-sdk", "seconds"), middle("openai", "seconds")];
    return {
      tables: [{ head: ["20-line consumer", "instantiations", "seconds", "MB"], rows: await Promise.all(rows) }],
      goals: [
        { goal: "at most 4 000 instantiations", reached: formatNumber(instantiations), met: instantiations <= 4_000 },
        {
          goal: "total time not above the openai consumer's",
          reached: `${formatNumber(seconds, 2)} s beside ${formatNumber(openai, 2)} s`,
          met: seconds <= openai,
        },
      ],
      how: `Medians of ${rounds} interleaved runs of \`tsc --extendedDiagnostics\`, TypeScript ${await versionOf("typescript")}, strict, \`skipLibCheck\`, fresh processes.`,
    };
  },
};

async function check(folder: string): Promise<Check> {
  const args = [
    `${BENCH}node_modules/typescript/bin/tsc`,
    "--project",
    `${folder}/tsconfig.json`,
    "--extendedDiagnostics",
  ];
  const stdout = await run(process.execPath, args, { cwd: BENCH });
  const read = (label: string): number => {
    const found = new RegExp(`^${label}:\\s+([\\d.]+)`, "m").exec(stdout)?.[1];
    if (found === undefined) throw new Error(`tsc did not report "${label}" for ${folder}`);
    return Number(found);
  };
  return {
    instantiations: read("Instantiations"),
    seconds: read("Total time"),
    megabytes: read("Memory used") / 1_000,
  };
}
