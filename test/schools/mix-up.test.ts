import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { InputError } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import {
  createSchools,
  memoryTokens,
  SchoolError,
  type Schools,
  type SchoolsOptions,
} from "../../src/schools/index.js";
import { seeds } from "../support/amount.js";
import { chance } from "../support/chance.js";
import { failureOf } from "./support/world.js";

const ONE = "https://agency.example/callback";
const SECRET = "a-secret-of-25-characters";
const HOSTILE = "https://hostile.example";
const HISTORIES = seeds("schools/mix-up", 10, 30);
const EACH: SchoolsOptions["redirectUri"] = ({ id }) => `https://agency.example/callback/${id}`;

// Options with which an application ensures that no school gets a code or token of another one.
const WAYS: Readonly<Record<string, Pick<SchoolsOptions, "redirectUri" | "hosts" | "iss">>> = {
  "one address, which is the default": { redirectUri: ONE },
  "an address for each school": { redirectUri: EACH },
  "named hosts": { redirectUri: ONE, hosts: ["*.service.example"] },
  "one address, and a host that was taken over": { redirectUri: ONE, hosts: ["*.example"] },
  "an address for each school, and a host that was taken over": { redirectUri: EACH, hosts: ["*.example"] },
};

interface Sent {
  readonly to: string;
  readonly text: string;
}

interface Given {
  readonly access_token?: string;
  readonly refresh_token?: string;
}

/** Three honest schools, a hostile one, and the requests that reached each of them. */
class Four {
  readonly honest = new Map<string, Sandbox>();
  readonly sent: Sent[] = [];
  /** The codes and tokens of the honest schools, and the school that each belongs to. */
  readonly given = new Map<string, string>();
  readonly schools: Schools;

  constructor(way: Pick<SchoolsOptions, "redirectUri" | "hosts" | "iss">, rotation: "at once" | "never" = "at once") {
    for (const name of ["north", "south", "west"]) {
      const baseUrl = `https://${name}.service.example`;
      const redirectUri = way.redirectUri === ONE ? ONE : `https://agency.example/callback/${name}.service.example`;
      const oauth = { clientId: "agency", clientSecret: SECRET, redirectUri, agrees: true, rotation };
      this.honest.set(baseUrl, createSandbox({ size: "small", manners: { iss: "sent" }, baseUrl, oauth }));
    }
    const { fetch } = this;
    this.schools = createSchools({
      clientId: "agency",
      clientSecret: SECRET,
      tokens: memoryTokens(),
      fetch,
      rateLimit: false,
      ...way,
    });
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    const text = `${String(input)} ${JSON.stringify(init.headers ?? {})} ${String(init.body ?? "")}`;
    this.sent.push({ to: origin, text });
    const sandbox = this.honest.get(origin);
    if (!sandbox) {
      return Response.json({
        access_token: "theirs",
        token_type: "bearer",
        refresh_token: "theirs",
        expires_in: 3_600,
      });
    }
    const response = await sandbox.fetch(input, init);
    const code = new URL(response.headers.get("location") ?? origin).searchParams.get("code");
    const answer = String(input).includes("/login/oauth2/token") ? ((await response.clone().json()) as Given) : {};
    for (const one of [code, answer.access_token, answer.refresh_token]) if (one) this.given.set(one, origin);
    return response;
  };

  /** The address to which the browser returns after a user consents; null if the school refuses. */
  async back(address: URL): Promise<URL | null> {
    const location = (await this.fetch(address.href)).headers.get("location");
    return location === null ? null : new URL(location);
  }
}

/** The hostile school redirects a browser that reached it to another school, with a verifier of the hostile school. */
function onwards(begun: URL, to: string, verifier: string, redirectUri: string | null): URL {
  const url = new URL(`${to}/login/oauth2/auth${begun.search}`);
  url.searchParams.set("code_challenge", createHash("sha256").update(verifier).digest("base64url"));
  if (redirectUri !== null) url.searchParams.set("redirect_uri", redirectUri);
  return url;
}

test.each(Object.entries(WAYS))("a hostile school gets no code of another school: %s", async (name, way) => {
  const four = new Four(way);
  const [target = ""] = four.honest.keys();
  const begun = await four.schools.authorizeUrl(HOSTILE).then(
    (url) => new URL(url),
    (error: unknown) => error as Error,
  );
  if (name === "named hosts") {
    expect(begun).toBeInstanceOf(InputError);
    return;
  }
  const verifier = randomBytes(32).toString("base64url");
  const theirs = (begun as URL).searchParams.get("redirect_uri");
  let reached = 0;
  for (const redirectUri of [null, `https://agency.example/callback/${new URL(target).host}`]) {
    const back = await four.back(onwards(begun as URL, target, verifier, redirectUri));
    if (!back) continue;
    reached++;
    back.searchParams.delete("iss");
    expect(await failureOf(four.schools.connect(back))).toBeInstanceOf(SchoolError);
  }
  // The attack took place: the school accepted one of the two redirect addresses.
  expect([theirs, reached]).toEqual([
    name.startsWith("one") ? ONE : "https://agency.example/callback/hostile.example",
    1,
  ]);
  expect(four.sent.filter(({ to }) => to === HOSTILE)).toEqual([]);
});

