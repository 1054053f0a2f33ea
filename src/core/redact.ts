/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

// Shorter values would blot out parts of ordinary words; values this short give nobody away.
const SHORTEST = 4;

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
  for (const secret of secrets) {
    clean = clean.replaceAll(secret, REDACTED);
    const encoded = encodeURIComponent(secret);
    if (encoded !== secret) clean = clean.replaceAll(encoded, REDACTED);
  }
  return clean;
}

/**
 * Makes a cause safe to attach: itself when nothing in it gives a secret away, else a copy with name, code and the
 * redacted message.
 */
export function redactCause(cause: unknown, secrets: readonly string[]): unknown {
  if (!tells(cause, secrets, 0)) return cause;
  if (!(cause instanceof Error)) return new Error(REDACTED);
  const copy = new Error(redact(cause.message, secrets));
  copy.name = cause.name;
  copy.stack = `${copy.name}: ${copy.message}`;
  const { code } = cause as { code?: unknown };
  return typeof code === "string" ? Object.assign(copy, { code: redact(code, secrets) }) : copy;
}

function tells(value: unknown, secrets: readonly string[], depth: number): boolean {
  if (typeof value === "string") return redact(value, secrets) !== value;
  if (typeof value !== "object" || value === null || depth > 6) return false;
  return Object.getOwnPropertyNames(value).some((name) => tells(read(value, name), secrets, depth + 1));
}

function read(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}
