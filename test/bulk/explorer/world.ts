import type { Fact, PlannedRow } from "../../../src/bulk/lines.js";
import type { RunRequests } from "../../../src/bulk/run-parts.js";
import type { Failure, Written } from "../../../src/bulk/service.js";
import type { Look } from "../../../src/bulk/sight.js";
import type { Read } from "../../../src/bulk/step.js";
import { ConnectionError } from "../../../src/core/errors.js";
import { CHANGES, CREATES, type Kind, LIED_CHANGES, LIED_CREATES, plannedRows } from "./kinds.js";
import { ascends, type Stored, shownAs } from "./stored.js";

/** Chooses one of `count` possible events; 0 is the usual one. */
export type Choose = (count: number) => number;

/**
 * Thrown to end a process; nothing may catch it. All traces share this one error, because creating a stack trace takes
 * longer than following a whole trace.
 */
export const KILLED = new Error("killed");

const LOST: Failure = { like: "lost", cause: new Error("lost") };
const UNREAD = new ConnectionError("no answer", { outcome: null });

/**
 * A simulated service with its oddities. It also records the events of a trace. It contains none of the rules under
 * test.
 */
export class World implements RunRequests {
  readonly atOnce = 1;
  readonly gets = true;
  readonly kind: Kind;
  readonly plan: readonly PlannedRow[];
  readonly records: Stored[] = [];
  /** The events so far, for a person who reads the trace. */
  readonly log: string[] = [];
  /** The cases of the documented remainder that occurred. */
  readonly remainder = new Set<string>();
  readonly faulted = new Set<number>();
  readonly wrong: string[] = [];
  now = 0;
  requests = 0;
  isQuiet = false;
  hasSkipped = false;
  isKilled = false;
  /** The name of the running plan, which identifies its writes. */
  running = "plan";
  readonly #choose: Choose;
  readonly #seen: ReadonlySet<number>;
  #next = 10;
  #due: { readonly at: number; readonly go: () => void }[] = [];
  #waits = 0;
  readonly #ascended: boolean;

  constructor(kind: Kind, choose: Choose) {
    this.kind = kind;
    this.#choose = choose;
    this.plan = plannedRows(kind);
    for (const [at, key] of ["b", "d", "f", "h"].entries()) {
      const fields = { mark: "o", v: 0, w: 0 };
      this.records.push({
        id: at + 1,
        key,
        by: "before",
        fields,
        version: 0,
        born: -99,
        shownFrom: -99,
        writes: [],
        goneBy: null,
      });
    }
    this.#seen = new Set(this.records.map(({ id }) => id));
    this.#ascended = ascends(this.#list().map(({ id }) => id));
  }

  /** Copies this world, so that the copy can go on with other choices. No event may be pending. */
  copy(choose: Choose): World {
    const { now, requests, hasSkipped, running } = this;
    const copy = Object.assign(new World(this.kind, choose), { now, requests, hasSkipped, running });
    const records = this.records.map((one) => ({ ...one, fields: { ...one.fields }, writes: [...one.writes] }));
    copy.records.splice(0, Number.POSITIVE_INFINITY, ...records);
    copy.log.push(...this.log);
    for (const name of this.remainder) copy.remainder.add(name);
    for (const row of this.faulted) copy.faulted.add(row);
    copy.#next = this.#next;
    copy.#waits = this.#waits;
    return copy;
  }

  tick(ticks = 1): void {
    for (let left = ticks; left > 0; left--) {
      this.now++;
      const due = this.#due.filter(({ at }) => at <= this.now);
      this.#due = this.#due.filter(({ at }) => at > this.now);
      for (const { go } of due) go();
    }
  }

  listOf(): string {
    return "list";
  }

  async pause(ms: number): Promise<void> {
    this.#alive();
    this.tick(Math.max(1, ms));
  }

