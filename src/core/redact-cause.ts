import { formsOf, REDACTED, valuesIn } from "./redact.js";

// Errors are read by people and kept in logs, so their length is bounded.
const LONGEST_MESSAGE = 1_000;

/**
 * Removes sensitive values from the start of a text, in upper or lower case, and drops the rest. Redacting first would cost as
 * much as the whole text; truncating first would leave half of a value in place.
 */
export function redactStart(text: string, values: readonly string[], length: number): string {
  // A longer value counts whatever it holds: a text is searched no further than shorter ones can reach.
  const [long, short] = [values.filter(isLong), values.filter((value) => !isLong(value))];
  const reach = text.slice(0, length + LONGEST_FORM * LONG);
  const folded = foldedForms([...long, ...valuesIn(reach, short)]);
  return startWithout(folded, text, length);
}

const LONG = 4_000;
// The most characters that one character becomes: one of three bytes, encoded for a URL.
const LONGEST_FORM = 9;

function isLong(value: string): boolean {
  return value.length > LONG;
}

/**
 * Makes a cause safe to attach: a copy with its name, code, message and stack, redacted, and with its causes, copied in the same
 * way. Whatever else a custom fetch rejects with may reference requests, sockets and agents.
 */
export function redactCause(cause: unknown, values: readonly string[]): unknown {
  return cause === undefined ? undefined : copyOf(cause, values, 0);
}

// Longest first. A service may change the case of what it was sent, compose or decompose its accents, join its white space, and
// escape it for HTML or, as PHP, Python, Ruby and C# do, more of it for JSON than JSON needs.
function foldedForms(values: readonly string[]): string[] {
  const spellings = values.flatMap((value) => [
    value,
    value.normalize("NFC"),
    value.normalize("NFD"),
    value.replace(/\s+/g, " "),
    ...ESCAPED.map(([signs, written]) => value.replace(signs, written)),
  ]);
  // Folded last: what a letter becomes in a URL depends on its case.
  return [...new Set(formsOf([...new Set(spellings)]).map(fold))];
}

// Folds case without changing the length, so that positions in both texts are the same.
function fold(text: string): string {
  // The one letter whose lower case is longer, and the one whose lower case depends on the letters around it.
  return text.replaceAll("İ", "i").toLowerCase().replaceAll("ς", "σ");
}

const NAMED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const numberOf = (sign: string, radix: number) => sign.charCodeAt(0).toString(radix);
const decimal = (sign: string) => NAMED[sign] ?? `&#${numberOf(sign, 10)};`;
const hexadecimal = (sign: string) => NAMED[sign] ?? `&#x${numberOf(sign, 16)};`;
const unicode = (sign: string) => `\\u${numberOf(sign, 16).padStart(4, "0")}`;
/** What replaces which signs in HTML and JSON of different languages. */
const ESCAPED: readonly (readonly [signs: RegExp, written: (sign: string) => string])[] = [
  [/[&<>"']/g, decimal],
  [/[&<>"']/g, hexadecimal],
  [/[&<>"']/g, (sign) => NAMED[sign] ?? "&#039;"],
  [/[&<>"']/g, (sign) => NAMED[sign] ?? "&apos;"],
  [/[&<>"'`=/]/g, (sign) => (sign === "'" ? "&#39;" : hexadecimal(sign))],
  [/[^a-z\d\s]/gi, (sign) => `&#${numberOf(sign, 10)};`],
  [/[^a-z\d\s]/gi, (sign) => `&#x${numberOf(sign, 16)};`],
  [/\//g, () => "\\/"],
  [/[/"\\]|[^\0-\x7f]/g, (sign) => (sign > "\x7f" ? unicode(sign) : `\\${sign}`)],
  [/[<>&\u2028\u2029]/g, unicode],
  [/["&'+<>`]|[^\0-\x7f]/g, unicode],
];

function startWithout(forms: readonly string[], text: string, length: number): string {
  // The longest form is the first.
  const folded = fold(text.slice(0, length + (forms[0]?.length ?? 0)));
  const reach = (form: string) => folded.slice(0, length + form.length - 1);
  const present = forms.filter((form) => reach(form).includes(form));
  let clean = "";
  let at = 0;
  while (at < length) {
    let next = length;
    let found = "";
    for (const form of present) {
      const index = reach(form).indexOf(form, at);
      // Of two forms that begin at one position, the first, longer one wins.
      if (index >= 0 && index < next) {
        next = index;
        found = form;
      }
    }
    // Copied, as a slice would keep the whole text in memory for as long as the error lives.
    clean += Array.from(text.slice(at, next)).join("");
    if (found === "") break;
    clean += REDACTED;
    at = next + found.length;
  }
  return clean;
}

const DEEPEST_COPY = 4;

function copyOf(cause: unknown, values: readonly string[], depth: number): Error {
  const clean = (text: unknown) => (typeof text === "string" ? redactStart(text, values, LONGEST_MESSAGE) : null);
  if (!isError(cause)) return new Error(clean(cause) ?? REDACTED);
  const copy = new Error(clean(read(cause, "message")) ?? REDACTED);
  const code = clean(read(cause, "code"));
  const inner = read(cause, "cause");
  const kept: Record<string, unknown> = { name: clean(read(cause, "name")) ?? "Error" };
  if (isError(inner) && depth < DEEPEST_COPY) kept.cause = copyOf(inner, values, depth + 1);
  kept.stack = clean(read(cause, "stack")) ?? `${kept.name}: ${copy.message}`;
  for (const [name, value] of Object.entries(kept)) Object.defineProperty(copy, name, { value, configurable: true });
  return code === null ? copy : Object.assign(copy, { code });
}

function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
}

function read(value: Error, name: string): unknown {
  try {
    return (value as unknown as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}
