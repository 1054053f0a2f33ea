import { createHash } from "node:crypto";
import { fingerprint } from "../core/fingerprint.js";
import { BulkError } from "./errors.js";
import { addFact, type History, isFinal, type Trail, toBulkRow, UNTRIED } from "./history.js";
import type { Fact, Header, Line, ListLine, PlanEnd, PlannedRow } from "./lines.js";
import { linesOf, nameOf, wasSent } from "./node-journal.js";
import { isKept } from "./node-kept.js";
import type { BulkJournal, BulkRow, RowProblem } from "./types.js";

/** A complete plan and the history of its rows. */
export interface PlanState {
  readonly header: Header;
  readonly end: PlanEnd["end"];
  /** Number of lines before the header: plans in the same journal that were never applied. */
  readonly before: number;
  readonly trails: Map<number, Trail>;
  readonly lists: readonly ListLine[];
  /** Rows refused because a later row has the same key. */
  readonly refused: ReadonlyMap<number, readonly RowProblem[]>;
}

/** Digest of all lines of a plan, which identifies it. */
export class Digest {
  readonly #hash = createHash("sha256");

  add(line: string): void {
    this.#hash.update(`${line}\n`);
  }

  get text(): string {
    return this.#hash.copy().digest("hex").slice(0, 8);
  }
}

interface Begun {
  readonly header: Header;
  readonly before: number;
  readonly digest: Digest;
  /** Rows that a run sends. */
  readonly sent: Set<unknown>;
  readonly refused: Map<number, readonly RowProblem[]>;
  readonly lists: ListLine[];
}

/**
 * Reads the last complete plan; an incomplete one does not replace the plan before it in the same journal.
 * @throws BulkError `not_a_plan` if there is none, `other_plan` if it was changed.
 */
export async function readState(at: string | BulkJournal): Promise<PlanState> {
  const name = nameOf(at);
  let begun: Begun | null = null;
  let plan: (PlanState & Begun) | null = null;
  let lines = 0;
  const sums = new Map<number, string | undefined>();
  for await (const text of linesOf(at)) {
    const line = parseLine(text);
    if (!line) throw notAPlan(name, `is not a plan${await remedyOf(at, "")}`);
    if (line.bulk !== undefined || lines === 0) {
      if (line.bulk !== 1) {
        const remedy = await remedyOf(at, "; use another plan, or the version that made this one");
        throw notAPlan(name, `is not a plan of this version${remedy}`);
      }
      begun = {
        header: line as Header,
        before: lines,
        digest: new Digest(),
        sent: new Set(),
        refused: new Map(),
        lists: [],
      };
    }
    lines++;
    if (begun && line.end) {
      if (line.end.digest !== begun.digest.text) {
        const message = `was changed after it was made${await remedyOf(at, "; plan the rows again")}`;
        throw new BulkError("other_plan", `${name} ${message}. Nothing was sent.`);
      }
      plan = { ...begun, end: line.end, trails: new Map() };
      begun = null;
    } else if (begun && !(plan && isFact(line))) {
      addTo(begun, text, line);
    } else {
      begun = null;
      const row = line.row as number;
      // Skips a copy of a line that a database stored although it reported a failure.
      if (plan && line.sum !== undefined && sums.get(row) === line.sum) continue;
      sums.set(row, line.sum);
      const trail = plan?.trails.get(row) ?? UNTRIED;
      if (!plan?.sent.has(row) || !isWhole(text, plan.end.digest) || !isPossible(line as Fact, trail)) {
        throw notAPlan(name, `contains a line that no run wrote${await remedyOf(at, "")}`);
      }
      const { sum: _, ...fact } = line;
      plan.trails.set(row, addFact(trail, fact as Fact));
    }
  }
  if (!plan) throw notAPlan(name, `is not a complete plan${await remedyOf(at, "; plan the rows again")}`);
  return plan;
}

