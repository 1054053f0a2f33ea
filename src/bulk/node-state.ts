import { createHash } from "node:crypto";
import { BulkError } from "./errors.js";
import type { Fact, Header, Line, PlanEnd, PlannedRow } from "./lines.js";
import { linesOf, nameOf } from "./node-journal.js";
import type { BulkJournal, BulkRow, RowProblem } from "./types.js";

/** What is known of a row beyond its plan. */
export interface RowState {
  /** When its requests were sent. */
  readonly tries: number[];
  /** Its outcome; null while it is in doubt. */
  done: Fact | null;
  /** Whether a create that was sent more than once was looked for a last time. */
  once: boolean;
}

/** A complete plan and what has become of it. */
export interface PlanState {
  readonly header: Header;
  readonly end: PlanEnd["end"];
  /** Lines before the header: of plans in the same journal that were never applied. */
  readonly before: number;
  readonly facts: Map<number, RowState>;
  /** Rows whose key a later row has too. */
  readonly refused: ReadonlyMap<number, readonly RowProblem[]>;
}

/** Names a plan by all its lines. */
export class Digest {
  readonly #hash = createHash("sha256");

  add(line: string): void {
    this.#hash.update(`${line}\n`);
  }

  get text(): string {
    return this.#hash.copy().digest("hex").slice(0, 8);
  }
}

/** A plan as far as it was read. */
interface Begun {
  readonly header: Header;
  readonly before: number;
  readonly digest: Digest;
  /** Rows that a run sends. */
  readonly sent: Set<unknown>;
  readonly refused: Map<number, readonly RowProblem[]>;
}

/**
 * Reads the last plan that was made to its end: one that was not, leaves the plan before it in the same journal as it is.
 * @throws BulkError `not_a_plan` when there is none, `other_plan` when it was changed.
 */
export async function readState(at: string | BulkJournal): Promise<PlanState> {
  const name = nameOf(at);
  let begun: Begun | null = null;
  let plan: (PlanState & Begun) | null = null;
  let lines = 0;
  for await (const text of linesOf(at)) {
    const line = parsed(text, name);
    if (line.bulk !== undefined || lines === 0) {
      if (line.bulk !== 1) throw notAPlan(name, "is no plan of this version");
      begun = { header: line as Header, before: lines, digest: new Digest(), sent: new Set(), refused: new Map() };
    }
    lines++;
    if (begun && line.end) {
      plan = { ...begun, end: checked(line.end, begun, name), facts: new Map() };
      begun = null;
    } else if (begun && !(plan && isFact(line))) {
      addTo(begun, text, line);
    } else {
      begun = null;
      if (!plan?.sent.has(line.row) || !isPossible(line as Fact, plan.facts.get(line.row as number))) {
        throw notAPlan(name, "has a line that no run has written");
      }
      note(plan.facts, line as Fact);
    }
  }
  if (!plan) throw notAPlan(name, "is no complete plan; plan the rows again");
  return plan;
}

function addTo({ digest, sent, refused }: Begun, text: string, { row, do: what, refuse }: Line): void {
  digest.add(text);
  if (refuse) refused.set(row as number, refuse);
  if (refuse) sent.delete(row);
  else if (what && what !== "leave" && what !== "refuse") sent.add(row);
}

function checked(end: PlanEnd["end"], { digest }: Begun, name: string): PlanEnd["end"] {
  if (end.digest === digest.text) return end;
  throw new BulkError("other_plan", `${name} was changed after it was made; plan the rows again. Nothing was sent.`);
}

function isFact({ try: sent, done, once }: Line): boolean {
  return (sent ?? done ?? once) !== undefined;
}

// The digest ends with the plan, so what follows is checked by what a run can write.
function isPossible({ try: sent, done, once }: Fact, state: RowState | undefined): boolean {
  const before = state?.done;
  if (sent !== undefined) return typeof sent === "number" && !(before && isFinal(before));
  if (before?.done === "created") return once === true || done === "doubled";
  if (done === "created" || done === "doubled" || done === "deleted") return state !== undefined;
  return done !== undefined && !(before && isFinal(before));
}

/** Whether no run goes on with a row: not where it was given up, nor where the key, a feature or the rate limit may allow it later. */
export function isFinal({ done, status }: Fact): boolean {
  return done !== "unknown" && !(done === "failed" && AGAIN_NEXT_TIME.includes(status));
}

const AGAIN_NEXT_TIME: readonly unknown[] = [undefined, 401, 403, 404, 429];

function notAPlan(name: string, message: string): BulkError {
  return new BulkError("not_a_plan", `${name} ${message}. Nothing was sent.`);
}

function parsed(text: string, name: string): Line {
  try {
    const line = JSON.parse(text) as Line | null;
    if (typeof line === "object" && line !== null) return line;
  } catch {
    // Its text may hold personal data, so the error of the parser is not handed on.
  }
  throw notAPlan(name, "is no plan");
}

/** What is known of a row; a new one knows nothing. */
export function stateOf(facts: Map<number, RowState>, row: number): RowState {
  let state = facts.get(row);
  if (!state) {
    state = { tries: [], done: null, once: false };
    facts.set(row, state);
  }
  return state;
}

/** Adds a line to what is known. */
export function note(facts: Map<number, RowState>, fact: Fact): void {
  const state = stateOf(facts, fact.row);
  if (fact.try !== undefined) {
    state.tries.push(fact.try);
    state.done = null;
  }
  if (fact.done) {
    state.done = fact;
    // The service has carried nothing out, so that attempt counts for nothing.
    if (fact.done === "failed") state.tries.pop();
  }
  if (fact.once) state.once = true;
}

/** The rows of a plan, in their order. */
export async function* plannedRows(at: string | BulkJournal, state: PlanState): AsyncGenerator<PlannedRow> {
  let skip = state.before;
  for await (const text of linesOf(at)) {
    if (skip-- > 0) continue;
    const line = parsed(text, nameOf(at));
    if (line.end) return;
    if (!line.do) continue;
    const row = line as PlannedRow;
    const why = state.refused.get(row.row);
    yield why ? { row: row.row, do: "refuse", why, in: row.in } : row;
  }
}

/**
 * Reads the rows of a plan with what has become of them, before, during and after it is applied.
 * @throws BulkError `not_a_plan` or `other_plan`, as `apply`.
 * @example
 * await plan(client.labels, [{ name: "New", model_type: "Lead" }], { to: "shown.plan", key: ["name", "model_type"] });
 * for await (const { row, outcome, why } of rowsOf("shown.plan")) if (outcome === "refused") console.log(row, why);
 */
export async function* rowsOf(at: string | BulkJournal): AsyncGenerator<BulkRow, void, undefined> {
  const state = await readState(at);
  for await (const row of plannedRows(at, state)) yield rowOf(row, state);
}

/** A row with what has become of it. */
export function rowOf(planned: PlannedRow, { facts }: PlanState): BulkRow {
  const { row, do: what, id = null, send = {}, before = {}, why = [] } = planned;
  const still = what === "leave" ? "unchanged" : what === "refuse" ? "refused" : null;
  const done = facts.get(row)?.done;
  return {
    row,
    do: what,
    outcome: done?.done ?? still,
    id: done?.id ?? id,
    send,
    before,
    differs: done?.differs ?? {},
    why: done?.why ?? why,
  };
}
