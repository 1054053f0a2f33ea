import { expect, test } from "vitest";
import { apply, plan, rowsOf, undo } from "../../src/bulk/node.js";
import { testFolder } from "./support/folder.js";
import { outcomes, school } from "./support/school.js";

/** Plans a change of the user with an e-mail address, which a colleague then gives to another user. */
async function planUser(to: string) {
  const { sandbox, client } = school();
  const email = sandbox.store.users.get(2)?.email ?? "";
  await plan(client.users, [{ email: email.toUpperCase(), first_name: "Changed" }], { to, key: "email" });
  return { sandbox, client, email };
}

test("a record that no longer has its row's key is not written", async () => {
  const at = testFolder();
  const { sandbox, client, email } = await planUser(at("a.plan"));
  await client.users.update(2, { email: "other@example.com" });
  await client.users.update(3, { email });
  expect(await apply(client, at("a.plan"))).toMatchObject({ stale: 1, updated: 0 });
  for (const id of [2, 3]) expect(sandbox.store.users.get(id)?.first_name).not.toBe("Changed");
  for await (const { why } of rowsOf(at("a.plan"))) {
    expect(why).toEqual([{ field: "email", message: "the record no longer has the email of the row" }]);
  }
});

test("a record that has the row's values but another key is not reported as unchanged", async () => {
  const at = testFolder();
  const { client } = await planUser(at("a.plan"));
  await client.users.update(2, { email: "other@example.com", first_name: "Changed" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ stale: 1, unchanged: 0 });
});

test("another spelling of a key is the same key, and a row with an id follows its record", async () => {
  const at = testFolder();
  const { sandbox, client, email } = await planUser(at("a.plan"));
  await client.users.update(2, { email: email.replace(/^./, (first) => first.toUpperCase()) });
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 1, complete: true });
  await client.users.update(2, { email: "other@example.com" });
  // The undo restores the changed record, although another record now has its key.
  await undo(at("a.plan"), { to: at("back.plan") });
  expect(await apply(client, at("back.plan"))).toMatchObject({ updated: 1, complete: true });
  expect(sandbox.store.users.get(2)?.first_name).not.toBe("Changed");
  await plan(client.users, [{ id: 2, first_name: "Again" }], { to: at("b.plan"), key: "id" });
  await client.users.update(2, { email: "third@example.com" });
  expect(await apply(client, at("b.plan"))).toMatchObject({ updated: 1 });
  expect(await outcomes(at("b.plan"))).toEqual({ 1: "updated" });
});
