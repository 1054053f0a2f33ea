import { expect, test } from "vitest";
import { World } from "./support/world.js";

test("connects a school, calls it, and refreshes its tokens before they end", async () => {
  const world = new World(1);
  const schools = world.schools();
  const school = await world.connect(schools, 1);
  const client = await schools.client(school);
  expect((await client.accounts.get(1)).id).toBe(1);
  await world.pass(3_500_000);
  await client.accounts.get(1);
  const { oauth, requests } = world.sandbox(1);
  expect(oauth.grants.map(({ type, result }) => `${type} ${result}`)).toEqual([
    "authorization_code tokens",
    "refresh_token tokens",
  ]);
  expect(requests.filter(({ status }) => status === 401)).toEqual([]);
});
