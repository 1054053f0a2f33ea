import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { SchoolError, type Schools, type TokenFacts, type TokenStore } from "../../src/schools/index.js";
import { World } from "./support/world.js";

const STATE = "state-of-this-browser-0123456789";

/** Changes parameters of a callback; null removes one. */
function alterCallback(callback: string, changes: Readonly<Record<string, string | null>>): string {
  const url = new URL(callback);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}

describe("a login", () => {
  it("sends a browser to its school with PKCE, and returns with the same state", async () => {
    const world = new World(1);
    const connected: string[] = [];
    const schools = world.schools({ scope: "a b", on: { connected: ({ school }) => connected.push(school) } });
    const address = new URL(await schools.authorizeUrl("https://school-1.example/", { state: STATE }));
    expect(address.origin + address.pathname).toBe("https://school-1.example/login/oauth2/auth");
    const { code_challenge, ...asked } = Object.fromEntries(address.searchParams);
    expect(asked).toEqual({
      response_type: "code",
      client_id: "agency",
      redirect_uri: "https://agency.example/callback",
      state: STATE,
      scope: "a b",
      code_challenge_method: "S256",
    });
    expect(code_challenge).toMatch(/^[\w-]{43}$/);
    const request = new Request(await world.agree(address.href));
    const school = "https://school-1.example";
    expect(await schools.connect(request, { state: STATE })).toEqual({ school, state: STATE });
    expect(connected).toEqual([school]);
    expect(await schools.list()).toEqual([
      { school, state: "connected", connectedAt: new Date(world.time), refreshedAt: null },
    ]);
  });

  it.each([
    ["without PKCE", { pkce: false }],
    ["with the secret in the body", { sendSecretIn: "body" }],
  ] as const)("works %s", async (_, options) => {
    const world = new World(1);
    const schools = world.schools(options);
    await world.connect(schools, 1);
    await world.pass(3_600_000);
    await schools.client("https://school-1.example");
    expect(world.refreshes(1)).toEqual(["tokens"]);
  });

  it.each([
    ["header", {}],
    ["header", { sendSecretIn: "header" }],
    ["body", { sendSecretIn: "body" }],
  ] as const)("sends the secret, like a refresh, in the %s and nowhere else, with %j", async (place, options) => {
    const world = new World(1);
    const sent: { header: string | null; body: string }[] = [];
    const fetch: World["fetch"] = (input, init) => {
      const header = new Headers(init?.headers).get("authorization");
      if (String(input).endsWith("/token")) sent.push({ header, body: String(init?.body) });
      expect(String(input)).not.toContain("a-secret");
      return world.fetch(input, init);
    };
    const schools = world.schools({ ...options, fetch });
    await world.connect(schools, 1);
    await world.pass(3_600_000);
    await schools.client("https://school-1.example");
    expect(sent).toHaveLength(2);
    for (const { header, body } of sent) {
      expect(header).toBe(place === "header" ? `Basic ${btoa("agency:a%2Dsecret%2Dof%2D25%2Dcharacters")}` : null);
      expect(new URLSearchParams(body).get("client_secret")).toBe(
        place === "body" ? "a-secret-of-25-characters" : null,
      );
    }
  });

  it.each([301, 302, 307, 308])(
    "follows no redirect, nor does a refresh: %i would send the secret to another host",
    async (status) => {
      const world = new World(1);
      const asked: string[] = [];
      const modes: unknown[] = [];
      const fetch: World["fetch"] = async (input, init) => {
        asked.push(String(input));
        if (!String(input).endsWith("/token")) return world.fetch(input, init);
        modes.push(init?.redirect);
        return new Response(null, { status, headers: { location: "https://evil.example/token" } });
      };
      const schools = world.schools({ fetch });
      const callback = await world.agree(await schools.authorizeUrl("https://school-1.example"));
      await expect(schools.connect(callback)).rejects.toMatchObject({ reason: "unreachable" });
      expect([modes, asked.filter((one) => one.includes("evil"))]).toEqual([["manual"], []]);
    },
  );

  it("works for an application without a secret", async () => {
    const world = new World(1, { oauth: { clientSecret: null } });
    await world.connect(world.schools({ clientSecret: null }), 1);
    expect(world.sandbox(1).oauth.grants).toMatchObject([{ result: "tokens" }]);
  });

  it("stores no state in clear text", async () => {
    const world = new World(1);
    await world.schools().authorizeUrl("https://school-1.example", { state: STATE });
    expect(JSON.stringify(await world.tokens.list(""))).not.toContain(STATE);
  });

  it("costs two accesses to the store, however many others wait", async () => {
    const world = new World(1);
    const used: string[] = [];
    const tokens = new Proxy(world.tokens, {
      get: (store, name: keyof TokenStore) => {
        used.push(name);
        return store[name];
      },
    });
    const schools = world.schools({ tokens });
    used.length = 0;
    for (let at = 0; at < 500; at++) await schools.authorizeUrl("https://school-1.example");
    expect(used).toEqual(Array.from({ length: 500 }, () => ["get", "put"]).flat());
    expect((await world.tokens.list("login ")).length).toBeLessThanOrEqual(256);
  });

  it("is dropped after twenty later ones of its school, not after nineteen, and when its time is over", async () => {
    const states: string[] = [];
    for (let at = 0; states.length < 21; at++) {
      const state = `state-of-a-browser-${at}`;
      if (createHash("sha256").update(state).digest()[0] === 0) states.push(state);
    }
    const [mine, ...others] = states as [string, ...string[]];
    for (const [later, pause, isThere] of [
      [19, 0, true],
      [20, 0, false],
      [1, 600_000, false],
    ] as const) {
      const world = new World(1);
      const schools = world.schools();
      const callback = await world.agree(await schools.authorizeUrl("https://school-1.example", { state: mine }));
      await world.pass(pause);
      for (const state of others.slice(0, later)) await schools.authorizeUrl("https://school-1.example", { state });
      const [entry] = await world.tokens.list("login ");
      expect(Object.keys(JSON.parse((entry as TokenFacts).facts))).toHaveLength(later + Number(isThere));
      const connected = schools.connect(callback, { state: mine });
      if (isThere) await connected;
      else await expect(connected).rejects.toThrow("the login is unknown");
    }
  });

  it.each([
    ["https://agency.example", "https://agency.example/"],
    ["https://AGENCY.example:443/callback", "https://agency.example/callback"],
    ["https://agency.example/zurück", "https://agency.example/zur%C3%BCck"],
  ])("returns to %s, which browsers write as %s", async (redirectUri, written) => {
    const world = new World(1, { oauth: { redirectUri } });
    const schools = world.schools({ redirectUri });
    const callback = await world.agree(await schools.authorizeUrl("https://school-1.example"));
    expect(callback.split("?")[0]).toBe(written);
    await schools.connect(callback);
    expect(await schools.list()).toHaveLength(1);
  });

  it("can be completed by another process", async () => {
    const world = new World(1);
    const callback = await world.agree(await world.schools().authorizeUrl("https://school-1.example"));
    expect((await world.schools().connect(new URL(callback))).school).toBe("https://school-1.example");
  });

  it("expires after ten minutes without a response, but not after nine", async () => {
    const world = new World(1);
    const schools = world.schools();
    const callbacks = [];
    for (let at = 0; at < 2; at++)
      callbacks.push(await world.agree(await schools.authorizeUrl("https://school-1.example")));
    await world.pass(599_000);
    await schools.connect(callbacks[0] as string);
    await world.pass(1_000);
    await expect(schools.connect(callbacks[1] as string)).rejects.toThrow(
      "the login is unknown, expired or already completed",
    );
  });

  it.each([
    ["an answer that the school is busy", { status: 503 }, "unreachable"],
    [
      "a secret that the school does not know",
      { status: 401, body: { error: "invalid_client" } },
      "application_refused",
    ],
    [
      "an address that the school does not know",
      { status: 400, body: { error: "unauthorized_client" } },
      "application_refused",
    ],
  ])("that fails with %s reports it", async (_, fault, reason) => {
    const world = new World(1);
    const schools = world.schools();
    const callback = await world.agree(await schools.authorizeUrl("https://school-1.example"));
    world.sandbox(1).oauth.faults.next(fault);
    await expect(schools.connect(callback)).rejects.toMatchObject({ reason, school: "https://school-1.example" });
    expect(await schools.list()).toEqual([]);
  });
});

