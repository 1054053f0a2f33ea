import type { Clock } from "../../core/clock.js";
import { acceptAny, type Fail, must, oneOf, positive, readOptions } from "../../core/option-checks.js";
import type { SandboxManners } from "../data/manners.js";
import type { Answer } from "./answers.js";
import type { Asked } from "./calls.js";
import { Faults } from "./fault.js";
import { type Keys, randomText, urlText } from "./keys.js";

/** The OAuth application that a sandbox accepts. */
export interface SandboxOAuthOptions {
  /** The client identifier. Default `agency`. */
  readonly clientId?: string | undefined;
  /** The client secret; null for an application without a secret. Default `sandbox-secret`. */
  readonly clientSecret?: string | null | undefined;
  /** The registered redirect address, compared as text. Default `http://127.0.0.1:3000/callback`. */
  readonly redirectUri?: string | undefined;
  /** True to treat every visit to `/login/oauth2/auth` as consent, without a page or a click. Default false. */
  readonly agrees?: boolean | undefined;
  /** Lifetime of an access token in milliseconds of the sandbox's time. Default 3,600,000. */
  readonly expiresInMs?: number | undefined;
  /**
   * When a refresh token expires. `at once`: when it is used; the response contains a new refresh token. `when used`:
   * when the new access token is first used. `never`: a refresh returns no new refresh token. Default `at once`.
   */
  readonly rotation?: "at once" | "when used" | "never" | undefined;
}

/** The authorization server of a sandbox. */
export interface SandboxOAuth {
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly redirectUri: string;
  /** The requests to the token endpoint, granted or refused, without their secrets. */
  readonly grants: readonly SandboxGrant[];
  /** Faults of the token endpoint; `operation`, `when` and `drift` have no effect. */
  readonly faults: Faults;
  /** Revokes the access tokens, the refresh tokens or both, as an administrator of the school can. */
  revoke(what?: "access" | "refresh" | "all"): void;
  /** True if a refresh with this token would be granted. */
  knows(refreshToken: string): boolean;
}

/** A request to the token endpoint. */
export interface SandboxGrant {
  readonly type: "authorization_code" | "refresh_token";
  /** `tokens` if granted, otherwise the OAuth error code. */
  readonly result: string;
  /** True if the code or refresh token had been used before. */
  readonly spent: boolean;
  /** Milliseconds since the epoch, by the sandbox's clock. */
  readonly at: number;
}

const OPTIONS = {
  clientId: [acceptAny<string>, "agency"],
  clientSecret: [acceptAny<string | null>, "sandbox-secret"],
  redirectUri: [
    must<string>((value) => URL.canParse(value as string), "must be a URL"),
    "http://127.0.0.1:3000/callback",
  ],
  agrees: [acceptAny<boolean>, false],
  expiresInMs: [positive, 3_600_000],
  rotation: [oneOf("at once", "when used", "never"), "at once"],
} as const;

const fail: Fail = (option, rule) => new RangeError(`createSandbox: the option ${option} ${rule}`);

interface Code {
  readonly code: string;
  readonly challenge: string | null;
  readonly endsAt: number;
  used: boolean;
}

interface Refresh {
  readonly token: string;
  readonly access: string[];
  state: "valid" | "spent" | "revoked";
  /** With `when used`: the access token whose first use invalidates this refresh token. */
  endsWith: string | null;
}

/** @internal */
export interface OAuthState {
  readonly codes: Code[];
  readonly refreshes: Refresh[];
}

interface OAuthParts {
  readonly keys: Keys;
  readonly clock: Clock;
  readonly seed: number;
  readonly manners: SandboxManners;
}

type OAuthRequest = Pick<Asked, "method" | "url" | "authorization" | "text" | "proof">;

const CODE_MS = 600_000;
const AUTHORIZE = "/login/oauth2/auth";
const TOKEN = "/login/oauth2/token";

// rule: `/login/oauth2/auth` accepts the parameters of RFC 6749, 4.1.1 and RFC 7636, and `/login/oauth2/token` responds
// as RFC 6749, 5 prescribes.

