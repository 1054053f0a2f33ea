import type { MainClient } from "../clients/main.js";
import { readBytes } from "../core/bounded-body.js";
import { EducationAdminError, InputError } from "../core/errors.js";
import type { RateLimitStore } from "../core/limits/rate-limit-store.js";
import { resolveSettings } from "../core/settings.js";
import { TimeLimit } from "../core/time.js";
import { type RunStep, SharedWindows } from "../stores/shared-windows.js";
import type { TokenFacts } from "../stores/token-store.js";
import { newWindow, type Ran, run, type Window } from "../stores/turns.js";
import { schoolClient } from "./client.js";
import { callbackError, schoolError } from "./errors.js";
import { surely, TokenKeeper } from "./keeper.js";
import { openLogin, takeLogin } from "./logins.js";
import {
  authorizeAddress,
  type Endpoints,
  exchange,
  newLogin,
  readCallback,
  refresh,
  type SendForm,
} from "./protocol.js";
import { entryOf, SCHOOL, type SchoolRecord, type SchoolStatus, statusOf, withTokens } from "./record.js";
import { type SchoolsOptions, type SchoolsSettings, settingsOf } from "./settings.js";

/** A school that has just been connected. */
export interface ConnectedSchool {
  /** The address of the school. */
  readonly school: string;
  /** The state of the school's login, either passed to `authorizeUrl` or created by it. */
  readonly state: string;
}

/** The schools to which an application is connected. */
export interface Schools {
  /**
   * Returns the address at which a person at the school gives consent. The login can be completed once, within 10
   * minutes.
   * @param school the school's address, like a client's `baseUrl`. The school will receive the application's secret;
   * see the option `hosts`.
   * @param options `state`: 16 to 512 characters that cannot be guessed, kept by the browser, for example in a cookie;
   * `connect` then needs the state too. Default: a random state, with which `connect` cannot detect a callback from
   * another browser.
   * @throws InputError if the address or the state is invalid.
   */
  authorizeUrl(school: string | URL, options?: { readonly state?: string | undefined }): Promise<string>;
  /**
   * Completes a login: checks the callback, exchanges its code and stores the tokens. If the school is already
   * connected, the new tokens replace the old ones.
   * @param request the request to the login's `redirectUri`, or the address of that request.
   * @param options `state`: the state that this browser kept; required if `authorizeUrl` was given one.
   * @throws SchoolError with the reason `callback` if the callback does not belong to a login, to this browser or to
   * the school; InputError if `request` is not an address.
   */
  connect(
    request: { readonly url: string } | URL | string,
    options?: { readonly state?: string | undefined },
  ): Promise<ConnectedSchool>;
  /**
   * Returns the client of a school; the client refreshes its tokens itself. If the tokens no longer work, its calls
   * fail with a `ConfigurationError` whose `cause` is a `SchoolError`. While the token endpoint fails, calls are
   * retried, and finally fail with a `ConnectionError` whose `cause` is a `SchoolError`.
   * @throws SchoolError if the school is not connected, or its tokens no longer work.
   */
  client(school: string | URL): Promise<MainClient>;
  /**
   * Iterates over the schools whose tokens work, each with its client. Skips the other schools and calls
   * `on.skipped` for each. Errors of your own calls end the loop unless you catch them.
   */
  all(): AsyncIterableIterator<{ readonly school: string; readonly client: MainClient }>;
  /** Lists all schools with their status. */
  list(): Promise<readonly SchoolStatus[]>;
  /**
   * Deletes a school and its tokens from the store; false if it was not connected. The service has no operation to
   * revoke tokens.
   */
  disconnect(school: string | URL): Promise<boolean>;
}

// Far more than the few hundred bytes that a token endpoint sends.
const LARGEST_ANSWER_BYTES = 65_536;

/**
 * Connects one application to many schools by OAuth 2.0 and creates a client for each.
 * @throws ConfigurationError naming the invalid option, without the secret.
 * @example
 * const schools = createSchools({
 *   clientId: "agency",
 *   clientSecret: "its secret",
 *   hosts: ["*.example"],
 *   redirectUri: ({ id }) => `https://agency.example/callback/${id}`,
 *   tokens: memoryTokens(),
 * });
 * console.log(await schools.authorizeUrl("https://school.example"));
 */
export function createSchools(options: SchoolsOptions): Schools {
  return new ConnectedSchools(settingsOf(options));
}

