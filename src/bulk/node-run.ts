import { sensitiveValues } from "../core/call/sensitive-values.js";
import { type Clock, wait } from "../core/clock.js";
import { type ApiError, isEducationAdminError } from "../core/errors.js";
import { callObserver } from "../core/events.js";
import { BulkError } from "./errors.js";
import type { Values } from "./fields.js";
import type { Fact, PlannedRow } from "./lines.js";
import { nameOf, type OpenJournal } from "./node-journal.js";
import { told } from "./node-plan-writer.js";
import { note, type PlanState, type RowState, stateOf } from "./node-state.js";
import { type Budget, DEFAULT_SHARE, durationOf, Pace, shareOf } from "./pace.js";
import { problemsOf } from "./problems.js";
import { Service } from "./service.js";
import type { Target } from "./target.js";
import type { ApplyOptions, BulkJournal, PlanSummary, RowOutcome, RowProblem } from "./types.js";

/** How often one run sends a row whose responses are lost. */
export const MOST_TRIES = 3;
const DEFAULT_STOP_AFTER = 10;

/** A write that the service has carried out; without data where its response had none. */
interface Sent {
  readonly data: Values | undefined;
}

/** What creates and changes of one run share: a write leaves once its line is on the disk, and too many failures stop the run. */
export class Run {
  readonly target: Target;
  readonly state: PlanState;
  /** Where the plan is, for messages. */
  readonly name: string;
  readonly service: Service;
  readonly settleMs: number;
  /** Milliseconds that a create may take, its wait for the rate limiter included. */
  readonly timeout: number;
  /** Rows of the plan. */
  rows = 0;
  /** Rows that are dealt with. */
  done = 0;
  readonly #journal: OpenJournal;
  readonly #options: ApplyOptions;
  readonly #stopAfter: number;
  readonly #clock: Clock;
  readonly #budget: Budget;
  readonly #sent = new Map<number, number>();
  #failures = { like: "", count: 0 };
  #stopped: BulkError | null = null;
  #waitingUntil: Date | null = null;

