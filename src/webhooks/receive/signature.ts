import { isPlainObject } from "../../core/json.js";
import { acceptAny, failuresOf, type OptionTable, readOptions } from "../../core/option-checks.js";
import { WebhookVerificationError } from "../errors.js";
import { parseWebhook } from "../payload.js";
import type { Bytes } from "./crypto.js";
import { checkHeaders, headerName, secretList, verifyWebhook } from "./verify.js";

/**
 * One secret, or several during a rotation: a delivery may match any of them. A function is called for every delivery,
 * so the application can be built without the secret. It receives the `tenant_id` that the delivery claims, or "" if
 * there is none, so that each school can have its own secret; an empty list refuses the delivery.
 */
export type WebhookSecrets =
  | string
  | readonly string[]
  | ((tenantId: string) => string | readonly string[] | undefined | Promise<string | readonly string[] | undefined>);

/** Options for signed deliveries. */
export interface SignedWebhooks {
  /** The secrets from the webhook's settings page in the service; no API operation returns them. */
  readonly secrets: WebhookSecrets;
  /** The name of the signature header. Default: the only header whose name ends in `-signature-v1`. */
  readonly header?: string | undefined;
}

/** How a receiver verifies that a delivery comes from the service; false if anyone may post. */
export type WebhookSignature = SignedWebhooks | false;

const SIGNATURE = {
  secrets: [acceptAny<WebhookSecrets>],
  header: [headerName],
} satisfies OptionTable<SignedWebhooks>;

export interface Verifier {
  /**
   * Checks the signature header before the body is read.
   * @throws WebhookVerificationError if there is no signature or it is too old.
   */
  checkHeaders(headers: Headers): void;
  /** Resolves to the secrets to verify a body with. May call the application's function. */
  secrets(body: Bytes): Promise<readonly string[]>;
  /** Resolves to the time of signing, in Unix seconds. @throws WebhookVerificationError if the delivery is refused. */
  verify(headers: Headers, body: Bytes, secrets: readonly string[]): Promise<number>;
}

/**
 * Creates the verifier that a receiver applies to every delivery; null if anyone may post.
 * @throws ConfigurationError if the signature's options are invalid.
 */
export function createVerifier(signature: WebhookSignature | undefined, now: () => number): Verifier | null {
  if (signature === false) return null;
  const fail = failuresOf("createWebhookHandler");
  if (!isPlainObject(signature)) throw fail("signature", "must have secrets, or be false if anyone may post events");
  const { secrets: given, header } = readOptions(signature, SIGNATURE, fail, "signature.");
  return {
    checkHeaders: (headers) => void checkHeaders(headers, header, now),
    secrets: secretReader(given),
    verify: async (headers, body, secrets) => {
      if (secrets.length > 0) return (await verifyWebhook({ headers, body, secrets, header, now })).timestamp;
      throw new WebhookVerificationError("wrong_signature", "There is no secret for the webhook's tenant");
    },
  };
}

function secretReader(secrets: WebhookSecrets | undefined): Verifier["secrets"] {
  if (typeof secrets !== "function") {
    const list = secretList("createWebhookHandler", secrets);
    return async () => list;
  }
  return async (body) => {
    const tenant = tenantIn(body);
    // A tenant named like an inherited property, such as `toString`, has no secret: `secrets[tenant]` in an application
    // would find a function.
    if (tenant in {}) return [];
    const given = await secrets(tenant);
    return Array.isArray(given) && given.length === 0 ? [] : secretList("createWebhookHandler", given);
  };
}

// The tenant is not verified yet; it only selects the secret.
function tenantIn(body: Bytes): string {
  try {
    return parseWebhook(body).tenant_id;
  } catch {
    return "";
  }
}
