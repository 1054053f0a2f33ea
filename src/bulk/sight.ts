import { flatten, type Values } from "./fields.js";
import type { History, Made } from "./history.js";
import { type Kinship, keyKinship, stateOf } from "./kin.js";
import { isSeen, type PlannedRow } from "./lines.js";
import { type Context, type Judgement, type Manners, type Seen, type Sent, scaleOf, timeOf, whose } from "./whose.js";

/** A record that the list shows now, but did not show when the plan was made. */
export interface Shown {
  readonly id: number;
  readonly key: string | null;
  readonly record: Values;
  /** `created_at` and `updated_at` of the record; undefined if it has none. */
  readonly created?: unknown;
  readonly version?: unknown;
}

/** One search for records created since the plan was made, in the list or by key. */
export interface Look {
  /** When its first request was sent. */
  readonly began: number;
  /** When its last response arrived. Default: `began`. */
  readonly ended?: number;
  readonly whole: boolean;
  readonly ascending: boolean;
  readonly shown: readonly Shown[];
  /** Some of the records that the list showed when the plan was made. */
  readonly older?: readonly Values[];
  /** Ranges of the identifiers that the list showed when the plan was made. */
  readonly seen?: readonly number[];
  /** `created_at` of the newest record that the plan saw, in milliseconds since the epoch. */
  readonly since?: number;
  /** The rows whose keys were looked up; absent if the list was read. */
  readonly asked?: ReadonlySet<number>;
}

/**
 * True if a record has the value that a row sends for a path. Always true for the key of a create, which is compared
 * separately.
 */
export type SameField = (row: PlannedRow, path: string, expected: unknown, record: Values) => boolean;

export interface Comparisons {
  readonly same: SameField;
  /** Undefined if the record does not show the field. */
  currentValue(row: PlannedRow, path: string, record: Values): unknown;
  readonly keys: readonly string[];
}

// At most this many identifiers are reported, because a person would hardly check more records.
const MOST_IDS = 20;

/** A record named by the response to a create of this plan. */
interface Own {
  readonly history: History & { readonly made: Made };
  readonly seen: Seen;
}

/** The evidence from one search about the creates of a plan, including creates that are sent after it. */
export class Sight {
  readonly look: Look;
  readonly #settings: Comparisons;
  readonly #shown = new Map<number, Shown>();
  /** Records that no row is known to have created. */
  readonly #free = new Map<number, Shown>();
  readonly #freeByKey = new Map<string | null, Set<Shown>>();
  readonly #doubts = new Map<string, PlannedRow>();
  /** For each record, the row first known to have created it, and since when. */
  readonly #owners = new Map<number, { readonly row: number; readonly at: number }>();
  readonly #missing = new Set<number>();
  /** When the newest record in `#missing` was created. */
  missedAt = Number.NEGATIVE_INFINITY;
  readonly #rows = new Map<number, PlannedRow>();
  readonly #rowsByKey = new Map<string, number>();
  readonly #own = new Map<number, Own>();
  readonly #sends = new WeakMap<PlannedRow, Values>();
  #isTaken = false;
  #latest = Number.NEGATIVE_INFINITY;
  /** How the service treats creates; null if not computed since another record of this plan became known. */
  #learned: Learned | null = null;

  constructor(look: Look, creates: readonly History[], settings: Comparisons) {
    this.look = look;
    this.#settings = settings;
    for (const one of look.shown) {
      this.#shown.set(one.id, one);
      this.#free.set(one.id, one);
      const equal = this.#freeByKey.get(one.key);
      if (equal) equal.add(one);
      else this.#freeByKey.set(one.key, new Set([one]));
    }
    for (const { row } of creates) this.#rowsByKey.set(row.key ?? "", row.row);
    for (const history of creates) this.note(history);
  }

