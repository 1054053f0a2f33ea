import { clockIn, daysAfter, daysIn, instantAt, instantOf, isDay } from "../days.js";
import { compareDecimals, decimalOf } from "../decimals.js";
import { type Comparison, type Condition, isAboutItem, type Test, type Tree, type Wanted } from "./condition.js";
import { type Field, isNone, isPresent, isUnread, valueAt } from "./path.js";
import { flagIn, foldText, isPeriodFor, localTimeIn } from "./text.js";

/** Facts that the number of matching records in an answer does not reveal. */
export interface LeftOut {
  /** Number of matching records that match only because they have no value, as with `status!=paid`. */
  readonly matched_without_value?: number;
  /** Number of records that do not match because they have no value to compare, as with `expiration_date<today`. */
  readonly missed_without_value?: number;
  /** Number of records that do not match because a value compared with a day is not a day. */
  readonly not_days?: number;
  /** Number of records that do not match, or add nothing to a sum, because a value is not a number. */
  readonly not_numbers?: number;
  /** Number of records that refer to a record that could not be read, by reference: `{ account: 3 }`. */
  readonly unread_records?: Readonly<Record<string, number>>;
  /** Values in the condition that are not known values of their field, and that no record has. */
  readonly unknown_value?: readonly string[];
  readonly absent_field?: readonly string[];
}

/**
 * Sentences about what an answer leaves out, for people and models. They are true even if only some records were read.
 */
export function sentencesOf(left: LeftOut): string[] {
  const { matched_without_value: matched, missed_without_value: missed, not_days, not_numbers } = left;
  const records = (count: number) => (count === 1 ? "1 record" : `${count} records`);
  return [
    ...(matched
      ? [`The matching records include ${matched} without a value to compare; "and <field>!=null" leaves them out.`]
      : []),
    ...(missed ? [`${records(missed)} left out for lack of a value to compare; "or <field>=null" adds them.`] : []),
    ...(not_days ? [`${records(not_days)} left out because a value is not a day.`] : []),
    ...(not_numbers ? [`${records(not_numbers)} left out because a value is not a number.`] : []),
    ...Object.entries(left.unread_records ?? {}).map(
      ([name, count]) => `Unknown in ${records(count)}: the fields of ${name}, which could not be read.`,
    ),
    ...(left.unknown_value ?? []).map(
      (value) => `"${value}" is not a known value, and no record that was read has it.`,
    ),
    ...(left.absent_field ?? []).map(
      (path) => `No record that was read has the field ${path}; the list may not contain it.`,
    ),
  ];
}

/** Counts a record's references to records that could not be read. @param counts keyed by reference name. */
export function countUnread(counts: Record<string, number>, record: unknown, joins: Iterable<string | null>): void {
  for (const join of new Set(joins))
    if (join !== null && isUnread(record, join)) counts[join] = (counts[join] ?? 0) + 1;
}

/**
 * Adds the unread records and the absent columns. @param absent columns that no record has. @param joins the reference
 * to the joined record of each column, or null.
 */
export function leftOutOf(
  left: LeftOut,
  records: readonly unknown[],
  absent: readonly string[],
  joins: readonly (string | null)[],
): LeftOut {
  const [unread, all] = [{ ...left.unread_records }, new Set([...(left.absent_field ?? []), ...absent])];
  for (const record of records) countUnread(unread, record, joins);
  return {
    ...left,
    ...(Object.keys(unread).length > 0 && { unread_records: unread }),
    ...(all.size > 0 && { absent_field: [...all] }),
  };
}

type Read = (record: unknown, field: Field) => unknown;

type Holds = (value: unknown) => boolean;

// Doubts: reasons why a comparison may fail although the caller wants the record. A record that does not match counts
// under the lowest doubt up to which failures must be ignored to make it match.
const [SURE, NO_VALUE, NO_NUMBER, NO_DAY, UNREAD] = [0, 1, 2, 3, 4];

/**
 * Compiles a condition: days and instants are computed once, not for every record.
 * @param read returns the value of a field. Default: the value at its path.
 */
export function testerOf(
  condition: Condition,
  at: { readonly now: number; readonly zone: string },
  read: Read = (record, { names }) => valueAt(record, names),
): Tester {
  return new Tester(condition, at.now, at.zone, read);
}

export class Tester {
  readonly #now: number;
  readonly #zone: string;
  readonly #today: string;
  readonly #read: Read;
  readonly #holds: Holds;
  readonly #absent: Set<Field>;
  readonly #unknown = new Map<string, Field>();
  #matchedWithout = 0;
  readonly #missed = [0, 0, 0, 0, 0];
  readonly #unread: Record<string, number> = {};
  // True if a comparison of the current record holds because the record has no value.
  #holdsWithout = false;
  // The highest doubt (`NO_VALUE` to `UNREAD`) for which a comparison of the current record failed.
  #doubt = SURE;
  // Comparisons that fail for a doubt up to this one count as holding, to see if only doubts keep the record out.
  #lenience = SURE;
  // The references of the current record that could not be read.
  readonly #unreadNow = new Set<string>();
  read = 0;