/** @internal */
export class OAuth implements SandboxOAuth {
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly redirectUri: string;
  readonly faults: Faults;
  readonly #granting: { readonly agrees: boolean; readonly expiresInMs: number; readonly rotation: string };
  readonly #parts: OAuthParts;
  #state: OAuthState = { codes: [], refreshes: [] };
  #grants: SandboxGrant[] = [];

  constructor(options: SandboxOAuthOptions, parts: OAuthParts) {
    const read = readOptions(options, OPTIONS, fail, "oauth.");
    ({ clientId: this.clientId, clientSecret: this.clientSecret, redirectUri: this.redirectUri } = read);
    this.#granting = read;
    this.#parts = parts;
    this.faults = new Faults(parts.seed);
  }

  get grants(): readonly SandboxGrant[] {
    return this.#grants;
  }

  revoke(what: "access" | "refresh" | "all" = "all"): void {
    const { keys, clock } = this.#parts;
    for (const refresh of this.#state.refreshes) {
      if (what !== "access") refresh.state = "revoked";
      if (what !== "refresh") for (const token of refresh.access) keys.end(token, clock.now());
    }
  }

  knows(refreshToken: string): boolean {
    return this.#state.refreshes.some(({ token, state }) => token === refreshToken && state === "valid");
  }

  static has(path: string): boolean {
    return path === AUTHORIZE || path === TOKEN;
  }

  static isToken(path: string): boolean {
    return path === TOKEN;
  }

  noteUse(accessToken: string): void {
    for (const refresh of this.#state.refreshes) if (refresh.endsWith === accessToken) refresh.state = "spent";
  }

  answer(asked: OAuthRequest): Answer {
    if (asked.url.pathname === AUTHORIZE) return this.#authorize(asked);
    return asked.method === "POST" ? this.#token(asked) : this.#errorAnswer(405, "invalid_request");
  }

  state(): OAuthState {
    return structuredClone(this.#state);
  }

  restore(state: OAuthState): void {
    this.#state = structuredClone(state);
    this.forget();
  }

  forget(): void {
    this.#grants = [];
    this.faults.clear();
  }

  #authorize({ method, url }: OAuthRequest): Answer {
    const asked = Object.fromEntries(url.searchParams);
    // RFC 6749, 4.1.2.1: never redirect to an address that is not registered.
    if (asked.client_id !== this.clientId) return page(400, "This application is not known.");
    if (asked.redirect_uri !== this.redirectUri)
      return page(400, "This application is not registered for this address.");
    const back = (answer: Readonly<Record<string, string>>): Answer => {
      const address = new URL(this.redirectUri);
      const iss = this.#parts.manners.iss === "sent" ? { iss: url.origin } : {};
      const state = asked.state === undefined ? {} : { state: asked.state };
      for (const [name, value] of Object.entries({ ...iss, ...state, ...answer }))
        address.searchParams.set(name, value);
      return { status: 303, headers: { location: address.href, "cache-control": "no-store" }, body: null };
    };
    const { code_challenge: challenge = null, code_challenge_method: how = "plain", response_type: type } = asked;
    if (type !== "code") return back({ error: "unsupported_response_type" });
    if (challenge !== null && how !== "S256") return back({ error: "invalid_request" });
    if (!this.#granting.agrees && method === "GET") {
      return { status: 200, headers: {}, body: { text: consentPage(this.clientId, url) } };
    }
    if (asked.answer === "no") return back({ error: "access_denied" });
    const code = randomText("code_");
    this.#state.codes.push({ code, challenge, endsAt: this.#parts.clock.now() + CODE_MS, used: false });
    return back({ code });
  }

  #token({ text, authorization, proof }: OAuthRequest): Answer {
    const form = new URLSearchParams(text);
    if (!this.#isApplication(form, authorization)) return this.#errorAnswer(401, "invalid_client");
    const type = form.get("grant_type");
    if (type === "refresh_token") return this.#refresh(form.get("refresh_token") ?? "");
    if (type !== "authorization_code") return this.#errorAnswer(400, "unsupported_grant_type");
    const found = this.#state.codes.find(({ code }) => code === form.get("code"));
    const isValid =
      found &&
      !found.used &&
      found.endsAt > this.#parts.clock.now() &&
      form.get("redirect_uri") === this.redirectUri &&
      found.challenge === proof;
    const spent = found?.used ?? false;
    if (found) found.used = true;
    return isValid ? this.#grant(type, null) : this.#invalid(type, spent);
  }

  #refresh(token: string): Answer {
    const found = this.#state.refreshes.find((refresh) => refresh.token === token);
    if (found?.state === "valid") return this.#grant("refresh_token", found);
    const spent = found?.state === "spent";
    if (spent && this.#parts.manners.reuse === "revokes all") this.revoke();
    return this.#invalid("refresh_token", spent);
  }

  #invalid(type: SandboxGrant["type"], spent: boolean): Answer {
    this.#grants.push({ type, result: "invalid_grant", spent, at: this.#parts.clock.now() });
    return this.#errorAnswer(400, "invalid_grant");
  }

