/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

// Shorter values would blot out parts of ordinary words; values this short give nobody away.
const SHORTEST = 4;
// An error is read by people and kept in logs, whatever the length of what came.
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
  return [...found];
}

/** Takes secrets out of a text, also where they are written as in a URL or in JSON. */
export function redact(text: string, secrets: readonly string[]): string {
  return without(formsOf(secrets), text);
}

/**
 * Takes secrets out of the start of a text and leaves the rest out. Redacting first would cost as much as the whole
 * text, cutting first would leave the half of a secret standing.
 */
export function redactStart(text: string, secrets: readonly string[], length: number): string {
  return startWithout(formsOf(secrets), text, length);
}

/**
 * Makes a cause safe to attach: itself when nothing in it gives a secret away, else a copy with name, code, the
 * redacted message and a cause made safe in the same way.
 */
export function redactCause(cause: unknown, secrets: readonly string[]): unknown {
  const forms = formsOf(secrets);
  return isHarmless(cause, forms) ? cause : copyOf(cause, forms, 0);
}

// A secret as it may stand in what comes back: as it was sent, in an address, in JSON, in JSON within JSON.
function formsOf(secrets: readonly string[]): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    // encodeURIComponent throws at half a character, which JSON may well have carried.
    const encoded = encodeURIComponent(secret.toWellFormed());
    const escaped = JSON.stringify(secret).slice(1, -1);
    forms.add(secret).add(encoded).add(encoded.replaceAll("%20", "+"));
    // A URL object writes these in a query although encodeURIComponent does not.
    forms.add(encoded.replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`));
    forms.add(escaped).add(JSON.stringify(escaped).slice(1, -1));
  }
  return [...forms].sort(longestFirst);
}

// So that a value inside another does not leave half of it standing.
function longestFirst(one: string, other: string): number {
  return other.length - one.length;
}

function without(forms: readonly string[], text: string): string {
  let clean = text;
  for (const form of forms) clean = clean.replaceAll(form, REDACTED);
  return clean;
}

function startWithout(forms: readonly string[], text: string, length: number): string {
  const reach = (form: string) => text.slice(0, length + form.length - 1);
  const present = forms.filter((form) => reach(form).includes(form));
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

const DEEPEST_COPY = 4;

function copyOf(cause: unknown, forms: readonly string[], depth: number): Error {
  if (!isError(cause)) return new Error(REDACTED);
  const clean = (name: string) => {
    const text = read(cause, name);
    return typeof text === "string" ? startWithout(forms, text, LONGEST_MESSAGE) : null;
  };
  const copy = new Error(clean("message") ?? REDACTED);
  const code = clean("code");
  const inner = read(cause, "cause");
  const kept: Record<string, unknown> = { name: clean("name") ?? "Error" };
  if (isError(inner) && depth < DEEPEST_COPY) kept.cause = copyOf(inner, forms, depth + 1);
  kept.stack = `${kept.name}: ${copy.message}`;
  for (const [name, value] of Object.entries(kept)) Object.defineProperty(copy, name, { value, configurable: true });
  return code === null ? copy : Object.assign(copy, { code });
}

// A fetch of the caller's own may reject with something its agent, its sockets and half the process hang on. What is too
// large to look through is taken to tell.
const MOST_VALUES = 10_000;
const LONGEST_TEXT = 100_000;

// Only what consists of nothing but errors, plain objects, arrays and bare values can be looked through: a Request, a
// Headers, a Map or a buffer shows more when printed than its properties.
function isHarmless(cause: unknown, forms: readonly string[]): boolean {
  const tells = (text: string) => text.length > LONGEST_TEXT || without(forms, text) !== text;
  const seen = new Set<unknown>();
  const values: unknown[] = [cause];
  // The list grows while it is walked through.
  for (const value of values) {
    if (typeof value === "string" && tells(value)) return false;
    if (typeof value === "function" || typeof value === "symbol") return false;
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (!isPlain(value)) return false;
    const keys = Reflect.ownKeys(value);
    if (values.length + keys.length > MOST_VALUES) return false;
    for (const key of keys) {
      if (!Array.isArray(value) && tells(typeof key === "string" ? key : (key.description ?? ""))) return false;
      values.push(read(value, key));
    }
  }
  return true;
}

function isPlain(value: object): boolean {
  if (PRINTS_ITSELF in value) return false;
  if (Array.isArray(value) || isError(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Of this realm or another.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

// What Node's inspect asks for; a registered symbol, so that it needs no import.
const PRINTS_ITSELF = /* @__PURE__ */ Symbol.for("nodejs.util.inspect.custom");

function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
}

function read(value: object, key: PropertyKey): unknown {
  try {
    return (value as Record<PropertyKey, unknown>)[key];
  } catch {
    return undefined;
  }
}
