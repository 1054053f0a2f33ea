import { mkdir, writeFile } from "node:fs/promises";
import "../../lib/from-source.ts";
import { versionOf } from "../lib/machine.ts";
import type { Goal, Measure, Table } from "../lib/measure.ts";
import { formatNumber, median } from "../lib/numbers.ts";
import { BENCH, GENERATED } from "../lib/paths.ts";
import { run } from "../lib/process.ts";
import { consumerText, LARGE_SCHOOL, SCHOOL_CONSUMERS, withSchool } from "../lib/school-consumers.ts";

const CONSUMERS = [
  { id: "education-admin-sdk", name: "education-admin-sdk", package: null },
  { id: "ky-zod-mini", name: "ky and zod/mini by hand", package: null },
  { id: "openai", name: "openai", package: "openai" },
  { id: "stripe", name: "stripe", package: "stripe" },
] as const;

/** The highest ratio of a consumer's cost with a school's fields to its cost without them. */
const MOST = 1.05;

interface Check {
  readonly instantiations: number;
  readonly seconds: number;
  readonly megabytes: number;
}

export const types: Measure = {
  name: "types",
  charts: [{ table: 0, column: "instantiations", title: "Type-checking a 20-line consumer, instantiations" }],
  async run({ quick }) {
    const rounds = quick ? 1 : 7;
    const { middle } = await checkInTurns(
      CONSUMERS.map(({ id }) => id),
      (id) => `${BENCH}consumers/${id}`,
      rounds,
    );
    const rows = CONSUMERS.map(async ({ id, name, package: from }) => [
      from === null ? name : `${name} ${await versionOf(from)}`,
      formatNumber(middle(id, "instantiations")),
      formatNumber(middle(id, "seconds"), 2),
      formatNumber(middle(id, "megabytes")),
    ]);
    const instantiations = middle("education-admin-sdk", "instantiations");
    const [seconds, openai] = [middle("education-admin-sdk", "seconds"), middle("openai", "seconds")];
    const schoolRounds = quick ? 1 : 25;
    const school = await measureSchool(schoolRounds);
    return {
      tables: [
        { head: ["20-line consumer", "instantiations", "seconds", "MB"], rows: await Promise.all(rows) },
        school.table,
      ],
      goals: [
        { goal: "at most 4 000 instantiations", reached: formatNumber(instantiations), met: instantiations <= 4_000 },
        {
          goal: "total time not above the openai consumer's",
          reached: `${formatNumber(seconds, 2)} s beside ${formatNumber(openai, 2)} s`,
          met: seconds <= openai,
        },
        ...school.goals,
      ],
      how: `Medians of ${rounds} interleaved runs, for the second table ${schoolRounds}, of \`tsc --extendedDiagnostics\`, TypeScript ${await versionOf("typescript")}, strict, \`skipLibCheck\`, fresh processes.`,
    };
  },
};

/** Results of several rounds of checks. */
interface Rounds<Id> {
  middle(id: Id, part: keyof Check): number;
  /** Compares one consumer with another within each round, because a slow phase of the machine affects both. */
  ratio(id: Id, base: Id, part: keyof Check): number;
}

/** Measures the same consumers without a school and with one that has 200 fields for each of three kinds of record. */
async function measureSchool(rounds: number): Promise<{ table: Table; goals: readonly Goal[] }> {
  const folders = await writeSchoolConsumers();
  const { middle, ratio } = await checkInTurns([...folders.keys()], (id) => folders.get(id) ?? "", rounds);
  const pairs = SCHOOL_CONSUMERS.map((name) => {
    const [without, with600] = [`${name} without`, `${name} with`];
    return {
      name,
      figure: (part: keyof Check, digits: number) => [
        formatNumber(middle(without, part), digits),
        formatNumber(middle(with600, part), digits),
        formatNumber(ratio(with600, without, part), 3),
      ],
      ratio: (part: keyof Check) => ratio(with600, without, part),
    };
  });
  const goal = (what: string, part: keyof Check): Goal => {
    const most = Math.max(...pairs.map((pair) => pair.ratio(part)));
    return {
      goal: `600 fields: ${what} at most ${MOST} of those without`,
      reached: formatNumber(most, 3),
      met: most <= MOST,
    };
  };
  return {
    table: {
      head: ["consumer", "instantiations", "with 600 fields", "ratio", "seconds", "with 600 fields", "ratio"],
      rows: pairs.map(({ name, figure }) => [
        `examples/${name}`,
        ...figure("instantiations", 0),
        ...figure("seconds", 2),
      ]),
    },
    goals: [goal("instantiations", "instantiations"), goal("seconds", "seconds")],
  };
}

/** Writes the consumers to folders where their imports find the installed library. @returns the folders, by name. */
async function writeSchoolConsumers(): Promise<ReadonlyMap<string, string>> {
  const { schoolFile } = await import("../../../src/cli/types/school-file.ts");
  const config = JSON.stringify({
    extends: `${BENCH}consumers/tsconfig.json`,
    compilerOptions: { types: ["node"] },
    include: ["consumer.ts"],
  });
  const folders = new Map<string, string>();
  for (const name of SCHOOL_CONSUMERS) {
    const text = consumerText(name);
    for (const [id, consumer] of [
      [`${name} without`, text],
      [`${name} with`, withSchool(text)],
    ] as const) {
      const folder = `${GENERATED}/school/${id.replace(" ", "-")}`;
      await mkdir(folder, { recursive: true });
      await writeFile(`${folder}/tsconfig.json`, config);
      await writeFile(`${folder}/school.ts`, schoolFile(LARGE_SCHOOL));
      await writeFile(`${folder}/consumer.ts`, consumer);
      folders.set(id, folder);
    }
  }
  return folders;
}

/** Checks each consumer once per round, every second round in reverse order. */
async function checkInTurns<Id extends string>(
  ids: readonly Id[],
  folderOf: (id: Id) => string,
  rounds: number,
): Promise<Rounds<Id>> {
  const checks = new Map<Id, Check[]>(ids.map((id) => [id, []]));
  const figures = (id: Id, part: keyof Check) => (checks.get(id) ?? []).map((found) => found[part]);
  for (let round = 0; round < rounds; round++) {
    for (const id of round % 2 === 0 ? ids : ids.toReversed()) checks.get(id)?.push(await check(folderOf(id)));
  }
  return {
    middle: (id, part) => median(figures(id, part)),
    ratio: (id, base, part) => {
      const bases = figures(base, part);
      return median(figures(id, part).map((figure, round) => figure / (bases[round] ?? Number.NaN)));
    },
  };
}

async function check(folder: string): Promise<Check> {
  const { stdout } = await run(process.execPath, [
    `${BENCH}node_modules/typescript/bin/tsc`,
    "--project",
    `${folder}/tsconfig.json`,
    "--extendedDiagnostics",
  ]);
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
