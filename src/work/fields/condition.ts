import { InputError } from "../../core/errors.js";
import { instantOf, isDay } from "../days.js";
import { decimalOf } from "../decimals.js";
import type { Field, FieldKind, FoundField } from "./path.js";
import { isPeriodFor, isTimeText, localTimeIn, readText } from "./text.js";

export type Comparison = "=" | "!=" | "<" | ">" | "<=" | ">=" | "contains";

/** A value to compare with, or a number of days after today; null stands for the present time. */
export type Wanted = string | number | boolean | { readonly daysAfterToday: number | null };

/** One comparison. Several values are alternatives; an empty list stands for "no value". */
export interface Test {
  readonly field: Field;
  readonly comparison: Comparison;
  readonly values: readonly Wanted[];
}

export type Tree = Test | { readonly all: readonly Tree[] } | { readonly any: readonly Tree[] };

/** A parsed condition. The day and the time zone are applied only when records are tested. */
export interface Condition {
  /** The condition as it was written, apart from blanks: equal texts mean equal conditions. */
  readonly written: string;
  readonly tree: Tree;
  readonly tests: readonly Test[];
  readonly needsZone: boolean;
  readonly needsNow: boolean;
}

const FIELD = /\s*(?:"([^"]*)"|([^"=<>!~()][^"=<>!~]*?))(?=\s*(?:[=<>!~]|\bcontains\b))/iy;
const OPERATOR = /\s*(?:(!=|<=|>=|=|<|>|~)|\bcontains\b)\s*/iy;
const QUOTED = /"([^"]*)"(?=\s*(?:$|\)|and\b|or\b))/iy;
const JOINT = /\s+(and|or)(?=[\s(]|$)/iy;
const OPEN = /\s*\(/y;
const CLOSE = /\s*\)/y;
const TODAY = /^today(?:\s*([+-])\s*(\d{1,4}))?$/i;
const OTHER_DAY = /^(\d{1,2}([-./])\d{1,2}\2(\d{2}|\d{4})|yesterday|tomorrow)$/i;
const NO_VALUE = /^(none|empty|nil|undefined)$/i;
const RULE =
  'a condition is a field, one of = != < > <= >= contains, and a value: total_open>0 and (status=open or status=expired). Put a value with "and", "or" or a sign in quotes';
// Syntax of other languages, each with the text to write instead.
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/\bis\s+not\s+null\b/i, "write field!=null"],
  [/\bis\s+null\b/i, "write field=null"],
  [/\bin\s*\(/i, "write field=one,other"],
  [/\blike\b|=~|\*=/i, "write field contains text"],
  [/==/, "write ="],
  [/<>/, "write !="],
  [/&&|\|\|/, 'write "and" or "or"'],
  [/^\s*not\b|\bnot\s*\(/i, "write !="],
];

/**
 * Parses a condition such as `total_open>0 and created_at>=today-7`. `and` binds before `or`.
 * @param find finds the field at a path.
 * @throws InputError naming the part that cannot be read, or that no value of its field can meet.
 */
export function parseCondition(text: string, find: (path: string) => FoundField): Condition {
  return new Parser(text, find).parse();
}

/** Combines conditions that must all hold. Each may hold for a different item of a list. */
export function allOf(conditions: readonly Condition[]): Condition {
  return {
    written: JSON.stringify(conditions.map(({ written }) => written)),
    tree: { all: conditions.map(({ tree }) => ({ all: [tree] })) },
    tests: conditions.flatMap(({ tests }) => tests),
    needsZone: conditions.some(({ needsZone }) => needsZone),
    needsNow: conditions.some(({ needsNow }) => needsNow),
  };
}

class Parser {
  readonly #text: string;
  readonly #find: (path: string) => FoundField;
  readonly #tests: Test[] = [];
  readonly #written: string[] = [];
  #at = 0;

  constructor(text: string, find: (path: string) => FoundField) {
    this.#text = text;
    this.#find = find;
  }

  parse(): Condition {
    const tree = this.#whole();
    if (this.#text.slice(this.#at).trim() !== "") throw this.#notCondition(this.#at);
    const tests = this.#tests;
    return {
      written: JSON.stringify(this.#written),
      tree,
      tests,
      needsZone: tests.some(({ field, values }) => values.some((value) => dependsOnZone(field, value))),
      needsNow: tests.some(({ values }) => values.some((value) => typeof value === "object")),
    };
  }

  #whole(): Tree {
    return this.#join("or", () => this.#join("and", () => this.#part()));
  }

  #join(word: "and" | "or", part: () => Tree): Tree {
    const parts = [part()];
    for (let before = this.#at; ; before = this.#at) {
      if (this.#take(JOINT)?.[1]?.toLowerCase() !== word) {
        this.#at = before;
        break;
      }
      this.#written.push(word);
      parts.push(part());
    }
    if (word === "and") checkItems(parts);
    return parts.length === 1 ? (parts[0] as Tree) : word === "or" ? { any: parts } : { all: parts };
  }

  #part(): Tree {
    const from = this.#at;
    if (!this.#take(OPEN)) return this.#test();
    this.#written.push("(");
    const inner = this.#whole();
    if (!this.#take(CLOSE)) throw this.#notCondition(from);
    this.#written.push(")");
    // Wrapped, so that a comparison in brackets may hold for a different item of a list than one outside.
    return { all: [inner] };
  }

  #test(): Test {
    const from = this.#at;
    const [, quotedPath, barePath] = this.#take(FIELD) ?? [];
    const path = (quotedPath ?? barePath ?? "").trim();
    const [operator, sign = "~"] = this.#take(OPERATOR) ?? [];
    const quoted = this.#take(QUOTED)?.[1];
    const bare = quoted === undefined ? this.#bareValue() : "";
    const isMissing = path === "" || operator === undefined || (quoted === undefined && bare === "");
    if (isMissing || /[=<>"]/.test(bare)) throw this.#notCondition(from);
    const found = this.#find(path);
    if ("problem" in found) throw problem(`"${path}" ${found.problem}`);
    const comparison = sign === "~" ? "contains" : (sign as Comparison);
    const { field } = found;
    const test = {
      field,
      comparison,
      values: readValues({ field, comparison, text: quoted ?? bare, isQuoted: quoted !== undefined }),
    };
    this.#tests.push(test);
    this.#written.push(path, comparison, quoted === undefined ? bare : JSON.stringify(quoted));
    return test;
  }

  // The value ends at "and", at "or", or at a closing bracket that was opened before the value.
  #bareValue(): string {
    const from = this.#at;
    for (let open = 0; this.#at < this.#text.length; this.#at++) {
      const sign = this.#text[this.#at];
      if (sign === "(") open++;
      if (sign === ")" && --open < 0) break;
      JOINT.lastIndex = this.#at;
      if (JOINT.test(this.#text)) break;
    }
    return this.#text.slice(from, this.#at).trim();
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #notCondition(from: number): InputError {
    const [, advice = RULE] = ELSEWHERE.find(([words]) => words.test(this.#text)) ?? [];
    return problem(`"${this.#text.slice(from, from + 60).trim()}" is not a condition: ${advice}`);
  }
}

export function isAboutItem({ field: { list, names }, comparison, values }: Test): boolean {
  return list > 0 && names.length > list && comparison !== "!=" && values.length > 0;
}

// Refuses two different values for one field of an item: the caller must mean two items.
function checkItems(parts: readonly Tree[]): void {
  const wanted = new Map<string, string>();
  for (const part of parts) {
    if (!("field" in part) || part.comparison !== "=" || part.values.length !== 1 || !isAboutItem(part)) continue;
    const { path } = part.field;
    const values = JSON.stringify(part.values);
    if (wanted.has(path) && wanted.get(path) !== values)
      throw problem(`no item has two values of "${path}": put each comparison in brackets to ask for different items`);
    wanted.set(path, values);
  }
}

const isTime = (kind: FieldKind) => kind === "day" || kind === "instant";

// Comparing a day with a date field, or a time that has an offset with a time field, gives the same result in all time
// zones.
function dependsOnZone({ kind, isSure }: Field, value: Wanted): boolean {
  const isTimed = isTime(kind) || kind === "unknown";
  const isInstant = typeof value === "object" ? value.daysAfterToday === null : isTimed && instantOf(value) !== null;
  if (isInstant) return !(kind === "instant" && isSure);
  if (typeof value !== "string") return typeof value === "object";
  if (!isTimed) return false;
  if (localTimeIn(value) !== null) return true;
  const isDays = isDay(value) || isPeriodFor(kind, value);
  return isDays && !(kind === "day" && isSure);
}

interface WrittenTest {
  readonly field: Field;
  readonly comparison: Comparison;
  readonly text: string;
  readonly isQuoted: boolean;
}

function readValues(test: WrittenTest): readonly Wanted[] {
  const { field, comparison, text, isQuoted } = test;
  const { path, kind } = field;
  const isEqual = comparison === "=" || comparison === "!=";
  if (isQuoted ? text.trim() === "" : /^null$/i.test(text)) {
    if (isEqual) return [];
    throw problem(`${path} ${comparison} needs a value`);
  }
  const isKnown = field.values.some((value) => value.toLowerCase() === text.toLowerCase());
  if (!isQuoted && NO_VALUE.test(text) && !isKnown)
    throw problem(`${path}: write null for "has no value", or "${text}" in quotes for that text`);
  if (kind === "object")
    throw problem(`${path} is a record or a list of records: compare one of its fields, or write ${path}=null`);
  if (comparison === "contains") {
    if (text.trim() !== "" && /^(text|unknown|enumeration)$/.test(kind)) return [text];
    const advice = isTime(kind) ? `: write ${path}=2026-07, or ${path}>=2026-07-01` : "";
    throw problem(
      text.trim() === "" ? `${path} contains needs text` : `${path} is not text, so "contains" finds nothing${advice}`,
    );
  }
  if (!isEqual && /^(text|flag|enumeration)$/.test(kind)) throw problem(`${path} has no order: use =, != or contains`);
  // Only values of these kinds are split at commas, because text may contain a comma.
  const isList = !isQuoted && isEqual && /^(enumeration|identifier|integer)$/.test(kind);
  return (isList ? text.split(",") : [text]).map((part) => readValue({ ...test, text: part.trim() }));
}

function readValue({ field, comparison, text, isQuoted }: WrittenTest): Wanted {
  const { path, kind, isSure } = field;
  const mayBeTime = isTime(kind) || kind === "unknown";
  const isEqual = comparison === "=" || comparison === "!=";
  if (!isQuoted && mayBeTime) {
    const [today, sign = "", days = "0"] = TODAY.exec(text) ?? [];
    if (today !== undefined) return { daysAfterToday: Number(sign + days) };
    if (isTime(kind) && /^now$/i.test(text)) return { daysAfterToday: null };
  }
  // A day in another format would be compared as text and match nothing, as if no record had that day.
  if (!isQuoted && OTHER_DAY.test(text) && kind !== "text")
    throw problem(
      `${path}: write the day ${text} as yyyy-MM-dd or relative to today, such as today-1; if it is text, put it in quotes`,
    );
  if (kind === "unknown") {
    if (isEqual || decimalOf(text) || isTimeText(text)) return text;
    throw problem(
      `${path} ${comparison} needs a number, a day as yyyy-MM-dd, a month, a year, a time or today, not "${text.slice(0, 60)}"`,
    );
  }
  // A field whose kind is guessed from its name may also hold other text.
  if (isTime(kind) && !isSure && isQuoted && isEqual) return text;
  if (kind === "decimal" && !isQuoted && /^[+-]?[1-9]\d{0,2}\.\d{3}$/.test(text)) {
    const thousands = text.replace(".", "");
    throw problem(`${path}: is "${text}" ${thousands} or ${text}0? Write ${thousands}, or "${text}" in quotes`);
  }
  const read = readText(field, text);
  if ("value" in read) return read.value;
  if (isQuoted && read.isDoubt) return text;
  const advice = read.isDoubt ? "; in quotes, it is accepted as it is" : "";
  throw problem(`${path}: "${text.slice(0, 40)}" ${read.problem}${advice}`);
}

function problem(message: string): InputError {
  return new InputError(message, [{ path: "", message }]);
}
