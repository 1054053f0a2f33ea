import type { Values } from "./fields.js";
import type { History } from "./history.js";
import { isSeen, type PlannedRow } from "./lines.js";

/** A record that a look has shown and that the list did not have when the plan was made. */
export interface Shown {
  readonly id: number;
  readonly key: string | null;
  readonly record: Values;
  /** `created_at` and `updated_at` of the record; undefined if it has none. */
  readonly created?: unknown;
  readonly version?: unknown;
}

export interface Look {
  /** When its first request was sent. */
  readonly began: number;
  /** When it was complete; absent if that was immediately. */
  readonly ended?: number;
  readonly whole: boolean;
  readonly ascending: boolean;
  readonly shown: readonly Shown[];
  /** Ranges of the identifiers that the list showed when the plan was made. */
  readonly seen?: readonly number[];
  /** Milliseconds since the epoch; records that were created earlier are older than the plan. */
  readonly since?: number;
  /** The rows whose keys were looked up; absent if the list was read. */
  readonly asked?: ReadonlySet<number>;
}

/**
 * True if a record has the value that a row sends for a path. Always true for the key of a create, which is compared
 * separately.
 */
export type SameField = (row: PlannedRow, path: string, expected: unknown, record: Values) => boolean;

// At most this many identifiers are reported: as many records as a person would check.
const MOST_IDS = 20;

/** The evidence of one look about the creates of a plan. Includes later creates, so that one look serves all rows. */
export class Sight {
  readonly look: Look;
  readonly #same: SameField;
  readonly #shown = new Map<number, Shown>();
  /** Records that no row is known to have created. */
  readonly #free = new Map<number, Shown>();
  readonly #freeByKey = new Map<string | null, Set<Shown>>();
  readonly #doubts = new Map<string, PlannedRow>();
  /** For each record, the row that first claimed it, and when. */
  readonly #owners = new Map<number, { readonly row: number; readonly at: number }>();
  readonly #missing = new Set<number>();
  /** By path, whether all created records without later edits have the value that was sent. */
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
    // A later edit hides which values the service keeps.
    if (untouched !== undefined && untouched !== shown.version) return;
    this.#keepsKeys = this.#keepsKeys !== false && mayBeSameText(shown.key ?? "", key);
    for (const [path, value] of Object.entries(row.send ?? {})) {
      this.#kept.set(path, this.#kept.get(path) !== false && this.#same(row, path, value, shown.record));
    }
  }

  /** Records that this plan created before the look began, but the look does not show. */
  get missing(): readonly number[] {
    return [...this.#missing].slice(0, MOST_IDS);
  }

  /** True if the look shows a record that this plan sent at this time or later. */
  showsSentSince(at: number): boolean {
    return this.#latest >= at;
  }

  recordOf({ made }: History): Shown | undefined {
    return made ? this.#shown.get(made.id) : undefined;
  }

  /**
   * True if the response to a create named a record that another row created, or that existed when the plan was made.
   */
  isAnothers({ row, made }: History): boolean {
    return made !== null && (this.#owners.get(made.id)?.row !== row.row || isSeen(this.look.seen ?? [], made.id));
  }

  /** Records with the row's key that are not explained by another row. */
  recordsWithKey({ row }: History): readonly Shown[] {
    return [...(this.#freeByKey.get(row.key ?? "") ?? [])].filter((one) => !this.#isExplained(row, one));
  }

  /**
   * The records with the row's key that also have the values sent, except in fields that the service is known to
   * rewrite.
   */
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

  /** Unexplained records that may be the row's own: the evidence does not rule them out. */
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

  /** Unexplained records with the same key as the row's own. */
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

  // True if another row in doubt has the record's key, and the two keys cannot have been stored as one.
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

/**
 * True if a service may have made one text from the other by cutting, stripping, escaping, prefixing or folding: the
 * plain letters of one are a subsequence of the other's.
 */
export function mayBeSameText(one: string, other: string): boolean {
  const [a, b] = [plain(one), plain(other)];
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  let at = 0;
  for (const letter of long) if (letter === short[at]) at++;
  return at === short.length;
}

// Services that cut texts keep at least this many letters.
const CUT = 40;

/**
 * True if one text is the other as a service stores it: escaped, without markup, folded or cut. A merely similar text
 * may be someone else's.
 */
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
