import type { Clock } from "../../core/clock.js";
import {
  checkOptions,
  type Fail,
  must,
  type OptionTable,
  oneOf,
  positive,
  record,
  unchecked,
} from "../../core/option-checks.js";
import type { SandboxManners } from "../data/manners.js";
import type { Asked } from "./calls.js";
import type { Answer } from "./fault-answer.js";
import { Faults } from "./faults.js";
import { type Keys, randomText } from "./keys.js";

/** The OAuth application that a sandbox knows. */
export interface SandboxOAuthOptions {
  /** Default `agency`. */
  readonly clientId?: string | undefined;
  /** Default `sandbox-secret`; null for an application without one. */
  readonly clientSecret?: string | null | undefined;
  /** Where a browser may be sent back to, compared as text. Default `http://127.0.0.1:3000/callback`. */
  readonly redirectUri?: string | undefined;
  /** True: every visitor of `/login/oauth2/auth` counts as having agreed, without a page and a click. Default false. */
  readonly agrees?: boolean | undefined;
  /** Milliseconds of the sandbox's time that an access token lasts. Default 3 600 000. */
  readonly expiresInMs?: number | undefined;
  /**
   * When a refresh token ends. `at once`: with the refresh, which gives another one. `when used`: with the first request that has
   * the new access token. `never`: it stays, and a refresh gives no other. Default `at once`.
   */
  readonly rotation?: "at once" | "when used" | "never" | undefined;
}

/** The authorisation server of a sandbox. */
export interface SandboxOAuth {
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly redirectUri: string;
  /** The requests to the token endpoint that were answered with tokens or refused, without their secrets. */
  readonly grants: readonly SandboxGrant[];
  /** Faults of the token endpoint; `operation`, `when` and `drift` have no effect. */
  readonly faults: Faults;
  /** Ends the access tokens, the refresh tokens or both, as an administrator of the school can. */
  revoke(what?: "access" | "refresh" | "all"): void;
  /** Whether a refresh with this token would be answered with tokens. */
  knows(refreshToken: string): boolean;
}

/** A request to the token endpoint. */
export interface SandboxGrant {
  readonly type: "authorization_code" | "refresh_token";
  /** `tokens`, or the error. */
  readonly result: string;
  /** True for a code or a refresh token that had been used before. */
  readonly spent: boolean;
  /** Milliseconds since the epoch, by the sandbox's clock. */
  readonly at: number;
}

const OPTIONS: OptionTable<SandboxOAuthOptions> = {
  clientId: [unchecked],
  clientSecret: [unchecked],
  redirectUri: [must((value) => URL.canParse(value as string), "must be a URL")],
  agrees: [unchecked],
  expiresInMs: [positive],
  rotation: [oneOf("at once", "when used", "never")],
};

const fail: Fail = (option, rule) => new RangeError(`createSandbox: the option ${option} ${rule}`);

/** @throws RangeError for an option that does not exist or cannot have its value. @internal */
export function checkOAuth(options: SandboxOAuthOptions): void {
  checkOptions(record("oauth", options, fail), OPTIONS, fail, "oauth.");
}

interface Code {
  readonly code: string;
  readonly challenge: string | null;
  readonly endsAt: number;
  used: boolean;
}

interface Refresh {
  readonly token: string;
  /** The access tokens that it has led to. */
  readonly access: string[];
  state: "valid" | "spent" | "revoked";
  /** With `when used`: the access token whose first use ends it. */
  endsWith: string | null;
}

/** @internal */
export interface OAuthState {
  readonly codes: readonly Code[];
  readonly refreshes: readonly Refresh[];
}

type OAuthRequest = Pick<Asked, "method" | "url" | "authorization" | "text" | "proof">;

const CODE_MS = 600_000;
const AUTHORIZE = "/login/oauth2/auth";
const TOKEN = "/login/oauth2/token";

// rule: the address `/login/oauth2/auth` takes the parameters of RFC 6749, 4.1.1 and RFC 7636; `/login/oauth2/token` answers as RFC 6749, 5, says; and an access token that has ended is 401.

