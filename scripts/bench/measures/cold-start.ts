import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { run } from "../../lib/process.ts";
import { versionOf } from "../lib/machine.ts";
import type { Measure } from "../lib/measure.ts";
import { formatNumber, median } from "../lib/numbers.ts";
import { PROGRAMS, ROOT } from "../lib/paths.ts";
import { PEERS } from "../lib/peers.ts";

interface Start {
  readonly id: string;
  readonly name: string;
  /** Processor time of each round in milliseconds. */
  readonly times: number[];
}

const BLOCKS = [
  { id: "request", name: "touching `Request` alone", code: "globalThis.benchClient = Request;" },
  {
    id: "zod-mini",
    name: "zod/mini alone",
    code: 'import * as z from "zod/mini";\nglobalThis.benchClient = z.string();',
  },
  {
    id: "own-import",
    name: "education-admin-sdk, import alone",
    code: 'import { MainClient } from "education-admin-sdk";\nglobalThis.benchClient = MainClient;',
  },
  {
    id: "stripe-import",
    name: "stripe, import alone",
    code: 'import Stripe from "stripe";\nglobalThis.benchClient = Stripe;',
  },
];

// Measures processor time, because other programs on the machine change the elapsed time by a third but hardly affect
// the processor time.
const USAGE = `${PROGRAMS}/usage.cjs`;
const PRINT_USAGE = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(String((user + system) / 1_000));
});
`;

export const coldStart: Measure = {
  name: "cold-start",
  async run({ quick }) {
    await writeFile(`${PROGRAMS}/empty-start.js`, "");
    await writeFile(USAGE, PRINT_USAGE);
    for (const { id, code } of BLOCKS) await writeFile(`${PROGRAMS}/${id}-start.js`, code);
    const empty: Start = { id: "empty", name: "empty script", times: [] };
    const starts: Start[] = [
      empty,
      ...(await peerStarts()),
      ...BLOCKS.map(({ id, name }) => ({ id, name, times: [] })),
    ];
    const bare: number[] = [];
    const command: number[] = [];
    const help: number[] = [];
    const assistant: number[] = [];
    const rounds = quick ? 5 : 31;
    for (let round = 0; round < rounds; round++) {
      for (const { id, times } of starts) times.push(Number(await node("-r", USAGE, `${PROGRAMS}/${id}-start.js`)));
      bare.push(await elapsedMs("-e", "0"));
      command.push(await elapsedMs(`${ROOT}dist/cli/cli.js`, "--version"));
      help.push(await elapsedMs(`${ROOT}dist/cli/cli.js`, "list", "accounts", "--help"));
      assistant.push(await untilInitialized());
    }
    const aboveEmpty = ({ times }: Start) => median(times) - median(empty.times);
    const find = (id: string) => starts.find((start) => start.id === id)!;
    const stripe = aboveEmpty(find("stripe"));
    const made = aboveEmpty(find("own-report")) / stripe;
    const started = median(command) / median(bare);
    return {
      tables: [
        {
          head: ["import and make a client", "CPU ms above an empty script", "share of stripe's"],
          rows: starts
            .filter((start) => start !== empty)
            .sort((a, b) => aboveEmpty(a) - aboveEmpty(b))
            .map((start) => [
              start.name,
              formatNumber(aboveEmpty(start), 1),
              formatNumber(aboveEmpty(start) / stripe, 2),
            ]),
        },
        {
          head: ["command", "ms", "times `node -e 0`"],
          rows: [
            ["`--version`", formatNumber(median(command), 0), formatNumber(started, 1)],
            ["`list accounts --help`", formatNumber(median(help), 0), formatNumber(median(help) / median(bare), 1)],
            [
              "`mcp`, until it answers `initialize`",
              formatNumber(median(assistant), 0),
              formatNumber(median(assistant) / median(bare), 1),
            ],
          ],
        },
      ],
      goals: [
        { goal: "import and construct: at most 0.7 of stripe's", reached: formatNumber(made, 2), met: made <= 0.7 },
        {
          goal: "the command's --version: at most 1.6 of node -e 0",
          reached: formatNumber(started, 2),
          met: started <= 1.6,
        },
      ],
      how: `Medians of ${rounds} interleaved rounds of fresh processes; an empty script took ${formatNumber(median(empty.times), 1)} ms. "CPU ms" is processor time of the process.`,
    };
  },
};

function node(...args: string[]): Promise<string> {
  return run(process.execPath, args, { cwd: ROOT });
}

async function elapsedMs(...args: string[]): Promise<number> {
  const started = performance.now();
  await node(...args);
  return performance.now() - started;
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
};

// Nothing listens at the address: a server that contacted the service first would fail.
async function untilInitialized(): Promise<number> {
  const started = performance.now();
  const server = spawn(process.execPath, [`${ROOT}dist/cli/cli.js`, "mcp"], {
    env: { ...process.env, EDUCATION_ADMIN_BASE_URL: "http://127.0.0.1:1", EDUCATION_ADMIN_API_KEY: "key" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const over = once(server, "close");
  server.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  const [answer] = (await once(server.stdout, "data")) as [Buffer];
  const ms = performance.now() - started;
  server.kill();
  await over;
  if (!answer.toString().includes('"serverInfo"')) throw new Error(`mcp answered ${answer}`);
  return ms;
}

async function peerStarts(): Promise<Start[]> {
  const peers = PEERS.filter((peer) => peer.in.includes("start"));
  return Promise.all(
    peers.map(async ({ id, name, package: from, isOurs }) => ({
      id,
      name: isOurs ? "education-admin-sdk, MainClient" : from === null ? name : `${name} ${await versionOf(from)}`,
      times: [],
    })),
  );
}