  #errorAnswer(status: number, error: string): Answer {
    if (this.#parts.manners.oauthErrors === "HTML") return page(status, "The request was refused.");
    const headers: Record<string, string> = status === 401 ? { "www-authenticate": "Basic" } : {};
    return { status, headers, body: { json: { error } } };
  }

  #grant(type: SandboxGrant["type"], before: Refresh | null): Answer {
    const { rotation, expiresInMs } = this.#granting;
    const { clock, keys, manners } = this.#parts;
    this.#grants.push({ type, result: "tokens", spent: false, at: clock.now() });
    const accessToken = randomText("access_");
    keys.add({}, accessToken, { endsAt: clock.now() + expiresInMs, application: this.clientId });
    const kept = before && (rotation === "never" || manners.refreshTokens === "once") ? before : null;
    const refresh = kept ?? { token: randomText("refresh_"), access: [], state: "valid", endsWith: null };
    refresh.access.push(accessToken);
    if (!kept) this.#state.refreshes.push(refresh);
    if (before && !kept && rotation === "at once") before.state = "spent";
    if (before && !kept && rotation === "when used") before.endsWith = accessToken;
    const json = {
      access_token: accessToken,
      token_type: "Bearer",
      ...(manners.expiresIn === "sent" && { expires_in: expiresInMs / 1_000 }),
      ...(!kept && { refresh_token: refresh.token }),
    };
    return { status: 200, headers: { "cache-control": "no-store" }, body: { json } };
  }

  #isApplication(form: URLSearchParams, authorization: string | null): boolean {
    const given = authorization === null ? null : basic(authorization);
    const [id, secret] = given ?? [form.get("client_id"), form.get("client_secret")];
    return id === this.clientId && (this.clientSecret === null || secret === this.clientSecret);
  }
}

function basic(authorization: string): readonly [string, string] | null {
  const text = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  if (text === undefined || text.length % 4 !== 0) return null;
  const [id = "", secret = ""] = atob(text).split(":");
  // RFC 6749, 2.3.1: the client id and the secret are form-encoded.
  const [first = "", second = ""] = new URLSearchParams(`${id}=${secret}`).entries().next().value ?? [];
  return [first, second];
}

function page(status: number, text: string): Answer {
  return { status, headers: {}, body: { text: `<!doctype html><title>${text}</title><p>${text}</p>` } };
}

function consentPage(application: string, { pathname, search, host }: URL): string {
  const form = (more: string, text: string) =>
    `<form method="post" action="${escapeHtml(pathname + search + more)}"><button>${text}</button></form>`;
  const title = `${escapeHtml(application)} asks for access`;
  const text = `If you agree, it can read and change this school's data at ${escapeHtml(host)}. This is a sandbox, so no real data is at stake.`;
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p>`;
  return `${page}${form("", "Agree")}${form("&answer=no", "Refuse")}</html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** The RFC 7636 challenge computed from the verifier in a form; null without a verifier. @internal */
export async function challengeIn(form: string): Promise<string | null> {
  const verifier = new URLSearchParams(form).get("code_verifier");
  if (verifier === null) return null;
  return urlText(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}
