import { formsOf, REDACTED, valuesIn } from "./redact.js";

// In characters.
const LONGEST_NAME = 60;
const LONGEST_FRAMES = 1_000;

/**
 * Removes sensitive values from the start of a string, regardless of case, and drops the rest. Redacting the whole
 * string first would take long; truncating first could leave half of a value in the result.
 */
export function redactStart(text: string, values: readonly string[], length: number): string {
  // Long values are always searched for; shorter ones only if they occur close enough to the start to matter.
  const [long, short] = [values.filter(isLong), values.filter((value) => !isLong(value))];
  const reach = text.slice(0, length + LONGEST_FORM * LONG);
  const folded = foldedForms([...long, ...valuesIn(reach, short)]);
  return startWithout(folded, text, length);
}

const LONG = 4_000;
// The most characters that one character can become: in a URL, three bytes, each written as %XX.
const LONGEST_FORM = 9;

function isLong(value: string): boolean {
  return value.length > LONG;
}

/**
 * Makes a cause safe to attach to an error: copies its name, code and stack frames, and those of its own causes. The
 * message is left out, because it may repeat sent values in any spelling; so is everything else that a custom fetch
 * rejects with, because it may reference requests, sockets and agents.
 */
export function redactCause(cause: unknown, values: readonly string[]): unknown {
  return cause === undefined ? undefined : copyOf(cause, values, 0);
}

// Sorted longest first. A service may change the case of the values it was sent, compose or decompose their accents,
// and collapse their white space.
function foldedForms(values: readonly string[]): string[] {
  const spellings = values.flatMap((value) => [
    value,
    value.normalize("NFC"),
    value.normalize("NFD"),
    value.replace(/\s+/g, " "),
  ]);
  // Folded last: the URL form of a letter depends on its case.
  return [...new Set(formsOf([...new Set(spellings)]).map(fold))];
}

// Folds case without changing the length, so that positions in both strings are the same.
function fold(text: string): string {
  // Handles the one letter whose lower case is longer, and the one whose lower case depends on the letters around it.
  return text.replaceAll("İ", "i").toLowerCase().replaceAll("ς", "σ");
}

function startWithout(forms: readonly string[], text: string, length: number): string {
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
      // At the same position, the longer form wins: it comes first.
      if (index >= 0 && index < next) {
        next = index;
        found = form;
      }
    }
    // Copied, because a slice would keep the whole text in memory for as long as the error lives.
    clean += Array.from(text.slice(at, next)).join("");
    if (found === "") break;
    clean += REDACTED;
    at = next + found.length;
  }
  return clean;
}

const DEEPEST_COPY = 4;

function copyOf(cause: unknown, values: readonly string[], depth: number): Error {
  if (!isError(cause)) return new Error(REDACTED);
  const clean = (name: string, length: number) => {
    const text = read(cause, name);
    return typeof text === "string" ? redactStart(text, values, length) : null;
  };
  const code = clean("code", LONGEST_NAME);
  const name = clean("name", LONGEST_NAME) ?? "Error";
  const copy = new Error(code ?? REDACTED);
  const inner = read(cause, "cause");
  const kept: Record<string, unknown> = { name };
  if (isError(inner) && depth < DEEPEST_COPY) kept.cause = copyOf(inner, values, depth + 1);
  const frames = framesOf(cause).slice(0, LONGEST_FRAMES);
  kept.stack = `${name}: ${copy.message}${redactStart(frames, values, frames.length)}`;
  for (const [field, value] of Object.entries(kept)) Object.defineProperty(copy, field, { value, configurable: true });
  return code === null ? copy : Object.assign(copy, { code });
}

const FRAME = /^(\s+at .+|\S*@.+):\d+:\d+\)?$/;

// Lines of the message may look like stack frames, so the message is removed first.
function framesOf(error: Error): string {
  const [stack, message] = [read(error, "stack"), read(error, "message")];
  if (typeof stack !== "string" || typeof message !== "string") return "";
  const lines = stack.slice(stack.indexOf(message) + message.length).split("\n");
  return lines.flatMap((line) => (FRAME.test(line) ? `\n${line}` : [])).join("");
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
