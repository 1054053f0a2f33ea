import type { Values } from "./fields.js";
import type { History } from "./history.js";
import { isSeen, type PlannedRow } from "./lines.js";

/** A record that a look has shown and the plan's reading had not. */
export interface Shown {
  readonly id: number;
  readonly key: string | null;
  readonly record: Values;
  /** Its `created_at` and `updated_at`; undefined where it has none. */
  readonly created?: unknown;
  readonly version?: unknown;
}

/** One reading of a list, or of its end. */
export interface Look {
  /** When its first request left. */
  readonly began: number;
  /** When it was through; absent: at once. */
  readonly ended?: number;
  readonly whole: boolean;
  /** Whether identifiers ascended. */
  readonly ascending: boolean;
  readonly shown: readonly Shown[];
  /** Ranges of the identifiers that the plan's reading had shown. */
  readonly seen?: readonly number[];
  /** Milliseconds since the epoch: what was created before is older than the plan. */
  readonly since?: number;
  /** The rows whose keys were asked for; absent where the list was read. */
  readonly asked?: ReadonlySet<number>;
}

/** Whether a record has the value that a row sends for a path; true for the key of a create, which is compared by itself. */
export type SameField = (row: PlannedRow, path: string, expected: unknown, record: Values) => boolean;

// As many as a person would look up.
const MOST_IDS = 20;

/** What one look says of the creates of a plan. Rows that are made later are noted, so that one look serves all. */
export class Sight {
  readonly look: Look;
  readonly #same: SameField;
  readonly #shown = new Map<number, Shown>();
  /** Records that no row is known to have made. */
  readonly #free = new Map<number, Shown>();
  readonly #freeByKey = new Map<string | null, Set<Shown>>();
  /** Rows in doubt by their keys. */
  readonly #doubts = new Map<string, PlannedRow>();
  /** Which row first got each record as its own, and when. */
  readonly #owners = new Map<number, { readonly row: number; readonly at: number }>();
  readonly #missing = new Set<number>();
  /** For each path, whether every unedited witness has its value as sent. */
  readonly #kept = new Map<string, boolean>();
  #keepsKeys: boolean | null = null;
  #latest = Number.NEGATIVE_INFINITY;

  constructor(look: Look, creates: Iterable<History>, same: SameField) {
    this.look = look;
    this.#same = same;
    for (const one of look.shown) {
      this.#shown.set(one.id, one);
      this.#free.set(one.id, one);
      const alike = this.#freeByKey.get(one.key);
      if (alike) alike.add(one);
      else this.#freeByKey.set(one.key, new Set([one]));
    }
    for (const history of creates) this.note(history);
  }

