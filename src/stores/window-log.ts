import { endOf, newWindow, type Ran, run, type Step, type Window } from "./turns.js";

/** An entry that a process adds to the log of a window. */
export interface Append {
  /** The entry's text; null to only read the log. */
  readonly entry: string | null;
  /** The latest version of the log that the process knows; 0 for none. */
  readonly known: number;
  /** A state that replaces all entries up to its version; null for none. */
  readonly snapshot: { readonly version: number; readonly state: string } | null;
  /** Milliseconds for which to keep the window. */
  readonly keepMs: number;
}

/** The database's reply: part of a window's log, which ends with the new entry. */
export interface LogPart {
  /** The version of the state. Each further entry adds one. */
  readonly base: number;
  /** The state at the version `base`; null if there is none, or if the process knows a later version. */
  readonly state: string | null;
  /** The version before the first entry. */
  readonly first: number;
  /** The entries. Each is the database's time in milliseconds, a space and the text. */
  readonly entries: readonly string[];
}

interface Question {
  readonly step: Step;
  readonly since: number;
  resolve(ran: Ran): void;
  reject(error: unknown): void;
}

interface Flight {
  readonly questions: readonly Question[];
  readonly startedAt: number;
}

// Callers wait at most this long; then their unsent steps are dropped and places granted to them are given back.
const HANGS_AFTER_MS = 5_000;

// More entries in flight would compete for a pool's connections, or request places that are taken by the time they
// arrive. Steps that come in the meantime join the next entry.
const MOST_FLIGHTS = 3;

const ENTRIES_PER_SNAPSHOT = 32;

const MOST_TRIP_MS = 2_000;

/**
 * The log of one window, as this process knows it. The database orders and timestamps the entries; each process replays
 * all of them and so makes the same decisions, without waiting for another process.
 */
export class WindowLog {
  readonly #append: (append: Append) => PromiseLike<LogPart>;
  readonly #isPooled: boolean;
  readonly #id = Math.random().toString(36).slice(2);
  #window: Window = newWindow();
  #version = 0;
  /** The entry that was replayed last; null after a state was loaded. */
  #last: string | null = null;
  /** The window's time minus the database's, whose clock may be set back. */
  #shift = 0;
  #tripMs = 0;
  #isSnapshotDue = false;
  #sent = 0;
  #waiting: Question[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Entries that were sent and have not been replayed yet, by number. */
  readonly #flights = new Map<number, Flight>();

  constructor(append: (append: Append) => PromiseLike<LogPart>, isPooled: boolean) {
    this.#append = append;
    this.#isPooled = isPooled;
  }

