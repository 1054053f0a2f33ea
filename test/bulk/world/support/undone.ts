import { isDeepStrictEqual } from "node:util";
import { apply, type BulkReport, type BulkRow, plan, rowsOf, undo } from "../../../../src/bulk/node.js";
import { isEducationAdminError } from "../../../../src/index.js";
import { createSandbox, type Fault, type Sandbox } from "../../../../src/sandbox/index.js";
import { chance } from "../../../support/chance.js";
import { journalOf, Program, type Reached } from "./program.js";
import { type SandboxTime, timeOf } from "./sandbox-time.js";

const START = "2026-01-05T12:00:00.000Z";
const SETTLE_MS = 60_000;
const MOST_RUNS = 4;
const UPDATES = 6;
const CREATES = 4;

/** The result of an interrupted run and its undo. */
export interface Undone {
  readonly broken: readonly string[];
  /** The number of rows that the undo names although their records are restored. */
  readonly needless: number;
  /** The number of records that differ from their earlier state and are named by the undo. */
  readonly named: number;
  /** The number of records that the undo restored or deleted. */
  readonly restored: number;
}

// Each run draws five of these faults. Each meets a write with a probability of one half, at most three times.
const FAULTS: readonly Fault[] = [
  { reset: true, applied: true },
  { reset: true },
  { reset: true, appliedAfterMs: 20_000 },
  { status: 500, applied: true },
  { status: 503 },
];

interface Fields {
  readonly [name: string]: unknown;
}

type Data = ReadonlyMap<number, Fields>;

/**
 * Applies a plan with interruptions, undoes it, undoes the undo, and compares the service's records after each undo.
 */
export async function undoInterruptedRun(seed: number): Promise<Undone> {
  const random = chance(seed);
  const resource = seed % 2 === 0 ? "labels" : "accounts";
  const sandbox = createSandbox({ size: "small", now: START, rateLimit: false });
  const known = make(sandbox, resource);
  const rows = [...known.map((_, at) => valuesBefore(resource, at)), ...newRecords(resource)];
  const time = timeOf(sandbox);
  const service = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, send: time.send };
  const [there, back, forth] = [journalOf([]), journalOf([]), journalOf([])];
  const planner = new Program(service, sandbox.clock.now());
  await plan(planner.client[resource] as never, rows, { to: there, key: "name" as never });
  const before = dataOf(sandbox, resource);

  // Half of the jobs end with the first run, even if it was killed.
  const isLeft = random() < 0.5;
  await applyWithKills(sandbox, service, there, random, isLeft ? 1 : MOST_RUNS);
  // In half of the jobs, the undo waits for late requests; in the others it starts at once, while the service may still
  // carry some out.
  const isSettled = random() < 0.5;
  if (isSettled) await finishLate(sandbox, time);
  const applied = dataOf(sandbox, resource);
  const colleague =
    isSettled && random() < 0.5
      ? changedByColleague(sandbox, resource, known[Math.floor(random() * UPDATES)] ?? 0)
      : null;

  await undo(there, { to: back, creates: "delete" });
  const report = await applyWithKills(sandbox, service, back, random, MOST_RUNS, random() < 0.3);
  await finishLate(sandbox, time);
  const first = await compareWorlds({ sandbox, resource, wanted: before, plans: [there, back], report, colleague });

  const second = { broken: [] as string[] };
  if (isSettled) {
    await undo(back, { to: forth, creates: "delete" });
    const last = await applyWithKills(sandbox, service, forth, random, MOST_RUNS, false);
    const plans = [there, back, forth];
    second.broken = (
      await compareWorlds({ sandbox, resource, wanted: applied, plans, report: last, colleague })
    ).broken;
  }
  const broken = [
    ...first.broken.map((text) => `undo: ${text}`),
    ...second.broken.map((text) => `undo of undo: ${text}`),
  ];
  const restored = [...applied].filter(([id, fields]) => !isSame(fields, before.get(id))).length - first.named;
  return {
    broken: broken.map(
      (text) => `seed ${seed}, ${resource}${isLeft ? ", left" : ""}${isSettled ? "" : ", at once"}: ${text}`,
    ),
    needless: first.needless,
    named: first.named,
    restored,
  };
}

/**
 * Applies a plan in programs that meet faults and may be killed. @returns the report of the last run, or null if it was
 * killed or failed.
 */
async function applyWithKills(
  sandbox: Sandbox,
  service: Reached,
  to: ReturnType<typeof journalOf>,
  random: () => number,
  runs: number,
  isFaulty = true,
): Promise<BulkReport | null> {
  let report: BulkReport | null = null;
  for (let run = 0; run < runs; run++) {
    sandbox.faults.clear();
    const isLast = run === MOST_RUNS - 1;
    if (isFaulty && !isLast) {
      for (let at = 0; at < 5; at++) {
        const fault = FAULTS[Math.floor(random() * FAULTS.length)] as Fault;
        const hasBody = ({ body }: { readonly body?: unknown }) => body !== undefined && body !== null;
        sandbox.faults.next({
          ...fault,
          when: hasBody,
          probability: 0.5,
          times: 1 + Math.floor(random() * 3),
        } as Fault);
      }
    }
    const killAt = isFaulty && !isLast && random() < 0.7 ? 5 + Math.floor(random() * 60) : undefined;
    const program = new Program(service, sandbox.clock.now() + 1_000, killAt);
    const lines = program.wrapJournal(to);
    const work = apply(program.client, lines, { settleMs: SETTLE_MS }).catch((error: unknown) => {
      if (!isEducationAdminError(error)) throw error;
      return null;
    });
    report = await Promise.race([program.killed, work]);
    if (report?.complete) break;
  }
  sandbox.faults.clear();
  return report;
}