  /** Notes what has become of a create. */
  note({ row, made, attempts }: History): void {
    const { key = "" } = row;
    if (!made && attempts.length > 0) {
      this.#doubts.set(key, row);
      return;
    }
    if (this.#doubts.get(key)?.row === row.row) this.#doubts.delete(key);
    if (!made) return;
    const owner = this.#owners.get(made.id);
    if (!owner || made.at < owner.at) this.#owners.set(made.id, { row: row.row, at: made.at });
    if (owner) return;
    const shown = this.#shown.get(made.id);
    const isAsked = this.look.asked?.has(row.row) ?? true;
    if (!shown) {
      if (made.at <= this.look.began && isAsked) this.#missing.add(made.id);
      return;
    }
    this.#free.delete(shown.id);
    this.#freeByKey.get(shown.key)?.delete(shown);
    const sentAt = attempts.at(-1)?.at ?? made.at;
    this.#latest = Math.max(this.#latest, sentAt);
    const untouched = made.version ?? shown.created;
    // An edited witness does not show what the service keeps.
    if (untouched !== undefined && untouched !== shown.version) return;
    this.#keepsKeys = this.#keepsKeys !== false && mayBeSameText(shown.key ?? "", key);
    for (const [path, value] of Object.entries(row.send ?? {})) {
      this.#kept.set(path, this.#kept.get(path) !== false && this.#same(row, path, value, shown.record));
    }
  }

  /** The records that this plan is known to have made before the look began, and that it does not show. */
  get missing(): readonly number[] {
    return [...this.#missing].slice(0, MOST_IDS);
  }

  /** Whether it shows a record of this plan that was sent no earlier. */
  showsSentSince(at: number): boolean {
    return this.#latest >= at;
  }

  /** The record of a create that is made. */
  recordOf({ made }: History): Shown | undefined {
    return made ? this.#shown.get(made.id) : undefined;
  }

  /** Whether a create was answered with a record that another row has made, or that was there when the plan was made. */
  isAnothers({ row, made }: History): boolean {
    return made !== null && (this.#owners.get(made.id)?.row !== row.row || isSeen(this.look.seen ?? [], made.id));
  }

  /** Unexplained records with the row's key. */
  recordsWithKey({ row }: History): readonly Shown[] {
    return [...(this.#freeByKey.get(row.key ?? "") ?? [])].filter((one) => !this.#isExplained(row, one));
  }

  /** Those that also have the fields that were sent, unless the service is seen to rewrite them. */
  matchingRecords(history: History): readonly Shown[] {
    const { row } = history;
    const { since = Number.NaN } = this.look;
    const fields = Object.entries(row.send ?? {});
    return this.recordsWithKey(history).filter(
      ({ record, created }) =>
        !(Number(created) < since) &&
        fields.every(([path, value]) => this.#kept.get(path) === false || this.#same(row, path, value, record)),
    );
  }

  /** Unexplained records that may be the row's, because the witnesses do not rule them out. */
  possibleIds({ row }: History): readonly number[] {
    const { key = "" } = row;
    const ids: number[] = [];
    for (const one of this.#free.values()) {
      if (this.#isExplained(row, one)) continue;
      const isRuledOut = !this.#agrees(row, one) || (this.#keepsKeys === true && !mayBeSameText(one.key ?? "", key));
      if (one.key === key || !isRuledOut) ids.push(one.id);
      if (ids.length === MOST_IDS) break;
    }
    return ids;
  }

  /** Unexplained records that are stored under the key under which the row's own record is. */
  twins(history: History): readonly number[] {
    const { row, made } = history;
    const { key = null } = this.recordOf(history) ?? row;
    const alike = [...(this.#freeByKey.get(key) ?? [])];
    const isTwin = (one: Shown) =>
      one.id !== made?.id &&
      !this.#isExplained(row, one) &&
      (mayBeSameText(one.key ?? "", row.key ?? "") || this.#agrees(row, one));
    return alike.filter(isTwin).map(({ id }) => id);
  }

  // Another row in doubt has its key, and the two keys cannot have become one.
  #isExplained(row: PlannedRow, { key }: Shown): boolean {
    const other = this.#doubts.get(key ?? "");
    return other !== undefined && other.row !== row.row && !mayBeSameText(other.key ?? "", row.key ?? "");
  }

  #agrees(row: PlannedRow, { record }: Shown): boolean {
    for (const [path, value] of Object.entries(row.send ?? {})) {
      if (this.#kept.get(path) === true && !this.#same(row, path, value, record)) return false;
    }
    return true;
  }
}

/** Whether one text may be the other after a service has cut, stripped, escaped, prefixed or folded it: a subsequence of plain letters. */
export function mayBeSameText(one: string, other: string): boolean {
  const [a, b] = [plain(one), plain(other)];
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  let at = 0;
  for (const letter of long) if (letter === short[at]) at++;
  return at === short.length;
}

// A service that cuts texts keeps at least so many letters.
const CUT = 40;

/** Whether one text is the other as a service writes it: escaped, without markup, folded or cut. What is only akin may be somebody else's. */
export function isSameText(one: string, other: string): boolean {
  const isCut = (short: string, long: string) => short.length >= CUT && long.startsWith(short);
  const others = forms(other);
  return one === other || forms(one).some((a) => others.some((b) => a === b || isCut(a, b) || isCut(b, a)));
}

function forms(text: string): string[] {
  return [text, text.replace(/<[^>]*>/g, ""), text.replace(/&#?\w+;/g, "")]
    .map((form) =>
      form
        .normalize("NFKD")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]/gu, ""),
    )
    .filter((form) => form !== "");
}

function plain(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}
