import type { Clock } from "../core/clock.js";
import { isEducationAdminError } from "../core/errors.js";
import { BulkError } from "./errors.js";
import { after, type History, isInDoubt, isOver, isUntried } from "./history.js";
import type { Fact, PlannedRow } from "./lines.js";
import { AT_ONCE, type Pause } from "./service.js";
import { type Look, Sight } from "./sight.js";
import { type Evidence, isOld, type Read, type Step, type StepSettings, step } from "./step.js";
import type { RowProblem } from "./types.js";

/** How a write ended. */
export type Written =
  | ({ readonly kind: "done" } & Pick<Fact, "id" | "version" | "differs">)
  /** The service may have carried it out. `answered`: it said so, but not which record it made. */
  | { readonly kind: "lost"; readonly error: Failure; readonly answered?: true }
  /** Nothing was carried out, and the row may be sent again: a 429, or no connection. */
  | {
      readonly kind: "none";
      readonly error: Failure;
      readonly retryAfterMs: number | null;
      /** The rate limit holds all requests. */
      readonly isLimited: boolean;
    }
  | { readonly kind: "refused"; readonly error: Failure; readonly status: number; readonly why: readonly RowProblem[] }
  /** 404 to a change: there is no such record. */
  | { readonly kind: "gone"; readonly error: Failure };

/** What is known of a failed request: failures that are `like` each other count as equal. */
export interface Failure {
  readonly like: string;
  readonly cause: Error;
}

/** The requests of a run. Reads that fail are repeated; in the end they throw. */
export interface RunService {
  /** How many changes are read and written at a time. */
  readonly atOnce: number;
  /** Names the list in which a create is looked for. */
  listOf(row: PlannedRow): string;
  look(rows: readonly PlannedRow[], whole: boolean): Promise<Look>;
  /** Waits until the rows can be sent, and the records of changes read before, without a further wait. */
  room(rows: readonly PlannedRow[]): Promise<void>;
  /** Gives back the room that was not used. */
  leave(): void;
  read(rows: readonly PlannedRow[]): Promise<ReadonlyMap<number, Read>>;
  write(row: PlannedRow, read: Read | null): Promise<Written>;
  /** Waits, which the run's progress tells. */
  pause(ms: number, what: Pause): Promise<void>;
}

/** What a run works with; an explorer has its own. */
export interface RunParts {
  /** Resolves once the line is durable. */
  append(fact: Fact): Promise<void>;
  readonly clock: Pick<Clock, "now">;
  readonly service: RunService;
  readonly settings: StepSettings;
  /** Milliseconds after which a line's time no longer tells when its request left. */
  readonly timeoutMs: number;
  readonly stopAfter: number;
  /** Where the plan is, for messages. */
  readonly name: string;
  readonly onNote?: (fact: Fact) => void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Carries out what `step` decides, row by row, until every row has ended for this run. */
export class Runner {
  readonly #parts: RunParts;
  readonly #rows = new Map<number, History>();
  /** Creates by their lists. */
  readonly #creates = new Map<string, number[]>();
  readonly #sights = new Map<string, Sight>();
  readonly #reads = new Map<number, Read>();
  #failures = { like: "", count: 0 };
  #stopped: BulkError | null = null;
  #hasCreated = false;
  #blockedUntil = 0;

  /** @param histories of all rows that were or are to be sent, as this run goes on with them. */
  constructor(histories: Iterable<History>, parts: RunParts) {
    this.#parts = parts;
    for (const history of histories) {
      const { row } = history;
      this.#rows.set(row.row, history);
      if (row.do !== "create") continue;
      const list = parts.service.listOf(row);
      const rows = this.#creates.get(list);
      if (rows) rows.push(row.row);
      else this.#creates.set(list, [row.row]);
    }
  }