/** Grants tokens for the keys of a sandbox. @internal */
export class OAuth implements SandboxOAuth {
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly redirectUri: string;
  readonly faults: Faults;
  readonly #options: {
    readonly agrees: boolean;
    readonly expiresInMs: number;
    readonly rotation: "at once" | "when used" | "never";
  };
  readonly #keys: Keys;
  readonly #manners: SandboxManners;
  readonly #clock: Clock;
  #codes: Code[] = [];
  #refreshes: Refresh[] = [];
  #grants: SandboxGrant[] = [];

  constructor(
    options: SandboxOAuthOptions,
    { keys, clock, seed, manners }: { keys: Keys; clock: Clock; seed: number; manners: SandboxManners },
  ) {
    const { clientSecret = "sandbox-secret", agrees = false, expiresInMs = 3_600_000, rotation = "at once" } = options;
    this.clientId = options.clientId ?? "agency";
    this.clientSecret = clientSecret;
    this.redirectUri = options.redirectUri ?? "http://127.0.0.1:3000/callback";
    this.#options = { agrees, expiresInMs, rotation };
    this.#keys = keys;
    this.#manners = manners;
    this.#clock = clock;
    this.faults = new Faults(seed);
  }

  get grants(): readonly SandboxGrant[] {
    return this.#grants;
  }

  revoke(what: "access" | "refresh" | "all" = "all"): void {
    for (const refresh of this.#refreshes) {
      if (what !== "access") refresh.state = "revoked";
      if (what !== "refresh") for (const token of refresh.access) this.#keys.end(token, this.#clock.now());
    }
  }

  knows(refreshToken: string): boolean {
    return this.#refreshes.some(({ token, state }) => token === refreshToken && state === "valid");
  }

  /** Whether the authorisation server answers a path. */
  static has(path: string): boolean {
    return path === AUTHORIZE || path === TOKEN;
  }

  /** Whether faults apply to a path. */
  static isToken(path: string): boolean {
    return path === TOKEN;
  }

  /** A request has come with an access token. */
  used(accessToken: string): void {
    for (const refresh of this.#refreshes) if (refresh.endsWith === accessToken) refresh.state = "spent";
  }

  answer(asked: OAuthRequest): Answer {
    if (asked.url.pathname === AUTHORIZE) return this.#authorize(asked);
    if (asked.method !== "POST") return this.#refused(405, "invalid_request");
    return this.#token(asked);
  }

  state(): OAuthState {
    return structuredClone({ codes: this.#codes, refreshes: this.#refreshes });
  }

  restore(state: OAuthState): void {
    const { codes, refreshes } = structuredClone(state);
    this.#codes = [...codes];
    this.#refreshes = [...refreshes];
    this.forget();
  }

  /** Forgets what was asked. */
  forget(): void {
    this.#grants = [];
    this.faults.clear();
  }

  #authorize({ method, url }: OAuthRequest): Answer {
    const asked = Object.fromEntries(url.searchParams);
    // RFC 6749, 4.1.2.1: no redirect to an address that is not registered.
    if (asked.client_id !== this.clientId) return page(400, "This application is not known.");
    if (asked.redirect_uri !== this.redirectUri)
      return page(400, "This application is not registered for this address.");
    const back = new URL(this.redirectUri);
    if (this.#manners.iss === "sent") back.searchParams.set("iss", url.origin);
    if (asked.state !== undefined) back.searchParams.set("state", asked.state);
    const { code_challenge: challenge = null, code_challenge_method: how = "plain", response_type: type } = asked;
    if (type !== "code" || (challenge !== null && how !== "S256")) {
      back.searchParams.set("error", type === "code" ? "invalid_request" : "unsupported_response_type");
      return sentTo(back);
    }
    if (!this.#options.agrees && method === "GET") {
      return { status: 200, headers: {}, body: { text: consentPage(this.clientId, url) } };
    }
    if (url.searchParams.get("answer") === "no") {
      back.searchParams.set("error", "access_denied");
      return sentTo(back);
    }
    const code = randomText("code_");
    this.#codes.push({ code, challenge, endsAt: this.#clock.now() + CODE_MS, used: false });
    back.searchParams.set("code", code);
    return sentTo(back);
  }

  #token({ text, authorization, proof }: OAuthRequest): Answer {
    const form = new URLSearchParams(text);
    if (!this.#isApplication(form, authorization)) return this.#refused(401, "invalid_client");
    const type = form.get("grant_type");
    if (type === "refresh_token") return this.#refresh(form.get("refresh_token") ?? "");
    if (type !== "authorization_code") return this.#refused(400, "unsupported_grant_type");
    const found = this.#codes.find(({ code }) => code === form.get("code"));
    const isValid =
      found &&
      !found.used &&
      found.endsAt > this.#clock.now() &&
      form.get("redirect_uri") === this.redirectUri &&
      found.challenge === proof;
    this.#note("authorization_code", isValid ? "tokens" : "invalid_grant", found?.used ?? false);
    if (found) found.used = true;
    return isValid ? this.#grant(null) : this.#refused(400, "invalid_grant");
  }

  #refresh(token: string): Answer {
    const found = this.#refreshes.find((refresh) => refresh.token === token);
    const isValid = found?.state === "valid";
    this.#note("refresh_token", isValid ? "tokens" : "invalid_grant", found?.state === "spent");
    if (found?.state === "spent" && this.#manners.reuse === "revokes all") this.revoke();
    return isValid ? this.#grant(found) : this.#refused(400, "invalid_grant");
  }

  #refused(status: number, error: string): Answer {
    if (this.#manners.oauthErrors === "HTML") return page(status, "The request was refused.");
    return oauthError(status, error);
  }

  #grant(before: Refresh | null): Answer {
    const { rotation, expiresInMs } = this.#options;
    const accessToken = randomText("access_");
    this.#keys.add({}, accessToken, { endsAt: this.#clock.now() + expiresInMs, application: this.clientId });
    const kept = before && rotation === "never" ? before : null;
    const refresh = kept ?? { token: randomText("refresh_"), access: [], state: "valid", endsWith: null };
    refresh.access.push(accessToken);
    if (!kept) this.#refreshes.push(refresh);
    if (before && rotation === "at once") before.state = "spent";
    if (before && rotation === "when used") before.endsWith = accessToken;
    const json = {
      access_token: accessToken,
      token_type: "Bearer",
      ...(this.#manners.expiresIn === "sent" && { expires_in: expiresInMs / 1_000 }),
      ...(!kept && { refresh_token: refresh.token }),
    };
    return { status: 200, headers: { "cache-control": "no-store" }, body: { json } };
  }

  #isApplication(form: URLSearchParams, authorization: string | null): boolean {
    const given = authorization === null ? null : basic(authorization);
    const [id, secret] = given ?? [form.get("client_id"), form.get("client_secret")];
    return id === this.clientId && (this.clientSecret === null || secret === this.clientSecret);
  }

  #note(type: SandboxGrant["type"], result: string, spent: boolean): void {
    this.#grants.push({ type, result, spent, at: this.#clock.now() });
  }
}