/** The situation of an attack: two schools, a login by the victim and one by the attacker. */
interface Scene {
  readonly world: World;
  readonly schools: Schools;
  /** The victim's callback at school 1. */
  readonly mine: string;
  /** The attacker's callback at school 2. */
  readonly theirs: string;
}

const parameter = (callback: string, name: string) => new URL(callback).searchParams.get(name) as string;

// Each function returns the callback that the application receives instead of the victim's.
const ATTACKS: Readonly<Record<string, (scene: Scene) => string | Promise<string>>> = {
  "no state": ({ mine }) => alterCallback(mine, { state: null }),
  "an empty state": ({ mine }) => alterCallback(mine, { state: "" }),
  "a guessed state": ({ mine }) => alterCallback(mine, { state: "0".repeat(43) }),
  "the state of another browser": ({ theirs }) => theirs,
  "the state in other letters": ({ mine }) => alterCallback(mine, { state: STATE.toUpperCase() }),
  "two states": ({ mine }) => `${mine}&state=${STATE}`,
  "the code of another school": ({ mine, theirs }) => alterCallback(mine, { code: parameter(theirs, "code") }),
  "the code of another school under its name": ({ mine, theirs }) =>
    alterCallback(mine, { code: parameter(theirs, "code"), iss: parameter(theirs, "iss") }),
  "another school's name": ({ mine }) => alterCallback(mine, { iss: "https://school-2.example" }),
  "the code of another login of the same school": async ({ world, mine }) => {
    const attacker = world.schools();
    const other = await world.agree(await attacker.authorizeUrl("https://school-1.example"));
    return alterCallback(mine, { code: parameter(other, "code") });
  },
  "a code that the attacker got without PKCE": async ({ world, mine }) => {
    const address = "https://school-1.example/login/oauth2/auth?response_type=code&client_id=agency";
    const other = await world.agree(`${address}&redirect_uri=${encodeURIComponent("https://agency.example/callback")}`);
    return alterCallback(mine, { code: parameter(other, "code") });
  },
  "two codes": ({ mine, theirs }) => `${mine}&code=${parameter(theirs, "code")}`,
  "no code": ({ mine }) => alterCallback(mine, { code: null }),
  "an invented code": ({ mine }) => alterCallback(mine, { code: "code_invented" }),
  "a token instead of a code": ({ mine }) => alterCallback(mine, { token: "abc" }),
  "an error beside the code": ({ mine }) => alterCallback(mine, { error: "access_denied" }),
  "an address below the callback": ({ mine }) => mine.replace("/callback?", "/callback/more?"),
  "a slash more": ({ mine }) => mine.replace("/callback?", "/callback/?"),
  "an address in other letters": ({ mine }) => mine.replace("/callback?", "/Callback?"),
  "an address with dots": ({ mine }) => mine.replace("/callback?", "/x/../callback/../other?"),
  "another host": ({ mine }) => mine.replace("agency.example", "agency.example.attacker.example"),
  "another scheme": ({ mine }) => mine.replace("https:", "http:"),
  "another port": ({ mine }) => mine.replace("agency.example", "agency.example:8443"),
  "an encoded path": ({ mine }) => mine.replace("/callback?", "/%63allback?"),
  "a callback after ten minutes": async ({ world, mine }) => {
    await world.pass(600_000);
    return mine;
  },
  "a callback that was completed before": async ({ schools, mine }) => {
    await schools.connect(mine, { state: STATE });
    await schools.disconnect("https://school-1.example");
    return mine;
  },
};