test("one address for all schools requires iss, even in a correct callback, and the error names the alternatives", async () => {
  const four = new Four({ redirectUri: ONE });
  const [school = ""] = four.honest.keys();
  const login = async () => (await four.back(new URL(await four.schools.authorizeUrl(school)))) as URL;
  for (const iss of [null, ""]) {
    const back = await login();
    if (iss === null) back.searchParams.delete("iss");
    else back.searchParams.set("iss", iss);
    const failure = await failureOf(four.schools.connect(back));
    expect(failure).toMatchObject({
      reason: "callback",
      message: expect.stringContaining("pass a redirectUri for each"),
    });
  }
  await four.schools.connect(await login());
  // A refusal carries no code that could be mixed up.
  const refused = await login();
  refused.searchParams.delete("iss");
  refused.searchParams.delete("code");
  refused.searchParams.set("error", "access_denied");
  await expect(four.schools.connect(refused)).rejects.toThrow("the school returned the error access_denied");
});

test.each([
  ["hosts", { redirectUri: ONE, hosts: ["*.service.example"] }, "callback"],
  ["hosts and an address for each school", { redirectUri: EACH, hosts: ["*.service.example"] }, "connected"],
  ["an address for each school", { redirectUri: EACH }, "connected"],
  ["an address for each school and a demanded iss", { redirectUri: EACH, iss: "required" }, "callback"],
] as const)("a school that sends no iss, with %s", async (_, way, result) => {
  const four = new Four(way);
  const [school = ""] = four.honest.keys();
  const back = (await four.back(new URL(await four.schools.authorizeUrl(school)))) as URL;
  back.searchParams.delete("iss");
  const told = await four.schools.connect(back).then(
    () => "connected",
    (error: SchoolError) => error.reason,
  );
  expect(told).toBe(result);
});

test.each([
  ["*.service.example", "north.service.example", true],
  ["*.service.example", "a.north.service.example", true],
  ["*.Service.Example", "NORTH.service.example", true],
  ["*.service.example", "service.example", false],
  ["*.service.example", ".service.example", false],
  ["*.service.example", "evilservice.example", false],
  ["*.service.example", "north.service.example.evil.example", false],
  ["*.service.example", "north-service.example", false],
  ["*.service.example", "north.service.example.", false],
  ["*.service.example", "north.service.example:8443", false],
  ["*.service.example:8443", "north.service.example:8443", true],
  ["service.example", "service.example", true],
  ["service.example", "north.service.example", false],
])("hosts [%s] and the school https://%s", async (pattern, host, isTaken) => {
  const four = new Four({ redirectUri: ONE, hosts: ["other.example", pattern] });
  const failure = await failureOf(four.schools.authorizeUrl(`https://${host}`));
  expect(failure === null).toBe(isTaken);
  if (!isTaken) expect(failure).toBeInstanceOf(InputError);
});

test("a school connected before the option hosts was set continues; a login begun before does not", async () => {
  const world = new Four({ redirectUri: ONE });
  const tokens = memoryTokens();
  const options = { clientId: "agency", clientSecret: SECRET, redirectUri: ONE, tokens, fetch: world.fetch };
  const [first = "", second = ""] = world.honest.keys();
  const before = createSchools(options);
  await before.connect((await world.back(new URL(await before.authorizeUrl(first)))) as URL);
  const begun = (await world.back(new URL(await before.authorizeUrl(second)))) as URL;
  const after = createSchools({ ...options, hosts: ["elsewhere.example"] });
  expect((await (await after.client(first)).accounts.get(1)).id).toBe(1);
  await expect(after.authorizeUrl(first)).rejects.toThrow("is not on one of the hosts");
  await expect(after.connect(begun)).rejects.toThrow("is not on one of the hosts");
  expect(await after.disconnect(first)).toBe(true);
});

test(`${HISTORIES.length} histories with a hostile school among four send no code and no token to the wrong school`, async () => {
  const done = { connected: 0, refused: 0 };
  for (const history of HISTORIES) {
    const random = chance(history);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const way = pick(Object.values(WAYS));
    const four = new Four(way, pick(["at once", "never"] as const));
    const all = [...four.honest.keys(), HOSTILE];
    for (let step = 0; step < 6; step++) {
      const begun = await four.schools.authorizeUrl(pick(all)).then(
        (url) => new URL(url),
        () => null,
      );
      if (!begun) continue;
      const target = begun.origin === HOSTILE ? pick([...four.honest.keys()]) : begun.origin;
      const redirect = pick([null, null, ONE, `https://agency.example/callback/${new URL(target).host}`]);
      const address = target === begun.origin ? begun : onwards(begun, target, "v".repeat(43), redirect);
      const back = await four.back(address);
      if (!back) continue;
      const iss = pick(["sent", "absent", "wrong", "twice"]);
      if (iss !== "sent") back.searchParams.delete("iss");
      // Values that an honest school may write by mistake; none is the name of the school that redirected the browser.
      if (iss === "wrong")
        back.searchParams.set("iss", pick([`${target}/`, `${target}/api`, new URL(target).host, "none"]));
      if (iss === "twice") for (const one of [target, begun.origin]) back.searchParams.append("iss", one);
      const isConnected = await four.schools.connect(back).then(
        () => true,
        () => false,
      );
      done[isConnected ? "connected" : "refused"]++;
      for await (const { client } of four.schools.all()) await client.accounts.get(1);
    }
    for (const { to, text } of four.sent) {
      for (const [one, school] of four.given) if (to !== school) expect(text).not.toContain(one);
    }
  }
  expect(done.connected).toBeGreaterThan(HISTORIES.length / 2);
  expect(done.refused).toBeGreaterThan(HISTORIES.length / 2);
});
