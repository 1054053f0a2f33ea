import { ConfigurationError } from "../../core/errors.js";
import { checkNames, oneOf } from "../checks.js";

/**
 * How deliveries are signed. The service does not describe it, so every part can be set. The defaults are what one
 * public receiver shows: a header with `t=<unix seconds>` and one or more `signature=<hex>`, each an HMAC-SHA256 over
 * `<t>.<raw body>`. Plain data: it can be kept in a configuration file.
 */
export interface WebhookScheme {
  /**
   * Where the signature stands: `fields` (default), as above; `bare`, where it is the whole header and only the body is
   * signed; `standard-webhooks`, as standardwebhooks.com describes it, which takes no other option here: the headers
   * `webhook-id`, `webhook-timestamp` and `webhook-signature`, and secrets in base64, with or without `whsec_`.
   */
  readonly format?: "fields" | "bare" | "standard-webhooks";
  /** Name of the header with the signatures. Default `webhook-signature`; the real name is not documented: set it. */
  readonly header?: string;
  /** Name of the field with the time of signing in unix seconds; null when only the body is signed. Default `t`. */
  readonly timestampField?: string | null;
  /** Name of the field with a signature; the header may hold several. Default `signature`. */
  readonly signatureField?: string;
  /** Hash of the HMAC. Default `SHA-256`. */
  readonly algorithm?: "SHA-256" | "SHA-384" | "SHA-512";
  /** How a signature is written. Default `hex`. */
  readonly encoding?: "hex" | "base64";
  /** Name of a header with an identifier of the delivery that stays the same when the service sends it again. Default none. */
  readonly deliveryIdHeader?: string;
}

/** A scheme with its defaults filled in. */
export interface CompleteScheme extends Required<Omit<WebhookScheme, "deliveryIdHeader">> {
  readonly deliveryIdHeader: string | null;
}

/** Headers as fetch (`Headers`), node:http or a plain object have them; names in any case. */
export type WebhookHeaders =
  | {
      /** The value of a header; null when there is none. */
      get(name: string): string | null;
    }
  | { readonly [name: string]: string | readonly string[] | undefined };

const OPTIONS = ["format", "header", "algorithm", "encoding", "deliveryIdHeader", "timestampField", "signatureField"];
// How many of them each format leaves to be set.
const TAKEN = { fields: 7, bare: 5, "standard-webhooks": 1 } as const;

const STANDARD: CompleteScheme = {
  format: "standard-webhooks",
  header: "webhook-signature",
  timestampField: "webhook-timestamp",
  signatureField: "signature",
  algorithm: "SHA-256",
  encoding: "base64",
  deliveryIdHeader: "webhook-id",
};

/** Fills in the defaults of a scheme. @throws ConfigurationError when no delivery could be verified with it. */
export function completeScheme(scheme: WebhookScheme = {}): CompleteScheme {
  const format = oneOf(["fields", "bare", "standard-webhooks"], "scheme.format", scheme?.format ?? "fields");
  checkNames("scheme", scheme, OPTIONS.slice(0, TAKEN[format]));
  if (format === "standard-webhooks") return STANDARD;
  const isBare = format === "bare" || scheme.timestampField === null;
  const complete: CompleteScheme = {
    format,
    header: headerName("header", scheme.header ?? "webhook-signature"),
    timestampField: isBare ? null : fieldName("timestampField", scheme.timestampField ?? "t"),
    signatureField: fieldName("signatureField", scheme.signatureField ?? "signature"),
    algorithm: oneOf(["SHA-256", "SHA-384", "SHA-512"], "scheme.algorithm", scheme.algorithm ?? "SHA-256"),
    encoding: oneOf(["hex", "base64"], "scheme.encoding", scheme.encoding ?? "hex"),
    deliveryIdHeader:
      scheme.deliveryIdHeader === undefined ? null : headerName("deliveryIdHeader", scheme.deliveryIdHeader),
  };
  if (complete.timestampField === complete.signatureField) {
    throw new ConfigurationError("Webhooks: scheme.timestampField and signatureField must differ");
  }
  return complete;
}

function headerName(option: string, name: unknown): string {
  if (typeof name === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(name)) return name;
  throw new ConfigurationError(`Webhooks: scheme.${option} must be a valid header name`);
}

// What separates fields in the header cannot be part of a name.
function fieldName(option: string, name: unknown): string {
  if (typeof name === "string" && /^[^\s,;="]+$/.test(name)) return name;
  throw new ConfigurationError(`Webhooks: scheme.${option} must be a name without spaces and without , ; = "`);
}

/** The secrets as a list. @throws ConfigurationError when there is none to check with. */
export function secretList(secrets: unknown, where: string): readonly string[] {
  const list: unknown = typeof secrets === "string" ? [secrets] : secrets;
  if (isSecrets(list)) return list;
  throw new ConfigurationError(`${where} needs at least one secret, and every secret must be text that is not blank`);
}

function isSecrets(list: unknown): list is readonly string[] {
  return Array.isArray(list) && list.length > 0 && list.every((one) => typeof one === "string" && one.trim() !== "");
}

/** Reads one header; null when it is absent. */
export function readHeader(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === "function") return headers.get(name);
  const wanted = name.toLowerCase();
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() !== wanted || value === undefined) continue;
    return typeof value === "string" ? value : (value as readonly string[]).join(", ");
  }
  return null;
}
