import {
  AuthorizationResponseError,
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  customFetch,
  generateRandomCodeVerifier,
  generateRandomState,
  None,
  nopkce,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
  UnsupportedOperationError,
  validateAuthResponse,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";

// Only this module imports the OAuth library; the build bundles them together.

export interface Application {
  readonly clientId: string;
  /** Null for an application that cannot keep a secret. */
  readonly clientSecret: string | null;
  readonly sendSecretIn: "header" | "body";
  /** The address to which a school sends the browser back. */
  readonly redirectUri: (school: string) => string;
  /** True if a callback must name its school (`iss`, RFC 9207). */
  readonly needsIss: boolean;
  readonly scope: string | undefined;
  readonly pkce: boolean;
}

export interface Endpoints {
  /** The school's origin, which a callback may contain as `iss`. */
  readonly issuer: string;
  readonly authorize: string;
  readonly token: string;
}

/** Sends a form to a token endpoint and reads the whole response. */
export type SendForm = (url: string, form: string, headers: Record<string, string>) => Promise<Response>;

export type Grant =
  | {
      readonly kind: "tokens";
      readonly accessToken: string;
      readonly refreshToken: string | null;
      /** Lifetime of the access token; null if the response does not give one. */
      readonly expiresInMs: number | null;
    }
  /** The code or the refresh token is invalid or expired. */
  | { readonly kind: "invalid_grant" }
  /** The school does not accept the application. */
  | { readonly kind: "refused"; readonly why: string }
  /** There was no response, or it could not be understood. */
  | { readonly kind: "unreachable"; readonly why: string };

export interface Login {
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

export function newLogin(redirectUri: string, state: string = generateRandomState()): Login {
  return { state, verifier: generateRandomCodeVerifier(), redirectUri };
}

export async function authorizeAddress(application: Application, endpoints: Endpoints, login: Login): Promise<string> {
  const { clientId, scope, pkce } = application;
  const url = new URL(endpoints.authorize);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: login.redirectUri,
    state: login.state,
    ...(scope !== undefined && { scope }),
    ...(pkce && {
      code_challenge: await calculatePKCECodeChallenge(login.verifier),
      code_challenge_method: "S256",
    }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * Checks the parameters of a callback.
 * @returns the parameters for `exchange`, or the reason why they are refused.
 */
export function readCallback(
  application: Application,
  endpoints: Endpoints,
  parameters: URLSearchParams,
  state: string,
): URLSearchParams | string {
  if (application.needsIss && !parameters.get("iss") && !parameters.has("error")) {
    return "it does not name its school (iss), which is required with one redirectUri for all schools; pass a redirectUri for each school";
  }
  try {
    const checked = validateAuthResponse(serverOf(endpoints), clientOf(application), parameters, state);
    return checked.has("code") ? checked : "it has no code";
  } catch (error) {
    // Repeats only text that looks like an error code of RFC 6749, 4.1.2.1: other text may come from an attacker.
    if (error instanceof AuthorizationResponseError) {
      return /^[a-z_]{1,40}$/.test(error.error)
        ? `the school returned the error ${error.error}`
        : "the school returned an error";
    }
    return "its parameters do not belong to this login";
  }
}

export function exchange(
  application: Application,
  endpoints: Endpoints,
  callback: URLSearchParams,
  login: Login,
  send: SendForm,
): Promise<Grant> {
  const [server, client] = [serverOf(endpoints), clientOf(application)];
  return requestTokens(send, async (options) => {
    const verifier = application.pkce ? login.verifier : nopkce;
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      secretOf(application),
      callback,
      login.redirectUri,
      verifier,
      options,
    );
    return processAuthorizationCodeResponse(server, client, response);
  });
}

export function refresh(
  application: Application,
  endpoints: Endpoints,
  refreshToken: string,
  send: SendForm,
): Promise<Grant> {
  const [server, client] = [serverOf(endpoints), clientOf(application)];
  return requestTokens(send, async (options) => {
    const response = await refreshTokenGrantRequest(server, client, secretOf(application), refreshToken, options);
    return processRefreshTokenResponse(server, client, response);
  });
}

type RequestOptions = NonNullable<Parameters<typeof refreshTokenGrantRequest>[4]>;

async function requestTokens(
  send: SendForm,
  ask: (options: RequestOptions) => Promise<TokenEndpointResponse>,
): Promise<Grant> {
  let status: number | null = null;
  let code: unknown;
  try {
    const answer = await ask({
      // The caller has checked the address: https, or http if that is allowed.
      [allowInsecureRequests]: true,
      [customFetch]: async (url, { body, headers }) => {
        const response = await send(url, String(body), headers);
        status = response.status;
        if (status === 200) return repairResponse(response);
        // Reads the error code here, because the OAuth library ignores the body of a response with `WWW-Authenticate`.
        code = objectIn(await response.clone().text())?.error;
        return response;
      },
    });
    const { access_token: accessToken, refresh_token: refreshToken = null, expires_in: seconds } = answer;
    if (answer.token_type !== "bearer") return { kind: "unreachable", why: "the response has no bearer tokens" };
    if (!isSendable(accessToken)) return { kind: "unreachable", why: "the response has no tokens" };
    return { kind: "tokens", accessToken, refreshToken, expiresInMs: seconds === undefined ? null : seconds * 1_000 };
  } catch (error) {
    return failureOf(error, status, code);
  }
}

// Accepts all visible ASCII characters; none of them can end the header that contains the token.
function isSendable(accessToken: string): boolean {
  return /^[\x21-\x7e]+$/.test(accessToken);
}

/**
 * Rewrites a response with valid tokens that the OAuth library would refuse. The tokens would otherwise be lost, and
 * the refresh token used to obtain them may no longer be valid.
 */
async function repairResponse(response: Response): Promise<Response> {
  const text = await response.text();
  const answer = objectIn(text);
  if (!answer) return new Response(text, response);
  const { access_token, token_type, expires_in, refresh_token } = answer;
  const seconds = Number.parseFloat(String(expires_in));
  return Response.json({
    access_token,
    token_type: token_type ?? "bearer",
    // Leaves out a lifetime shorter than a call, because every call would then refresh. The token is used until the
    // service responds 401.
    ...(seconds >= SHORTEST_LIFE_S && { expires_in: seconds }),
    ...(typeof refresh_token === "string" && refresh_token !== "" && { refresh_token }),
  });
}

const SHORTEST_LIFE_S = 10;

function objectIn(json: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" ? (value as Readonly<Record<string, unknown>> | null) : null;
  } catch {
    return null;
  }
}

// The OAuth library's errors contain the response, which may hold tokens, so only words from the protocol are passed
// on.
function failureOf(error: unknown, status: number | null, code: unknown): Grant {
  if (status === null) return { kind: "unreachable", why: nameOf(error) };
  if (error instanceof WWWAuthenticateChallengeError) {
    return { kind: "refused", why: REFUSALS.has(code) ? String(code) : `status ${status}` };
  }
  if (error instanceof ResponseBodyError && status < 500 && status !== 429) {
    if (error.error === "invalid_grant") return { kind: "invalid_grant" };
    if (REFUSALS.has(error.error)) return { kind: "refused", why: error.error };
  }
  const what = error instanceof UnsupportedOperationError ? "no bearer tokens" : "no tokens";
  return { kind: "unreachable", why: status === 200 ? `the response has ${what}` : `status ${status}` };
}

// The error codes of RFC 6749, 5.2.
const REFUSALS: ReadonlySet<unknown> = new Set([
  "invalid_request",
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
]);

function nameOf(error: unknown): string {
  for (let cause = error, depth = 0; cause && depth < 5; depth++) {
    const { code, cause: next } = cause as { code?: unknown; cause?: unknown };
    if (typeof code === "string" && /^[A-Z_]{3,40}$/.test(code)) return code;
    cause = next;
  }
  return "no response";
}

function serverOf({ issuer, authorize, token }: Endpoints): AuthorizationServer {
  return { issuer, authorization_endpoint: authorize, token_endpoint: token };
}

function clientOf({ clientId }: Application): Client {
  return { client_id: clientId };
}

function secretOf({ clientSecret, sendSecretIn }: Application): ReturnType<typeof None> {
  if (clientSecret === null) return None();
  return sendSecretIn === "header" ? ClientSecretBasic(clientSecret) : ClientSecretPost(clientSecret);
}
