import { ConfigurationError } from "../core/errors.js";
import { type Bytes, sameBytes, sha256 } from "./crypto.js";
import { WebhookVerificationError } from "./errors.js";
import { completeScheme, readHeader, secretList, type WebhookScheme } from "./scheme.js";
import { verifyWebhook } from "./verify.js";

/** Deliveries are signed. */
export interface SignedWebhooks {
  /** One secret, or several during a rotation: any of them will do. */
  readonly secrets: string | readonly string[];
  /** How they are signed; default {@link WebhookScheme}. */
  readonly scheme?: WebhookScheme | undefined;
  /** How far the time of signing may be from now, in either direction. Default 300 seconds. */
  readonly toleranceSeconds?: number | undefined;
}

/**
 * Nothing is signed, but the URL given to the service holds a secret: `https://receiver.example/webhooks?secret=…`.
 * Weaker than a signature: URLs end up in access logs, and nothing says when a delivery was made.
 */
export interface UrlSecretWebhooks {
  /** One secret, or several during a rotation: any of them will do. */
  readonly urlSecrets: string | readonly string[];
  /** Name of the query parameter. Default `secret`. */
  readonly parameter?: string | undefined;
}

/** A check of your own, for a scheme that a {@link WebhookScheme} cannot describe. */
export interface CustomWebhooks {
  /** Tells whether a delivery is genuine; what it throws counts as a no. Compare secrets in constant time. */
  readonly verify: (delivery: {
    readonly body: Uint8Array;
    readonly headers: Headers;
    readonly url: string;
  }) => boolean | Promise<boolean>;
}

/** How a receiver knows that a delivery comes from the service; false when anybody may post. */
export type WebhookSignature = SignedWebhooks | UrlSecretWebhooks | CustomWebhooks | false;

/** Checks a delivery; resolves to the time of signing in unix seconds, or null. */
export type Verifier = (request: Request, body: Bytes) => Promise<number | null>;

/** Makes the check a receiver applies to every delivery. */
export function createVerifier(signature: WebhookSignature | undefined, now: () => number): Verifier {
  if (signature === false || signature === undefined) return async () => null;
  if ("secrets" in signature) {
    secretList(signature.secrets, "createWebhookHandler");
    return async ({ headers }, body) => (await verifyWebhook({ ...signature, body, headers, now })).timestamp;
  }
  if ("urlSecrets" in signature) return urlVerifier(signature);
  if (typeof signature.verify === "function") return customVerifier(signature);
  throw new ConfigurationError("createWebhookHandler: signature holds secrets, urlSecrets or verify, or is false");
}

function urlVerifier({ urlSecrets, parameter = "secret" }: UrlSecretWebhooks): Verifier {
  const secrets = secretList(urlSecrets, "createWebhookHandler");
  return async (request) => {
    const given = new URL(request.url).searchParams.get(parameter) ?? "";
    const hash = (text: string) => sha256(text).then((hex) => new TextEncoder().encode(hex));
    const wanted = await Promise.all(secrets.map(hash));
    const offered = await hash(given);
    // Hashes have one length, and every secret is compared, so the duration tells nothing.
    const fits = wanted.map((one) => sameBytes(one, offered)).includes(true);
    if (!fits)
      throw new WebhookVerificationError("wrong_secret", `The URL has no valid secret in its parameter ${parameter}`);
    return null;
  };
}

function customVerifier({ verify }: CustomWebhooks): Verifier {
  return async ({ headers, url }, body) => {
    let genuine = false;
    try {
      genuine = (await verify({ body, headers, url })) === true;
    } catch {
      // A check that cannot be made is a check that failed.
    }
    if (!genuine) throw new WebhookVerificationError("wrong_signature", "The check of the delivery did not accept it");
    return null;
  };
}

/**
 * Identifies a delivery, so that a second one is known: by the header the scheme names, else by body and time of
 * signing, else by the body if it tells when the record was changed. Without any of these every delivery is its own,
 * for two equal thin bodies may be two changes, and handling one twice is better than losing one.
 */
export async function deliveryIdentity(
  signature: WebhookSignature | undefined,
  delivery: { headers: Headers; body: Bytes; timestamp: number | null; hasVersion: boolean },
): Promise<string> {
  const { headers, body, timestamp, hasVersion } = delivery;
  const header = signature && "secrets" in signature ? completeScheme(signature.scheme).deliveryIdHeader : null;
  const given = header === null ? null : readHeader(headers, header);
  // Stores and queues put identifiers into keys: what could mean something there is hashed.
  if (given) return /^[\w.-]{1,128}$/.test(given) ? given : sha256(given);
  if (timestamp !== null) return sha256(`${timestamp}.`, body);
  return hasVersion ? sha256(body) : globalThis.crypto.randomUUID();
}