function basic(authorization: string): readonly [string, string] | null {
  const text = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  if (text === undefined || text.length % 4 !== 0) return null;
  const [id = "", secret = ""] = atob(text).split(":");
  // RFC 6749, 2.3.1: as in a form.
  const [first = "", second = ""] = new URLSearchParams(`${id}=${secret}`).entries().next().value ?? [];
  return [first, second];
}

function sentTo(url: URL): Answer {
  return { status: 303, headers: { location: url.href, "cache-control": "no-store" }, body: null };
}

function page(status: number, text: string): Answer {
  return { status, headers: {}, body: { text: `<!doctype html><title>${text}</title><p>${text}</p>` } };
}

function oauthError(status: number, error: string): Answer {
  const headers: Record<string, string> = status === 401 ? { "www-authenticate": "Basic" } : {};
  return { status, headers, body: { json: { error } } };
}

// The page on which somebody of the school agrees, with one click.
function consentPage(application: string, { pathname, search, host }: URL): string {
  const form = (more: string, text: string) =>
    `<form method="post" action="${escaped(pathname + search + more)}"><button>${text}</button></form>`;
  const title = `${escaped(application)} asks for access`;
  const text = `It may then read and change what this school has at ${escaped(host)}. This is a sandbox: nobody's data is at stake.`;
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p>`;
  return `${page}${form("", "Agree")}${form("&answer=no", "Refuse")}</html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** The challenge of RFC 7636 for the verifier in a form; null without one. @internal */
export async function challengeIn(form: string): Promise<string | null> {
  const verifier = new URLSearchParams(form).get("code_verifier");
  if (verifier === null) return null;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
  return btoa(String.fromCharCode(...digest))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
}
