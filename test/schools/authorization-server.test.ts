import { describe, expect, it } from "vitest";
import { createSandbox, type Sandbox, type SandboxOAuthOptions } from "../../src/sandbox/index.js";

const SCHOOL = "https://school.example";
const REDIRECT = "https://agency.example/callback";
const SECRET = "se:cret &+%";
// The example of RFC 7636, appendix B.
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const HOUR = 3_600_000;

function make(oauth: SandboxOAuthOptions = {}): Sandbox {
  return createSandbox({
    baseUrl: SCHOOL,
    size: "small",
    now: "2030-01-07T09:00:00Z",
    manners: { iss: "sent" },
    oauth: { clientSecret: SECRET, redirectUri: REDIRECT, agrees: true, ...oauth },
  });
}

const asked = { response_type: "code", client_id: "agency", redirect_uri: REDIRECT, state: "the state" };

/** Requests consent. */
async function authorize(
  sandbox: Sandbox,
  changes: Readonly<Record<string, string | undefined>> = {},
  method = "GET",
): Promise<{ status: number; text: string; back: URL | null; type: string | null }> {
  const url = new URL("/login/oauth2/auth", SCHOOL);
  for (const [name, value] of Object.entries({ ...asked, ...changes })) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const response = await sandbox.fetch(url, { method });
  const location = response.headers.get("location");
  const back = location === null ? null : new URL(location);
  return { status: response.status, text: await response.text(), back, type: response.headers.get("content-type") };
}

async function codeOf(sandbox: Sandbox, changes: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await authorize(sandbox, changes)).back?.searchParams.get("code") as string;
}

const encode = (text: string) => new URLSearchParams({ a: text }).toString().slice(2);
const basic = (id: string, secret: string) => `Basic ${btoa(`${encode(id)}:${encode(secret)}`)}`;

interface Answered {
  readonly status: number;
  readonly json: Record<string, string | number>;
  readonly headers: Headers;
}

/** Requests tokens. */
async function token(
  sandbox: Sandbox,
  form: Readonly<Record<string, string>>,
  authorization: string | null = basic("agency", SECRET),
  method = "POST",
): Promise<Answered> {
  const response = await sandbox.fetch(`${SCHOOL}/login/oauth2/token`, {
    method,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(authorization !== null && { authorization }),
    },
    ...(method === "POST" && { body: new URLSearchParams(form).toString() }),
  });
  return { status: response.status, json: (await response.json()) as Answered["json"], headers: response.headers };
}

const exchange = (sandbox: Sandbox, code: string, more: Readonly<Record<string, string>> = {}) =>
  token(sandbox, { grant_type: "authorization_code", code, redirect_uri: REDIRECT, ...more });
const refresh = (sandbox: Sandbox, refreshToken: unknown) =>
  token(sandbox, { grant_type: "refresh_token", refresh_token: String(refreshToken) });
const use = async (sandbox: Sandbox, accessToken: unknown) =>
  (await sandbox.fetch(`${SCHOOL}/api/v1/accounts/1`, { headers: { authorization: `Bearer ${accessToken}` } })).status;

describe("the sandbox's page of consent", () => {
  it("redirects a browser with a code, the state and its own name", async () => {
    const { status, back } = await authorize(make());
    expect(status).toBe(303);
    expect(back && back.origin + back.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(back?.searchParams ?? [])).toEqual({
      iss: SCHOOL,
      state: "the state",
      code: expect.stringMatching(/^code_\w{12,}$/),
    });
    expect((await authorize(make(), { state: undefined })).back?.searchParams.get("state")).toBeNull();
  });

  it.each([
    ["another application", { client_id: "other" }, "This application is not known."],
    ["another address", { redirect_uri: `${REDIRECT}/` }, "This application is not registered for this address."],
  ])("redirects no browser for %s", async (_, changes, text) => {
    const answer = await authorize(make(), changes);
    expect(answer).toMatchObject({ status: 400, back: null, text: expect.stringContaining(text) });
    expect(answer.type).toContain("text/html");
  });

  it.each([
    ["unsupported_response_type", { response_type: "token" }],
    ["invalid_request", { code_challenge: CHALLENGE, code_challenge_method: "plain" }],
    ["invalid_request", { code_challenge: CHALLENGE }],
    ["unsupported_response_type", { response_type: "token", code_challenge: CHALLENGE }],
  ])("returns %s for %j and issues no code", async (error, changes) => {
    const { back } = await authorize(make(), changes);
    expect(Object.fromEntries(back?.searchParams ?? [])).toEqual({ iss: SCHOOL, state: "the state", error });
  });

  it("is shown if a user must consent; a click consents or refuses", async () => {
    const sandbox = make({ agrees: false, clientId: `<"Agency" & 'sons'>` });
    const mine = { client_id: `<"Agency" & 'sons'>` };
    const { status, text, back, type } = await authorize(sandbox, mine);
    expect([status, back]).toEqual([200, null]);
    expect(type).toContain("text/html");
    expect(text).toContain("<h1>&#60;&#34;Agency&#34; &#38; &#39;sons&#39;&#62; asks for access</h1>");
    const actions = [...text.matchAll(/<form method="post" action="([^"]*)"><button>(\w+)</g)];
    expect(actions.map(([, , button]) => button)).toEqual(["Agree", "Refuse"]);
    const [agree, refuse] = actions.map(([, action = ""]) =>
      action.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code)),
    );
    const click = async (action = "") => {
      const response = await sandbox.fetch(new URL(action, SCHOOL), { method: "POST" });
      return new URL(response.headers.get("location") as string).searchParams;
    };
    expect([...(await click(agree)).keys()]).toContain("code");
    const refused = await click(refuse);
    expect([refused.get("error"), refused.has("code")]).toEqual(["access_denied", false]);
  });
});

