import { isEducationAdminError } from "../core/errors.js";
import { BulkError } from "./errors.js";
import { confirmFact, endFact } from "./facts.js";
import { Failures, SLOW_DISK, unreadFailure } from "./failures.js";
import { FirstWrites } from "./first-writes.js";
import { addFact, type History, isAnswered, isInDoubt, isOver, isRefused, isUntried } from "./history.js";
import type { Fact, PlannedRow } from "./lines.js";
import { Reads } from "./reads.js";
import { type RunParts, sideBySide } from "./run-parts.js";
import { NO_RECORD } from "./run-service.js";
import { Sight } from "./sight.js";
import { type Evidence, isAsMade, isOld, type Read, type Side, type Step, step } from "./step.js";
import { GONE } from "./step-reasons.js";

const MOST_KEPT = 5_000;

/** Carries out the decisions of `step` until every row of this run is done. */
export class Runner {
  readonly #parts: RunParts;
  readonly #rows = new Map<number, History>();
  readonly #creates: ReadonlyMap<string, readonly PlannedRow[]>;
  readonly #sights = new Map<string, Sight>();
  readonly #reads = new Reads();
  readonly #first: FirstWrites;
  /** The records as they were before their writes; at most `MOST_KEPT`, to limit memory. */
  readonly #before = new Map<number, Read["record"]>();
  /** Rows whose write was reported as successful but did not show in the last reading. */
  readonly #unshown = new Set<number>();
  /** Number of changes begun, and the number at which some of the changed records are read again. */
  #begun = 0;
  #glanceAt = 4;
  #wasThere = false;
  readonly #failures: Failures;