  note(history: History): void {
    const { row, made, attempts, done } = history;
    const { key = "" } = row;
    this.#rows.set(row.row, row);
    this.#rowsByKey.set(key, row.row);
    if (done?.done === "stale") this.#isTaken = true;
    if (!made && attempts.length > 0) {
      this.#doubts.set(key, row);
      return;
    }
    if (this.#doubts.get(key)?.row === row.row) this.#doubts.delete(key);
    if (!made) return;
    const owner = this.#owners.get(made.id);
    if (!owner || made.at < owner.at) this.#owners.set(made.id, { row: row.row, at: made.at });
    if (owner) {
      // If the responses to two rows named the same record, neither proves anything.
      if (owner.row !== row.row && this.#own.delete(owner.row)) this.#learned = null;
      return;
    }
    const shown = this.#shown.get(made.id);
    const isAsked = this.look.asked?.has(row.row) ?? true;
    if (!shown) {
      if (made.at > this.look.began || !isAsked) return;
      this.#missing.add(made.id);
      this.missedAt = Math.max(this.missedAt, made.at);
      return;
    }
    // If the key shows that a response named another row's record, the record stays free for that row.
    if ((this.#rowsByKey.get(shown.key ?? "") ?? row.row) === row.row || keyKinship(shown.key, key) !== "other") {
      this.#free.delete(shown.id);
      this.#freeByKey.get(shown.key)?.delete(shown);
    }
    this.#latest = Math.max(this.#latest, attempts.at(-1)?.at ?? made.at);
    if (made.found) return;
    this.#own.set(row.row, { history: { ...history, made }, seen: this.#seenBy(row, shown) });
    this.#learned = null;
  }

  /** Records that this plan created before the search, but that the search does not show. */
  get missing(): readonly number[] {
    return [...this.#missing].slice(0, MOST_IDS);
  }

  /** The greatest identifier known when the search began; null if identifiers do not ascend in the list. */
  get highest(): number | null {
    if (!this.look.ascending) return null;
    return this.look.shown.reduce((most, { id }) => Math.max(most, id), this.look.seen?.at(-1) ?? 0);
  }

  /** True if the search found a record whose create was sent at this time or later. */
  showsSentSince(at: number): boolean {
    return this.#latest >= at;
  }

  recordOf({ made }: History): Shown | undefined {
    return made ? this.#shown.get(made.id) : undefined;
  }

  /** Judges whether the record attributed to a create was really made by it. */
  judge(history: History): Judgement {
    const shown = this.recordOf(history);
    if (shown) return this.#judge(history, shown);
    const { row, made } = history;
    const isOthers = made && (this.#owners.get(made.id)?.row !== row.row || isSeen(this.look.seen ?? [], made.id));
    const judgement = whose(null, this.#sentBy(row), this.#contextOf(history));
    return isOthers ? { ...judgement, verdict: "another's" } : judgement;
  }

  /** Records with the row's key, except those that another unresolved row may have created. */
  recordsWithKey({ row }: History): readonly Shown[] {
    return [...(this.#freeByKey.get(row.key ?? "") ?? [])].filter((one) => !this.#isExplained(row, one));
  }

  /**
   * The records with the row's key that also have the values sent, except in fields that the service is known to
   * rewrite.
   */
  matchingRecords(history: History): readonly Shown[] {
    return this.recordsWithKey(history).filter((one) => {
      const { verdict, otherwise } = this.#judge(history, one);
      return verdict !== "another's" && otherwise.length === 0;
    });
  }

  /** Records of unknown origin that may be the row's own; with `areKin`, only those with a variant of its key. */
  possibleIds(history: History, areKin = false): readonly number[] {
    const ids: number[] = [];
    for (const one of this.#free.values()) {
      if (this.#isExplained(history.row, one)) continue;
      if (areKin && keyKinship(one.key, history.row.key) === "other") continue;
      const isSameKey = one.key === history.row.key;
      if (isSameKey || this.#judge(history, one).verdict !== "another's") ids.push(one.id);
      if (ids.length === MOST_IDS) break;
    }
    return ids;
  }

  /** Records of unknown origin with the same key as the row's own record. */
  twins(history: History): readonly number[] {
    const { row, made } = history;
    const { key = null } = this.recordOf(history) ?? row;
    const isTwin = (one: Shown) =>
      one.id !== made?.id &&
      !this.#isExplained(row, one) &&
      (keyKinship(one.key, row.key) !== "other" || this.#judge(history, one).otherwise.length === 0);
    return [...(this.#freeByKey.get(key) ?? [])].filter(isTwin).map(({ id }) => id);
  }

  // True if another unresolved row explains the record: it has the record's key, which is no variant of this row's key.
  #isExplained(row: PlannedRow, { key }: Shown): boolean {
    const other = this.#doubts.get(key ?? "");
    return other !== undefined && other.row !== row.row && keyKinship(other.key, row.key) === "other";
  }

  #judge(history: History, shown: Shown): Judgement {
    return whose(this.#seenBy(history.row, shown), this.#sentBy(history.row), this.#contextOf(history, shown.id));
  }

  #sentBy(row: PlannedRow): Sent {
    return { row: row.row, key: row.key ?? "", send: this.#sendOf(row), keys: this.#settings.keys };
  }

  #sendOf(row: PlannedRow): Values {
    const known = this.#sends.get(row) ?? flatten(row.send ?? {});
    this.#sends.set(row, known);
    return known;
  }

  #seenBy(row: PlannedRow, { id, key, record, created, version }: Shown): Seen {
    const { same, currentValue } = this.#settings;
    const fields: Record<string, unknown> = { ...record };
    for (const [path, value] of Object.entries(this.#sendOf(row))) {
      const is = currentValue(row, path, record);
      fields[path] = is !== undefined && same(row, path, value, record) ? value : is;
    }
    const text = record.created_at;
    const zoned = typeof text !== "string" || /(Z|[+-]\d\d:?\d\d)$/.test(text);
    return { id, key, fields, created: asTime(created), updated: asTime(version), zoned };
  }

  #contextOf({ made, attempts }: History, recordId = made?.id): Context {
    this.#learned ??= this.#learn();
    const { ascends, ...learned } = this.#learned;
    const { since, seen = [] } = this.look;
    // Unless a response named the record, any of the requests may have created it, so the time of the first one counts.
    const isNamed = made !== null && !made.found && recordId === made.id;
    const sentAt = (isNamed ? (made.sent ?? attempts.at(-1)?.at) : attempts[0]?.at) ?? 0;
    const [id, at] = attempts.at(-1)?.floor ?? [];
    return {
      ...learned,
      answered: isNamed ? made.id : null,
      status: made?.status ?? null,
      sentAt,
      answeredAt: made?.at ?? null,
      dates: (isNamed && made.dates) || null,
      born: isNamed ? asTime(made.born) : null,
      newest: since ?? null,
      floor: ascends && id !== undefined && at !== undefined ? { id, at } : null,
      owner: (one) => this.#owners.get(one)?.row ?? null,
      seen: (one) => isSeen(seen, one),
      rowOfKey: (key) => this.#rowsByKey.get(key ?? "") ?? null,
    };
  }

  // Learns, from the records that responses named, how the service treats creates. A colleague's edit may explain one
  // deviation, but not three.
  #learn(): Learned {
    const { since: newest = null, seen: before = [] } = this.look;
    const weight = this.#weights();
    const own = [...this.#own.values()].filter(({ seen }) => !isSeen(before, seen.id));
    const witnesses = own.flatMap(({ history: { row, made }, seen: { key, created } }) =>
      created === null || made.sent === undefined || keyKinship(key, row.key) === "other"
        ? []
        : { created, sentAt: made.sent, answeredAt: made.at, offset: made.dates ? created - made.dates[0] : null },
    );
    const zoned = own.every(({ seen }) => seen.zoned);
    const scale = scaleOf(witnesses, zoned, this.#isTaken);
    const teachers = own.filter(({ history: { row, made, attempts }, seen }) => {
      const sentAt = made.sent ?? attempts.at(-1)?.at ?? 0;
      const context = { newest, sentAt, dates: made.dates ?? null, floor: null, scale };
      const other = this.#rowsByKey.get(seen.key ?? "") ?? row.row;
      if (other !== row.row || timeOf(seen, context) === "before") return false;
      return (
        keyKinship(seen.key, row.key) !== "other" ||
        Object.entries(this.#sendOf(row)).some(
          ([path, value]) => weight(path, value) === 1 && stateOf(value, seen.fields[path]) === "same",
        )
      );
    });
    const states = new Map<string, Record<Kinship, number>>();
    const keys = { same: 0, kin: 0, other: 0 };
    let isRenamed = false;
    for (const { history, seen } of teachers) {
      const untouched = asTime(history.made.version) ?? seen.created;
      const kinship = keyKinship(seen.key, history.row.key);
      // Skips an edited record, whose values prove nothing, but notes a changed key: an automation may change keys.
      if (untouched !== null && untouched !== seen.updated) {
        isRenamed ||= kinship === "other";
        continue;
      }
      keys[kinship]++;
      for (const [path, value] of Object.entries(this.#sendOf(history.row))) {
        const counts = states.get(path) ?? { same: 0, kin: 0, other: 0 };
        counts[stateOf(value, seen.fields[path])]++;
        states.set(path, counts);
      }
    }
    const fresh = teachers.filter(({ seen: { created, updated } }) => updated !== null && updated === created);
    const dated = teachers.filter(({ seen: { updated } }) => updated !== null);
    const ids = own.map(({ seen }) => seen.id);
    return {
      scale,
      weight,
      kept(path) {
        const { same, kin: unsure, other } = states.get(path) ?? { same: 0, kin: 0, other: 0 };
        if (other >= 3 && other > same) return false;
        return same > 0 && unsure + other === 0 ? true : undefined;
      },
      keepsKeys:
        keys.other >= 3 ? false : keys.same > 0 && keys.kin + keys.other === 0 && !isRenamed ? true : undefined,
      usual: usualOf(teachers.flatMap(({ history }) => history.made.status ?? [])),
      staysFresh: isMost(fresh.length, dated.length),
      marks: this.#marks(teachers),
      ascends: !this.#isTaken && ids.length >= 3 && ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? 0)),
    };
  }

  #weights(): Context["weight"] {
    const counts = new Map<string, number>();
    const inRows = new Map<string, number>();
    const count = (all: Map<string, number>, path: string, value: unknown) => {
      const name = `${path} ${value}`;
      all.set(name, (all.get(name) ?? 0) + 1);
    };
    const rows = [...this.#rows.values()];
    for (const row of rows) for (const [path, value] of Object.entries(this.#sendOf(row))) count(inRows, path, value);
    const [first] = rows;
    const paths = new Set(rows.flatMap((row) => Object.keys(this.#sendOf(row))));
    for (const { record } of first ? this.#free.values() : []) {
      for (const path of paths) count(counts, path, this.#settings.currentValue(first as PlannedRow, path, record));
    }
    const all = rows.length + this.#free.size;
    return (path, value) => {
      if (typeof value === "boolean") return 0;
      const name = `${path} ${value}`;
      const equal = inRows.get(name) ?? 0;
      const others = equal + (counts.get(name) ?? 0) - 1;
      if ((rows.length >= 3 && equal * 2 >= rows.length) || others * 4 > all) return 0;
      return others > 0 ? 0.5 : 1;
    };
  }

  // Fields that no row sends, with the same value in all records of this plan but another in most older ones.
  #marks(teachers: readonly Own[]): Manners["marks"] {
    const { older = [] } = this.look;
    const [first] = teachers;
    if (!first || teachers.length < 3) return [];
    const sent = new Set([...this.#rows.values()].flatMap((row) => Object.keys(row.send ?? {})));
    return Object.entries(first.seen.fields).filter(
      ([path, value]) =>
        !sent.has(path) &&
        (typeof value === "string" || typeof value === "number") &&
        teachers.every(({ seen }) => seen.fields[path] === value) &&
        older.filter((record) => record[path] !== value).length * 2 > older.length,
    );
  }
}

interface Learned extends Manners {
  readonly weight: Context["weight"];
  /** True if identifiers ascend in the order of creation. */
  readonly ascends: boolean;
}

function isMost(count: number, all: number): boolean {
  return count >= 3 && count * 3 >= all * 2;
}

function usualOf(statuses: readonly number[]): number | null {
  const groups = [...Map.groupBy(statuses, (status) => status)];
  return groups.find(([, equal]) => isMost(equal.length, statuses.length))?.[0] ?? null;
}

function asTime(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