  constructor(target: Target, at: string | BulkJournal, state: PlanState, journal: OpenJournal, options: ApplyOptions) {
    const { clock, rateLimit, timeout } = target.transport.settings as Target["transport"]["settings"] & {
      readonly timeout: number;
    };
    this.target = target;
    this.state = state;
    this.name = nameOf(at);
    this.#journal = journal;
    this.#options = options;
    this.#stopAfter = options.stopAfter ?? DEFAULT_STOP_AFTER;
    this.#clock = clock;
    this.settleMs = options.settleMs ?? 2 * timeout;
    // A create that waits longer for the rate limiter is not sent, so one in doubt left soon after its line was written.
    this.timeout = Math.max(timeout, this.settleMs / 2);
    this.#budget = shareOf(rateLimit, options.share ?? DEFAULT_SHARE);
    const pace = new Pace(clock, this.#budget, (until) => this.#waits(until));
    this.service = new Service(target, pace, options.signal, journal);
  }

  stateOf(row: PlannedRow): RowState {
    return stateOf(this.state.facts, row.row);
  }

  /** Whether a row was sent and nothing is known of what became of it. */
  isInDoubt(row: PlannedRow): boolean {
    const { tries, done } = this.stateOf(row);
    return tries.length > 0 && done === null;
  }

  /** How often this run has sent a row. */
  sent({ row }: PlannedRow): number {
    return this.#sent.get(row) ?? 0;
  }

  get isStopped(): boolean {
    return this.#stopped !== null;
  }

  /** @throws BulkError `stopped` after too many equal failures. */
  check(): void {
    if (this.#stopped) throw this.#stopped;
  }

  /** Notes the outcome of a row that needs a reason. */
  end({ row }: PlannedRow, done: RowOutcome, message: string, more: Partial<Fact> = {}): Promise<void> {
    return this.note({ row, done, ...more, why: [{ message }] });
  }

  async note(fact: Fact): Promise<void> {
    const write = () => this.#journal.append(JSON.stringify(fact));
    // A sandbox that skips waits must not take the disk's time for one.
    await (this.#clock.during?.(write) ?? write());
    const isDone = () => Number(stateOf(this.state.facts, fact.row).done !== null);
    const before = isDone();
    note(this.state.facts, fact);
    this.done += isDone() - before;
    if (fact.done) this.#report();
  }

  /** Sends a write once its line is on the disk. @returns null when it failed or is in doubt. */
  async send(row: PlannedRow, write: () => Promise<Values | undefined>): Promise<Sent | null> {
    for (let limited = 1; !this.isStopped; limited++) {
      await this.service.turn();
      await this.#noteTry(row);
      this.#sent.set(row.row, this.sent(row) + 1);
      try {
        const data = await write();
        this.#failures.count = 0;
        return { data };
      } catch (error) {
        if (!isEducationAdminError(error)) throw error;
        if (error.outcome === "done" && "id" in error) return { data: { id: error.id } };
        const isLimited = isEducationAdminError(error, "rate_limited");
        // A create that was sent before may be refused because the service carried that one out: the next look tells.
        const isAgain = row.do === "create" && this.stateOf(row).tries.length > 1 && !isLimited;
        if (isAgain || error.outcome === "unknown" || error.outcome === "done") {
          this.count(row, error);
          return null;
        }
        await this.fail(row, error);
        if (!isLimited) return null;
        // The wait may be none.
        if (limited === this.#stopAfter) this.#stop(error);
        else await this.#wait(error.retryAfterMs ?? this.timeout);
      }
    }
    return null;
  }

  // What was written long ago says nothing of when the request leaves: the disk was slow, or the process stood still.
  async #noteTry({ row }: PlannedRow): Promise<void> {
    let at: number;
    do {
      at = this.#clock.now();
      await this.note({ row, try: at });
    } while (this.#clock.now() - at > this.timeout);
  }

  /** Notes that the service has refused a row. */
  async fail(row: PlannedRow, error: Error): Promise<void> {
    const { status } = error as Partial<ApiError>;
    const why = this.#problems(row, error);
    await this.note({ row: row.row, done: "failed", ...(status !== undefined && { status }), why });
    if (!isEducationAdminError(error, "rate_limited")) this.count(row, error);
  }

  /** Stops the run after too many equal failures. */
  count(row: PlannedRow, error: Error): void {
    const { status, code } = error as Partial<ApiError>;
    const like = JSON.stringify([code, status, this.#problems(row, error)]);
    this.#failures = { like, count: like === this.#failures.like ? this.#failures.count + 1 : 1 };
    if (this.#failures.count >= this.#stopAfter) this.#stop(error);
  }

  #stop(error: Error): void {
    const message = `${this.name}: stopped after ${this.#stopAfter} equal failures in a row; the rows that were not sent stay planned. The last: ${error.message}`;
    this.#stopped ??= new BulkError("stopped", message, error);
  }

  #problems({ do: what, send = {} }: PlannedRow, error: Error): readonly RowProblem[] {
    const { rows, params } = this.target;
    const operation = what === "create" ? rows.create : rows.update;
    if (!operation) return problemsOf(error, []);
    const request = { operation, body: send, query: [], params, settings: { headers: {} } };
    return problemsOf(error, sensitiveValues(request, null));
  }

  /** Waits until some time has passed since rows were sent. */
  async settle(rows: readonly PlannedRow[], ms: number): Promise<void> {
    const last = Math.max(...rows.map((row) => this.stateOf(row).tries.at(-1) ?? 0));
    const left = Math.min(ms, last + ms - this.#clock.now());
    if (left > 0) await this.#wait(left);
  }

  async #wait(ms: number): Promise<void> {
    this.#waits(new Date(this.#clock.now() + ms));
    await wait(this.#clock, ms, this.#options.signal);
    this.#waits(null);
  }

  #waits(until: Date | null): void {
    this.#waitingUntil = until;
    if (until) this.#report();
  }

  #report(): void {
    const { update, create } = this.state.end as unknown as PlanSummary;
    const all = told(this.target, { create, update, delete: 0 }, null);
    const requests = (all * (this.rows - this.done)) / Math.max(1, create + update);
    callObserver(this.#options.onProgress, {
      rows: this.done,
      total: this.rows,
      requests: this.service.requests,
      waitingUntil: this.#waitingUntil,
      endsAt: new Date((this.#waitingUntil?.getTime() ?? this.#clock.now()) + durationOf(requests, this.#budget)),
    });
  }
}