describe("the sandbox's token endpoint", () => {
  it("exchanges a code once, for tokens that are valid at the school", async () => {
    const sandbox = make();
    const code = await codeOf(sandbox);
    const { status, json, headers } = await exchange(sandbox, code);
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(json).toEqual({
      access_token: expect.stringMatching(/^access_\w{12,}$/),
      refresh_token: expect.stringMatching(/^refresh_\w{12,}$/),
      token_type: "Bearer",
      expires_in: 3_600,
    });
    expect(await use(sandbox, json.access_token)).toBe(200);
    expect(await exchange(sandbox, code)).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
    expect(await exchange(sandbox, "code_unknown")).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
    const at = Date.UTC(2030, 0, 7, 9);
    expect(sandbox.oauth.grants).toEqual([
      { type: "authorization_code", result: "tokens", spent: false, at },
      { type: "authorization_code", result: "invalid_grant", spent: true, at },
      { type: "authorization_code", result: "invalid_grant", spent: false, at },
    ]);
  });

  it.each([
    ["another redirect", {}, { redirect_uri: `${REDIRECT}/` }],
    ["no redirect", {}, { redirect_uri: "" }],
    ["no verifier", { code_challenge: CHALLENGE, code_challenge_method: "S256" }, {}],
    [
      "another verifier",
      { code_challenge: CHALLENGE, code_challenge_method: "S256" },
      { code_verifier: VERIFIER.toLowerCase() },
    ],
    ["a verifier for no challenge", {}, { code_verifier: VERIFIER }],
  ])("refuses a code with %s and invalidates it", async (_, changes, form) => {
    const sandbox = make();
    const code = await codeOf(sandbox, changes);
    expect(await exchange(sandbox, code, form)).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
    expect((await exchange(sandbox, code, { code_verifier: VERIFIER })).status).toBe(400);
  });

  it("accepts the verifier of a challenge", async () => {
    const sandbox = make();
    const code = await codeOf(sandbox, { code_challenge: CHALLENGE, code_challenge_method: "S256" });
    expect((await exchange(sandbox, code, { code_verifier: VERIFIER })).status).toBe(200);
  });

  it("forgets a code after ten minutes", async () => {
    const sandbox = make();
    const [early, late] = [await codeOf(sandbox), await codeOf(sandbox)];
    await sandbox.clock.advance(599_999);
    expect((await exchange(sandbox, early)).status).toBe(200);
    await sandbox.clock.advance(1);
    expect((await exchange(sandbox, late)).status).toBe(400);
  });

  it.each([
    ["no secret", null],
    ["another secret", basic("agency", "other")],
    ["another id", basic("other", SECRET)],
    ["another way", `Digest ${btoa("agency:x")}`],
    ["what is no base64", "Basic !!!"],
    ["base64 that was cut", `${basic("agency", SECRET).replace(/=*$/, "")}a`],
    ["no colon", `Basic ${btoa("agency")}`],
  ])("returns invalid_client for %s", async (_, authorization) => {
    const sandbox = make();
    const answer = await token(sandbox, { grant_type: "refresh_token", refresh_token: "a" }, authorization);
    expect(answer).toMatchObject({ status: 401, json: { error: "invalid_client" } });
    expect(answer.headers.get("www-authenticate")).toBe("Basic");
    expect(sandbox.oauth.grants).toEqual([]);
  });

  it("accepts the secret from the form too, and `basic` in any case", async () => {
    const sandbox = make();
    const form = { grant_type: "authorization_code", redirect_uri: REDIRECT };
    const mine = { client_id: "agency", client_secret: SECRET };
    expect((await token(sandbox, { ...form, ...mine, code: await codeOf(sandbox) }, null)).status).toBe(200);
    const lower = basic("agency", SECRET).replace("Basic ", "basic  ");
    expect((await token(sandbox, { ...form, code: await codeOf(sandbox) }, lower)).status).toBe(200);
    const open = make({ clientSecret: null });
    expect((await token(open, { ...form, code: await codeOf(open), client_id: "agency" }, null)).status).toBe(200);
    expect((await token(open, { ...form, code: await codeOf(open), client_id: "other" }, null)).status).toBe(401);
  });

  it("refuses other grants and methods", async () => {
    expect(await token(make(), { grant_type: "password" })).toMatchObject({
      status: 400,
      json: { error: "unsupported_grant_type" },
    });
    expect(await token(make(), {}, null, "GET")).toMatchObject({ status: 405, json: { error: "invalid_request" } });
  });

  it("expires an access token after its time, and issues another one for the refresh token", async () => {
    const sandbox = make({ expiresInMs: 900_000 });
    const { json } = await exchange(sandbox, await codeOf(sandbox));
    expect(json.expires_in).toBe(900);
    await sandbox.clock.advance(899_999);
    expect(await use(sandbox, json.access_token)).toBe(200);
    await sandbox.clock.advance(1);
    expect(await use(sandbox, json.access_token)).toBe(401);
    const next = await refresh(sandbox, json.refresh_token);
    expect(await use(sandbox, next.json.access_token)).toBe(200);
    expect(sandbox.oauth.grants[1]).toMatchObject({ type: "refresh_token", result: "tokens", spent: false });
  });
});

