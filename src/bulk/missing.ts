import { hashOf } from "../core/fingerprint.js";
import { type Tester, testerOf } from "../work/fields/tester.js";
import { HOLD_ABOVE, isHeld } from "../work/hold.js";
import { current, timeOf, type Values } from "./fields.js";
import type { MissingCounts } from "./file/last-time.js";
import { alikeForm, type FirstRows, spellKey, whyNoNewKey } from "./keys.js";
import { keysOf } from "./known.js";
import type { PlannedRow } from "./lines.js";
import type { MissingSettings, PlanSettings } from "./node-plan-settings.js";
import { problemText, rowValue } from "./problem-text.js";
import { type Decision, decide, decideState, type Reading, type ReadRow, readRow, refusal } from "./row.js";
import type { BulkRecord } from "./service.js";
import { anyField, stateOf } from "./target.js";
import { SKEW_MS } from "./whose.js";

/** The last run of the same file: when it was planned, and the `updated_at` of the records that it wrote. */
export interface LastRun {
  readonly made: number;
  readonly versions: ReadonlyMap<number, unknown>;
}

export type MissingRow = Omit<PlannedRow, "row">;

/** Finds the records that meet a condition and that no row names, and decides what to do with them. */
export class Missing {
  readonly #settings: PlanSettings;
  readonly #missing: MissingSettings;
  readonly #tester: Tester;
  readonly #keyOf: (record: Values) => string | null;
  /** The records that meet the condition, with the fields that planning needs. */
  readonly #records = new Map<number, BulkRecord>();
  /** The records that rows name by key, or named in an earlier run. */
  readonly #named = new Set<number>();
  #isMatched = false;
  /** The first row without a reliable key, which may therefore mean any record. */
  #unread: number | null = null;
  /** Rows that match no record, by a hash of the person's name. */
  readonly #people = new Map<number, number>();
  /** The combinations of name fields in the rows of `#people`, by their joined paths. */
  readonly #names = new Map<string, readonly string[]>();

  /** @param zone the time zone of the days in the condition. */
  constructor(settings: PlanSettings, missing: MissingSettings, zone: string) {
    this.#settings = settings;
    this.#missing = missing;
    const now = settings.target.transport.settings.clock.now();
    this.#tester = testerOf(missing.condition, { now, zone });
    this.#keyOf = keysOf(settings.target, settings.keys);
  }