  constructor({ tree, tests }: Condition, now: number, zone: string, read: Read) {
    this.#now = now;
    this.#zone = zone;
    this.#today = clockIn(zone)(now).slice(0, 10);
    this.#read = read;
    this.#absent = new Set(tests.map(({ field }) => field));
    this.#holds = this.#ofTree(tree);
  }

  holds(record: unknown): boolean {
    this.read++;
    // Looks for each field in every record, because a comparison is skipped if one before it fails.
    for (const field of this.#absent) if (isPresent(this.#read(record, field))) this.#absent.delete(field);
    for (const [text, field] of this.#unknown)
      if (flat(this.#read(record, field)).some((value) => foldText(String(value)) === text)) this.#unknown.delete(text);
    this.#holdsWithout = false;
    this.#doubt = SURE;
    this.#unreadNow.clear();
    const holds = this.#holds(record);
    if (holds && this.#holdsWithout) this.#matchedWithout++;
    if (!holds && this.#doubt !== SURE && this.#holdsAt(UNREAD, record)) {
      const last = this.#doubt;
      const doubt = [NO_VALUE, NO_NUMBER, NO_DAY].find((one) => one < last && this.#holdsAt(one, record)) ?? last;
      (this.#missed[doubt] as number)++;
      if (doubt === UNREAD) for (const name of this.#unreadNow) this.#unread[name] = (this.#unread[name] ?? 0) + 1;
    }
    return holds;
  }

  #holdsAt(lenience: number, record: unknown): boolean {
    this.#lenience = lenience;
    const holds = this.#holds(record);
    this.#lenience = SURE;
    return holds;
  }

  #inDoubt(doubt: number): boolean {
    if (doubt > this.#doubt) this.#doubt = doubt;
    return this.#lenience >= doubt;
  }

  leftOut(): LeftOut {
    const [unknown, absent] = [[...this.#unknown.keys()], [...new Set([...this.#absent].map(({ path }) => path))]];
    const [, missed = 0, notNumbers = 0, notDays = 0] = this.#missed;
    return {
      ...(this.#matchedWithout > 0 && { matched_without_value: this.#matchedWithout }),
      ...(missed > 0 && { missed_without_value: missed }),
      ...(notDays > 0 && { not_days: notDays }),
      ...(notNumbers > 0 && { not_numbers: notNumbers }),
      ...(Object.keys(this.#unread).length > 0 && { unread_records: this.#unread }),
      ...(this.read > 0 && unknown.length > 0 && { unknown_value: unknown }),
      ...(this.read > 0 && absent.length > 0 && { absent_field: absent }),
    };
  }

  #ofTree(tree: Tree): Holds {
    if ("any" in tree) {
      const tests = tree.any.map((part) => this.#ofTree(part));
      return (record) => tests.some((test) => test(record));
    }
    const parts = "all" in tree ? tree.all : [tree];
    // Comparisons of fields of the same list must all hold for one item.
    const byItem = new Map<string, Test[]>();
    const tests: Holds[] = [];
    for (const part of parts) {
      if ("field" in part && isAboutItem(part)) {
        const list = part.field.names.slice(0, part.field.list).join(".");
        byItem.set(list, [...(byItem.get(list) ?? []), part]);
      } else tests.push("field" in part ? this.#ifRead(part, this.#ofTest(part, this.#read)) : this.#ofTree(part));
    }
    for (const group of byItem.values())
      tests.push(this.#ifRead(group[0] as Test, this.#ofItem(group as [Test, ...Test[]])));
    const [first] = tests;
    return tests.length === 1 && first ? first : (record) => tests.every((test) => test(record));
  }

  // The fields of a record that could not be read have unknown values: even "=null" and "!=" do not hold.
  #ifRead({ field: { join } }: Test, holds: Holds): Holds {
    if (join === null) return holds;
    return (record) => {
      if (!isUnread(record, join)) return holds(record);
      this.#unreadNow.add(join);
      return this.#inDoubt(UNREAD);
    };
  }

  #ofItem([first, ...others]: readonly [Test, ...Test[]]): Holds {
    if (others.length === 0) return this.#ofTest(first, this.#read);
    const { list, names } = first.field;
    const items = { ...first.field, names: names.slice(0, list) };
    const tests = [first, ...others].map((test) =>
      this.#ofTest(test, (item, field) => valueAt(item, field.names, list)),
    );
    return (record) => flat(this.#read(record, items)).some((item) => tests.every((test) => test(item)));
  }

  #ofTest(test: Test, read: Read): Holds {
    const { field, comparison, values } = test;
    if (values.length === 0) {
      const wantsValue = comparison === "!=";
      return (record) => flat(read(record, field)).some((value) => !isNone(value)) === wantsValue;
    }
    const tests = values.map((value) => this.#ofValue(field, comparison === "!=" ? "=" : comparison, value));
    const [only] = tests;
    const fits: Holds = tests.length === 1 && only ? only : (value) => tests.some((one) => one(value));
    const fitsAny: Holds = (value) => (Array.isArray(value) ? value.some(fitsAny) : fits(value));
    if (comparison === "=" || comparison === "contains") return (record) => fitsAny(read(record, field));
    if (comparison !== "!=")
      return (record) => {
        const value = read(record, field);
        return Array.isArray(value) || !isNone(value) ? fitsAny(value) : this.#inDoubt(NO_VALUE);
      };
    return (record) => {
      const value = read(record, field);
      const lenience = this.#lenience;
      // `#lenience` would make a doubtful value count as equal, and "!=" would fail.
      this.#lenience = SURE;
      const isEqual = fitsAny(value);
      this.#lenience = lenience;
      if (isEqual) return false;
      if (flat(value).every(isNone)) this.#holdsWithout = true;
      return true;
    };
  }

  #ofValue(field: Field, comparison: Exclude<Comparison, "!=">, wanted: Wanted): Holds {
    const text = typeof wanted === "object" ? "" : foldText(String(wanted));
    if (comparison === "contains") {
      const part = withoutMarks(text);
      return (value) => !isNone(value) && withoutMarks(String(value)).includes(part);
    }
    const holds = ORDERS[comparison];
    const isText: Holds = (value) => !isNone(value) && typeof value !== "object" && foldText(String(value)) === text;
    switch (field.kind) {
      case "enumeration":
        if (!field.isComplete && !field.values.some((value) => foldText(value) === text))
          this.#unknown.set(text, field);
        return isText;
      case "text":
        return isText;
      case "flag":
        return (value) => value === wanted || (typeof value !== "boolean" && isText(value));
      case "day":
      case "instant":
        return this.#ofTime(field, wanted, holds, () => this.#inDoubt(NO_DAY)) ?? isText;
      default:
        return this.#ofNumber(field, wanted, holds, comparison === "=");
    }
  }

  // Compares numbers, and fields of unknown kind, which may hold any value.
  #ofNumber(field: Field, wanted: Wanted, holds: (order: number) => boolean, isEqual: boolean): Holds {
    const isUnknown = field.kind === "unknown";
    const [decimal, text] = [decimalOf(wanted), foldText(String(wanted))];
    const isText: Holds = (value) => typeof value !== "object" && foldText(String(value)) === text;
    const other: Holds = isEqual ? isText : () => this.#inDoubt(decimal ? NO_NUMBER : NO_DAY);
    const isTime = isUnknown ? this.#ofTime(field, wanted, holds, other) : null;
    const flag = isUnknown && isEqual ? flagIn(text) : undefined;
    if (isUnknown && isEqual && !decimal && !isTime && flag === undefined) this.#unknown.set(text, field);
    return (value) => {
      if (isNone(value)) return false;
      if (isEqual && typeof value === "boolean") return value === flag;
      const number = decimal && decimalOf(value);
      return number && decimal ? holds(compareDecimals(number, decimal)) : (isTime ?? other)(value);
    };
  }

  // Returns null if the wanted text is neither a day nor a time. `other` tests values that are neither.
  #ofTime({ kind }: Field, wanted: Wanted, holds: (order: number) => boolean, other: Holds): Holds | null {
    const days = typeof wanted === "object" ? wanted.daysAfterToday : null;
    const text = days === null ? String(wanted) : daysAfter(this.#today, days);
    const local = localTimeIn(text);
    const isNow = typeof wanted === "object" && days === null;
    const instant = isNow ? this.#now : (instantOf(text) ?? (local === null ? null : instantAt(local, this.#zone)));
    if (instant === null && !isDay(text) && !isPeriodFor(kind, text)) return null;
    const [firstDay, lastDay] = instant === null ? periodOf(text) : Array(2).fill(daysIn(this.#zone)(instant));
    const midnight = (day: string) => instantAt(`${day}T00:00`, this.#zone);
    // Compares instants: computing the day of every value would take longer than the rest of the test.
    const [first, last] =
      instant === null ? [midnight(firstDay), midnight(daysAfter(lastDay, 1)) - 1] : [instant, instant];
    return (value) => {
      if (isNone(value)) return false;
      const time = instantOf(value);
      if (time !== null) return holds(time < first ? -1 : Number(time > last));
      if (typeof value === "string" && isDay(value)) return holds(value < firstDay ? -1 : Number(value > lastDay));
      return other(value);
    };
  }
}

const ORDERS: Readonly<Record<Exclude<Comparison, "!=" | "contains">, (order: number) => boolean>> = {
  "=": (order) => order === 0,
  "<": (order) => order < 0,
  ">": (order) => order > 0,
  "<=": (order) => order <= 0,
  ">=": (order) => order >= 0,
};

function flat(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value];
}

// Removes case and accents, because people search for a part of a name without them.
function withoutMarks(text: string): string {
  return (/[^\0-\x7f]/.test(text) ? text.normalize("NFD").replace(/\p{M}/gu, "") : text).toLowerCase();
}

function periodOf(text: string): readonly [string, string] {
  const [year = "", month] = text.split("-");
  if (isDay(text)) return [text, text];
  if (month === undefined) return [`${year}-01-01`, `${year}-12-31`];
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return [`${text}-01`, `${text}-${days}`];
}
