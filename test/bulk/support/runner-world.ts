import { addFact, fold, type History, reopen } from "../../../src/bulk/history.js";
import type { Fact, PlannedRow } from "../../../src/bulk/lines.js";
import type { RunRequests } from "../../../src/bulk/run-parts.js";
import { Runner } from "../../../src/bulk/runner.js";
import type { Written } from "../../../src/bulk/service.js";
import type { Shown } from "../../../src/bulk/sight.js";
import type { StepSettings } from "../../../src/bulk/step.js";

const SETTINGS: StepSettings = {
  settleMs: 100,
  freshMs: 10,
  lookMs: Number.POSITIVE_INFINITY,
  currentValue: (_: unknown, path: string, record: Readonly<Record<string, unknown>>) => record[path],
  unseenObject: () => null,
  movedFields: () => ({}),
  print: () => "",
  most: 3,
  same: (_, path, expected, record) => record[path] === expected,
  keys: ["name"],
};

/** A service and a journal in memory. The service's list can only be read as a whole. */
export function world(
  rows: readonly PlannedRow[],
  lines: readonly Fact[],
  records: Shown[],
  answer: (row: number) => Written,
  lineMs = 0,
) {
  let now = 1_000;
  let looks = 0;
  let noted = 0;
  const sent: number[] = [];
  const histories = new Map<number, History>();
  const trails = Map.groupBy(lines, ({ row }) => row);
  for (const row of rows) histories.set(row.row, reopen(fold(row, trails.get(row.row) ?? []), now));
  const service: RunRequests = {
    atOnce: 20,
    gets: false,
    listOf: () => "list",
    look: async () => {
      looks++;
      return { began: now++, whole: true, ascending: true, shown: [...records] };
    },
    room: async () => undefined,
    leave: () => undefined,
    read: async (some) => new Map(some.map(({ row }) => [row, { began: now, ended: now, record: { v: 0 } }])),
    check: async (some, on) => {
      for (const { row, send = {} } of some) on(row, { began: now, ended: now, record: send });
    },
    glances: () => 3,
    write: async ({ row }) => {
      sent.push(row);
      return answer(row);
    },
    pause: async (ms) => {
      now += ms;
    },
  };
  const runner = new Runner(histories.values(), {
    append: async (fact) => {
      now += lineMs;
      // Stops a run that would never end.
      if (++noted > 10 * rows.length) throw new Error("notes again and again");
      histories.set(fact.row, addFact(histories.get(fact.row) as History, fact));
    },
    clock: { now: () => now },
    service,
    settings: SETTINGS,
    sideEffects: new Set(),
    sides: [],
    timeoutMs: 50,
    stopAfter: 3,
    name: "plan",
  });
  return { runner, sent, looks: () => looks, row: (row: number) => histories.get(row) as History, records };
}

export const create = (row: number, key: string, name = key): PlannedRow => ({
  row,
  do: "create",
  key,
  send: { name },
});
export const record = (id: number, key: string, name = key): Shown => ({
  id,
  key,
  record: { name },
  created: 1,
  version: 1,
});
