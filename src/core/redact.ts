export const REDACTED = "[redacted]";

/** Removes sensitive values from a string, regardless of case, including their forms in URLs, JSON and HTML. */
export function redact(text: string, values: readonly string[]): string {
  let clean = text;
  for (const form of formsOf(valuesIn(text, values))) clean = clean.replace(inAnyCase(form), REDACTED);
  return clean;
}

function inAnyCase(form: string): RegExp {
  return new RegExp(form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
}

// The letters and digits that all forms of a value have in common, because nothing escapes or composes them.
const COMMON_PARTS = /[a-z\d]+(?![^\0-\x7f])/gi;
// Matches ASCII text without the characters that start an escape sequence.
const PLAIN = /^[^%&\\\x80-\uffff]*$/;

/** Selects the values that may occur in a string, because building all forms of all values can take a second. */
export function valuesIn(text: string, values: readonly string[]): string[] {
  const folded = text.toLowerCase();
  const isPlain = PLAIN.test(text);
  return values.filter((value) => {
    const parts = value.match(COMMON_PARTS);
    return parts ? parts.every((part) => folded.includes(part.toLowerCase())) : !isPlain || PLAIN.test(value);
  });
}

const NAMES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const QUOTES = ["'", "&#39;", "&#039;", "&#x27;", "&apos;"];
const LETTERS: readonly ((letter: string) => string)[] = [
  (letter) => letter,
  (letter) => `&#${letter.codePointAt(0)};`,
  (letter) => `&#x${letter.codePointAt(0)?.toString(16)};`,
];
// Characters that some JSON encoders escape unnecessarily, for example as \u0027.
const ESCAPED = [/[^\0-\x7f]/g, /[<>&]/g, /[<>&']/g, /[^\0-\x7f]|[<>&]/g, /[^\0-\x7f]|[<>&']/g];

/**
 * The forms in which a response may repeat values, longest first: as sent, in a URL, in JSON, in JSON inside JSON, in
 * HTML, in SQL.
 */
export function formsOf(values: readonly string[]): string[] {
  const forms = new Set<string>();
  for (const value of values) {
    // encodeURIComponent throws on an unpaired surrogate, which JSON can contain.
    const encoded = encodeURIComponent(value.toWellFormed());
    const escaped = JSON.stringify(value).slice(1, -1);
    forms.add(value).add(encoded).add(encoded.replaceAll("%20", "+"));
    // A URL object escapes these characters in a query although encodeURIComponent does not.
    forms.add(encoded.replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`));
    forms.add(escaped).add(JSON.stringify(escaped).slice(1, -1));
    for (const signs of ESCAPED) forms.add(escaped.replace(signs, inJson));
    const named = value.replace(/[&<>"]/g, (sign) => NAMES[sign] ?? sign);
    for (const quote of QUOTES) {
      for (const letter of LETTERS) forms.add(named.replaceAll("'", quote).replace(/[^\0-\x7f]/gu, letter));
    }
    forms.add(value.replaceAll("'", "''")).add(value.replaceAll("'", "\\'"));
  }
  return [...forms].sort(longestFirst);
}

function inJson(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

// Otherwise redacting a value that is part of a longer value would leave the rest of the longer value visible.
function longestFirst(one: string, other: string): number {
  return other.length - one.length;
}
