import { ConfigurationError } from "../../core/errors.js";
import { checkNames, isObject } from "../checks.js";
import { WebhookVerificationError } from "../errors.js";
import { parseWebhook } from "../payload.js";
import type { Bytes } from "./crypto.js";
import { checkHeaders, headerName, secretList, verifyWebhook } from "./verify.js";

/**
 * One secret, or several during a rotation; a delivery that matches any of them is accepted. A function is called for
 * every delivery, so that a build without the secret works; what it returns is checked then. It gets the `tenant_id` that the
 * delivery claims, "" without one, so that each school can have a secret of its own; an empty list refuses the delivery.
 */
export type WebhookSecrets =
  | string
  | readonly string[]
  | ((tenantId: string) => string | readonly string[] | undefined | Promise<string | readonly string[] | undefined>);

/** Deliveries are signed. */
export interface SignedWebhooks {
  /** The secrets that the webhook's settings page in the service shows; no operation answers them. */
  readonly secrets: WebhookSecrets;
  /** Name of the header with the signatures. Default: the one header whose name ends in `-signature-v1`. */
  readonly header?: string | undefined;
}

/** How a receiver verifies that a delivery comes from the service; false when anyone may post. */
export type WebhookSignature = SignedWebhooks | false;

/** Checks deliveries. */
export interface Verifier {
  /**
   * Refuses what needs no body: no signature, or one that is too old.
   * @throws WebhookVerificationError when the delivery can be refused.
   */
  checkHeaders(headers: Headers): void;
  /** Resolves to the secrets to check a body with; the application's work where a function returns them. */
  secrets(body: Bytes): Promise<readonly string[]>;
  /** Resolves to the time of signing in unix seconds. @throws WebhookVerificationError when the delivery is refused. */
  verify(headers: Headers, body: Bytes, secrets: readonly string[]): Promise<number>;
}

/**
 * Makes the check a receiver applies to every delivery; null if anyone may post.
 * @throws ConfigurationError when no delivery could pass it.
 */
export function createVerifier(signature: WebhookSignature, now: () => number): Verifier | null {
  if (signature === false) return null;
  if (!isObject(signature))
    throw new ConfigurationError(
      "createWebhookHandler: signature must have secrets, or be false where anybody may post events",
    );
  checkNames("signature", signature, ["secrets", "header"]);
  const header = headerName(signature.header);
  return {
    checkHeaders: (headers) => void checkHeaders(headers, header, now),
    secrets: secretReader(signature.secrets),
    verify: async (headers, body, secrets) => {
      if (secrets.length > 0) return (await verifyWebhook({ headers, body, secrets, header, now })).timestamp;
      throw new WebhookVerificationError("wrong_signature", "There is no secret for the tenant of the webhook");
    },
  };
}

/** Reads the secrets: at once when they are given, for every delivery when a function returns them. */
function secretReader(secrets: WebhookSecrets): Verifier["secrets"] {
  if (typeof secrets !== "function") {
    const list = secretList("createWebhookHandler", secrets);
    return async () => list;
  }
  return async (body) => {
    const tenant = tenantIn(body);
    // What a table of secrets inherits belongs to no tenant: `secrets[tenant]` would find a function.
    if (tenant in {}) return [];
    const given = await secrets(tenant);
    return Array.isArray(given) && given.length === 0 ? [] : secretList("createWebhookHandler", given);
  };
}

// Nobody has vouched for it yet: it only says with which secret to check.
function tenantIn(body: Bytes): string {
  try {
    return parseWebhook(body).tenant_id;
  } catch {
    return "";
  }
}
