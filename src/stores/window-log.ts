import { endOf, newWindow, type Ran, run, type Step, type Window } from "./turns.js";

/** What a process adds to the log of a window, and what it knows of it. */
export interface Append {
  /** Null to read only. */
  readonly entry: string | null;
  /** The version that this process knows; 0 when it knows nothing. */
  readonly known: number;
  /** A state that replaces all entries up to its version; null for none. */
  readonly snapshot: { readonly version: number; readonly state: string } | null;
  /** After how many milliseconds nothing of the window matters any more. */
  readonly keepMs: number;
}

/** What a database has of a window. Its last entry is the one that was added. */
export interface LogPart {
  /** The version of the state. Each further entry makes the next version. */
  readonly base: number;
  /** Null while there is none, and where the process knows a later version. */
  readonly state: string | null;
  /** The version before the first of the entries. */
  readonly first: number;
  /** Each is the database's time in milliseconds, a space and the text of the entry. */
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

// After that the caller has given up: what was asked is not sent any more, and what was granted is given back.
const HANGS_AFTER_MS = 5_000;

// More would take connections of a pool from one another, or ask for what is refused by then; what is asked meanwhile joins the
// next entry.
const MOST_FLIGHTS = 3;

const ENTRIES_PER_SNAPSHOT = 32;

const MOST_TRIP_MS = 2_000;

/**
 * The log of one window, as this process knows it. The database orders and stamps what processes ask; each of them replays all
 * entries and so comes to the same decisions. Nobody waits for another process.
 */
export class WindowLog {
  readonly #append: (append: Append) => PromiseLike<LogPart>;
  readonly #isPooled: boolean;
  readonly #id = Math.random().toString(36).slice(2);
  #window: Window = newWindow();
  #version = 0;
  /** The last entry that was replayed; null after a state. */
  #last: string | null = null;
  /** The window's time minus the database's, which may be set back. */
  #shift = 0;
  #tripMs = 0;
  #isSnapshotDue = false;
  #sent = 0;
  #waiting: Question[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Entries that were sent and not replayed yet, by their number. */
  readonly #flights = new Map<number, Flight>();

  /** @param isPooled each entry under way takes a connection of a pool. */
  constructor(append: (append: Append) => PromiseLike<LogPart>, isPooled: boolean) {
    this.#append = append;
    this.#isPooled = isPooled;
  }

  /** Does a step in the window. */
  run(step: Step): Promise<Ran> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ step, since: performance.now(), resolve, reject });
      const gatherMs = step.do === "reserve" ? Math.min(10, this.#tripMs / 20) : 0;
      // What calls ask for one after the other goes in one entry. Settlements go now: the process may be about to end.
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
    // One connection takes any number of settlements; those that wait are lost when the process ends.
    const questions = this.#waiting.filter((question) => !isFull || !(this.#isPooled || asks(question)));
    this.#waiting = this.#waiting.filter((question) => !questions.includes(question));
    const late = questions.filter(({ since }) => now - since >= HANGS_AFTER_MS);
    for (const { reject } of late) reject(new Error("The database took too long"));
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
      // A connection that has ended is replaced by another one. If the entry is there twice, the second one is given back.
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

  // A later answer came first, with a state in which these steps are done already: what they took is not known.
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

  // Tells the version of the last entry that the database returned.
  async #exchange(entry: string, keepMs: number): Promise<number> {
    const known = this.#version;
    const isDue = this.#isSnapshotDue && known > 0;
    this.#isSnapshotDue = false;
    const snapshot = isDue ? { version: known, state: JSON.stringify(this.#window) } : null;
    const startedAt = performance.now();
    const part = await this.#append({ entry, known, snapshot, keepMs: Math.ceil(keepMs) });
    this.#tripMs += (performance.now() - startedAt - this.#tripMs) / (this.#tripMs === 0 ? 1 : 4);
    if (this.#read(part, known, false)) return part.first + part.entries.length;
    // The database has lost entries that this process knows.
    this.#version = 0;
    this.#last = null;
    this.#window = newWindow();
    this.#read(await this.#append({ entry: null, known: 0, snapshot: null, keepMs: Math.ceil(keepMs) }), 0, true);
    return this.#version;
  }

  /** Replays what this process does not know yet. False when the log is not the one that it knows. */
  #read({ base, state, first, entries }: LogPart, known: number, isAnew: boolean): boolean {
    if (!Number.isFinite(base) || !Number.isFinite(first)) throw new Error("The database returned no window");
    const end = first + entries.length;
    if (end <= known) return false;
    if (base > this.#version) {
      this.#window = state === null ? newWindow() : (JSON.parse(state) as Window);
      this.#version = base;
      this.#last = null;
    }
    // A later answer has come first.
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
        // A place that is free in a moment: the database's time is at least the entry's when its response is here.
        const waitMs = one.answer?.granted ? (one.answer.from ?? 0) - one.now : 0;
        if (waitMs > 0) setTimeout(() => question.resolve(one), waitMs);
        else question.resolve(one);
        continue;
      }
      question?.reject(new Error("The database took too long"));
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