  // The rate limit may delay a request; others may write meanwhile.
  async room(rows: readonly PlannedRow[]): Promise<void> {
    this.#alive();
    const isChange = rows.some((row) => row.do !== "create");
    if (!isChange || !this.kind.others || this.#waits === 2 || this.#choose(2) === 0) return;
    this.#waits++;
    this.log.push(`@${this.now} waits for room`);
    this.tick(6);
    this.#others();
  }

  leave(): void {}

  async look(_: readonly PlannedRow[], whole: boolean): Promise<Look> {
    this.#alive();
    this.#others();
    const how = this.#choose(3);
    const began = this.#request();
    if (how === 1) throw this.#unread("look");
    const isWhole = whole || !this.#ascended;
    let list = this.#list();
    const hit = how === 2 ? list.findLast(({ by }) => typeof by === "number") : undefined;
    if (hit) {
      this.hasSkipped = true;
      this.remainder.add("R4");
      this.log.push(`@${this.now} the look skips ${hit.id}`);
      list = list.filter((record) => record !== hit);
    }
    const tail = this.records[1] as Stored;
    const begin = list.findIndex((record) =>
      this.kind.order === "name" ? record.key > tail.key : record.id > tail.id,
    );
    const shown = isWhole ? list : begin < 0 ? [] : list.slice(begin);
    const news = shown.filter(({ id }) => !this.#seen.has(id));
    this.log.push(`@${began} look${isWhole ? ", whole" : ""}: ${news.map(({ id, key }) => `${id} ${key}`).join(", ")}`);
    const seen = [...this.#seen].flatMap((id) => [id, id]);
    return { began, whole: isWhole, ascending: ascends(shown.map(({ id }) => id)), shown: news.map(shownAs), seen };
  }

  async read(rows: readonly PlannedRow[]): Promise<ReadonlyMap<number, Read>> {
    this.#alive();
    const reads = new Map<number, Read>();
    for (const { row, id } of rows) {
      this.#others();
      const how = this.#choose(this.kind.lies ? 3 : 2);
      const began = this.#request();
      if (how === 1) throw this.#unread(`read of ${id}`);
      const record = this.#find(id);
      if (how === 2) {
        this.faulted.add(row);
        this.log.push(`@${began} ${id} cannot be read`);
        reads.set(row, { began, ended: this.now, record: null, unread: 403 });
        continue;
      }
      this.log.push(`@${began} read ${id}: ${record ? JSON.stringify(record.fields) : "none"}`);
      const { key = null, version, fields, born: created } = record ?? {};
      reads.set(row, { began, ended: this.now, record: fields ? { ...fields } : null, key, version, created });
    }
    return reads;
  }

  glances(): number {
    return 3;
  }

  async check(rows: readonly PlannedRow[], on: (row: number, read: Read) => void): Promise<void> {
    for (const [row, read] of await this.read(rows)) on(row, read);
  }

  async write(planned: PlannedRow, read: Read | null): Promise<Written> {
    this.#alive();
    this.#others();
    const isCreate = planned.do === "create";
    const lies = isCreate ? LIED_CREATES : LIED_CHANGES;
    const ways: readonly string[] = [...(isCreate ? CREATES : CHANGES), ...(this.kind.lies ? lies : [])];
    const how = ways[this.#choose(ways.length)] as string;
    const { row } = planned;
    if (how !== "ok" && how !== "429") this.faulted.add(row);
    if (how === "late 9") this.remainder.add("R1, between one and three settle");
    if (how === "late 40") this.remainder.add(isCreate ? "R1" : "R8");
    if (how.startsWith("twice, again")) this.remainder.add("R2");
    this.log.push(`@${this.now} ${this.running} sends ${planned.do} ${row}: ${how}`);
    const sentAt = this.now;
    this.requests++;
    const carryOut = (isLate = false) =>
      isCreate ? this.#create(planned) : this.#change(planned, read?.began ?? sentAt, sentAt, isLate);
    if (how.startsWith("lie")) return this.#lie(how, planned, carryOut, sentAt);
    const soon =
      ["ok", "kill after", "lost, done", "answered", "refused, done"].includes(how) || how.startsWith("twice");
    const got = soon ? carryOut() : null;
    if (how === "twice") carryOut();
    const later = /(?:late|after) (\d+)$/.exec(how)?.[1];
    if (later !== undefined) this.#due.push({ at: this.now + Number(later), go: () => void carryOut(true) });
    this.tick();
    this.isKilled = how.startsWith("kill");
    this.#alive();
    if (how === "429")
      return { kind: "none", error: { like: "429", cause: LOST.cause }, retryAfterMs: 3, isLimited: true };
    if (how.startsWith("answered") && got !== "taken") return { kind: "lost", error: LOST, answered: true };
    if (how.startsWith("refused") || got === "taken")
      return { kind: "refused", error: LOST, status: 422, why: [{ message: "no" }] };
    if (got === "gone") return { kind: "gone", error: LOST };
    if (!got || how === "lost, done") return { kind: "lost", error: LOST };
    const { id, version, fields } = got;
    // If two rows get the same record, either may have created it.
    if (isCreate && got.by !== row) for (const one of [row, got.by]) this.faulted.add(Number(one));
    const differs = Object.entries(planned.do === "delete" ? {} : (planned.send ?? {})).flatMap(([name, sent]) =>
      fields[name] === sent ? [] : [[name, [sent, fields[name]] as const]],
    );
    const more = {
      ...(isCreate && this.#answerOf(got, sentAt)),
      ...(differs.length > 0 && { differs: Object.fromEntries(differs) }),
    };
    return { kind: "done", id, version, ...more };
  }

  // By these times, `whose` decides who created the record.
  #answerOf({ born }: Pick<Stored, "born">, sent: number) {
    return { born, status: 201, sent, dates: [sent, this.now] as const };
  }

  // Answers as if the request had been carried out as sent.
  #lie(how: string, { do: what, id }: PlannedRow, carryOut: () => Stored | "taken" | "gone", sentAt: number): Written {
    const got = how === "lie: no record" || how === "lie: as before" ? null : carryOut();
    this.tick();
    const [first] = this.records as [Stored];
    const answer = (of: Pick<Stored, "born">) => (what === "create" ? this.#answerOf(of, sentAt) : {});
    const done = { kind: "done", version: 0 } as const;
    if (how === "lie: another's id") return { ...done, ...answer(first), id: first.id, wasThere: true };
    if (how === "lie: no record") return { ...done, ...answer({ born: this.now }), id: 900 + this.requests };
    const record = got === null || typeof got === "string" ? this.#find(id) : got;
    if (record && how === "lie: other fields") record.fields.mark = "odd";
    if (record && how === "lie: moves w" && what !== "delete") record.fields.w = 9;
    return { ...done, ...(record && answer(record)), id: record?.id ?? Number(id), version: record?.version };
  }

  /** The journal's `append`: a line that is not written before the process ends is lost. */
  append(lines: Map<number, Fact[]>, fact: Fact): Promise<void> {
    this.#alive();
    lines.set(fact.row, [...(lines.get(fact.row) ?? []), fact]);
    if (fact.done)
      this.log.push(
        `@${this.now} ${this.running} row ${fact.row}: ${fact.done} ${fact.ids ?? fact.id ?? ""} ${fact.why?.[0]?.message ?? ""}`,
      );
    return Promise.resolve();
  }

  #alive(): void {
    if (this.isKilled) throw KILLED;
  }

  #request(): number {
    const began = this.now;
    this.requests++;
    this.tick();
    return began;
  }

  #unread(what: string): Error {
    this.log.push(`@${this.now} ${what} fails`);
    return UNREAD;
  }

  #find(id: number | undefined): Stored | undefined {
    return this.records.find((record) => record.id === id && record.goneBy === null);
  }