  /** Notes the records of a page. If a record appears twice, its last version counts. */
  list(records: readonly BulkRecord[], kept: readonly string[]): void {
    for (const record of records) {
      const fields = Object.fromEntries(["id", "updated_at", ...kept].map((name) => [name, record[name]]));
      if (this.#tester.holds(record)) this.#records.set(record.id, fields as unknown as BulkRecord);
      else this.#records.delete(record.id);
    }
  }

  name(ids: readonly number[], isMatch = false): void {
    for (const id of ids) this.#named.add(id);
    this.#isMatched ||= isMatch;
  }

  unmatched(row: number, { key, values }: ReadRow): void {
    if (key === null || whyNoNewKey(key) !== null) this.#unread ??= row;
    const paths = Object.keys(values).filter((path) => NAME.test(path) && !this.#settings.keys.includes(path));
    const person = this.#personOf(paths, (path) => values[path]);
    if (person === null) return;
    this.#names.set(paths.join(), paths);
    if (!this.#people.has(person)) this.#people.set(person, row);
  }

  #personOf(paths: readonly string[], readAt: (path: string) => unknown): number | null {
    const names = paths.map(readAt);
    if (!names.some((name) => typeof name === "string" && name !== "")) return null;
    return hashOf(JSON.stringify([paths, names.map((name) => alikeForm(String(name ?? "")))]));
  }

  /** The plan's rows for records missing from the source. @param short true if the list does not show all records. */
  rows(
    reading: Reading,
    first: FirstRows,
    last: LastRun | null | undefined,
    short: boolean,
    isAllowed: boolean,
  ): readonly MissingRow[] {
    const found = [...this.#records.values()].flatMap((record) => {
      if (this.#named.has(record.id)) return [];
      const key = this.#keyOf(record);
      const decision = this.#decide(reading, record);
      const why = decision && isWrite(decision) ? this.#whyNot(record, key, first, last) : null;
      return decision ? [{ record, key, decision: why === null ? decision : refusal(why) }] : [];
    });
    const going = found.filter(({ decision }) => isWrite(decision)).length;
    const held = this.#whyHeld(going, short, isAllowed);
    return found.map(({ record, key, decision }) => {
      const final = held !== null && isWrite(decision) ? refusal(held) : decision;
      const { do: what, send, before, why } = final;
      const text = problemText`${key === null ? rowValue(record.id) : rowValue(spellKey(key))} is in no row`;
      const times = { created: timeOf(record.created_at), version: timeOf(record.updated_at) };
      return {
        do: what,
        key: key ?? undefined,
        id: record.id,
        ...(isWrite(final) && { ...(send && { send }), ...(before && { before }), ...times }),
        why: [text, ...(why ?? [])].map(({ message, ...rest }) => ({ ...rest, message })),
        missing: true as const,
      };
    });
  }

  counts(rows: readonly MissingRow[]): MissingCounts {
    const of = this.#records.size;
    const count = (what: PlannedRow["do"]) => rows.filter((row) => row.do === what).length;
    return {
      do: this.#missing.do,
      of,
      update: count("update"),
      delete: count("delete"),
      leave: count("leave"),
      refuse: count("refuse"),
    };
  }

  // Null if the record already has the wanted state.
  #decide(reading: Reading, record: BulkRecord): Decision | null {
    const { do: what, set } = this.#missing;
    const { id } = record;
    if (what === "list") return { do: "leave", id };
    if (what === "delete") return { do: "delete", id, before: {} };
    if (what !== "update") {
      const { target } = this.#settings;
      const decision = decideState(stateOf((target.missing ?? target).rows), record, id);
      return decision?.do === "leave" ? null : decision;
    }
    const byId = { ...reading, keys: ["id"], columns: null };
    const decision = decide(byId, readRow(byId, { id, ...set }), { ids: [id], record });
    return decision.do === "leave" && !decision.why ? null : decision;
  }

  // Explains why a record is only reported and not written.
  #whyNot(record: BulkRecord, key: string | null, first: FirstRows, last: LastRun | null | undefined) {
    const alike = key === null ? null : first.find(key);
    if (alike !== null)
      return problemText`row ${rowValue(alike)} has nearly the same key: correct the row or the record`;
    for (const paths of this.#names.values()) {
      const person = this.#personOf(paths, (path) => this.#valueOf(record, path));
      const row = person === null ? undefined : this.#people.get(person);
      if (row !== undefined)
        return problemText`row ${rowValue(row)} has the same name and matches no record: if it means this record, correct the key`;
    }
    if (!last) return null;
    const since = last.made - SKEW_MS;
    const [created, updated] = [timeOf(record.created_at), timeOf(record.updated_at)];
    if (Number(created) >= since && last.versions.get(record.id) === undefined)
      return problemText`was created since the last run, so it stays as it is until the next one`;
    if (Number(updated) >= since && updated !== last.versions.get(record.id))
      return problemText`was changed since the last run, so it stays as it is until the next one`;
    return null;
  }

  #valueOf(record: Values, path: string): unknown {
    const field = anyField(this.#settings.target, path);
    return field && current(record, field);
  }

  #whyHeld(going: number, short: boolean, isAllowed: boolean) {
    const stays = "so records that no row names stay as they are";
    if (!this.#isMatched) return problemText`no row matches any record, ${stays}`;
    if (this.#unread !== null)
      return problemText`row ${rowValue(this.#unread)} has no key and may mean this record, ${stays}`;
    if (short) return problemText`the list does not show all records, ${stays}`;
    const of = this.#records.size;
    if (isAllowed || !isHeld(going, of, HOLD_ABOVE)) return null;
    const option = `${this.#settings.words.option("allow")} many_missing`;
    return problemText`${rowValue(going)} of ${rowValue(of)} records would be changed or deleted, more than ${String(HOLD_ABOVE.rows)} and more than a tenth. If this is intended, pass ${option}`;
  }
}

const NAME = /(^|[._])\w*name$/;

function isWrite({ do: what }: Pick<Decision, "do">): boolean {
  return what === "update" || what === "delete";
}
