import { createHmac, randomBytes } from "node:crypto";
import { basename, resolve } from "node:path";
import { traitsOf, unwrap } from "../core/schema/traits.js";
import type { Files } from "../work/place/node-files.js";
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
  idsIn,
  type Line,
  type MemoryHeader,
  type Night,
  type NightEnd,
  readLines,
  type Sent,
  sealLines,
  type UnsettledRow,
} from "./node-memory-lines.js";
import { historyOf, plannedRows, readState } from "./node-state.js";
import { anyField, type Target } from "./target.js";

// Sent values are forgotten once the file has been run on this many later days.
const SENT_DAYS = 14;
const NIGHTS = 400;

/** State that the runs of a file keep for the next run, in `<to>.memory`. Contains only hashes of keys and values. */
export class Memory {
  readonly #to: string;
  readonly #path: string;
  readonly #files: Files;
  #header: MemoryHeader;
  readonly #ids = new Map<number, number>();
  #here: ReadonlySet<number> = new Set();
  readonly #open = new Map<number, UnsettledRow>();
  readonly #sent = new Map<string, Sent>();
  readonly #created = new Map<number, string>();
  /** The runs, oldest first; only the last has all fields of `NightEnd`. */
  readonly #nights: (Night | NightEnd)[] = [];
  #late: ReadonlySet<string> = new Set();
  #isChanged = false;

  private constructor(to: string, files: Files, { name: resource, api, transport }: Target) {
    this.#to = to;
    this.#path = `${resolve(to)}.memory`;
    this.#files = files;
    this.#header = { memory: 1, resource, api, address: transport.baseUrl, salt: randomBytes(16).toString("hex") };
  }

