import { ConfigurationError } from "../../core/errors.js";
import { checkNames, isObject } from "../checks.js";
import { WebhookVerificationError } from "../errors.js";
import { type Bytes, sameBytes, sha256 } from "./crypto.js";
import { completeScheme, readHeader, secretList, type WebhookScheme } from "./scheme.js";
import { checkHeaders, checkTolerance, verifyWebhook } from "./verify.js";

/**
 * One secret, or several during a rotation; a delivery that matches any of them is accepted. A function is called for
 * every delivery, so that a build without the secret works; what it returns is checked then.
 */
export type WebhookSecrets =
  | string
  | readonly string[]
  | (() => string | readonly string[] | undefined | Promise<string | readonly string[] | undefined>);

/** Deliveries are signed. */
export interface SignedWebhooks {
  /** The secrets deliveries are signed with. */
  readonly secrets: WebhookSecrets;
  /** How they are signed; default {@link WebhookScheme}. */
  readonly scheme?: WebhookScheme | undefined;
  /** Most seconds between the time of signing and now, in either direction. Default 300. */
  readonly toleranceSeconds?: number | undefined;
}

/**
 * Deliveries are not signed, but the URL given to the service holds a secret:
 * `https://receiver.example/webhooks?secret=…`. Weaker than a signature: access logs keep URLs, and nothing says when a
 * delivery was made.
 */
export interface UrlSecretWebhooks {
  /** The secrets a URL may hold. */
  readonly urlSecrets: WebhookSecrets;
  /** Name of the query parameter. Default `secret`. */
  readonly parameter?: string | undefined;
}

/** A check of your own, for what a {@link WebhookScheme} cannot describe. */
export interface CustomWebhooks {
  /** Tells whether a delivery is genuine; only `true` accepts it, and an exception refuses it. Compare secrets in constant time. */
  readonly verify: (delivery: {
    readonly body: Uint8Array;
    readonly headers: Headers;
    readonly url: string;
  }) => boolean | Promise<boolean>;
}

/** How a receiver verifies that a delivery comes from the service; false when anyone may post. */
export type WebhookSignature = SignedWebhooks | UrlSecretWebhooks | CustomWebhooks | false;

/** Checks deliveries. */
export interface Verifier {
  /**
   * Refuses what needs no body: no signature, or one that is too old.
   * @throws WebhookVerificationError when the delivery can be refused.
   */
  checkHeaders(headers: Headers): void;
  /** Resolves to the secrets to check with; the application's work where a function returns them. */
  secrets(): Promise<readonly string[]>;
  /** Resolves to the time of signing in unix seconds, or null. */
  verify(request: Request, body: Bytes, secrets: readonly string[]): Promise<number | null>;
  /** Whether `verify` is the application's work too. */
  readonly custom: boolean;
  /** Whether `verify` needs the body. */
  readonly needsBody: boolean;
  /** The identifier the service gave a delivery; null when the scheme names no header for it or it is absent. */
  deliveryId(headers: Headers): string | null;
}

/** Makes the check a receiver applies to every delivery. @throws ConfigurationError when no delivery could pass it. */
export function createVerifier(signature: WebhookSignature | undefined, now: () => number): Verifier {
  const none = {
    checkHeaders: () => undefined,
    secrets: async () => [],
    custom: false,
    needsBody: false,
    deliveryId: () => null,
  };
  if (signature === false || signature === undefined) return { ...none, verify: async () => null };
  if (isObject(signature as unknown)) {
    if ("secrets" in signature) return signedVerifier(signature, now);
    if ("urlSecrets" in signature) return { ...none, ...urlVerifier(signature) };
    if (typeof signature.verify === "function")
      return { ...none, verify: customVerifier(signature), custom: true, needsBody: true };
  }
  throw new ConfigurationError(
    "createWebhookHandler: signature must be false or have secrets, urlSecrets or a function verify",
  );
}

function signedVerifier(signature: SignedWebhooks, now: () => number): Verifier {
  checkNames("signature", signature, ["secrets", "scheme", "toleranceSeconds"]);
  const toleranceSeconds = checkTolerance(signature.toleranceSeconds);
  const { scheme } = signature;
  const complete = completeScheme(scheme);
  const { deliveryIdHeader } = complete;
  return {
    checkHeaders: (headers) => void checkHeaders(headers, complete, toleranceSeconds, now),
    secrets: secretReader(signature.secrets),
    verify: async ({ headers }, body, secrets) =>
      (await verifyWebhook({ scheme, toleranceSeconds, secrets, body, headers, now })).timestamp,
    custom: false,
    needsBody: true,
    deliveryId: (headers) => (deliveryIdHeader === null ? null : readHeader(headers, deliveryIdHeader)),
  };
}

/** Reads the secrets: at once when they are given, for every delivery when a function returns them. */
function secretReader(secrets: WebhookSecrets): () => Promise<readonly string[]> {
  if (typeof secrets === "function") return async () => secretList(await secrets(), "createWebhookHandler");
  const list = secretList(secrets, "createWebhookHandler");
  return async () => list;
}

function urlVerifier(signature: UrlSecretWebhooks): Pick<Verifier, "secrets" | "verify"> {
  checkNames("signature", signature, ["urlSecrets", "parameter"]);
  const { parameter = "secret" } = signature;
  if (typeof parameter !== "string" || parameter === "") {
    throw new ConfigurationError("createWebhookHandler: signature.parameter must be a name");
  }
  const verify: Verifier["verify"] = async (request, _body, secrets) => {
    const given = new URL(request.url).searchParams.get(parameter) ?? "";
    const hash = (text: string) => sha256(text).then((hex) => new TextEncoder().encode(hex));
    const wanted = await Promise.all(secrets.map(hash));
    const offered = await hash(given);
    // Hashes have the same length, and every secret is compared, so the duration reveals nothing.
    const matches = wanted.map((one) => sameBytes(one, offered)).includes(true);
    if (!matches) {
      throw new WebhookVerificationError("wrong_secret", `The URL has no valid secret in its parameter ${parameter}`);
    }
    return null;
  };
  return { secrets: secretReader(signature.urlSecrets), verify };
}

function customVerifier({ verify }: CustomWebhooks): Verifier["verify"] {
  return async ({ headers, url }, body) => {
    let genuine = false;
    try {
      genuine = (await verify({ body, headers, url })) === true;
    } catch {
      // A check that fails to run must not accept the delivery.
    }
    if (!genuine) throw new WebhookVerificationError("wrong_signature", "The check refused the delivery");
    return null;
  };
}
