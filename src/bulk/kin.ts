import { readEntities } from "./file/escapes.js";

export type Kinship = "same" | "kin" | "other";

/**
 * Compares a stored value with the value sent. `kin`: the record does not show the field, or the service may have
 * derived its value from the value sent.
 */
export function stateOf(sent: unknown, is: unknown): Kinship {
  if (is === undefined) return "kin";
  if (is === null || is === "") return "other";
  if (Array.isArray(sent))
    return Array.isArray(is) && String([...sent].sort()) === String([...is].sort()) ? "same" : "other";
  return typeof sent === "string" ? kin(sent, String(is)) : String(sent) === String(is) ? "same" : "other";
}

// Services that cut texts keep at least this many letters.
const CUT = 40;

/**
 * Compares two texts of any script. `same`: equal letters and digits, although one text may be escaped, stripped of
 * markup or cut. `kin`: a service may have made one from the other by removing accents, adding a prefix or replacing
 * letters.
 */
export function kin(one: string, other: string): Kinship {
  if (one === other) return "same";
  const [a, b] = [formsOf(one), formsOf(other)];
  const isCut = (short: string, long: string) => short.length >= CUT && long.startsWith(short);
  if (a.some((x) => b.some((y) => x === y || isCut(x, y) || isCut(y, x)))) return "same";
  if (isPhone(one) && isPhone(other)) return isSamePhone(a[0] ?? "", b[0] ?? "") ? "same" : "other";
  const [x, y] = [withoutAccents(a[0] ?? ""), withoutAccents(b[0] ?? "")];
  const [short, long] = x.length < y.length ? [x, y] : [y, x];
  const isPart = short.length * 2 >= long.length || (short.length >= CUT / 2 && long.startsWith(short));
  if (isPart && isSubsequence(short, long)) return "kin";
  return isReplaced(x, y) ? "kin" : "other";
}

/**
 * True if one text may be the stored form of the other: `same`, or equal without accents. A text that is only `kin` may
 * be someone else's.
 */
export function isStoredAs(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => withoutAccents(formsOf(text)[0] ?? ""));
  return kin(one, other) === "same" || (a !== "" && a === b);
}

/**
 * Compares the key of a record with that of a row, part by part. A record without a key is `kin`, because it may
 * belong to the row.
 */
export function keyKinship(key: string | null | undefined, sent = ""): Kinship {
  if (key === sent) return "same";
  if (key === null || key === undefined || key === "") return "kin";
  const parts = partsOf(sent);
  const found = partsOf(key);
  const all = parts.map((part, at) => kin(found[at] ?? "", part));
  return all.includes("other") ? "other" : all.includes("kin") ? "kin" : "same";
}

/** The parts of a key, which is a JSON list if it has several. */
export function partsOf(key: string): readonly string[] {
  try {
    return key.startsWith('["') ? (JSON.parse(key) as string[]) : [key];
  } catch {
    // The key is a single text that only looks like a list.
    return [key];
  }
}

// True if only one text has characters other than a-z and 0-9: the service may have transliterated or dropped them.
function isReplaced(one: string, other: string): boolean {
  const [latin, otherLatin] = [one.replace(/[^a-z0-9]/g, ""), other.replace(/[^a-z0-9]/g, "")];
  const [foreign, otherForeign] = [one.replace(/[a-z0-9]/g, ""), other.replace(/[a-z0-9]/g, "")];
  if (foreign === otherForeign || (foreign !== "" && otherForeign !== "")) return false;
  if (latin === otherLatin) return true;
  const [short, long] = [one.length, other.length].sort((a, b) => a - b) as [number, number];
  return long <= 6 * short && (isSubsequence(latin, otherLatin) || isSubsequence(otherLatin, latin));
}

const FORMS = new Map<string, readonly string[]>();
const MOST_FORMS = 10_000;

// The letters, digits and marks of a text, with and without its markup. Marks count: some scripts use them as vowels.
function formsOf(text: string): readonly string[] {
  const known = FORMS.get(text);
  if (known) return known;
  if (FORMS.size >= MOST_FORMS) FORMS.clear();
  const read = readEntities(text);
  const bare = (form: string) =>
    form
      .normalize("NFKC")
      .toLowerCase()
      .replace(/\u00DF/g, "ss")
      .normalize("NFKC")
      .replace(/[^\p{L}\p{N}\p{M}]/gu, "")
      .replace(/\p{Nd}/gu, toAsciiDigit);
  const forms = [...new Set([bare(read), bare(read.replace(/<[^>]*>/g, ""))])].filter((form) => form !== "");
  FORMS.set(text, forms);
  return forms;
}

function withoutAccents(form: string): string {
  return form.normalize("NFKD").replace(/[\u0300-\u036F]/g, "");
}

// The digits of a script are ten consecutive code points, beginning with its zero.
export function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  if (code < 58) return digit;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
}

export function isPhone(text: string): boolean {
  return /^\+?[\d\s().,/'-]+$/.test(text.trim()) && text.replace(/\D/g, "").length >= 7;
}

function isSamePhone(one: string, other: string): boolean {
  const [short, long] = [one, other].map((digits) => digits.replace(/^0+/, "")).sort((a, b) => a.length - b.length) as [
    string,
    string,
  ];
  return short.length >= 7 && long.length - short.length <= 4 && long.endsWith(short);
}

function isSubsequence(short: string, long: string): boolean {
  let at = 0;
  for (const letter of long) if (letter === short[at]) at++;
  return at >= short.length;
}