describe("a refresh token of the sandbox", () => {
  const start = async (rotation?: SandboxOAuthOptions["rotation"]) => {
    const sandbox = make({ rotation });
    const { json } = await exchange(sandbox, await codeOf(sandbox));
    const next = (await refresh(sandbox, json.refresh_token)).json;
    return { sandbox, first: String(json.refresh_token), second: String(next.refresh_token), next };
  };

  it("becomes invalid at once by default", async () => {
    const { sandbox, first, second } = await start();
    expect([sandbox.oauth.knows(first), sandbox.oauth.knows(second)]).toEqual([false, true]);
    expect(await refresh(sandbox, first)).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
    expect(sandbox.oauth.grants.at(-1)).toMatchObject({ result: "invalid_grant", spent: true });
    expect((await refresh(sandbox, "refresh_unknown")).status).toBe(400);
    expect(sandbox.oauth.grants.at(-1)).toMatchObject({ spent: false });
  });

  it("becomes invalid with the first use of the tokens that it returned", async () => {
    const { sandbox, first, next } = await start("when used");
    expect(sandbox.oauth.knows(first)).toBe(true);
    await use(sandbox, next.access_token);
    expect(sandbox.oauth.knows(first)).toBe(false);
  });

  it("can stay valid, and is then not returned again", async () => {
    const { sandbox, first, next } = await start("never");
    expect(next).not.toHaveProperty("refresh_token");
    expect(sandbox.oauth.knows(first)).toBe(true);
    sandbox.oauth.revoke("access");
    expect(await use(sandbox, next.access_token)).toBe(401);
    expect((await refresh(sandbox, first)).status).toBe(200);
  });

  it.each([
    ["access", 401, true],
    ["refresh", 200, false],
    ["all", 401, false],
    [undefined, 401, false],
  ] as const)("becomes invalid with the access token after revoke(%j)", async (what, status, isKnown) => {
    const { sandbox, second, next } = await start();
    sandbox.oauth.revoke(what);
    expect([await use(sandbox, next.access_token), sandbox.oauth.knows(second)]).toEqual([status, isKnown]);
  });

  it("is part of a snapshot, but the list of grants is not", async () => {
    const { sandbox, second } = await start();
    const code = await codeOf(sandbox);
    const taken = sandbox.snapshot();
    await refresh(sandbox, second);
    await exchange(sandbox, code);
    sandbox.oauth.faults.next({ status: 503 });
    sandbox.restore(taken);
    expect([sandbox.oauth.grants, sandbox.oauth.faults.pending]).toEqual([[], []]);
    expect(sandbox.oauth.knows(second)).toBe(true);
    expect((await exchange(sandbox, code)).status).toBe(200);
  });
});

describe("a sandbox without options", () => {
  it("has an application for its own machine, which needs a user's consent", async () => {
    const sandbox = createSandbox({ baseUrl: SCHOOL, size: "small" });
    expect(sandbox.oauth).toMatchObject({
      clientId: "agency",
      clientSecret: "sandbox-secret",
      redirectUri: "http://127.0.0.1:3000/callback",
      grants: [],
    });
    const mine = { redirect_uri: "http://127.0.0.1:3000/callback" };
    expect(await authorize(sandbox, mine)).toMatchObject({ status: 200, back: null });
    const { back } = await authorize(sandbox, mine, "POST");
    const code = back?.searchParams.get("code") as string;
    const form = { grant_type: "authorization_code", code, ...mine };
    const { json } = await token(sandbox, form, basic("agency", "sandbox-secret"));
    expect(json.expires_in).toBe(HOUR / 1_000);
  });

  it.each([
    [{ expiresInMs: 0 }, "oauth.expiresInMs must be a number of milliseconds above 0"],
    [{ redirectUri: "/callback" }, "oauth.redirectUri must be a URL"],
    [{ rotation: "daily" as never }, "oauth.rotation must be one of"],
    [{ secret: "a" } as never, "oauth.secret is unknown"],
  ])("refuses %j", (oauth, message) => {
    expect(() => createSandbox({ oauth })).toThrow(RangeError);
    expect(() => createSandbox({ oauth })).toThrow(`createSandbox: the option ${message}`);
    expect(() => createSandbox({ oauth: { rotation: "never" } })).not.toThrow();
  });
});
