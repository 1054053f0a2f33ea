import { expect, test } from "vitest";
import { apply, type BulkError, plan, run } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { connection, outcomes, school } from "./support/school.js";

/** A client whose first `times` reads of record 12 return record 13. */
function mixedUp(times: number) {
  const { sandbox } = school();
  let left = times;
  const fetch: typeof globalThis.fetch = (input, init) => {
    const isMixedUp = init?.method === "GET" && /\/users\/12$/.test(String(input)) && left-- > 0;
    return sandbox.fetch(isMixedUp ? String(input).replace(/12$/, "13") : input, init);
  };
  return { sandbox, client: new MainClient({ ...connection(sandbox), fetch }) };
}

test("a response with another record proves nothing: the record is read again, and in the end nothing is written", async () => {
  const at = testFolder();
  const rows = [{ id: 12, first_name: "Changed" }];
  const once = mixedUp(2);
  await plan(once.client.users, rows, { to: at("a.plan"), key: "id" });
  expect(await apply(once.client, at("a.plan"))).toMatchObject({ updated: 1 });
  expect(once.sandbox.calls("users.update").map(({ params }) => params.id)).toEqual([12]);
  const always = mixedUp(Number.POSITIVE_INFINITY);
  await plan(always.client.users, rows, { to: at("b.plan"), key: "id" });
  const { reason, message } = await failure<BulkError>(apply(always.client, at("b.plan")));
  expect([reason, message]).toEqual([
    "stopped",
    expect.stringContaining("users.get: the response to the request for 12 is another record"),
  ]);
  expect(always.sandbox.calls("users.update")).toEqual([]);
  expect(await outcomes(at("b.plan"))).toEqual({ 1: null });
});

test("a create whose response shows a newer record is looked for by its key, though nothing else was sent", async () => {
  const { sandbox } = school();
  const names = ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel", "Ivy"];
  let created = 0;
  let next = () => {};
  // Creates run two at a time. The first of each pair gets its response only after the second record exists.
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await sandbox.fetch(input, init);
    if (init?.method !== "POST") return response;
    const isSecond = ++created % 2 === 1;
    if (isSecond) next();
    else await new Promise<void>((resolve) => (next = resolve));
    const newest = await sandbox.fetch(`${input}/${Math.max(...[...sandbox.store.accounts].map(({ id }) => id))}`, {
      headers: init.headers ?? {},
    });
    return isSecond ? response : new Response(await newest.text(), { status: 201, headers: newest.headers });
  };
  const client = new MainClient({ ...connection(sandbox), fetch });
  const options = {
    to: testFolder()("a.plan"),
    key: ["name", "account_type"],
    set: { account_type: "business" },
  } as const;
  const rows = names.map((name) => ({ name }));
  expect(await run(client.accounts, rows, options)).toMatchObject({ created: 9, unknown: 0, complete: true });
  expect(
    [...sandbox.store.accounts]
      .slice(-9)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names);
});