interface Comparison {
  readonly sandbox: Sandbox;
  readonly resource: "labels" | "accounts";
  readonly wanted: Data;
  readonly plans: readonly ReturnType<typeof journalOf>[];
  readonly report: BulkReport | null;
  readonly colleague: { readonly id: number; readonly field: string; readonly value: unknown } | null;
}

/** Compares the records with the expected ones. A row that is not settled must name each record that differs. */
async function compareWorlds({ sandbox, resource, wanted, plans, report, colleague }: Comparison) {
  const data = dataOf(sandbox, resource);
  const last = plans.at(-1) as ReturnType<typeof journalOf>;
  const bad: BulkRow[] = [];
  for await (const row of rowsOf(last)) if (!isGood(row)) bad.push(row);
  const rowOf = await rowNumbers(plans, data);
  const broken: string[] = [];
  let named = 0;
  for (const id of new Set([...wanted.keys(), ...data.keys()])) {
    const [want, have] = [wanted.get(id), data.get(id)];
    const isOwn = colleague?.id === id;
    const expected = want && isOwn ? { ...want, [colleague.field]: colleague.value } : want;
    if (isSame(expected, have)) continue;
    const name = String((have ?? want)?.name);
    const row = rowOf(id, name);
    const isNamed = bad.some(({ row: number, why }) => number === row || JSON.stringify(why).includes(String(id)));
    if (isNamed) named++;
    else
      broken.push(
        `${id} (row ${row}, ${name}) is ${differences(have, expected)}, should be ${differences(expected, have)}`,
      );
    if (report?.complete) broken.push(`${id} differs, and the report says complete`);
  }
  const value = colleague && data.get(colleague.id)?.[colleague.field];
  if (colleague && value !== colleague.value)
    broken.push(`${colleague.id}: a colleague's ${colleague.field} was overwritten`);
  return { broken, named, needless: Math.max(0, bad.length - named) };
}

const GOOD: readonly unknown[] = ["updated", "deleted", "created", "unchanged"];

function isGood({ do: what, outcome }: BulkRow): boolean {
  return what !== "refuse" && GOOD.includes(outcome);
}

/** Maps records to rows of the first plan: by identifier if possible, otherwise by name. */
async function rowNumbers(plans: Comparison["plans"], data: Data) {
  const byId = new Map<number, number>();
  for (const one of plans) for await (const { id, row } of rowsOf(one)) if (id !== null) byId.set(id, row);
  const names = [...data.values()].map(({ name }) => String(name));
  return (id: number, name: string) => {
    const [, at] = /^(?:New) (\d+)$/.exec(name) ?? [];
    return byId.get(id) ?? (at && names.includes(name) ? UPDATES + Number(at) : null);
  };
}

function make(sandbox: Sandbox, resource: "labels" | "accounts"): number[] {
  const address = { address: "Street 1", postal_code: "1000 AA", city: "Town", country: "NL" };
  return Array.from({ length: UPDATES }, (_, at) =>
    resource === "labels"
      ? sandbox.store.labels.insert({ name: `Old ${at}`, color: "#111111", model_type: "User" }).id
      : sandbox.store.accounts.insert({ name: `Old ${at}`, phone: null, account_type: "business", address } as never)
          .id,
  );
}

const valuesBefore = (resource: "labels" | "accounts", at: number) =>
  resource === "labels"
    ? { name: `Old ${at}`, color: `#22222${at}`, model_type: "User" }
    : { name: `Old ${at}`, phone: `+31 20 ${at}`, "address_attributes.city": `City ${at}` };

const newRecords = (resource: "labels" | "accounts") =>
  Array.from({ length: CREATES }, (_, at) =>
    resource === "labels"
      ? { name: `New ${at + 1}`, color: "#333333", model_type: "User" }
      : { name: `New ${at + 1}`, phone: "+31 30 1", "address_attributes.city": "New Town" },
  );

function changedByColleague(sandbox: Sandbox, resource: "labels" | "accounts", id: number): Comparison["colleague"] {
  const field = resource === "labels" ? (id % 2 === 0 ? "color" : "name") : id % 2 === 0 ? "phone" : "email";
  const value = field === "email" ? "colleague@example.com" : `Colleague ${id}`;
  sandbox.store[resource].update(id, { [field]: value });
  return { id, field, value };
}

function dataOf(sandbox: Sandbox, resource: "labels" | "accounts"): Data {
  const records = [...sandbox.store[resource]] as unknown as ({ readonly id: number } & Fields)[];
  return new Map(records.map(({ updated_at, ...fields }) => [fields.id, structuredClone(fields)]));
}

function isSame(a: Fields | undefined, b: Fields | undefined): boolean {
  return isDeepStrictEqual(a, b);
}

/** The fields of a record that differ in another state of the record. */
function differences(fields: Fields | undefined, other: Fields | undefined): string {
  if (!fields || !other) return fields ? "there" : "not there";
  return JSON.stringify(
    Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isDeepStrictEqual(value, other[name]))),
  );
}

/** Gives the service time to carry out the requests that it has delayed. */
async function finishLate(sandbox: Sandbox, time: SandboxTime): Promise<void> {
  await time.settle();
  await sandbox.clock.advance(60_000);
}