  /** @throws BulkError `stopped` after too many equal failures, or where records cannot be read. */
  async run(): Promise<void> {
    let live = [...this.#rows.keys()];
    for (;;) {
      live = live.filter((row) => !isOver(this.#history(row)));
      if (live.length === 0) return;
      if (await this.#end(live)) continue;
      const creates: History[] = [];
      const changes: History[] = [];
      const confirmed: Fact[] = [];
      const looks = new Map<string, { whole: boolean; first: boolean; rows: PlannedRow[] }>();
      let until = Number.NEGATIVE_INFINITY;
      for (const number of live) {
        const history = this.#history(number);
        const next = this.#next(history);
        if (next.do === "confirm") confirmed.push(confirming(history, next));
        else if (next.do === "wait") until = Math.max(until, next.until);
        else if (next.do === "look") {
          const list = this.#parts.service.listOf(history.row);
          const look = looks.get(list) ?? { whole: false, first: false, rows: [] };
          look.rows.push(history.row);
          looks.set(list, {
            rows: look.rows,
            whole: look.whole || next.whole,
            first: look.first || isUntried(history),
          });
        } else if (next.do !== "end") (history.row.do === "create" ? creates : changes).push(history);
      }
      // New rows first: they are the witnesses of those that are sent again.
      creates.sort((one, other) => Number(one.attempts.length > 0) - Number(other.attempts.length > 0));
      const isWaiting = until > Number.NEGATIVE_INFINITY;
      const ready = [...looks].filter(([, { first }]) => first || !isWaiting);
      if (creates.length > 0) await this.#createAll(creates.map(({ row }) => row));
      else if (changes.length > 0) await this.#change(changes);
      else if (ready.length > 0) for (const [list, { rows, whole }] of ready) await this.#look(list, rows, whole);
      // One wait for all rows, so that one look serves them.
      else if (!isWaiting) await Promise.all(confirmed.map((fact) => this.#note(fact)));
      else await this.#parts.service.pause(until - this.#parts.clock.now(), "proof");
      if (this.#stopped) throw this.#stopped;
    }
  }

  #history(row: number): History {
    return this.#rows.get(row) as History;
  }

  #next({ row }: History): Step {
    const { clock, service, settings } = this.#parts;
    const evidence: Evidence = {
      now: clock.now(),
      sight: row.do === "create" ? (this.#sights.get(service.listOf(row)) ?? null) : null,
      read: this.#reads.get(row.row) ?? null,
    };
    return step(this.#history(row.row), evidence, settings);
  }

  // Notes what is settled. Found records come first: they are explained to the rows after them. A row in doubt is not given up
  // while others are to be sent, as those are witnesses.
  async #end(live: readonly number[]): Promise<boolean> {
    const notes: Promise<void>[] = [];
    const isUnsent = live.some(
      (number) => this.#history(number).row.do === "create" && isUntried(this.#history(number)),
    );
    for (const isFirst of [true, false]) {
      for (const number of live) {
        const history = this.#history(number);
        if (isOver(history)) continue;
        const next = this.#next(history);
        const isFound = next.do === "end" && next.outcome === "created";
        if (isUnsent && next.do === "end" && next.outcome === "unknown" && isInDoubt(history)) continue;
        else if (next.do === "end" && isFirst === isFound) notes.push(this.#note(ending(number, next)));
      }
    }
    await Promise.all(notes);
    return notes.length > 0;
  }

  async #note(fact: Fact): Promise<void> {
    const appended = this.#parts.append(fact);
    const history = after(this.#history(fact.row), fact);
    this.#rows.set(fact.row, history);
    if (history.row.do === "create") this.#sights.get(this.#parts.service.listOf(history.row))?.note(history);
    await appended;
    this.#parts.onNote?.(fact);
  }

  async #look(list: string, wanted: readonly PlannedRow[], whole: boolean): Promise<void> {
    const { service, settings } = this.#parts;
    const look = await this.#read(() => service.look(wanted, whole));
    const creates = (this.#creates.get(list) ?? []).map((row) => this.#history(row));
    this.#sights.set(list, new Sight(look, creates, settings.same));
  }

  // One after the other until one has succeeded: what is wrong with all of them shows at the first.
  async #createAll(rows: readonly PlannedRow[]): Promise<void> {
    let sent = 0;
    for (; sent < rows.length && !this.#hasCreated && !this.#stopped; sent++) {
      await this.#create(rows[sent] as PlannedRow);
    }
    await sideBySide(rows.slice(sent), (row) => this.#create(row));
    // It has not seen what was sent.
    this.#sights.clear();
  }

  async #create(row: PlannedRow): Promise<void> {
    while (!this.#stopped) {
      await this.#unblocked();
      await this.#parts.service.room([row]);
      if (this.#stopped) return this.#parts.service.leave();
      await this.#noteTry(row);
      if (!(await this.#send(row, null))) return;
    }
  }

  // Reads no more than can be written immediately.
  async #change(changes: readonly History[]): Promise<void> {
    const { service } = this.#parts;
    const rows = changes.map(({ row }) => row);
    for (let from = 0; from < rows.length && !this.#stopped; from += service.atOnce) {
      const some = rows.slice(from, from + service.atOnce);
      await this.#unblocked();
      await service.room(some);
      try {
        const reads = await this.#read(() => service.read(some));
        for (const [row, read] of reads) this.#reads.set(row, read);
        await sideBySide(some, (row) => this.#changeOne(row));
      } finally {
        service.leave();
      }
    }
  }

  async #changeOne(row: PlannedRow): Promise<void> {
    const { clock, settings } = this.#parts;
    const next = this.#next(this.#history(row.row));
    const read = this.#reads.get(row.row);
    if (next.do === "end") return this.#note(ending(row.row, next));
    // Where it was read too long ago, it is read again with others; so it is after the wait that a 429 has asked for.
    if (next.do !== "send" || !read || this.#stopped || this.#isBlocked) return;
    await this.#noteTry(row, read.version);
    if (isOld(read, clock.now(), settings)) {
      this.#count(SLOW_DISK);
      await this.#note({ row: row.row, none: true });
    } else await this.#send(row, read);
    this.#reads.delete(row.row);
  }

  // What was written long ago says nothing of when the request leaves: the disk was slow, or the process stood still.
  async #noteTry({ row }: PlannedRow, version?: unknown): Promise<void> {
    const { clock, timeoutMs } = this.#parts;
    for (;;) {
      const at = clock.now();
      await this.#note({ row, try: at, ...(version !== undefined && { version }) });
      if (clock.now() - at <= timeoutMs) return;
      await this.#note({ row, none: true });
    }
  }

  // Sends a row whose line is durable. @returns whether it may be sent again right away.
  async #send(planned: PlannedRow, read: Read | null): Promise<boolean> {
    const { row, do: what } = planned;
    const { service, clock } = this.#parts;
    const isAgain = this.#history(row).attempts.length > 1;
    const written = await service.write(planned, read);
    if (written.kind === "done") {
      this.#failures.count = 0;
      this.#hasCreated ||= what === "create";
      const { kind, ...more } = written;
      const done = what === "create" ? "created" : what === "delete" ? "deleted" : "updated";
      await this.#note({ row, done, ...more, ...(what === "create" && { made: clock.now() }) });
      return false;
    }
    const { error } = written;
    // The requests that left with the first one that the rate limit holds say nothing new.
    if (!(written.kind === "none" && written.isLimited && this.#isBlocked)) this.#count(error);
    if (written.kind === "lost") {
      if (written.answered && what === "create") await this.#note({ row, answered: true });
      return false;
    }
    if (written.kind === "none") {
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures.count, 10));
      this.#blockedUntil = Math.max(this.#blockedUntil, clock.now() + (written.retryAfterMs ?? pause));
      await this.#note({ row, none: true });
      return true;
    }
    const why = written.kind === "gone" ? [{ message: GONE }] : written.why;
    const status = written.kind === "gone" ? 404 : written.status;
    // An earlier request may have been carried out: the next look or reading tells.
    if (isAgain && what === "create") return false;
    if (isAgain && written.kind === "refused") await this.#note({ row, none: true, refused: true });
    else if (written.kind === "gone" && what === "delete") {
      await this.#note({ row, none: true, done: isAgain ? "deleted" : "unchanged" });
    } else await this.#note({ row, none: true, done: isAgain ? "unknown" : "failed", status, why });
    return false;
  }

  get #isBlocked(): boolean {
    return this.#parts.clock.now() < this.#blockedUntil;
  }

  async #unblocked(): Promise<void> {
    const ms = this.#blockedUntil - this.#parts.clock.now();
    if (ms > 0) await this.#parts.service.pause(ms, "retry");
  }

  #count({ like, cause }: Failure): void {
    const { stopAfter, name } = this.#parts;
    this.#failures = { like, count: like === this.#failures.like ? this.#failures.count + 1 : 1 };
    if (this.#failures.count < stopAfter) return;
    const message = `${name}: stopped after ${stopAfter} equal failures in a row; the rows that were not sent stay planned. The last: ${cause.message}`;
    this.#stopped ??= new BulkError("stopped", message, cause);
  }

  // A failed reading ends the run, never a row.
  async #read<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#stopped) throw this.#stopped;
      if (!isEducationAdminError(error) || error instanceof BulkError) throw error;
      const message = `${this.#parts.name}: stopped, as records cannot be read; no row is given an outcome. ${error.message}`;
      throw new BulkError("stopped", message, error);
    }
  }
}

const SLOW_DISK: Failure = {
  like: "slow disk",
  cause: new Error("Writing a line took longer than a record that was read may be trusted; use a faster disk."),
};
const GONE = "the record is gone, or the key may not see it";

function ending(row: number, { do: _, outcome, ...more }: Step & { do: "end" }): Fact {
  return { row, done: outcome, ...more };
}

// A row that an earlier run gave up although its record was known is created again by it.
function confirming({ row: { row }, done, made }: History, { do: _, ...seen }: Step & { do: "confirm" }): Fact {
  if (done || !made) return { row, ...seen };
  const { id, at, version } = made;
  return { row, done: "created", id, made: at, ...(version !== undefined && { version }), ...seen };
}

/** Works on several items at a time, until one fails. @throws the first failure, once all work that was begun has ended. */
export async function sideBySide<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | null = null;
  const worker = async () => {
    for (let next = left.next(); !next.done && !failure; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  if (failure) throw (failure as { readonly error: unknown }).error;
}
