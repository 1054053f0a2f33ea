import { ConfigurationError } from "../core/errors.js";
import { WebhookEventName } from "./events.js";

/**
 * True if an event's name matches a pattern: `*` matches every name, `invoice.*` every name that starts with
 * `invoice.`, `*.deleted` every name that consists of one part and `.deleted`, and any other pattern only itself.
 * @example
 * matchesWebhookPattern("*.deleted", "invoice.deleted"); // true
 * matchesWebhookPattern("*.deleted", "invoice.deleted.again"); // false
 */
export function matchesWebhookPattern(pattern: string, event: string): boolean {
  if (pattern === "*" || pattern === event) return true;
  if (pattern.endsWith(".*")) return event.startsWith(pattern.slice(0, -1));
  return pattern.startsWith("*.") && event.slice(event.indexOf(".")) === pattern.slice(1);
}

/** Checks that a pattern can match an event. @throws ConfigurationError if it cannot. */
export function checkPattern(pattern: unknown): asserts pattern is string {
  // A star may occur once: alone, or as the first or last part.
  if (typeof pattern === "string" && /^(?:\*|(?:\*\.)?[^*.]+(?:\.[^*.]+)*|[^*.]+(?:\.[^*.]+)*\.\*)$/.test(pattern))
    return;
  throw new ConfigurationError(
    `${typeof pattern === "string" ? `"${pattern}"` : typeof pattern} is not a valid webhook pattern: use a name, "invoice.*", "*.deleted" or "*"`,
  );
}

/**
 * Checks that a pattern is not a misspelling of a known one. Other unknown names pass, because not all names are
 * known.
 * @throws ConfigurationError if the pattern is misspelled, or lacks the dot that every event name contains.
 */
export function checkSpelling(pattern: string): void {
  if (pattern === "*" || WebhookEventName.values.some((name) => matchesWebhookPattern(pattern, name))) return;
  const fail = (advice: string) => new ConfigurationError(`"${pattern}" matches no known event: ${advice}`);
  if (!pattern.includes(".")) throw fail(`use "${pattern}.*" or "*.${pattern}"`);
  for (const name of WebhookEventName.values) {
    const [kind = "", action = ""] = name.split(".");
    const meant = [name, `${kind}.*`, `*.${action}`].find((known) => isSlip(pattern.toLowerCase(), known));
    if (meant) throw fail(`did you mean "${meant}"?`);
  }
}

/** True if the texts are equal, or one letter was added, left out, replaced or moved. */
function isSlip(text: string, known: string): boolean {
  const shorter = (of: string) => Array.from(of, (_, at) => of.slice(0, at) + of.slice(at + 1));
  const [one, other] = [shorter(text), shorter(known)];
  return text === known || one.includes(known) || other.includes(text) || one.some((rest) => other.includes(rest));
}
