import { ConfigurationError } from "../../core/errors.js";
import { WebhookVerificationError } from "../errors.js";

/** The headers of a request: fetch's `Headers`, node:http's, or a plain object. Names may be in any case. */
export type WebhookHeaders =
  | {
      /** Calls `callback` for each header. */
      forEach(callback: (value: string, name: string) => void): void;
    }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface SignatureHeader {
  readonly timestamp: string;
  readonly signatures: readonly string[];
}

/** The service's header name consists of a product name and this ending. */
const ENDING = "-signature-v1";

/** The header that the sandbox, the command line and `signWebhook` use. */
export const DEFAULT_HEADER = `education-admin${ENDING}`;

// Limits the work that long headers from strangers can cause. The service sends at most two signatures.
const MAX_LENGTH = 2_048;
const MAX_NAMES = 5;

/**
 * Returns the value of the only signature header.
 * @throws WebhookVerificationError if there is none or more than one.
 */
export function signatureOf(headers: WebhookHeaders, header: string | undefined): string {
  const wanted = header?.toLowerCase();
  const [found, second] = entriesOf(headers).filter(([name]) =>
    wanted === undefined ? name.endsWith(ENDING) : name === wanted,
  );
  if (found && !second) return found[1];
  const what = header ?? `whose name ends in ${ENDING}`;
  const came = signatureNames(headers).join(", ") || "none";
  throw found
    ? new WebhookVerificationError("several_signatures", `The webhook has more than one header ${what}: ${came}`)
    : new WebhookVerificationError(
        "missing_signature",
        `The webhook has no header ${what}; headers received with "signature" in their names: ${came}`,
      );
}

/** The names of headers that look like signature headers: at most 5, each cut after 100 characters. */
export function signatureNames(headers: WebhookHeaders): string[] {
  const names = entriesOf(headers).map(([name]) => name.replace(/[^\x21-\x7e]/g, "?").slice(0, 100));
  return names.filter((name) => name.includes("signature")).slice(0, MAX_NAMES);
}

/**
 * Parses a signature header. Fields may be in any order, with whitespace around `=` and `,`; unknown fields are
 * ignored. Null if the header is malformed, or contains two timestamps because a proxy joined two headers.
 */
export function readSignature(value: string): SignatureHeader | null {
  if (value.length > MAX_LENGTH) return null;
  const times: string[] = [];
  const signatures: string[] = [];
  for (const field of value.split(",")) {
    const [name = "", text = "", ...more] = field.split("=").map((part) => part.trim());
    if (name === "" || text === "" || more.length > 0) return null;
    if (name === "t") times.push(text);
    if (name === "signature") signatures.push(text.toLowerCase());
  }
  const [timestamp = "", ...others] = times;
  const isWhole = /^\d{1,12}$/.test(timestamp) && others.length === 0 && signatures.length > 0;
  return isWhole && signatures.every((one) => /^[0-9a-f]{64}$/.test(one)) ? { timestamp, signatures } : null;
}

export function writeSignature({ timestamp, signatures }: SignatureHeader): string {
  return [`t=${timestamp}`, ...signatures.map((one) => `signature=${one}`)].join();
}

export function isHeaderName(name: unknown): name is string {
  return typeof name === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/**
 * Lists all headers, with names in lower case. A header that was sent twice appears twice, unless the platform
 * joined its values.
 */
function entriesOf(headers: WebhookHeaders): [name: string, value: string][] {
  const entries: [string, string][] = [];
  const add = (value: unknown, name: unknown) => entries.push([String(name).toLowerCase(), String(value)]);
  if (typeof headers !== "object" || headers === null) {
    throw new ConfigurationError(
      "verifyWebhook: headers must be Headers or an object with the headers of the delivery",
    );
  }
  if (typeof headers.forEach === "function") headers.forEach(add);
  else
    for (const [name, values] of Object.entries(headers))
      if (values !== undefined) for (const value of [values].flat()) add(value, name);
  return entries;
}
