import { createHmac, randomBytes } from "node:crypto";
import { basename, resolve } from "node:path";
import { traitsOf, unwrap } from "../core/schema/traits.js";
import type { Files } from "../work/place/node-files.js";
import { GrowingFile } from "../work/place/node-growing-file.js";
import { replaceFile } from "../work/place/node-whole.js";
import { writeError } from "../work/place/problem.js";
import { BulkError } from "./errors.js";
import type { Values } from "./fields.js";
import { givenCounts, type RowCounts } from "./file/last-time.js";
import { type History, isWritten, type Trail, toBulkRow } from "./history.js";
import { alikeForm } from "./keys.js";
import { parentOf } from "./known.js";
import { type Header, rangesOf } from "./lines.js";
import type { LastRun } from "./missing.js";
import { keptName, keptPlans, newestKept } from "./node-kept.js";
import {
  damaged,
  headerIn,
  idsIn,
  type Line,
  lineIn,
  type MemoryHeader,
  type Night,
  type NightEnd,
  type Sent,
  sumOf,
  type UnsettledRow,
} from "./node-memory-lines.js";
import { historyOf, plannedRows, readState } from "./node-state.js";
import { anyField, type Target } from "./target.js";

// Values sent are forgotten after so many days on which the file was run.
const SENT_DAYS = 14;
const NIGHTS = 400;
// A file is written anew once it has this many more lines than what it must contain and a quarter of that.
const SPARE_LINES = 500;

/** Knowledge that the runs of a file leave for the next one: `<to>.memory`. Contains hashes of keys and values only. */
export class Memory {
  readonly #to: string;
  readonly #path: string;
  readonly #files: Files;
  #header: MemoryHeader;
  readonly #ids = new Map<number, number>();
  readonly #here = new Set<number>();
  readonly #open = new Map<number, UnsettledRow>();
  readonly #sent = new Map<string, Sent>();
  readonly #created = new Map<number, string>();
  readonly #nights: Night[] = [];
  #late: ReadonlySet<string> = new Set();
  #last: NightEnd | null = null;
  /** Lines of nights that are not in the file. */
  #new: string[] = [];
  /** Hash of all lines of the file. */
  #sum = "";
  /** Number of lines of the file, and its bytes up to the last night; null without a file. */
  #lines = 0;
  #size: number | null = null;

  private constructor(to: string, files: Files, { name: resource, api, transport }: Target) {
    this.#to = to;
    this.#path = `${resolve(to)}.memory`;
    this.#files = files;
    this.#header = { memory: 1, resource, api, address: transport.baseUrl, salt: randomBytes(16).toString("hex") };
  }

