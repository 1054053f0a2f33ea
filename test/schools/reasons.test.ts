import { expect, it } from "vitest";
import { failureOf, HOUR, World } from "./support/world.js";

const SECRETS = /a-secret-of-25-characters|(?:access|refresh|code)_[0-9a-z]{12,}/;

/** The messages of an error and its causes. */
function messagesOf(error: unknown): string {
  const messages: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) messages.push(each.message);
  return messages.join("\n");
}

const refusal = (error: string, headers: Record<string, string> = {}) => ({ status: 401, headers, body: { error } });
const CHALLENGE = { "www-authenticate": 'Basic realm="school"' };

// Reasons for which a school issues no tokens: each call of a client that a program holds must fail with them.
const UNREACHABLE = [
  ["a status", { status: 503 }, "status 503"],
  ["a broken connection", { reset: true }, "ECONNRESET"],
  ["a page of HTML", { html: true, status: 200 }, "the response has no tokens"],
  ["tokens of another type", { status: 200, body: { access_token: "abc", token_type: "mac" } }, "no bearer tokens"],
] as const;
const REFUSED = [
  ["a refused secret", refusal("invalid_client"), "invalid_client"],
  ["a refused secret, with a challenge", refusal("invalid_client", CHALLENGE), "invalid_client"],
  ["a challenge that names no reason", { status: 401, headers: CHALLENGE, body: {} }, "status 401"],
  ["an application without the right", { status: 400, body: { error: "unauthorized_client" } }, "unauthorized_client"],
] as const;

async function worldWith(fault: object) {
  const world = new World(1, { oauth: { rotation: "never" } });
  const schools = world.schools({ client: { retry: false } });
  const school = await world.connect(schools, 1);
  const client = await schools.client(school);
  await world.pass(HOUR);
  const { faults } = world.sandbox(1).oauth;
  faults.next({ ...fault, times: Infinity });
  const countRefreshes = () => world.sandbox(1).requests.filter(({ path }) => path.endsWith("/token")).length;
  return { world, school, client, faults, countRefreshes, call: () => world.until(failureOf(client.accounts.get(1))) };
}

it.each(UNREACHABLE)("each call of a held client reports %s, in every process", async (_, fault, why) => {
  const { world, school, call, countRefreshes } = await worldWith(fault);
  const calls = [await call(), await call()];
  const before = countRefreshes();
  // The pause holds for another process too.
  calls.push(await failureOf(world.schools().client(school)));
  expect(countRefreshes()).toBe(before);
  for (const error of calls) {
    expect(messagesOf(error)).toContain(`${school} issued no tokens (`);
    expect(messagesOf(error)).toContain(why);
    expect(messagesOf(error)).not.toMatch(SECRETS);
  }
});

it.each(REFUSED)("each call of a held client reports %s, and tries only every five minutes", async (_, fault, why) => {
  const { world, call, countRefreshes, faults, client } = await worldWith(fault);
  const before = countRefreshes();
  for (const error of [await call(), await call(), await call()]) {
    expect(error).toMatchObject({ name: "ConfigurationError", cause: { reason: "application_refused" } });
    expect(messagesOf(error)).toContain(
      `does not accept the application: check clientId, clientSecret and redirectUri (${why})`,
    );
    expect(messagesOf(error)).not.toMatch(SECRETS);
  }
  expect(countRefreshes()).toBe(before + 1);
  await world.pass(240_000);
  await call();
  expect(countRefreshes()).toBe(before + 1);
  faults.clear();
  await world.pass(60_000);
  expect((await client.accounts.get(1)).id).toBe(1);
});

it("a refused application uses tokens that are still valid", async () => {
  const world = new World(1, { oauth: { rotation: "never" } });
  const schools = world.schools();
  const client = await schools.client(await world.connect(schools, 1));
  world.sandbox(1).oauth.faults.next({ ...refusal("invalid_client"), times: Infinity });
  await world.pass(HOUR - 200_000);
  for (let call = 0; call < 3; call++) expect((await client.accounts.get(1)).id).toBe(1);
});

it("a refused secret does not delay a process with the right one", async () => {
  const { world, school, call } = await worldWith(refusal("invalid_client"));
  await call();
  world.sandbox(1).oauth.faults.clear();
  expect((await (await world.schools().client(school)).accounts.get(1)).id).toBe(1);
});

it("a login that was started by a clock an hour ahead expires", async () => {
  const world = new World(1);
  const schools = world.schools();
  world.time += HOUR;
  const back = await world.agree(await schools.authorizeUrl("https://school-1.example"));
  world.time -= HOUR;
  await expect(schools.connect(back)).rejects.toThrow("unknown, expired or already completed");
});