  /** @param histories of all rows that were sent or are to be sent, prepared for this run. */
  constructor(histories: Iterable<History>, parts: RunParts) {
    this.#parts = parts;
    this.#failures = new Failures(parts);
    this.#first = new FirstWrites(parts.sideEffects, parts.sides);
    for (const history of histories) this.#rows.set(history.row.row, history);
    const creates = [...this.#rows.values()].flatMap(({ row }) => (row.do === "create" ? row : []));
    this.#creates = Map.groupBy(creates, (row) => parts.service.listOf(row));
  }

  /** @throws BulkError `stopped` after too many equal failures, or if records cannot be read. */
  async run(): Promise<void> {
    const { service, clock } = this.#parts;
    let live = [...this.#rows.values()];
    for (;;) {
      if (this.#failures.stopped) throw this.#failures.stopped;
      live = live.map(({ row }) => this.#history(row.row)).filter((history) => !isOver(history));
      if (live.length === 0) return;
      if (await this.#end(live)) continue;
      const awaited = this.#first.awaitedRows(live);
      // Other creates may follow, but the first stays unconfirmed: only the end of the run shows if it was made twice.
      if (awaited.some((one) => one.row.do === "create" && this.#next(one).do === "confirm")) {
        this.#first.proves("create");
        continue;
      }
      const steps = (awaited.length > 0 ? awaited : live).map((history) => ({ history, next: this.#next(history) }));
      const rowsTo = (...what: readonly Step["do"][]) =>
        steps.flatMap(({ history, next }) => (what.includes(next.do) ? history : []));
      const sent = rowsTo("send", "read");
      const creates = sent.filter(({ row }) => row.do === "create");
      // New rows are sent first: their records are evidence about the rows that are sent again.
      creates.sort((one, other) => Number(one.attempts.length > 0) - Number(other.attempts.length > 0));
      const until = steps.reduce((latest, { next }) => Math.max(latest, next.do === "wait" ? next.until : 0), 0);
      const isWaiting = rowsTo("wait").length > 0;
      const checks = isWaiting ? [] : rowsTo("check");
      const looking = steps.filter(({ next }) => next.do === "look");
      const looks = [...Map.groupBy(looking, ({ history }) => service.listOf(history.row))];
      const ready = looks.filter(([, rows]) => !isWaiting || rows.some(({ history }) => isUntried(history)));
      if (creates.length > 0) await this.#createAll(creates.map(({ row }) => row));
      else if (sent.length > 0) await this.#change(sent);
      else if (checks.length > 0)
        await this.#check(
          checks.map(({ row }) => row),
          awaited.length > 0,
        );
      else if (ready.length > 0) {
        for (const [list, rows] of ready) {
          const isWhole = rows.some(({ next }) => next.do === "look" && next.whole);
          await this.#look(
            list,
            rows.map(({ history }) => history.row),
            isWhole,
          );
        }
      }
      // All rows share one wait, so that the list is read only once for all of them.
      else if (isWaiting) await service.pause(until - clock.now(), "proof");
      else
        await Promise.all(
          steps.map(({ history, next }) => next.do === "confirm" && this.#note(confirmFact(history, next))),
        );
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
      before: this.#before.get(row.row) ?? null,
      usualMs: this.#reads.usualMs,
      isBehind: this.#unshown.size > 0,
      isAutomated: this.#first.isAutomated,
    };
    return step(this.#history(row.row), evidence, settings);
  }

  // Notes the outcomes that are certain, first those with a found record, so that no other row can claim it. An
  // unresolved row stays open while other creates are unsent: their records will be evidence.
  async #end(live: readonly History[]): Promise<boolean> {
    const notes: Promise<void>[] = [];
    const isUnsent = live.some((history) => history.row.do === "create" && isUntried(history));
    for (const isFirst of [true, false]) {
      for (const { row } of live) {
        const history = this.#history(row.row);
        const next = isOver(history) ? null : this.#next(history);
        if (next?.do !== "end" || isFirst !== (next.outcome === "created")) continue;
        const isOpen = isInDoubt(history) && !this.#first.isAwaited(history);
        if (isUnsent && next.outcome === "unknown" && isOpen) continue;
        notes.push(this.#note(endFact(row.row, next)));
      }
    }
    await Promise.all(notes);
    return notes.length > 0;
  }

  async #note(fact: Fact): Promise<void> {
    const appended = this.#parts.append(fact);
    const before = this.#history(fact.row);
    const history = addFact(before, fact);
    this.#rows.set(fact.row, history);
    if (history.row.do === "create") this.#sights.get(this.#parts.service.listOf(history.row))?.note(history);
    await appended;
    this.#parts.onNote?.(fact);
    const wrong = this.#first.note(fact, before, history);
    if (wrong !== null) this.#failures.stop(wrong);
  }

  async #look(list: string, wanted: readonly PlannedRow[], whole: boolean): Promise<void> {
    const { service, settings, clock } = this.#parts;
    const look = { ...(await this.#read(() => service.look(wanted, whole))), ended: clock.now() };
    const creates = (this.#creates.get(list) ?? []).map(({ row }) => this.#history(row));
    this.#sights.set(list, new Sight(look, creates, settings));
  }

  // Creates are sent one by one until one succeeds, and its record is checked before the others are sent, so that a
  // problem that affects all rows shows at the first one. Rows that an earlier run already sent skip this trial, which
  // would cost one reading of the list per row.
  async #createAll(rows: readonly PlannedRow[]): Promise<void> {
    const areAgain = rows.every(({ row }) => !isUntried(this.#history(row)));
    if (areAgain || this.#first.isProven("create")) await sideBySide(rows, (row) => this.#create(row));
    else {
      for (const row of rows) {
        await this.#create(row);
        if (this.#failures.stopped || this.#first.isAwaited(this.#history(row.row))) break;
      }
      const made = rows.map(({ row }) => this.#history(row)).find((history) => this.#first.isAwaited(history));
      if (made && rows.length > 1 && !this.#failures.stopped && (await this.#isMade(made))) {
        this.#first.proves("create");
        const others = rows.map(({ row }) => this.#history(row)).filter((one) => isUntried(one) && !isOver(one));
        if (await this.#isRivaled(made, others)) this.#failures.stop(RIVAL);
        else await sideBySide(others, ({ row }) => this.#create(row));
      }
    }
    // The lists were read before these creates were sent, so they must be read again.
    this.#sights.clear();
  }

  // If two runs start with the same rows at the same time, the run whose first create came second finds the record of
  // the other run, and stops.
  async #isRivaled(made: History, others: readonly History[]): Promise<boolean> {
    const list = this.#parts.service.listOf(made.row);
    await this.#look(list, [made.row], false);
    const sight = this.#sights.get(list) as Sight;
    const isIn = ({ row }: History) => this.#parts.service.listOf(row) === list;
    return sight.twins(made).length > 0 || others.some((one) => isIn(one) && sight.recordsWithKey(one).length > 0);
  }

  async #create(row: PlannedRow): Promise<void> {
    while (!this.#failures.stopped) {
      await this.#failures.pause();
      await this.#parts.service.room([row]);
      // Another process may have created the record during the wait.
      if (this.#failures.stopped || this.#next(this.#history(row.row)).do !== "send")
        return this.#parts.service.leave();
      await this.#noteTry(row, { floor: this.#floorFor(row) });
      if (!(await this.#send(row, null))) return;
    }
  }

  // For records without `created_at`, only a greater identifier shows that they were created after the list was read.
  #floorFor(row: PlannedRow): Fact["floor"] {
    const sight = this.#sights.get(this.#parts.service.listOf(row));
    const id = sight?.look.since === undefined ? (sight?.highest ?? null) : null;
    return sight && id !== null ? [id, sight.look.began] : undefined;
  }

  // Checks that the first create made the intended record; false if only the list, which is read later, can show that.
  async #isMade({ row, made }: History): Promise<boolean> {
    const { service, settings } = this.#parts;
    if (!service.gets || !made || this.#wasThere) return false;
    let found: Read | null = null;
    await this.#read(() =>
      service.check([{ ...row, id: made.id }], (_, read) => {
        found = read;
      }),
    );
    return found !== null && isAsMade(row, found, settings);
  }

  async #change(changes: readonly History[]): Promise<void> {
    const { service } = this.#parts;
    const rows = changes.map(({ row }) => row);
    let atOnce = 0;
    for (let from = 0; from < rows.length && !this.#failures.stopped; from += atOnce) {
      if (this.#begun >= this.#glanceAt) await this.#glance();
      const isFirst = service.gets && !this.#first.isProven((rows[from] as PlannedRow).do);
      const isGlance = service.glances(this.#glanceAt) > 0;
      atOnce = isFirst ? 1 : Math.min(service.atOnce, isGlance ? this.#glanceAt - this.#begun : service.atOnce);
      const some = rows.slice(from, from + atOnce);
      this.#begun += some.length;
      await this.#failures.pause();
      await service.room(some);
      try {
        const reads = await this.#read(() => service.read(some));
        for (const [row, read] of reads) this.#reads.setAndMeasure(row, read);
        if (await this.#firstOf(some)) return;
        await sideBySide(some, (row) => this.#changeOne(row));
      } finally {
        service.leave();
      }
    }
  }

  // Sends one change of each kind alone, to be checked before the others. @returns true if it sent one.
  async #firstOf(rows: readonly PlannedRow[]): Promise<boolean> {
    for (const row of rows) {
      if (this.#first.isProven(row.do)) continue;
      await this.#changeOne(row);
      if (this.#first.isAwaited(this.#history(row.row))) return true;
    }
    return false;
  }

  // @param areFirst true while other rows of the same kind are unsent: their later check includes the first write.
  async #check(rows: readonly PlannedRow[], areFirst: boolean): Promise<void> {
    const notes: Promise<void>[] = [];
    const onRead = (row: number, read: Read) => {
      this.#reads.set(row, read);
      // Refused rows are judged last, because the other rows show whether the service's list is out of date.
      if (!isRefused(this.#history(row))) judge(row);
    };
    const judge = (row: number) => {
      const history = this.#history(row);
      const next = this.#next(history);
      if (next.do === "wait" && isAnswered(history)) this.#unshown.add(row);
      else this.#unshown.delete(row);
      if (next.do !== "confirm" && next.do !== "end") return;
      this.#reads.delete(row);
      if (next.do === "confirm" && next.moved) notes.push(this.#noteMoved(row, next.moved));
      const isClean = next.do === "confirm" && next.confirmed && !next.side;
      if (areFirst && isClean) return this.#first.proves(history.row.do);
      this.#before.delete(row);
      notes.push(this.#note(next.do === "end" ? endFact(row, next) : confirmFact(history, next)));
    };
    await this.#read(() => this.#parts.service.check(rows, onRead));
    for (const { row } of rows) if (isRefused(this.#history(row))) judge(row);
    await Promise.all(notes);
  }

  // Reads some records again after 4, 8, 16 … updates, because an automation may act a moment after each of them.
  async #glance(): Promise<void> {
    const { service, settings } = this.#parts;
    while (this.#glanceAt <= this.#begun) this.#glanceAt *= 2;
    const kept = [...this.#before.keys()].map((row) => this.#history(row)).filter(isAnswered);
    const rows = kept.slice(0, service.glances(this.#begun)).map(({ row }) => row);
    if (rows.length < 3) return;
    const notes: Promise<void>[] = [];
    await this.#read(() =>
      service.check(rows, (row, { record }) => {
        const before = this.#before.get(row);
        const moved = before && record && settings.movedFields(this.#history(row).row, before, record);
        if (moved) notes.push(this.#noteMoved(row, moved));
      }),
    );
    await Promise.all(notes);
  }

  async #noteMoved(row: number, moved: Side): Promise<void> {
    for (const [one, side] of this.#first.moved(row, moved)) {
      const { done } = this.#history(one);
      await this.#note({ row: one, ...done, side: { ...done?.side, ...side } });
    }
  }

  async #changeOne(row: PlannedRow): Promise<void> {
    const { clock, settings } = this.#parts;
    if (isOver(this.#history(row.row))) return;
    const next = this.#next(this.#history(row.row));
    const read = this.#reads.get(row.row);
    if (next.do === "end") {
      if (read?.unread !== undefined) this.#failures.count(unreadFailure(row, read.unread));
      return this.#note(endFact(row.row, next));
    }
    // While a 429 blocks requests, the row waits, and its record is read again afterwards.
    if (next.do !== "send" || !read || this.#failures.stopped || this.#failures.isBlocked) return;
    const { print } = settings;
    await this.#noteTry(row, {
      version: read.version,
      print: row.do === "update" && read.record ? print(row, read.record) : undefined,
    });
    if (isOld(read, { now: clock.now(), usualMs: this.#reads.usualMs }, settings)) {
      this.#failures.count(SLOW_DISK);
      await this.#note({ row: row.row, none: true });
    } else await this.#send(row, read);
    this.#reads.delete(row.row);
  }

  // If the disk was slow or the process was suspended while the line was written, the time in the line does not show
  // when the request was sent, so a new line is written.
  async #noteTry({ row }: PlannedRow, more: Pick<Fact, "version" | "print" | "floor">): Promise<void> {
    const { clock, timeoutMs } = this.#parts;
    for (;;) {
      const at = clock.now();
      await this.#note({ row, try: at, ...more });
      if (clock.now() - at <= timeoutMs) return;
      await this.#note({ row, none: true });
    }
  }

  // Sends a row once its journal line is stored. @returns true if it may be sent again right away.
  async #send(planned: PlannedRow, read: Read | null): Promise<boolean> {
    const { row, do: what } = planned;
    const { service, clock } = this.#parts;
    const isAgain = this.#history(row).attempts.length > 1;
    // Only the read that checks whether the record is gone can throw; a refused write does not.
    const written = await this.#read(() => service.write(planned, read));
    if (read && what === "update" && this.#before.size < MOST_KEPT) this.#before.set(row, read.record);
    if (written.kind === "done") {
      this.#failures.end();
      const { kind, wasThere, ...more } = written;
      if (wasThere) this.#wasThere = true;
      const done = what === "create" ? "created" : what === "delete" ? "deleted" : "updated";
      await this.#note({ row, done, ...more, made: clock.now() });
      return false;
    }
    const { error } = written;
    // Requests already under way when the rate limit took effect fail for the same reason, so they do not count.
    const isEqualLimit = written.kind === "none" && written.isLimited && this.#failures.isBlocked;
    const isSilent = error === NO_RECORD && this.#first.isProven("create");
    if (!isEqualLimit && !isSilent) this.#failures.count(error);
    if (written.kind === "lost") {
      if (written.answered && what === "create") await this.#note({ row, answered: true });
      return false;
    }
    if (written.kind === "none") {
      this.#failures.block(written.retryAfterMs, written.isLimited);
      await this.#note({ row, none: true });
      return true;
    }
    const why = written.kind === "gone" ? [{ message: GONE }] : written.why;
    const status = written.kind === "gone" ? 404 : written.status;
    // An earlier request may have been carried out; the next reading decides.
    if (isAgain && what === "create") return false;
    if (isAgain && written.kind === "refused") await this.#note({ row, none: true, refused: true });
    else if (written.kind === "gone" && what === "delete") {
      await this.#note({
        row,
        none: true,
        ...(isAgain ? { done: "deleted", confirmed: true } : { done: "unchanged" }),
      });
    } else if (isAgain) await this.#note({ row, none: true, done: "unknown", status, why });
    else await this.#note({ row, done: "failed", status, why, made: clock.now() });
    return false;
  }

  // A failed read ends the run, but fails no row: the next run continues with them.
  async #read<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#failures.stopped) throw this.#failures.stopped;
      if (!isEducationAdminError(error) || error instanceof BulkError) throw error;
      const message = `${this.#parts.name}: stopped, because records cannot be read; unfinished rows stay planned. ${error.message}`;
      throw new BulkError("stopped", message, error);
    }
  }
}

const RIVAL = "another run is creating the same rows: let one of them finish, then apply this plan again";
