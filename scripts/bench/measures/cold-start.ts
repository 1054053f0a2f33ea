import { writeFile } from "node:fs/promises";
import { versionOf } from "../lib/machine.ts";
import type { Measure } from "../lib/measure.ts";
import { fixed, median } from "../lib/numbers.ts";
import { PROGRAMS } from "../lib/paths.ts";
import { PEERS } from "../lib/peers.ts";
import { run } from "../lib/process.ts";

interface Start {
  readonly id: string;
  readonly name: string;
  /** Milliseconds of every round. */
  readonly times: number[];
}

const BLOCKS = [
  { id: "request", name: "touching `Request` alone", code: "globalThis.benchClient = Request;" },
  {
    id: "zod-mini",
    name: "zod/mini alone",
    code: 'import * as z from "zod/mini";\nglobalThis.benchClient = z.string();',
  },
];

export const coldStart: Measure = {
  name: "cold-start",
  async run({ quick }) {
    await writeFile(`${PROGRAMS}/empty-start.js`, "");
    for (const { id, code } of BLOCKS) await writeFile(`${PROGRAMS}/${id}-start.js`, code);
    const empty: Start = { id: "empty", name: "empty script", times: [] };
    const starts: Start[] = [
      empty,
      ...(await peerStarts()),
      ...BLOCKS.map(({ id, name }) => ({ id, name, times: [] })),
    ];
    const rounds = quick ? 5 : 31;
    for (let round = 0; round < rounds; round++) {
      for (const { id, times } of starts)
        times.push((await run(process.execPath, [`${PROGRAMS}/${id}-start.js`])).wallMs);
    }
    const above = ({ times }: Start) => median(times) - median(empty.times);
    const find = (id: string) => starts.find((start) => start.id === id)!;
    const [own, stripe] = [above(find("own-report")), above(find("stripe"))];
    return {
      tables: [
        {
          head: ["import and make a client", "ms above an empty script", "share of stripe's"],
          rows: starts
            .filter((start) => start !== empty)
            .sort((a, b) => above(a) - above(b))
            .map((start) => [start.name, fixed(above(start), 1), fixed(above(start) / stripe, 2)]),
        },
      ],
      goals: [{ goal: "at most 0.8 of stripe's", reached: fixed(own / stripe, 2), met: own <= 0.8 * stripe }],
      how: `Medians of ${rounds} interleaved rounds of fresh processes; an empty script took ${fixed(median(empty.times), 1)} ms.`,
    };
  },
};

async function peerStarts(): Promise<Start[]> {
  const peers = PEERS.filter((peer) => peer.in.includes("start"));
  return Promise.all(
    peers.map(async ({ id, name, package: from, own }) => ({
      id,
      name: own ? "education-admin-sdk, MainClient" : from === null ? name : `${name} ${await versionOf(from)}`,
      times: [],
    })),
  );
}
