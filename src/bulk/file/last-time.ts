import { hashOf } from "../../core/fingerprint.js";
import type { Values } from "../fields.js";

/** Reasons to doubt that these are the intended rows, mostly from a comparison with the previous run. */
export const RUN_DOUBTS = [
  "mostly_new",
  "no_rows",
  "empty_list",
  "mostly_changed",
  "mostly_cleared",
  "shuffled",
  "many_missing",
] as const;
/** A reason to doubt the rows of a run, as named in `allow`. */
export type RunDoubt = (typeof RUN_DOUBTS)[number];

/** Counts of the records that no row names, by the operation on them. */
export interface MissingCounts {
  /** The chosen action: `update`, `delete` or `list`. */
  readonly do: string;
  /** Records that meet the condition, whether or not a row has their key. */
  readonly of: number;
  readonly update: number;
  readonly delete: number;
  readonly leave: number;
  readonly refuse: number;
}

export type RowCounts = Readonly<Record<"create" | "update" | "leave" | "refuse", number>> & {
  readonly fields?: Readonly<Record<string, FieldCounts>>;
  readonly missing?: MissingCounts;
};

/** The counts of the given rows, without the records that no row names. */
export function givenCounts<T extends RowCounts & { readonly delete?: number }>(counts: T): T {
  const { update, delete: gone = 0, leave, refuse, missing } = counts;
  if (!missing) return counts;
  const rest = { update: update - missing.update, leave: leave - missing.leave, refuse: refuse - missing.refuse };
  return { ...counts, ...rest, delete: gone - missing.delete };
}

/** Effects of a plan on one field, counted in the rows that match a record. */
export interface FieldCounts {
  /** Rows that match a record and have a value for the field. */
  readonly rows: number;
  readonly changed: number;
  /** The changed rows that empty the field. */
  readonly cleared: number;
  /** Changed rows in the previous run, if there was one. */
  readonly last?: number;
}

// With fewer rows than this, a high share of changes is not suspicious.
const FEW = 10;

interface Changes {
  rows: number;
  changed: number;
  cleared: number;
  /** Hashes of the texts that rows replace and of those that they write. */
  readonly before: number[];
  readonly after: number[];
}

export class FieldChanges {
  readonly #all = new Map<string, Changes>();

  /** Counts a row that matches a record. @param paths the fields for which it has values. */
  note(paths: readonly string[], send: Values, before: Values): void {
    for (const path of paths) {
      const found: Changes = this.#all.get(path) ?? { rows: 0, changed: 0, cleared: 0, before: [], after: [] };
      this.#all.set(path, found);
      found.rows++;
      if (!Object.hasOwn(send, path)) continue;
      const [is, was] = [send[path], before[path]];
      found.changed++;
      if (is === null || is === "" || (Array.isArray(is) && is.length === 0)) found.cleared++;
      // Neighboring rows often share numbers, days and times by chance, so only texts with letters are compared.
      if (![is, was].every((value) => typeof value === "string" && /^\D*\p{L}/u.test(value))) continue;
      found.before.push(hashOf(String(was)));
      found.after.push(hashOf(String(is)));
    }
  }

  counts(last: RowCounts | null | undefined): Record<string, FieldCounts> {
    const entries = [...this.#all].map(([path, { rows, changed, cleared }]) => {
      const before = last?.fields?.[path]?.changed;
      return [path, { rows, changed, cleared, ...(before !== undefined && { last: before }) }] as const;
    });
    return Object.fromEntries(entries);
  }

  /** The fields in which most rows change to a text that another row's record has now. */
  get shuffled(): readonly string[] {
    return [...this.#all].flatMap(([path, { rows, changed, before, after }]) => {
      const texts = new Set(before);
      const ofOthers = after.filter((text) => texts.has(text)).length;
      const isMost = changed >= FEW && changed > rows / 2 && ofOthers > changed / 2 && texts.size > changed / 2;
      return isMost ? path : [];
    });
  }
}

/** The reasons why these are probably not the intended rows, on their own or compared with the previous run. */
export function whyUnlikely(
  now: RowCounts,
  last: RowCounts | null | undefined,
  shuffled: readonly string[],
): readonly { readonly doubt: RunDoubt; readonly why: string }[] {
  const counts = (of: RowCounts) => of.create + of.update + of.leave + of.refuse;
  const rows = counts(now);
  const found: { readonly doubt: RunDoubt; readonly why: string }[] = shuffled.map((path) => ({
    doubt: "shuffled",
    why: `most values of ${path} would go to another row's record. Was that column sorted or moved without the others?`,
  }));
  if (!last) return found;
  const before = counts(last);
  const matched = last.update + last.leave;
  if (rows === 0 && before > 0)
    found.push({ doubt: "no_rows", why: `there are no rows, but the last run had ${before}.` });
  if (now.create >= FEW && now.create > rows / 2 && matched > before / 2) {
    const why = `${now.create} of ${rows} rows would create records, but in the last run ${matched} of ${before} matched existing records. Is the key column still the same?`;
    found.push({ doubt: "mostly_new", why });
  }
  for (const [path, counts] of Object.entries(now.fields ?? {})) {
    const earlier = last.fields?.[path];
    for (const [doubt, what, verb] of MOST) {
      const is = counts[what];
      if (!earlier || earlier.rows < FEW || is < FEW || is <= counts.rows / 2 || earlier[what] > earlier.rows / 10)
        continue;
      const why = `${path} would be ${verb} in ${is} of ${counts.rows} rows; in the last run, it was ${verb} in ${earlier[what]} of ${earlier.rows}.`;
      found.push({ doubt, why });
    }
  }
  return found;
}

const MOST = [
  ["mostly_cleared", "cleared", "emptied"],
  ["mostly_changed", "changed", "changed"],
] as const;
