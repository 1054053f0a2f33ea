import { inspect } from "node:util";
import { expect, it } from "vitest";
import { EducationAdminError } from "../../src/index.js";
import { SchoolError } from "../../src/schools/index.js";
import { World } from "./support/world.js";

// `npm run campaign:schools` sets 10,000.
const PRINTOUTS = Number(process.env.SCHOOLS_PRINTOUTS ?? 800);

it("no printable value contains a token, code, state or secret", async () => {
  const world = new World(3);
  const secrets = new Set(["a-secret-of-25-characters"]);
  const printed: string[] = [];
  const print = (value: unknown) => {
    printed.push(inspect(value, { depth: 9, showHidden: true }), String(value), JSON.stringify(value) ?? "");
    if (value instanceof Error) printed.push(value.stack ?? "", inspect(value.cause, { depth: 9, showHidden: true }));
  };
  const learn = (text: string) => {
    for (const [secret] of text.matchAll(/\b(access|refresh|code|sandbox)_[0-9a-z]{12,}/g)) secrets.add(secret);
  };
  // If true, the service repeats the received values in its errors.
  let isRude = false;
  const fetch: World["fetch"] = async (input, init) => {
    const sent = JSON.stringify(init?.headers) + String(init?.body) + String(input);
    learn(sent);
    if (isRude && String(input).includes("/api/")) {
      const body = JSON.stringify({ message: sent, errors: { [sent]: [sent] }, code: 422 });
      return new Response(body, { status: 422, headers: { "x-request-id": sent.slice(0, 200) } });
    }
    if (isRude) return new Response(JSON.stringify({ error: sent, error_description: sent }), { status: 400 });
    const response = await world.fetch(input, init);
    learn(`${await response.clone().text()} ${response.headers.get("location")}`);
    return response;
  };
  const observe = (event: unknown) => print(event);
  const events = {
    request: observe,
    response: observe,
    failure: observe,
    retry: observe,
    wait: observe,
    drift: observe,
  };
  const on = { connected: observe, refreshed: observe, reconnectNeeded: observe, skipped: observe };
  const schools = world.schools({ fetch, on, client: { on: events, retry: false } });
  for (const school of [1, 2, 3]) {
    const address = await schools.authorizeUrl(`https://school-${school}.example`);
    secrets.add(new URL(address).searchParams.get("state") as string);
    const location = (await fetch(address, { redirect: "manual" })).headers.get("location") as string;
    await schools.connect(location);
    await schools.connect(location).catch(print);
  }
  for (let round = 0; printed.length < PRINTOUTS; round++) {
    isRude = false;
    for await (const { school, client } of schools.all()) {
      isRude = false;
      print(client);
      print(client.accounts);
      print(await client.accounts.get(1));
      await client.accounts.get(999_999).catch(print);
      isRude = round % 2 === 0;
      await client.accounts.get(2).catch(print);
      print(school);
    }
    print(schools);
    print(await schools.list());
    await world.pass(3_600_000);
    if (round % 3 === 1) for (const { oauth } of world.sandboxes.values()) oauth.revoke("access");
    for (const school of [1, 2, 3]) {
      isRude = round % 2 === 1;
      await schools.client(`https://school-${school}.example`).then(print, print);
    }
  }
  expect(JSON.stringify([world.sandbox(1).requests, world.sandbox(1).oauth])).not.toMatch(/_[0-9a-z]{12,}/);
  expect(secrets.size).toBeGreaterThan(20);
  expect(printed.length).toBeGreaterThanOrEqual(PRINTOUTS);
  const all = printed.join("\n");
  expect([...secrets].filter((secret) => all.includes(secret))).toEqual([]);
});

it("an error of a school is restored from its JSON", () => {
  const error = new SchoolError("unreachable", "https://school.example", "text");
  const restored = EducationAdminError.fromJSON(JSON.parse(JSON.stringify(error)));
  expect(restored).toBeInstanceOf(SchoolError);
  expect(restored).toMatchObject({
    reason: "unreachable",
    school: "https://school.example",
    code: "school",
    outcome: "not_sent",
  });
  expect(new EducationAdminError("school", "another")).not.toBeInstanceOf(SchoolError);
  class Own extends SchoolError {}
  expect(error).not.toBeInstanceOf(Own);
});
