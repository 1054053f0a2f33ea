import { scopesInWords } from "../scopes.js";
import type { CallRequest } from "./request.js";

/**
 * What a browser tells about a request without a response. It hides from scripts why a request failed: offline, not
 * reachable and not allowed look the same.
 */
export function browserHint(url: string): string {
  const { navigator, location } = globalThis as { navigator?: { onLine?: boolean }; location?: { origin: string } };
  if (navigator?.onLine === undefined) return "";
  if (!navigator.onLine) return " The browser is offline.";
  if (!location || location.origin === new URL(url).origin) return " The browser is online; check baseUrl.";
  return ` The browser is online, and the page is on another origin (${location.origin}): most likely the service does not allow requests from it (CORS). Ask the service's support to add your domain, or use your own server as a proxy; otherwise check baseUrl.`;
}

/**
 * Why the service may have answered with this status, and what to do.
 * @param fromService whether the body was the service's error body.
 */
export function likelyReasons(
  { operation, raw, resumed }: CallRequest,
  status: number,
  fromService: boolean,
): string | null {
  if (status === 412) return "The provider is not set up for this operation";
  if (status !== 401 && status !== 403 && status !== 404) return null;
  const reasons: string[] = [];
  if (status === 404 && !fromService) reasons.push("the address is not the service's; check baseUrl");
  if (raw && !/^\/?api\//.test(operation.path)) reasons.push('the path lacks the API\'s prefix, such as "api/v1/"');
  if (resumed) reasons.push("the checkpoint's cursor has expired");
  const scopes = scopesInWords(operation);
  reasons.push(
    `the API key is missing, wrong, expired or without the scope this operation needs${scopes && ` (${scopes})`}`,
    operation.path.includes("{")
      ? "the record does not exist or belongs to another provider"
      : "the API key does not have permission, or a record that the request names belongs to another provider",
    operation.feature ? `the feature flag "${operation.feature}" is off` : "a feature flag it needs is off",
  );
  if (operation.beta) reasons.push("the operation is in beta and may have changed");
  if (operation.pathConfirmed === false) {
    reasons.push(`its path is not confirmed by the service's description; set the option routes["${operation.id}"]`);
  }
  return `Likely reasons: ${reasons.join("; or ")}`;
}

const MOST_FIELDS = 5;
const LONGEST_PROBLEM = 200;
// Names of fields contain no personal data; anything else in their place might.
const FIELD_NAME = /^[\w.[\]-]{1,80}$/;

/**
 * The fields that the service refused, with its reasons: `email: is taken; label_ids: …`. The description does not show
 * the structure of `errors`; texts, arrays of texts and nested objects are understood.
 */
export function fieldProblems(errors: unknown, clean: (text: string, length: number) => string): string {
  const problems: string[] = [];
  const visit = (name: string, value: unknown, depth: number): void => {
    if (problems.length > MOST_FIELDS || depth > 4) return;
    if (typeof value === "string") {
      problems.push(name === "" ? clean(value, LONGEST_PROBLEM) : `${name}: ${clean(value, LONGEST_PROBLEM)}`);
    } else if (Array.isArray(value)) {
      const texts = value.filter((item) => typeof item === "string");
      if (texts.length > 0) visit(name, texts.slice(0, MOST_FIELDS).join(", "), depth + 1);
      else for (const item of value.slice(0, MOST_FIELDS)) visit(name, item, depth + 1);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (FIELD_NAME.test(key)) visit(name === "" ? key : `${name}.${key}`, inner, depth + 1);
      }
    }
  };
  visit("", errors, 0);
  if (problems.length > MOST_FIELDS) return `${problems.slice(0, MOST_FIELDS).join("; ")}; and more`;
  return problems.join("; ");
}
