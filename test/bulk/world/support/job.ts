import { apply, type BulkJournal, type BulkReport, type BulkRow, plan, rowsOf } from "../../../../src/bulk/node.js";
import { isEducationAdminError } from "../../../../src/index.js";
import { chance } from "../../../support/chance.js";
import type { Kind } from "./kinds.js";
import type { Deviation, WorldLog } from "./odd-world.js";
import { journalOf, Program, type Reached } from "./program.js";
import { fetchIn, type ServiceProcess } from "./service-process.js";

const CREATES = 8;
const UPDATES = 3;
export const START = Date.UTC(2026, 0, 5, 12);
const MOST_RUNS = 4;

/** The faults during a job. */
export interface Trouble {
  readonly name: string;
  /** The number of writes whose responses are lost. */
  readonly lost: number;
  readonly kills: number;
}

export const TROUBLES: readonly Trouble[] = [
  { name: "without doubt", lost: 0, kills: 0 },
  { name: "lost responses", lost: 2, kills: 0 },
  { name: "kills", lost: 0, kills: 2 },
  { name: "lost responses and kills", lost: 2, kills: 2 },
];

/** The description of a job and its result. */
export interface Done {
  readonly name: string;
  readonly kind: Kind;
  readonly trouble: Trouble;
  readonly settleMs: number;
  /** The keys that were sent, by row number. */
  readonly keys: ReadonlyMap<number, string>;
  readonly rows: readonly BulkRow[];
  readonly reports: readonly BulkReport[];
  /** The messages of the errors with which runs ended. */
  readonly errors: readonly string[];
  readonly log: WorldLog;
}

/** Where a plan is stored, and how it is applied: in this process or in separate ones. */
export interface Programs {
  readonly to: string | BulkJournal;
  /**
   * Applies the plan, starting at the given time; the program is killed at step `killAt`. @returns as `result` null if
   * the program was killed, or the message of its error.
   */
  apply(run: RunOrder): Promise<{ readonly result: BulkReport | string | null; readonly now: number }>;
}

export interface RunOrder {
  readonly token: string;
  readonly now: number;
  readonly settleMs: number;
  readonly killAt: number | undefined;
}

/** Programs in this process, with a journal in memory. Nothing reaches a program after it is killed. */
export function programsHere(reach: (token: string) => Reached): Programs {
  const to = journalOf([]);
  return {
    to,
    async apply({ token, now, settleMs, killAt }) {
      const program = new Program(reach(token), now, killAt);
      const work = apply(program.client, program.wrapJournal(to), { settleMs }).catch((error: unknown) => {
        if (!isEducationAdminError(error)) throw error;
        return error.message;
      });
      const result = await Promise.race([program.killed, work]);
      return { result, now: program.clock.now() };
    },
  };
}

/** A service in another process, identified by its token. */
export const reachedIn = ({ url }: ServiceProcess, token: string): Reached => ({
  baseUrl: url,
  apiKey: token,
  send: fetchIn,
});

/**
 * Plans rows against a service of this kind, then applies the plan until it is complete or four runs have ended without
 * being killed.
 */
export async function runJob(
  services: ServiceProcess,
  kind: Kind,
  trouble: Trouble,
  seed: number,
  programs: Programs = programsHere((name) => reachedIn(services, name)),
): Promise<Done> {
  const random = chance(seed);
  const resource = seed % 2 === 0 ? "leads" : "labels";
  const settleMs = [2_000, 60_000][Math.floor(random() * 2)] ?? 0;
  const token = await services.make({ kind, existing: 15, deviations: deviations(trouble, random) });
  const planner = new Program(reachedIn(services, token), START);
  const rows = resource === "leads" ? leads(random) : [...labels(random), ...corrections()];
  const key = resource === "leads" ? "title" : "name";
  await plan(planner.client[resource] as never, rows, { to: programs.to, key: key as never });
  const kills = Array.from({ length: trouble.kills }, () => 1 + Math.floor(random() * 30));
  const reports: BulkReport[] = [];
  const errors: string[] = [];
  let time = planner.clock.now();
  for (let ended = 0; ended < MOST_RUNS; ) {
    const { result, now } = await programs.apply({ token, now: time + 1_000, settleMs, killAt: kills.shift() });
    time = now;
    if (result === null) continue;
    ended++;
    if (typeof result === "string") errors.push(result);
    else reports.push(result);
    if (typeof result === "object" && result.complete) break;
  }
  const found: BulkRow[] = [];
  for await (const row of rowsOf(programs.to)) found.push(row);
  const keys = new Map(
    rows.slice(0, CREATES).map((row, at) => [at + 1, String((row as Record<string, unknown>)[key])]),
  );
  const log = await services.log(token, Number.MAX_SAFE_INTEGER);
  const name = `${kind.name}, ${trouble.name}, ${resource}, settleMs ${settleMs}, seed ${seed}`;
  return { name, kind, trouble, settleMs, keys, rows: found, reports, errors, log };
}

function deviations({ lost }: Trouble, random: () => number): Record<number, Deviation> {
  const responses: readonly Deviation["response"][] = ["lost", "lost", "never", 500, 503];
  const pick = () => responses[Math.floor(random() * responses.length)] ?? "lost";
  return Object.fromEntries(
    Array.from({ length: lost }, () => [
      1 + Math.floor(random() * (CREATES + 2)),
      { response: pick(), done: random() < 0.7 },
    ]),
  );
}

// Some titles contain everything that services rewrite in keys, others nothing like it. They all differ in their first
// 30 characters. In a list sorted by name, some come before the existing records and some after.
function titles(random: () => number) {
  return Array.from({ length: CREATES }, (_, at) => {
    const start = `${random() < 0.5 ? "a" : "z"}${at + 1}`;
    const isOdd = at > 0 && random() < 0.4;
    return { isOdd, title: isOdd ? `${start} Øre & <b>Ada</b>  Café 😀 Æ in the long corridor` : start };
  });
}

function leads(random: () => number) {
  const isFull = random() < 0.5;
  return titles(random).map(({ title, isOdd }, at) => ({
    title,
    quality: null,
    status: isOdd ? "archive" : "prospect",
    ...(isFull && { company_name: `Company ${at + 1}`, phone: "+31 6 1234" }),
  }));
}

function labels(random: () => number) {
  const color = random() < 0.5 ? (at: number) => `#00000${at + 1}` : () => "#abcdef";
  return titles(random).map(({ title, isOdd }, at) => ({
    name: title,
    color: color(at),
    model_type: isOdd ? "Order" : "Lead",
  }));
}

// Changes to the labels that every service starts with.
const corrections = () =>
  Array.from({ length: UPDATES }, (_, at) => ({
    name: `Old ${at + 102}`,
    color: `#ffee0${at}`,
    model_type: "Lead",
  }));