  run(step: Step): Promise<Ran> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ step, since: performance.now(), resolve, reject });
      const gatherMs = step.do === "reserve" ? Math.min(10, this.#tripMs / 20) : 0;
      // Reservations made shortly after one another share an entry. Other steps are sent at once, because the process
      // may be about to end.
      if (gatherMs < 1) queueMicrotask(() => this.#flush());
      else this.#timer ??= setTimeout(() => this.#flush(), gatherMs);
    });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const now = performance.now();
    const flying = [...this.#flights.values()].filter(
      ({ startedAt, questions }) => now - startedAt < HANGS_AFTER_MS && (this.#isPooled || questions.some(asks)),
    );
    const isFull = flying.length >= MOST_FLIGHTS;
    // Without a pool, only reservations wait: one connection carries any number of entries, and other steps that waited
    // would be lost if the process ended.
    const questions = this.#waiting.filter((question) => !isFull || !(this.#isPooled || asks(question)));
    this.#waiting = this.#waiting.filter((question) => !questions.includes(question));
    const late = questions.filter(({ since }) => now - since >= HANGS_AFTER_MS);
    for (const { reject } of late) reject(new Error("The database did not respond in time"));
    const inTime = questions.filter((question) => !late.includes(question));
    if (inTime.length > 0) void this.#send(inTime);
  }

  async #send(questions: readonly Question[]): Promise<void> {
    const number = ++this.#sent;
    const startedAt = performance.now();
    const steps = questions.map(({ step, since }) => this.#asSent(step, startedAt - since));
    const entry = JSON.stringify([this.#id, number, this.#shift, steps]);
    const keepMs = Math.max(0, endOf(this.#window) - this.#window.seen, ...steps.map(keepOf));
    this.#flights.set(number, { questions, startedAt });
    try {
      // A retry uses another connection if the first one was lost. If both attempts stored the entry, the places
      // granted to the second one are given back.
      const end = await this.#exchange(entry, keepMs).catch(() => this.#exchange(entry, keepMs));
      const isOvertaken = end < this.#version;
      if (this.#flights.delete(number)) {
        if (!isOvertaken) throw new Error("The database returned no window");
        this.#askAnew(questions);
      }
    } catch (error) {
      this.#flights.delete(number);
      for (const { reject } of questions) reject(error);
    }
    this.#flush();
  }

  // A later reply arrived first. Its state already includes these steps, so their results are unknown: reservations are
  // given back and repeated.
  #askAnew(questions: readonly Question[]): void {
    for (const question of questions) {
      const { step } = question;
      if (step.do !== "reserve") question.resolve({ now: 0, answer: null, used: 0, at: null });
      else {
        this.#giveBack(step);
        this.#waiting.push(question);
      }
    }
  }

  #giveBack({ key, slot }: { readonly key: string; readonly slot: string }): void {
    this.run({ do: "settle", key, slot, freesInMs: null, agoMs: 0 }).catch(() => undefined);
  }

  #asSent(step: Step, agoMs: number): Step {
    if (step.do === "settle") return { ...step, agoMs: Math.floor(agoMs) };
    if (step.do === "block") return step;
    return { ...step, tripMs: Math.ceil(Math.min(MOST_TRIP_MS, this.#tripMs)) };
  }

  async #exchange(entry: string, keepMs: number): Promise<number> {
    const known = this.#version;
    const isDue = this.#isSnapshotDue && known > 0;
    this.#isSnapshotDue = false;
    const snapshot = isDue ? { version: known, state: JSON.stringify(this.#window) } : null;
    const startedAt = performance.now();
    const part = await this.#append({ entry, known, snapshot, keepMs: Math.ceil(keepMs) });
    this.#tripMs += (performance.now() - startedAt - this.#tripMs) / (this.#tripMs === 0 ? 1 : 4);
    if (this.#read(part, known, false)) return part.first + part.entries.length;
    // The database has lost entries that this process knows, so its log is replayed from the start.
    this.#version = 0;
    this.#last = null;
    this.#window = newWindow();
    this.#read(await this.#append({ entry: null, known: 0, snapshot: null, keepMs: Math.ceil(keepMs) }), 0, true);
    return this.#version;
  }

  /** Replays the entries that are new to this process. Returns false if this is not the log that the process knows. */
  #read({ base, state, first, entries }: LogPart, known: number, isAnew: boolean): boolean {
    if (!Number.isFinite(base) || !Number.isFinite(first)) throw new Error("The database returned no window");
    const end = first + entries.length;
    if (end <= known) return false;
    if (base > this.#version) {
      this.#window = state === null ? newWindow() : (JSON.parse(state) as Window);
      this.#version = base;
      this.#last = null;
    }
    // A later reply arrived first and already covers these entries.
    if (end < this.#version) return true;
    const last = entries[this.#version - first - 1];
    if (this.#last !== null && last !== undefined && last !== this.#last) return false;
    for (const text of entries.slice(this.#version - first)) {
      this.#replay(text, isAnew);
      if ((this.#version - base) % ENTRIES_PER_SNAPSHOT === 0 && text.includes(this.#id)) this.#isSnapshotDue = true;
    }
    return true;
  }

  #replay(text: string, isAnew: boolean): void {
    const space = text.indexOf(" ");
    const time = Number(text.slice(0, space));
    const [id, number, shift, steps] = JSON.parse(text.slice(space + 1)) as [string, number, number, Step[]];
    const ran = run(this.#window, steps, time + shift);
    this.#version++;
    this.#last = text;
    if (id !== this.#id) return;
    this.#shift = Math.max(this.#shift, (ran[0]?.now ?? 0) - time);
    const flight = this.#flights.get(number);
    this.#flights.delete(number);
    const isWanted = flight && performance.now() - flight.startedAt < HANGS_AFTER_MS;
    for (const [index, step] of steps.entries()) {
      const one = ran[index] as Ran;
      const question = flight?.questions[index];
      if (isWanted && question) {
        // Waits for a place granted ahead of time. When the reply arrives, the database's time is at least the entry's
        // time, so the wait is long enough.
        const waitMs = one.answer?.granted ? (one.answer.from ?? 0) - one.now : 0;
        if (waitMs > 0) setTimeout(() => question.resolve(one), waitMs);
        else question.resolve(one);
        continue;
      }
      question?.reject(new Error("The database did not respond in time"));
      if (isAnew || step.do !== "reserve" || !one.answer?.granted) continue;
      this.#giveBack(step);
    }
  }
}

function asks({ step }: Question): boolean {
  return step.do === "reserve";
}

function keepOf(step: Step): number {
  if (step.do === "block") return step.ms;
  if (step.do === "settle") return step.freesInMs ?? 0;
  return Math.max(step.leaseMs + step.windowMs, step.shared ? 10 * step.windowMs : 0);
}
