import { ConfigurationError } from "../core/errors.js";

/**
 * Tells whether an event's name matches a pattern: `*` matches every name, `invoice.*` every name that starts with
 * `invoice.`, `*.deleted` names of exactly two parts, and any other pattern only itself.
 * @example
 * matchesWebhookPattern("*.deleted", "invoice.deleted"); // true
 * matchesWebhookPattern("*.deleted", "invoice.deleted.again"); // false
 */
export function matchesWebhookPattern(pattern: string, event: string): boolean {
  const wanted = pattern.split(".");
  const given = event.split(".");
  const longEnough = wanted.at(-1) === "*" ? given.length >= wanted.length : given.length === wanted.length;
  return longEnough && wanted.every((part, at) => part === "*" || part === given[at]);
}

/**
 * Checks that a pattern can match an event.
 * @throws ConfigurationError when it cannot.
 */
export function checkPattern(pattern: unknown): asserts pattern is string {
  const parts = typeof pattern === "string" ? pattern.split(".") : [];
  const isPart = (part: string) => part === "*" || (part !== "" && !part.includes("*"));
  if (parts.length > 0 && parts.every(isPart)) return;
  throw new ConfigurationError(
    `${quoted(pattern)} is not a valid webhook pattern: use a name, "invoice.*", "*.deleted" or "*"`,
  );
}

// A symbol cannot be put into a text without String().
function quoted(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(typeof value);
}