  /**
   * Reads the memory of a file; without one, takes the plans that earlier runs have kept. @param to null if there is
   * none, as in a database.
   * @throws BulkError `not_a_plan` or `other_plan` if it was changed, `other_school` if it belongs to another job.
   */
  static async of(to: string | null, target: Target, files: Files): Promise<Memory> {
    const memory = new Memory(to ?? "", files, target);
    if (to === null) return memory;
    const text = await files.read(memory.#path);
    if (text !== null) memory.#read(text);
    else for (const plan of (await newestKept(to, files)).reverse()) await memory.take(plan, target);
    return memory;
  }

  /** The resource of the memory of a file; null without a memory. */
  static async resourceIn(to: string, files: Files): Promise<Pick<Header, "resource" | "api" | "address"> | null> {
    const text = await files.read(`${resolve(to)}.memory`);
    return text === null ? null : headerIn(text, `${to}.memory`);
  }

  /** The end of the last night; null if there was none. */
  get last(): NightEnd | null {
    return this.#last;
  }

  /** When the last run was planned, and the `updated_at` of the records that it wrote, as long as its plan is kept. */
  async lastRun(): Promise<LastRun | null> {
    if (this.#last === null) return null;
    const { made, day, plan, sent } = this.#last;
    const paths = [keptName(this.#to, day, plan), this.#to].map((path) => resolve(path));
    let trails: Iterable<Trail> = [];
    for (const path of sent ? paths : []) {
      const state = await readState(path).catch(() => null);
      if (state?.end.digest === plan) trails = state.trails.values();
    }
    const versions = [...trails].flatMap(({ made: created, done }) => {
      const id = created?.id ?? done?.id;
      return id === undefined ? [] : [[id, done?.version ?? created?.version] as const];
    });
    return { made: Date.parse(made), versions: new Map(versions) };
  }

  get unsettled(): readonly UnsettledRow[] {
    return [...this.#open.values()];
  }

  /** Identifiers of the records that the rows of the last run without refused rows named. */
  get named(): ReadonlySet<number> {
    return this.#here;
  }

  /** The last night that sent requests. */
  get carriedOut(): Night | undefined {
    return this.#nights.findLast(({ sent }) => sent);
  }

  /** The kept plans that were continued since a time. */
  resumedSince(time: number): readonly string[] {
    const found = this.#nights.filter(({ sent, resumed }) => sent && resumed !== undefined && resumed >= time);
    return found.map(({ day, plan }) => keptName(this.#to, day, plan));
  }

  /** Hash of a key; nearly equal keys have the same. */
  keyIn(keys: readonly string[], list: Values, key: string): number {
    return this.#hash(["key", keys, list, alikeForm(key)]);
  }

  /** The record that had a key. */
  idOf(key: number): number | undefined {
    return this.#ids.get(key);
  }

  /** The last keys that were added, with their records. */
  get latest(): readonly (readonly [key: number, id: number])[] {
    return [...this.#ids].slice(-3);
  }

  unsettledOf(key: number): UnsettledRow | undefined {
    return this.#open.get(key);
  }

  /** The day of the first run that created records in a list. */
  createdIn(list: Values): string | null {
    return this.#created.get(this.#hash(["list", list])) ?? null;
  }

  /** True if a value was sent to a record and the service stored the other one instead. */
  isStored(id: number, path: string, value: unknown, stored: unknown): boolean {
    const { h, g } = this.#sent.get(`${id} ${path}`) ?? {};
    return g !== undefined && h === this.#tag(id, path, value) && g === this.#tag(id, path, stored);
  }

  /** Number of days on which a value was sent to a record. */
  daysSent(target: Target, id: number, path: string, value: unknown): number {
    const sent = this.#sent.get(`${id} ${path}`);
    return sent && this.#isLately(sent.day) && sent.h === this.#valueIn(target, id, path, value) ? sent.x : 0;
  }

  /** Takes in a finished plan, unless it is in already. {@link save} writes it. @returns null for another job's plan. */
  async take(path: string, target: Target): Promise<Night | null> {
    const state = await readState(path);
    const { header, end } = state;
    if (header.resource !== this.#header.resource || header.address !== this.#header.address) return null;
    const known = this.#nights.find(({ plan }) => plan === end.digest);
    if (known) return known;
    const lines: Line[] = [];
    const add = (line: Line) => {
      this.#fold(line);
      lines.push(line);
    };
    const day = header.made.slice(0, 10);
    const plan = keptName(basename(this.#to), day, end.digest);
    const named = new Set<number>();
    let [isSent, isWhole, resumed]: [boolean, boolean, number | undefined] = [false, true, undefined];
    for (const trail of state.trails.values()) {
      isSent ||= trail.attempts.length > 0;
      resumed = trail.resumed ?? resumed;
    }
    for await (const row of plannedRows(path, state)) {
      const history = historyOf(row, state);
      const { id, outcome } = toBulkRow(history);
      // A record that is in no row is not named by one.
      if (outcome === "refused" && !row.missing) isWhole = false;
      if (id !== null && !row.missing) named.add(id);
      const list = parentOf({ ...target, params: header.params ?? {} }, row.send ?? {});
      if (row.do === "create" && (history.made || outcome === "doubled")) {
        const created = this.#hash(["list", list]);
        if (!this.#created.has(created)) add({ created, day });
      }
      for (const line of this.#keyLines(history, id, { plan, key: header.key, params: header.params, list })) add(line);
      if (id !== null) for (const line of this.#sentLines(target, history, id, day)) add(line);
    }
    const rangesOnlyIn = (from: ReadonlySet<number>, than: ReadonlySet<number>) =>
      rangesOf([...from].filter((id) => !than.has(id)));
    const [joined, left] = [rangesOnlyIn(named, this.#here), rangesOnlyIn(this.#here, named)];
    if (joined.length > 0) add({ in: joined });
    // A refused row may name any of the others.
    if (isWhole && left.length > 0) add({ out: left });
    const { create, update, leave, refuse, fields } = givenCounts(end as unknown as RowCounts);
    const { keyMark, shown, made } = header;
    const night = { plan: end.digest, day, sent: isSent, resumed, keyMark, shown, made };
    add({ night: { ...night, counts: { create, update, leave, refuse, ...(fields && { fields }) } } });
    this.#new.push(...lines.map((line) => JSON.stringify(line)));
    return night;
  }

  /** Ends the doubt about a row. {@link save} writes it. @param id its record, if it has one. */
  settle(shut: number, id: number | undefined): void {
    this.#fold({ shut });
    if (id !== undefined) this.#fold({ k: shut, i: id });
    this.#lines = Number.POSITIVE_INFINITY;
  }

  /** Adds the plans that were taken in to the file. After an error, the file is as it was. */
  async save(): Promise<void> {
    for (const [name, { day, g }] of this.#sent) if (g === undefined && !this.#isLately(day)) this.#sent.delete(name);
    const needed = this.#ids.size + this.#sent.size + this.#open.size + this.#nights.length;
    const isAnew = this.#size === null || this.#lines + this.#new.length > 1.25 * needed + SPARE_LINES;
    if (!isAnew && this.#new.length === 0) return;
    if (this.#last === null) return;
    try {
      await (isAnew ? this.#replace() : this.#append());
    } catch (error) {
      if (error instanceof BulkError) throw error;
      const kept = "Nothing is lost: the plan is as it was";
      throw new BulkError("stopped", (writeError(this.#path, error, kept, "run again") as Error).message, error);
    }
    this.#new = [];
  }

  /** Removes the plans of finished runs, except those of the last days on which the file was run. */
  async prune(keep: number): Promise<void> {
    const days = this.#lastDays(keep);
    const kept = new Set(await keptPlans(this.#to, this.#files));
    for (const { plan, day } of this.#nights) {
      const path = resolve(keptName(this.#to, day, plan));
      if (!days.has(day) && kept.has(path)) await this.#files.remove(path);
    }
  }

  *#keyLines(
    history: History,
    id: number | null,
    from: Pick<UnsettledRow, "plan" | "key" | "params" | "list">,
  ): Generator<Line, void, undefined> {
    const { row, attempts, made } = history;
    if (row.key === undefined || from.key.includes("id")) return;
    const open = this.keyIn(from.key, from.list, row.key);
    if (id !== null && this.#ids.get(open) !== id) yield { k: open, i: id };
    if (isUnsettled(history)) yield { open, row: row.row, ...from, at: attempts.at(-1)?.at ?? 0, id: made?.id };
    else if (id !== null && this.#open.has(open)) yield { shut: open };
  }

  *#sentLines(target: Target, history: History, id: number, day: string): Generator<Line, void, undefined> {
    const { outcome, confirmed, differs, send } = toBulkRow(history);
    if (!isWritten(outcome)) return;
    for (const [f, value] of Object.entries(send)) {
      const stored = differs[f]?.[1];
      const isOtherForm = typeof value === "string" && typeof stored === "string";
      // A later run sends the value again, and counts it then.
      const isCounted = outcome === "updated" && confirmed !== false;
      if (!isOtherForm && !isCounted) continue;
      const g = isOtherForm ? this.#tag(id, f, stored) : undefined;
      const h = isOtherForm ? this.#tag(id, f, value) : this.#valueIn(target, id, f, value);
      const before = this.#sent.get(`${id} ${f}`);
      const isSame = before !== undefined && before.h === h && this.#isLately(before.day);
      yield { s: id, f, h, g, day, x: isSame ? before.x + Number(before.day !== day) : 1 };
    }
  }

  #fold(line: Line): void {
    const { k, i, shut, s, f, created, night, was, day = "", x = 1, h, g } = line;
    if (k !== undefined && i !== undefined) this.#ids.set(k, i);
    for (const id of idsIn(line.in)) this.#here.add(id);
    for (const id of idsIn(line.out)) this.#here.delete(id);
    if (line.open !== undefined) this.#open.set(line.open, line as UnsettledRow);
    if (shut !== undefined) this.#open.delete(shut);
    if (created !== undefined) this.#created.set(created, day);
    if (s !== undefined) this.#sent.set(`${s} ${f}`, { h, g, day, x });
    const past = was ?? night;
    if (past) this.#nights.push({ plan: past.plan, day: past.day, sent: past.sent, resumed: past.resumed });
    if (past) this.#late = this.#lastDays(SENT_DAYS);
    if (night) this.#last = night;
  }

  // Lines after the last night were not written completely.
  #read(text: string): void {
    this.#header = headerIn(text, `${this.#to}.memory`, this.#header);
    let [pending, size, sum]: [(Line | null)[], number, string] = [[], 0, ""];
    for (const one of text.slice(0, text.lastIndexOf("\n")).split("\n")) {
      size += Buffer.byteLength(one) + 1;
      const line = lineIn(one);
      pending.push(line);
      sum = sumOf(sum, line?.sum === undefined ? one : one.slice(0, one.lastIndexOf(',"sum":')));
      if (line?.sum === undefined) continue;
      if (line.sum !== sum) throw damaged(`${this.#to}.memory`, "was changed after it was written");
      for (const fact of pending) this.#fold(fact ?? {});
      this.#lines += pending.length;
      [pending, this.#size, this.#sum] = [[], size, sum];
    }
    if (this.#size === null) throw damaged(`${this.#to}.memory`, "is not complete");
  }

  async #append(): Promise<void> {
    const file = await GrowingFile.open(this.#path, 0o600, this.#files);
    try {
      if (file.size < (this.#size ?? 0)) throw damaged(`${this.#to}.memory`, "was changed by another process");
      await file.cut(this.#size ?? 0);
      const bytes = Buffer.from(this.#seal(this.#new));
      await file.append(bytes);
      this.#size = file.size;
    } finally {
      await file.close();
    }
  }

  async #replace(): Promise<void> {
    this.#nights.splice(0, this.#nights.length - NIGHTS);
    const facts: Line[] = [
      ...[...this.#ids].map(([k, i]) => ({ k, i })),
      { in: rangesOf(this.#here) },
      ...this.#open.values(),
      ...[...this.#sent].map(([name, sent]) => {
        const at = name.indexOf(" ");
        return { s: Number(name.slice(0, at)), f: name.slice(at + 1), ...sent };
      }),
      ...[...this.#created].map(([created, day]) => ({ created, day })),
      ...this.#nights.slice(0, -1).map((was) => ({ was })),
      ...(this.#last ? [{ night: this.#last }] : []),
    ];
    this.#sum = "";
    this.#lines = 0;
    const text = this.#seal([this.#header, ...facts].map((line) => JSON.stringify(line)));
    const replacement = { path: this.#path, part: `${this.#path}.part`, mode: 0o600, kept: null };
    await replaceFile(replacement, text, this.#files);
    this.#size = Buffer.byteLength(text);
  }

  // Adds to the end of each night a hash of it and of all lines before it, so that no line can be changed or moved.
  #seal(lines: readonly string[]): string {
    const sealed = lines.map((line) => {
      const isEnd = line.startsWith('{"night":');
      const told = isEnd ? line.slice(0, -1) : line;
      this.#sum = sumOf(this.#sum, told);
      return isEnd ? `${told},"sum":"${this.#sum}"}` : line;
    });
    this.#lines += lines.length;
    return `${sealed.join("\n")}\n`;
  }

  // Numbers take less memory than texts. Of 10,000 keys, two have the same hash once in 10^8 files.
  #hash(parts: readonly unknown[]): number {
    return Number.parseInt(this.#mac(parts).slice(0, 13), 16);
  }

  // Enough to recognize a value, and too little to find it by trying: one of 65,536 values has the same.
  #tag(id: number, path: string, value: unknown): string {
    return this.#mac(["value", id, path, typeof value === "object" ? value : String(value)]).slice(0, 4);
  }

  #valueIn(target: Target, id: number, path: string, value: unknown): string | undefined {
    const field = anyField(target, path);
    const isChoice = typeof value === "boolean" || (field && traitsOf(unwrap(field.schema)).kind === "enumeration");
    return isChoice ? undefined : this.#tag(id, path, value);
  }

  #mac(parts: readonly unknown[]): string {
    return createHmac("sha256", this.#header.salt).update(JSON.stringify(parts)).digest("hex");
  }

  #isLately(day: string): boolean {
    return this.#late.has(day);
  }

  // The last days on which the file was run. They are counted, because a clock may have been set.
  #lastDays(count: number): ReadonlySet<string> {
    const days = new Set<string>();
    for (const { day } of this.#nights.toReversed()) if (days.size < count) days.add(day);
    return days;
  }
}
/** True if no other row may create the record of a row of a finished plan. */
function isUnsettled({ row, done, confirmed, stored }: History): boolean {
  if (row.do !== "create") return false;
  const isUnknown = done === null || done.done === "unknown" || confirmed === false;
  return isUnknown || stored !== null || done.done === "doubled";
}