class ConnectedSchools implements Schools {
  readonly #settings: SchoolsSettings;
  readonly #windows: RateLimitStore | null;
  readonly #known = new Map<string, { readonly keeper: TokenKeeper; client?: MainClient }>();

  constructor(settings: SchoolsSettings) {
    this.#settings = settings;
    const { rateLimit, application } = settings;
    this.#windows = rateLimit === false ? null : (rateLimit.store ?? memoryWindows(application.clientId, settings));
  }

  async authorizeUrl(school: string | URL, { state }: { readonly state?: string | undefined } = {}): Promise<string> {
    // Checked before anything is stored, because anyone can enter an address on a login page.
    this.#checkHost(this.#addressOf(school).baseUrl);
    const keeper = this.#keeper(school);
    if (state !== undefined && !(typeof state === "string" && /^[\x21-\x7e]{16,512}$/.test(state))) {
      throw inputError("state", "must be 16 to 512 visible characters that cannot be guessed");
    }
    const { application } = this.#settings;
    const login = newLogin(application.redirectUri(keeper.school), state);
    const { verifier, redirectUri } = login;
    const opened = { school: keeper.school, verifier, redirectUri, isCompared: state !== undefined };
    if (!(await openLogin(this.#settings, login.state, opened))) {
      throw inputError("state", "was already used for another login: each login needs a new one");
    }
    return authorizeAddress(application, keeper.endpoints, login);
  }

  async connect(
    request: { readonly url: string } | URL | string,
    { state: expected }: { readonly state?: string | undefined } = {},
  ): Promise<ConnectedSchool> {
    const { application } = this.#settings;
    const url = URL.parse(typeof request === "string" || request instanceof URL ? request : String(request?.url));
    if (!url) throw inputError("request", "must be a request, or its address");
    const names = [...url.searchParams.keys()];
    if (new Set(names).size < names.length) throw callbackError(null, "it repeats a parameter");
    const state = url.searchParams.get("state");
    if (state === null) throw callbackError(null, "it has no state");
    if (expected !== undefined && !(await isSame(state, expected))) {
      throw callbackError(null, "its state differs from the one that this browser kept");
    }
    const login = await takeLogin(this.#settings, state, url, expected !== undefined);
    if (login === "elsewhere") throw callbackError(null, "its address is not the redirectUri of its login");
    if (login === "not compared") {
      throw callbackError(null, "authorizeUrl was given a state: pass `connect` the state that this browser kept");
    }
    if (!login) throw callbackError(null, "the login is unknown, expired or already completed");
    const keeper = this.#keeper(login.school);
    this.#checkHost(keeper.school);
    const { endpoints } = keeper;
    const callback = readCallback(application, endpoints, url.searchParams, state);
    if (typeof callback === "string") throw callbackError(keeper.school, callback);
    const askedAt = this.#settings.clock.now();
    const grant = await exchange(application, endpoints, callback, { ...login, state }, this.#send);
    if (grant.kind === "invalid_grant") throw callbackError(keeper.school, "the school does not accept its code");
    if (grant.kind === "refused") throw schoolError("application_refused", keeper.school, grant.why);
    if (grant.kind === "unreachable") throw schoolError("unreachable", keeper.school, grant.why);
    await this.#write(keeper.school, withTokens(null, grant, askedAt));
    keeper.forget();
    this.#settings.on("connected", keeper.school);
    return { school: keeper.school, state };
  }

  async client(school: string | URL): Promise<MainClient> {
    const keeper = this.#keeper(school);
    await keeper.token();
    const known = this.#known.get(keeper.school) as { keeper: TokenKeeper; client?: MainClient };
    known.client ??= schoolClient(keeper, this.#settings, this.#windows);
    return known.client;
  }

  async *all(): AsyncGenerator<{ readonly school: string; readonly client: MainClient }> {
    const seen = new Set<string>();
    const fresh = async () => (await this.list()).filter(({ school }) => !seen.has(school));
    // Also returns schools that are connected during the loop.
    for (let left = await fresh(); left.length > 0; left = await fresh()) {
      for (const { school } of left) {
        seen.add(school);
        let client: MainClient;
        try {
          client = await this.client(school);
        } catch (error) {
          this.#settings.on("skipped", school, error);
          continue;
        }
        yield { school, client };
      }
    }
  }

  async list(): Promise<readonly SchoolStatus[]> {
    return (await this.#settings.tokens.list(SCHOOL)).map(statusOf);
  }

  async disconnect(school: string | URL): Promise<boolean> {
    const keeper = this.#keeper(school);
    const { tokens } = this.#settings;
    const key = SCHOOL + keeper.school;
    for (;;) {
      const known = await this.#entryOf(key);
      if (!known) return false;
      if (!(await tokens.delete(key, known.version))) continue;
      keeper.forget();
      return true;
    }
  }

  async #write(school: string, record: SchoolRecord): Promise<void> {
    const { tokens, clock } = this.#settings;
    const entry = entryOf(school, record);
    await surely(clock, async (failures) => {
      for (;;) {
        const known = await this.#entryOf(entry.key);
        // Stops if the tokens were stored although the store reported a failure: then `connectedAt` is the same, even
        // after a refresh.
        if (failures > 0 && known && statusOf(known).connectedAt.getTime() === record.connectedAt) return;
        if (await tokens.put(entry, known?.version ?? null)) return;
      }
    });
  }

  // Uses `list`, which needs no encryption key: without the right key, a school can still be reconnected or removed.
  async #entryOf(key: string): Promise<TokenFacts | null> {
    return (await this.#settings.tokens.list(key)).find((entry) => entry.key === key) ?? null;
  }

  #keeper(school: string | URL): TokenKeeper {
    const { baseUrl, origin } = this.#addressOf(school);
    let known = this.#known.get(baseUrl);
    if (!known) {
      const { application } = this.#settings;
      const endpoints: Endpoints = {
        issuer: origin,
        authorize: `${origin}/login/oauth2/auth`,
        token: `${origin}/login/oauth2/token`,
      };
      const ask = (refreshToken: string) => refresh(application, endpoints, refreshToken, this.#send);
      known = { keeper: new TokenKeeper(baseUrl, this.#settings, endpoints, ask) };
      this.#known.set(baseUrl, known);
    }
    return known.keeper;
  }

  // Called only for logins, which send the school the secret and a code. Schools already connected keep working.
  #checkHost(school: string): void {
    const { isHost } = this.#settings;
    if (!isHost(new URL(school).host))
      throw inputError("school", "is not on one of the hosts that the `hosts` option lists");
  }

  #addressOf(school: string | URL): { readonly baseUrl: string; readonly origin: string } {
    const { allowInsecureHttp } = this.#settings;
    try {
      if (typeof school !== "string" && !(school instanceof URL)) throw inputError("school", "must be an address");
      return resolveSettings({ baseUrl: school === "" ? " " : school, apiKey: null, allowInsecureHttp });
    } catch (error) {
      throw error instanceof EducationAdminError
        ? inputError("school", error.message.replace("The option baseUrl ", ""))
        : error;
    }
  }

  readonly #send: SendForm = async (url, body, headers) => {
    const { clock, timeout, fetch = globalThis.fetch as never } = this.#settings;
    const limit = new TimeLimit(clock, timeout, undefined);
    try {
      const init = { method: "POST", headers, body, signal: limit.signal, redirect: "manual" as const };
      const response = (await limit.race(fetch(url, init))) as Response;
      const bytes = await limit.race(readBytes(response, LARGEST_ANSWER_BYTES));
      const bodiless = bytes.length === 0 || response.status === 204 || response.status === 304;
      return new Response(bodiless ? null : (bytes as BodyInit), {
        status: response.status,
        headers: response.headers,
      });
    } finally {
      limit.end();
    }
  };
}

function inputError(path: string, rule: string): InputError {
  return new InputError(`${path} ${rule}`, [{ path, message: rule }]);
}

// Takes the same time however many characters match, so that the time reveals nothing.
async function isSame(one: string, other: unknown): Promise<boolean> {
  const digest = async (text: string) =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const [first, second] = await Promise.all([digest(one), digest(String(other))]);
  return first.reduce((difference, byte, at) => difference | (byte ^ (second[at] as number)), 0) === 0;
}

/** The application's rate limit in the memory of this process. Schools take turns, as with a `rateLimitStore`. */
function memoryWindows(application: string, { clock }: SchoolsSettings): RateLimitStore {
  const window: Window = newWindow();
  const step: RunStep = (_, one) => run(window, [one], clock.now())[0] as Ran;
  return new SharedWindows(step, { application, processes: 1 });
}