describe("a callback", () => {
  it("is tested with at least 20 attacks", () => {
    expect(Object.keys(ATTACKS).length).toBeGreaterThanOrEqual(20);
  });

  it.each(Object.entries(ATTACKS))("is refused with %s, and no school is connected", async (_, attack) => {
    const world = new World(2);
    const schools = world.schools();
    const mine = await world.agree(await schools.authorizeUrl("https://school-1.example", { state: STATE }));
    const theirs = await world.agree(await world.schools().authorizeUrl("https://school-2.example"));
    const callback = await attack({ world, schools, mine, theirs });
    const failure = await schools.connect(callback, { state: STATE }).then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(SchoolError);
    expect(failure).toMatchObject({ reason: "callback", code: "school", attempts: 0 });
    expect(await schools.list()).toEqual([]);
    for (const secret of [STATE, parameter(mine, "code"), parameter(theirs, "code"), "a-secret-of-25-characters"]) {
      expect(String((failure as Error).stack)).not.toContain(secret);
    }
  });

  it("ends its login if it is refused", async () => {
    const world = new World(2);
    const schools = world.schools();
    const mine = await world.agree(await schools.authorizeUrl("https://school-1.example", { state: STATE }));
    const state = { state: STATE };
    const wrong = alterCallback(mine, { code: "code_invented" });
    await expect(schools.connect(wrong, state)).rejects.toThrow("does not accept its code");
    await expect(schools.connect(mine, state)).rejects.toThrow("already completed");
  });

  it("is refused without the state that was passed to authorizeUrl, but its login remains for the browser", async () => {
    const world = new World(1);
    const schools = world.schools();
    const mine = await world.agree(await schools.authorizeUrl("https://school-1.example", { state: STATE }));
    for (const options of [undefined, {}, { state: undefined }]) {
      const failure = await schools.connect(mine, options).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(SchoolError);
      expect(failure).toMatchObject({ reason: "callback", school: null });
      expect((failure as Error).message).toContain("pass `connect` the state that this browser kept");
    }
    // Another process that uses the same store.
    await expect(world.schools().connect(mine)).rejects.toThrow("authorizeUrl was given a state");
    expect(await schools.list()).toEqual([]);
    await schools.connect(mine, { state: STATE });
    expect(await schools.list()).toHaveLength(1);
  });

  it("connects once if it arrives twice at the same time", async () => {
    const world = new World(1);
    const callback = await world.agree(await world.schools().authorizeUrl("https://school-1.example"));
    // All four read the login before any of them removes it.
    const { tokens } = world;
    let reading = 4;
    const together = Promise.withResolvers<void>();
    const get: typeof tokens.get = async (name) => {
      const entry = await tokens.get(name);
      if (--reading <= 0) together.resolve();
      await together.promise;
      return entry;
    };
    const connect = () => world.schools({ tokens: { ...tokens, get } }).connect(callback);
    const results = await Promise.allSettled([1, 2, 3, 4].map(connect));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(world.sandbox(1).oauth.grants).toHaveLength(1);
    // The others do not even send the code: another authorization server may accept it again.
    expect(world.sandbox(1).requests.filter(({ path }) => path.endsWith("/token"))).toHaveLength(1);
  });

  it.each([
    ["access_denied", "the school returned the error access_denied"],
    ["<script>", "the school returned an error"],
    ["access_denied <script>", "the school returned an error"],
  ])("with the error %s reports the school's refusal", async (error, message) => {
    const world = new World(1);
    const schools = world.schools();
    const callback = await world.agree(await schools.authorizeUrl("https://school-1.example"));
    await expect(schools.connect(alterCallback(callback, { code: null, error }))).rejects.toThrow(
      `The callback was refused: ${message}`,
    );
  });
});