function addTo({ digest, sent, refused, lists }: Begun, text: string, line: Line): void {
  const { row, do: what, refuse } = line;
  digest.add(text);
  if (line.list) lists.push(line as ListLine);
  if (refuse) refused.set(row as number, refuse);
  if (refuse) sent.delete(row);
  else if (what && what !== "leave" && what !== "refuse") sent.add(row);
}

function isFact({ sum, try: sent, done }: Line): boolean {
  return (sum ?? sent ?? done) !== undefined;
}

/** Formats a line about a row, with a checksum over the line and the plan's digest. */
export function factLine(fact: Fact, digest: string): string {
  const text = JSON.stringify(fact);
  return `${text.slice(0, -1)},"sum":"${sumOf(text, digest)}"}`;
}

function isWhole(line: string, digest: string): boolean {
  const { text, sum } = SUM.exec(line)?.groups ?? {};
  return text !== undefined && sum === sumOf(`${text}}`, digest);
}

const SUM = /^(?<text>.*),"sum":"(?<sum>[0-9a-f]{16})"}$/s;
const sumOf = (text: string, digest: string) => fingerprint(`${digest}${text}`);

// Tests whether a line may follow the earlier ones: checksums do not detect copied, moved or missing lines.
function isPossible(
  { done, none, try: sent, confirmed, refused, answered, resumed, side }: Fact,
  trail: Trail,
): boolean {
  const { attempts, made, done: before } = trail;
  if (resumed !== undefined) return typeof resumed === "number";
  if (sent !== undefined) {
    return typeof sent === "number" && made === null && !trail.answered && !(before && isFinal(before));
  }
  if (none || refused || answered) return attempts.length > 0;
  if (before?.done === "updated" || before?.done === "deleted") return (confirmed ?? side) !== undefined;
  const isRefused = before?.done === "failed" && attempts.length > 0 && isFinal(before);
  if (isRefused) return confirmed !== undefined || done === "unknown";
  if (before?.done === "created") return confirmed !== undefined || done === "doubled" || done === "unknown";
  if (done === "created" || done === "doubled" || done === "deleted") return attempts.length > 0;
  return done !== undefined && !(before && isFinal(before));
}

function notAPlan(name: string, message: string): BulkError {
  return new BulkError("not_a_plan", `${name} ${message}. Nothing was sent.`);
}

// Once a plan has been sent, planning again is refused or does not help: only the service shows which records were
// created.
async function remedyOf(at: string | BulkJournal, unsent: string): Promise<string> {
  const isSent = isKept(nameOf(at)) || (await wasSent(at));
  return isSent ? ": look in the service for the records of its rows, then move it away" : unsent;
}

function parseLine(text: string): Line | null {
  try {
    const line = JSON.parse(text) as Line | null;
    return typeof line === "object" ? line : null;
  } catch {
    // The error of the parser is dropped, because it may contain personal data.
    return null;
  }
}

export async function* plannedRows(at: string | BulkJournal, state: PlanState): AsyncGenerator<PlannedRow> {
  let skip = state.before;
  for await (const text of linesOf(at)) {
    if (skip-- > 0) continue;
    const line = parseLine(text);
    if (line?.end) return;
    if (!line?.do) continue;
    const row = line as PlannedRow;
    const why = state.refused.get(row.row);
    yield why ? { row: row.row, do: "refuse", why, in: row.in } : row;
  }
}

/**
 * Reads the rows of a plan with their outcomes, before, during and after it is applied.
 * @throws BulkError `not_a_plan` or `other_plan`, like `apply`.
 * @example
 * await plan(client.labels, [{ name: "New", model_type: "Lead" }], { to: "shown.plan", key: ["name", "model_type"] });
 * for await (const { row, outcome, why } of rowsOf("shown.plan")) if (outcome === "refused") console.log(row, why);
 */
export async function* rowsOf(at: string | BulkJournal): AsyncGenerator<BulkRow, void, undefined> {
  const state = await readState(at);
  for await (const row of plannedRows(at, state)) yield toBulkRow(historyOf(row, state));
}

export function historyOf(row: PlannedRow, { trails }: PlanState): History {
  return { ...(trails.get(row.row) ?? UNTRIED), row };
}
