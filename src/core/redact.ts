/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

// Shorter values would blot out parts of ordinary words; values this short give nobody away.
const SHORTEST = 4;
const LONGEST_MESSAGE = 1_000;

/** The texts of one call that must not show up in errors: the token and every value that was sent. */
export function secretsOf(token: string | null, ...sent: unknown[]): string[] {
  const found = new Set<string>();
  if (token && token.length >= SHORTEST) found.add(token);
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === "string") {
      if (value.length >= SHORTEST) found.add(value);
    } else if (typeof value === "object" && value !== null && depth < 8) {
      for (const child of Object.values(value)) visit(child, depth + 1);
    }
  };
  for (const value of sent) visit(value, 0);
  // The longest first, so that a value inside another does not leave half of it standing.
  return [...found].sort((a, b) => b.length - a.length);
}

/** Takes secrets out of a text, also where they are written as in a URL. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const form of formsOf(secrets)) clean = clean.replaceAll(form, REDACTED);
  return clean;
}

/**
 * Takes secrets out of the start of a text and leaves the rest out. Redacting first would cost as much as the whole
 * text, cutting first would leave the half of a secret standing.
 */
export function redactStart(text: string, secrets: readonly string[], length: number): string {
  const reach = (form: string) => text.slice(0, length + form.length - 1);
  const present = formsOf(secrets).filter((form) => reach(form).includes(form));
  let clean = "";
  let at = 0;
  while (at < length) {
    let next = length;
    let found = "";
    for (const form of present) {
      const index = reach(form).indexOf(form, at);
      if (index >= 0 && (index < next || (index === next && form.length > found.length))) {
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

function formsOf(secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) => {
    // encodeURIComponent throws at half a character, which JSON may well have carried.
    const encoded = encodeURIComponent(secret.toWellFormed());
    return encoded === secret ? [secret] : [secret, encoded];
  });
}

/**
 * Makes a cause safe to attach: itself when nothing in it gives a secret away, else a copy with name, code and the
 * redacted message.
 */
export function redactCause(cause: unknown, secrets: readonly string[]): unknown {
  if (!tells(cause, secrets)) return cause;
  if (!(cause instanceof Error)) return new Error(REDACTED);
  const copy = new Error(redactStart(cause.message, secrets, LONGEST_MESSAGE));
  copy.name = cause.name;
  copy.stack = `${copy.name}: ${copy.message}`;
  const { code } = cause as { code?: unknown };
  return typeof code === "string" ? Object.assign(copy, { code: redact(code, secrets) }) : copy;
}

// A fetch of the caller's own may reject with something its agent, its sockets and half the process hang on. What is too
// large to look through is taken to tell.
const MOST_VALUES = 10_000;
const LONGEST_TEXT = 100_000;
const DEEPEST = 6;

// Level by level, so that every object is met where it is nearest.
function tells(cause: unknown, secrets: readonly string[]): boolean {
  const seen = new Set<unknown>();
  let values: readonly unknown[] = [cause];
  for (let depth = 0; values.length > 0; depth++) {
    const within: unknown[] = [];
    for (const value of values) {
      if (typeof value === "string") {
        if (value.length > LONGEST_TEXT || redact(value, secrets) !== value) return true;
      } else if (typeof value === "object" && value !== null && depth <= DEEPEST && !seen.has(value)) {
        seen.add(value);
        if (ArrayBuffer.isView(value)) continue;
        const names = Object.getOwnPropertyNames(value);
        if (within.length + names.length > MOST_VALUES) return true;
        for (const name of names) within.push(read(value, name));
      }
    }
    values = within;
  }
  return false;
}

function read(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}
