import * as z from "zod/mini";
import { BulkError } from "../../../src/bulk/errors.js";
import { fold, type History, isOver, reopen, toBulkRow } from "../../../src/bulk/history.js";
import type { Fact, PlannedRow } from "../../../src/bulk/lines.js";
import { Runner } from "../../../src/bulk/runner.js";
import type { StepSettings } from "../../../src/bulk/step.js";
import type { Target } from "../../../src/bulk/target.js";
import { undoRow } from "../../../src/bulk/undo-row.js";
import { type Choose, KILLED, type World } from "./world.js";

const SETTLE = 4;
const MOST_RUNS = 12;
const MOST_REQUESTS = 40;
const QUIET = 45;

const SETTINGS: StepSettings = {
  settleMs: SETTLE,
  freshMs: 1,
  lookMs: Number.POSITIVE_INFINITY,
  currentValue: (_: unknown, path: string, record: Readonly<Record<string, unknown>>) => record[path],
  unseenObject: () => null,
  movedFields: (_, before, after) =>
    Object.fromEntries(
      ["w"].flatMap((path) => (before[path] === after[path] ? [] : [[path, [before[path], after[path]]]])),
    ),
  print: (_, record) => String(record.w),
  most: 3,
  same: (_, path, expected, record) => record[path] === expected,
  keys: ["name"],
};

const record = z.object({ v: z.nullable(z.number()), mark: z.nullable(z.string()) });
const operation = { id: "things.update", body: record, response: record };
// The operations of the resource, as `undoRow` looks them up.
const OPERATIONS = {
  list: operation,
  get: operation,
  create: operation,
  update: operation,
  delete: operation,
  action: null,
};

/** The result of a trace. */
export interface Trace {
  readonly wrong: readonly string[];
  readonly world: World;
}

/** A plan that was carried out, the world that it left behind, and the rows that undo it. */
export interface CarriedOut extends Trace {
  readonly plan: readonly History[];
  readonly back: readonly PlannedRow[];
  /** Rows that undo reports as impossible to undo, or as uncertain. */
  readonly named: ReadonlySet<number>;
}

/** Carries out a world's plan and lists the broken promises. */
export async function carryOutIn(world: World): Promise<CarriedOut> {
  const plan = await carryOut(world, world.plan, world.kind.isUndoneHalf === true);
  world.isQuiet = true;
  world.tick(QUIET);
  const wrong = judge(world, plan);
  wrong.push(...world.wrong.splice(0));
  world.isQuiet = false;
  world.running = "undo";
  world.log.push("-- undo");
  const named = new Set<number>();
  const back: PlannedRow[] = [];
  for (const [row, history] of plan.entries()) {
    const what = undoRow(history, {
      rows: OPERATIONS as unknown as Target["rows"],
      name: "things",
      deletes: true,
      moves: () => true,
    });
    // If the service does not lie, only our requests change records, so undoing a write in doubt must raise no warning.
    const isUnsure = ({ message }: { readonly message: string }) =>
      !world.kind.lies && message.startsWith("the response to");
    if (what?.do === "refuse" || what?.why?.some((why) => !isUnsure(why))) named.add(row);
    // A real undo waits for three minutes; here the wait is over at once.
    if (what && what.do !== "refuse")
      back.push({ row, ...what, ...(what.after !== undefined && { after: world.now }) });
  }
  return { wrong, world, plan, back, named };
}

/** Undoes a plan in a copy of its world, so that the original can be undone again in another way. */
export async function undoIn(done: CarriedOut, choose: Choose): Promise<Trace> {
  const world = done.world.copy(choose);
  const named = new Set(done.named);
  for (const history of await carryOut(world, done.back, false)) if (!isGood(history)) named.add(history.row.row);
  world.isQuiet = true;
  world.tick(QUIET);
  const wrong = world.wrong.map((one) => `${one} (undo)`);
  return { wrong: [...done.wrong, ...wrong, ...judgeUndone(world, done.plan, named)], world };
}