  /**
   * Reads `<to>.memory`; without that file, builds its content from the plans that earlier runs have kept. @param to
   * null if the plan is not a file.
   * @throws BulkError `not_a_plan` or `other_plan` if the file was changed, `other_school` if it belongs to another
   * resource or school.
   */
  static async of(to: string | null, target: Target, files: Files): Promise<Memory> {
    const memory = new Memory(to ?? "", files, target);
    if (to === null) return memory;
    const text = await files.read(memory.#path);
    if (text !== null) memory.#read(text);
    else for (const plan of (await newestKept(to, files)).reverse()) await memory.take(plan, target);
    return memory;
  }

  /** The header of `<to>.memory`; null without that file. */
  static async resourceIn(to: string, files: Files): Promise<Pick<Header, "resource" | "api" | "address"> | null> {
    const text = await files.read(`${resolve(to)}.memory`);
    return text === null ? null : readLines(text, `${to}.memory`)[0];
  }

  get last(): NightEnd | null {
    return (this.#nights.at(-1) as NightEnd | undefined) ?? null;
  }

  /** The last run; `versions` is empty if its plan is no longer kept. Null if there was none. */
  async lastRun(): Promise<LastRun | null> {
    if (this.last === null) return null;
    const { made, day, plan, sent } = this.last;
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

  /** Identifiers of the records that rows have named since the last run without refused rows, including that run. */
  get named(): ReadonlySet<number> {
    return this.#here;
  }

  get carriedOut(): Night | undefined {
    return this.#nights.findLast(({ sent }) => sent);
  }

  /** The kept plans that were continued after an interruption since `time`. */
  resumedSince(time: number): readonly string[] {
    const found = this.#nights.filter(({ sent, resumed }) => sent && resumed !== undefined && resumed >= time);
    return found.map(({ day, plan }) => keptName(this.#to, day, plan));
  }

  /** Hash of a key; nearly equal keys have the same hash. */
  keyIn(keys: readonly string[], list: Values, key: string): number {
    return this.#hash(["key", keys, list, alikeForm(key)]);
  }

  /** The record that had a key in an earlier run. */
  idOf(key: number): number | undefined {
    return this.#ids.get(key);
  }

  /** The last three keys that were added, with their records. */
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

  /** True if a value was sent to a record and the service stored `stored` instead. */
  isStored(id: number, path: string, value: unknown, stored: unknown): boolean {
    const { h, g } = this.#sent.get(`${id} ${path}`) ?? {};
    return g !== undefined && h === this.#tag(id, path, value) && g === this.#tag(id, path, stored);
  }

  /** Number of days on which a value was sent to a record. */
  daysSent(target: Target, id: number, path: string, value: unknown): number {
    const sent = this.#sent.get(`${id} ${path}`);
    return sent && this.#late.has(sent.day) && sent.h === this.#valueIn(target, id, path, value) ? sent.x : 0;
  }

  /**
   * Adds a finished plan, unless it was already added. {@link save} writes it. @returns null for a plan of another
   * resource or school.
   */
  async take(path: string, target: Target): Promise<Night | null> {
    const state = await readState(path);
    const { header, end } = state;
    if (header.resource !== this.#header.resource || header.address !== this.#header.address) return null;
    const known = this.#nights.find(({ plan }) => plan === end.digest);
    if (known) return known;
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
      // Rows for records that the source does not name do not count.
      if (outcome === "refused" && !row.missing) isWhole = false;
      if (id !== null && !row.missing) named.add(id);
      const list = parentOf({ ...target, params: header.params ?? {} }, row.send ?? {});
      if (row.do === "create" && (history.made || outcome === "doubled") && this.createdIn(list) === null)
        this.#created.set(this.#hash(["list", list]), day);
      this.#noteKey(history, id, { plan, key: header.key, params: header.params, list });
      if (id !== null) this.#noteSent(target, history, id, day);
    }
    // A refused row may name any record that was named before, so all of these are kept.
    this.#here = new Set([...(isWhole ? [] : this.#here), ...named]);
    const { create, update, leave, refuse, fields } = givenCounts(end as unknown as RowCounts);
    const { keyMark, shown, made } = header;
    const counts = { create, update, leave, refuse, ...(fields && { fields }) };
    // A change that somebody else had already made counts as carried out.
    const sent = isSent || (header.change !== undefined && update > 0);
    const night = { plan: end.digest, day, sent, resumed, keyMark, shown, made, counts };
    this.#addNight(night);
    this.#isChanged = true;
    return night;
  }

  /** Removes a create from the unsettled rows. {@link save} writes it. @param id the row's record, if it has one. */
  settle(open: number, id: number | undefined): void {
    this.#open.delete(open);
    if (id !== undefined) this.#ids.set(open, id);
    this.#isChanged = true;
  }

  /** Replaces the file; after an error, the file is unchanged. */
  async save(): Promise<void> {
    if (!this.#isChanged) return;
    for (const [name, { day, g }] of this.#sent) if (g === undefined && !this.#late.has(day)) this.#sent.delete(name);
    try {
      const replacement = { path: this.#path, part: `${this.#path}.part`, mode: 0o600, kept: null };
      await replaceFile(replacement, sealLines(this.#lines()), this.#files);
    } catch (error) {
      const kept = "Nothing is lost: the plan is as it was";
      throw new BulkError("stopped", (writeError(this.#path, error, kept, "run again") as Error).message, error);
    }
    this.#isChanged = false;
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

  #noteKey(history: History, id: number | null, from: Pick<UnsettledRow, "plan" | "key" | "params" | "list">): void {
    const { row, attempts, made } = history;
    if (row.key === undefined || from.key.includes("id")) return;
    const open = this.keyIn(from.key, from.list, row.key);
    if (id !== null) this.#ids.set(open, id);
    if (isUnsettled(history))
      this.#open.set(open, { open, row: row.row, ...from, at: attempts.at(-1)?.at ?? 0, id: made?.id });
    else if (id !== null) this.#open.delete(open);
  }

  #noteSent(target: Target, history: History, id: number, day: string): void {
    const { outcome, confirmed, differs, send } = toBulkRow(history);
    if (!isWritten(outcome)) return;
    for (const [f, value] of Object.entries(send)) {
      const stored = differs[f]?.[1];
      const isOtherForm = typeof value === "string" && typeof stored === "string";
      // An unconfirmed value is not counted: a later run sends and counts it.
      const isCounted = outcome === "updated" && confirmed !== false;
      if (!isOtherForm && !isCounted) continue;
      const g = isOtherForm ? this.#tag(id, f, stored) : undefined;
      const h = isOtherForm ? this.#tag(id, f, value) : this.#valueIn(target, id, f, value);
      const before = this.#sent.get(`${id} ${f}`);
      const isSame = before !== undefined && before.h === h && this.#late.has(before.day);
      this.#sent.set(`${id} ${f}`, { h, g, day, x: isSame ? before.x + Number(before.day !== day) : 1 });
    }
  }

  #addNight(night: Night | NightEnd): void {
    this.#nights.push(night);
    this.#late = this.#lastDays(SENT_DAYS);
  }

  #read(text: string): void {
    const [header, ...lines] = readLines(text, `${this.#to}.memory`, this.#header);
    this.#header = header;
    for (const { k, i, in: named, open, s, f, created, was, night, day = "", x = 1, h, g, ...line } of lines) {
      if (k !== undefined && i !== undefined) this.#ids.set(k, i);
      if (named) this.#here = new Set(idsIn(named));
      if (open !== undefined) this.#open.set(open, { open, ...line } as UnsettledRow);
      if (s !== undefined) this.#sent.set(`${s} ${f}`, { h, g, day, x });
      if (created !== undefined) this.#created.set(created, day);
      const run = was ?? night;
      if (run) this.#addNight(run);
    }
  }

  #lines(): Line[] {
    return [
      this.#header,
      ...[...this.#ids].map(([k, i]) => ({ k, i })),
      { in: rangesOf(this.#here) },
      ...this.#open.values(),
      ...[...this.#sent].map(([name, sent]) => {
        const at = name.indexOf(" ");
        return { s: Number(name.slice(0, at)), f: name.slice(at + 1), ...sent };
      }),
      ...[...this.#created].map(([created, day]) => ({ created, day })),
      ...this.#nights.slice(-NIGHTS, -1).map(({ plan, day, sent, resumed }) => ({ was: { plan, day, sent, resumed } })),
      { night: this.last as NightEnd },
    ];
  }

  // Numbers take less memory than texts. Among 10,000 keys, two share a hash with a chance of one in 10^8.
  #hash(parts: readonly unknown[]): number {
    return Number.parseInt(this.#mac(parts).slice(0, 13), 16);
  }

  // Four digits suffice to recognize a value, but not to find it by trying: one in 65,536 values has the same hash.
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

  // Counts only days on which the file was run, because the clock may have been changed.
  #lastDays(count: number): ReadonlySet<string> {
    const days = new Set<string>();
    for (const { day } of this.#nights.toReversed()) if (days.size < count) days.add(day);
    return days;
  }
}

/** True if later runs must not create a row's record, because that record may already exist. */
function isUnsettled({ row, done, confirmed, stored }: History): boolean {
  if (row.do !== "create") return false;
  const isUnknown = done === null || done.done === "unknown" || confirmed === false;
  return isUnknown || stored !== null || done.done === "doubled";
}