  #list(): Stored[] {
    const { lag = 0, hidden = [], order = "id" } = this.kind;
    const by = {
      id: (one: Stored, other: Stored) => one.id - other.id,
      newest: (one: Stored, other: Stored) => other.id - one.id,
      name: (one: Stored, other: Stored) => (one.key < other.key ? -1 : one.key > other.key ? 1 : one.id - other.id),
      mixed: (one: Stored, other: Stored) => ((one.id * 7) % 11) - ((other.id * 7) % 11) || one.id - other.id,
    }[order];
    const isShown = (record: Stored) =>
      record.goneBy === null &&
      record.shownFrom <= this.now &&
      record.born <= this.now - (record.by === "before" ? 0 : lag) &&
      !hidden.includes(record.by as number);
    return this.records.filter(isShown).sort(by);
  }

  #create({ row, key = "", send = {} }: PlannedRow): Stored | "taken" {
    return this.#make(row, key, send.mark);
  }

  #make(by: Stored["by"], key: string, mark: unknown): Stored | "taken" {
    const { store = (text: string) => text, unique, merges, shownAfter, rewritesFields } = this.kind;
    const stored = store(key);
    const before = this.records.find((one) => one.key === stored && one.goneBy === null);
    if (before && unique) return "taken";
    if (before && merges) return before;
    const late = shownAfter ? (shownAfter[this.#choose(shownAfter.length)] ?? 0) : 0;
    const fields = { mark: rewritesFields ? "m" : mark };
    const record = {
      id: this.#next++,
      key: stored,
      by,
      fields,
      version: 0,
      born: this.now,
      shownFrom: this.now + late,
      writes: [],
      goneBy: null,
    };
    this.records.push(record);
    return record;
  }

  #change(planned: PlannedRow, readAt: number, sentAt: number, isLate: boolean): Stored | "gone" {
    const { row, do: what, id, send = {} } = planned;
    const record = this.#find(id);
    if (!record) return "gone";
    const foreign = record.writes.filter(
      ({ by, at, field }) => by === "others" && at >= readAt && (what === "delete" || field in send),
    );
    if (foreign.length > 0 && !isLate && sentAt - readAt > 1)
      this.wrong.push(`I2 ${what} of ${id} overwrites what others wrote after it was read`);
    const isMoved = record.writes.some(({ by, field, at }) => by === "others" && field === "key" && at <= readAt);
    if (isMoved && planned.key && !isLate) this.wrong.push(`I2 changes ${id}, which is another's by now`);
    const writer = `${this.running} ${row}`;
    const first = record.writes.findIndex(({ by }) => by === writer);
    const isSetBack =
      first >= 0 && record.writes.slice(first).some(({ by, field }) => by === "others" && field in send);
    if (isSetBack && !isLate) this.wrong.push(`I2 ${what} of ${id}, which others have set back, is repeated`);
    if (what === "delete") {
      const isOthers =
        typeof record.by !== "number" || record.writes.some(({ by, at }) => by === "others" && at < readAt);
      if (isOthers) this.wrong.push(`I2 deletes ${id}, which others wrote`);
      record.goneBy = this.running;
      return record;
    }
    for (const [field, value] of Object.entries(send)) {
      const { stores } = this.kind;
      if (stores !== "ignored") record.fields[field] = stores === "normalised" && value === 5 ? 6 : value;
      record.writes.push({ by: writer, field, value, at: this.now });
    }
    record.version++;
    return record;
  }

  #others(): void {
    if (!this.kind.others || this.isQuiet) return;
    const acts: (readonly [string, () => void])[] = [["nothing", () => undefined]];
    const create = this.plan.find((row) => row.do === "create");
    if (create) {
      const { key = "", send = {} } = create;
      const make = (name: string, k: string, mark: unknown) =>
        acts.push([name, () => void this.#make("others", k, mark)]);
      make("the same record", key, send.mark);
      make("the same key", key, "other");
      make("the same fields", "quite other", send.mark);
      make("another record", "quite other", "other");
      make("a key akin", `${key} 2`, "other");
    }
    const planned = new Set(this.plan.map(({ id }) => id));
    for (const record of this.records) {
      if (record.goneBy !== null || record.by === "others" || (record.by === "before" && !planned.has(record.id)))
        continue;
      const set = (name: string, field: string, value: unknown) =>
        acts.push([
          name,
          () => {
            Object.assign(field === "key" ? record : record.fields, { [field]: value });
            record.version++;
            record.writes.push({ by: "others", field, value, at: this.now });
          },
        ]);
      if (record.by === "before") {
        set("another value", "v", 7);
        set("the value as before", "v", 0);
        set("the value as wished", "v", 5);
        set("another field", "w", 9);
        set("another key", "key", "moved");
      } else {
        set("an edit", "mark", "edited");
        set("another field", "z", 1);
      }
      const remove = () => {
        record.goneBy = "others";
      };
      acts.push([`delete ${record.id}`, remove]);
    }
    const [name, act] = acts[this.#choose(acts.length)] as (typeof acts)[number];
    if (name === "nothing") return;
    if (name === "the same record" || name === "the value as wished") this.remainder.add("R5");
    this.log.push(`@${this.now} others: ${name}`);
    act();
  }
}