async function carryOut(world: World, rows: readonly PlannedRow[], isHalf: boolean): Promise<History[]> {
  const lines = new Map<number, Fact[]>();
  const histories = () => rows.map((row) => fold(row, lines.get(row.row) ?? []));
  const before = world.requests;
  for (let run = 0; run < MOST_RUNS; run++) {
    const open = histories().map((history) => reopen(history, world.now));
    if (open.every(isOver)) break;
    const runner = new Runner(open, {
      append: (fact) => world.append(lines, fact),
      clock: { now: () => world.now },
      service: world,
      settings: SETTINGS,
      sideEffects: new Set(),
      sides: [],
      timeoutMs: SETTLE,
      stopAfter: 10,
      name: "plan",
    });
    let isKilled = false;
    let isStopped = false;
    try {
      await runner.run();
    } catch (error) {
      isKilled = error === KILLED;
      isStopped = error instanceof BulkError;
      if (!isKilled && !isStopped) throw error;
    }
    if (isKilled) world.log.push(`@${world.now} killed`);
    // A kill loses every response that has not arrived yet.
    for (const { row, attempts, done } of isKilled ? histories() : []) {
      if (attempts.length > 0 && !done) world.faulted.add(row.row);
    }
    world.isKilled = false;
    if (isKilled && isHalf) break;
    // If the first run reaches its end, one more follows; a later run that reaches its end is the last.
    if (!isKilled && !isStopped && run > 0) break;
  }
  if (world.requests - before > MOST_REQUESTS * rows.length) world.wrong.push(`I6 ${world.requests - before} requests`);
  return histories();
}

function isGood(history: History): boolean {
  const { outcome, confirmed, differs, side } = toBulkRow(history);
  const isDone =
    outcome === "unchanged" || (["created", "updated", "deleted"].includes(String(outcome)) && confirmed === true);
  return isDone && Object.keys({ ...differs, ...side }).length === 0;
}

function judge(world: World, plan: readonly History[]): string[] {
  const { kind, records } = world;
  const wrong: string[] = [];
  for (const history of plan) {
    const { row, do: what, outcome, confirmed, id } = toBulkRow(history);
    const good = isGood(history);
    const mine = records.filter(({ by, goneBy }) => by === row && goneBy !== "others");
    const target = records.find((one) => one.id === id);
    const isWritten =
      what === "create" ? mine.length > 0 : target?.writes.some(({ by }) => by === `plan ${row}`) === true;
    const isDoubt = outcome === "doubled" || outcome === "unknown" || (outcome === "created" && confirmed === false);
    const isUnended = outcome === null || (outcome === "created" && confirmed === null);
    if (what === "create" && mine.length > 1 && !isDoubt && !(isUnended && kind.isUndoneHalf))
      wrong.push(`I1 ${mine.length} records, ${outcome}`);
    if (isUnended && !kind.isUndoneHalf) wrong.push(`I3 no outcome`);
    if (good && what === "create" && target?.by !== row) wrong.push("I3 created, yet not by this row");
    if (good && kind.lies && what === "create" && target?.fields.mark === "odd")
      wrong.push("I3 created otherwise, not said");
    if (good && target?.fields.w === 9 && !kind.others) wrong.push("I9 moved a field, not said");
    if (good && outcome === "updated" && !isWritten && target?.fields.v !== 5) wrong.push("I3 updated, never written");
    const isNamed = outcome === "failed" && history.confirmed === false;
    if (["stale", "failed", "unchanged"].includes(String(outcome)) && isWritten && !isNamed)
      wrong.push(`I8 ${outcome}, yet carried out`);
    const isOdd = ["unknown", "stale", "doubled", "failed"].includes(String(outcome));
    const isQuiet = !kind.others && !world.hasSkipped && !kind.stores;
    if (isOdd && isQuiet && !world.faulted.has(row)) wrong.push(`I4 ${outcome} without doubt`);
    if (kind.isBenign && world.remainder.size === 0 && (outcome === "unknown" || outcome === "stale")) {
      wrong.push(`I4 ${outcome} in a benign world`);
    }
  }
  return wrong;
}

function judgeUndone(world: World, plan: readonly History[], named: ReadonlySet<number>): string[] {
  const wrong: string[] = [];
  for (const { row } of plan) {
    if (named.has(row.row)) continue;
    if (row.do === "create" && world.records.some(({ by, goneBy }) => by === row.row && goneBy === null)) {
      wrong.push("I5 a created record stays, and its row is not named");
    }
    const target = world.records.find(({ id }) => id === row.id);
    const last = target?.writes.filter(({ field }) => field === "v").at(-1);
    if (row.do === "update" && target?.goneBy === null && target.fields.v !== 0 && last?.by !== "others") {
      wrong.push("I5 an update stays, and its row is not named");
    }
    if (target?.goneBy === null && target.fields.w === 9 && last !== undefined && !world.kind.others)
      wrong.push("I5 a moved field stays, and its row is not named");
  }
  return wrong;
}
