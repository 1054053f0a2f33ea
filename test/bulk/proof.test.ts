import { describe, expect, test } from "vitest";
import { apply, type BulkError, plan, rowsOf } from "../../src/bulk/node.js";
import { wait } from "../../src/core/clock.js";
import { MainClient } from "../../src/index.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { connection, copies, createdNumbers, each, people, school } from "./support/school.js";

const LOST = { operation: "users.create", reset: true } as const;
const PASSED = { operation: "users.create" } as const;
const EMPTY_LIST = { operation: "users.list", times: Number.POSITIVE_INFINITY, body: [] } as const;

async function planPeople(count: number) {
  const at = testFolder();
  const { sandbox, client } = school();
  await plan(client.users, people(count), { to: at("a.plan"), key: "email" });
  return {
    at,
    sandbox,
    client,
    run: () => apply(client, at("a.plan")),
    blind: () => failure<BulkError>(apply(client, at("a.plan"))),
  };
}

describe("the only create, if its response was lost,", () => {
  test("is found if the service carried it out", async () => {
    const { sandbox, run } = await planPeople(1);
    sandbox.faults.next({ ...LOST, applied: true });
    expect(await run()).toMatchObject({ created: 1, complete: true });
    expect(createdNumbers(sandbox)).toEqual([1]);
  });

  test("is not sent again if the list does not show it, however often the plan is applied", async () => {
    const { at, sandbox, client, run } = await planPeople(1);
    sandbox.faults.next(LOST);
    for (let turn = 0; turn < 3; turn++) expect(await run()).toMatchObject({ unknown: 1, complete: false });
    expect(createdNumbers(sandbox)).toEqual([1]);
    for await (const { why } of rowsOf(at("a.plan"))) expect(why[0]?.message).toContain("look in the service");
    // After checking the records in the service, the operator may plan the rows again.
    expect(await plan(client.users, people(1), { to: at("b.plan"), key: "email" })).toMatchObject({ create: 1 });
    expect(await apply(client, at("b.plan"))).toMatchObject({ created: 1 });
    expect(copies(sandbox)).toEqual(each(1));
  });

  test("is found by a later run if the service carried it out late", async () => {
    const { sandbox, run } = await planPeople(1);
    sandbox.faults.next({ operation: "users.create", delayMs: Number.POSITIVE_INFINITY, appliedAfterMs: 600_000 });
    expect(await run()).toMatchObject({ unknown: 1 });
    await wait(sandbox.clock, 600_000, undefined);
    expect(await run()).toMatchObject({ created: 1, complete: true });
    expect(createdNumbers(sandbox)).toEqual([1]);
  });
});

describe("the first of many creates, if its response was lost,", () => {
  test("is sent again once the list shows the second", async () => {
    const { sandbox, run } = await planPeople(5);
    sandbox.faults.next(LOST);
    expect(await run()).toMatchObject({ created: 5, complete: true });
    expect(createdNumbers(sandbox)).toEqual([1, 2, 3, 4, 5, 1]);
    expect(copies(sandbox)).toEqual(each(5));
  });

  test("waits for the third create if the second is refused", async () => {
    const { sandbox, run } = await planPeople(5);
    sandbox.faults.next(LOST, { ...PASSED, errors: { email: ["is taken"] } });
    expect(await run()).toMatchObject({ created: 4, failed: 1 });
    expect(createdNumbers(sandbox)).toEqual([1, 2, 3, 4, 5, 1]);
  });

  test("stays unknown if all others are refused", async () => {
    const { sandbox, run } = await planPeople(3);
    sandbox.faults.next(LOST, { ...PASSED, times: 2, errors: { email: ["is taken"] } });
    expect(await run()).toMatchObject({ failed: 2, unknown: 1 });
    expect(createdNumbers(sandbox)).toEqual([1, 2, 3]);
  });

  test("is sent again by the run after a kill, once the outcome of another row is known", async () => {
    const { at, sandbox, client, run } = await planPeople(4);
    sandbox.faults.next(LOST, { ...PASSED, delayMs: Number.POSITIVE_INFINITY });
    const stop = new AbortController();
    const onProgress = () => sandbox.calls("users.create").length >= 2 && stop.abort();
    await failure(apply(client, at("a.plan"), { signal: stop.signal, onProgress }));
    expect(createdNumbers(sandbox)).toContain(2);
    expect(await run()).toMatchObject({ created: 4, complete: true });
    expect(copies(sandbox)).toEqual(each(4));
  });

  test("is sent again together with the second, once the list shows the others", async () => {
    const { sandbox, run } = await planPeople(4);
    sandbox.faults.next(LOST, LOST);
    expect(await run()).toMatchObject({ created: 4, complete: true });
    expect(createdNumbers(sandbox)).toEqual([1, 2, 3, 4, 1, 2]);
    expect(copies(sandbox)).toEqual(each(4));
  });
});

describe("a list that shows no record that the plan has seen", () => {
  test("stops the run before anything is sent", async () => {
    const { sandbox, run, blind } = await planPeople(30);
    sandbox.faults.next(EMPTY_LIST);
    expect(await blind()).toMatchObject({ reason: "blind", code: "bulk" });
    expect(createdNumbers(sandbox)).toEqual([]);
    sandbox.faults.clear();
    expect(await run()).toMatchObject({ created: 30, complete: true });
    expect(copies(sandbox)).toEqual(each(30));
  });

  test("stops a run during which it began to leave out records", async () => {
    const { sandbox, run, blind } = await planPeople(30);
    sandbox.faults.next({ operation: "users.list", times: 2 }, EMPTY_LIST, PASSED, PASSED, LOST);
    expect((await blind()).reason).toBe("blind");
    expect(createdNumbers(sandbox)).toHaveLength(30);
    sandbox.faults.clear();
    expect(await run()).toMatchObject({ created: 30, complete: true });
    expect(copies(sandbox)).toEqual(each(30));
  });
});

describe("a list that hides new records", () => {
  async function hiding() {
    const at = testFolder();
    const { sandbox } = school();
    let isHiding = true;
    const fetch: typeof sandbox.fetch = async (url, init) => {
      const response = await sandbox.fetch(url, init);
      if (!isHiding || init?.method === "POST") return response;
      const records = (await response.json()) as { readonly email: string }[];
      if (!Array.isArray(records)) return Response.json(records, response);
      return Response.json(
        records.filter(({ email }) => !email.startsWith("new-")),
        response,
      );
    };
    const client = new MainClient({ ...connection(sandbox), fetch });
    await plan(client.users, people(5), { to: at("a.plan"), key: "email" });
    return { at, sandbox, run: () => apply(client, at("a.plan")), show: () => (isHiding = false) };
  }

  test("leaves every created row unconfirmed until a later run sees the records; nothing is sent twice", async () => {
    const { at, sandbox, run, show } = await hiding();
    expect(await run()).toMatchObject({ created: 5, unconfirmed: 5, complete: false });
    for await (const { confirmed, id } of rowsOf(at("a.plan")))
      expect([confirmed, id]).toEqual([false, expect.any(Number)]);
    expect(await run()).toMatchObject({ created: 5, unconfirmed: 5, complete: false });
    show();
    expect(await run()).toMatchObject({ created: 5, unconfirmed: 0, complete: true });
    for await (const { confirmed } of rowsOf(at("a.plan"))) expect(confirmed).toBe(true);
    expect(createdNumbers(sandbox)).toEqual([1, 2, 3, 4, 5]);
    const sent = sandbox.requests.length;
    await run();
    expect(sandbox.requests).toHaveLength(sent);
  });

  test("leaves a row whose response was lost unknown, and names the records to check", async () => {
    const { at, sandbox, run } = await hiding();
    sandbox.faults.next(PASSED, { ...LOST, applied: true });
    for (let turn = 0; turn < 2; turn++) expect(await run()).toMatchObject({ created: 4, unknown: 1, complete: false });
    const ids: unknown[] = [];
    for await (const row of rowsOf(at("a.plan"))) if (row.outcome === "unknown") ids.push(row.ids.length);
    expect(ids).toEqual([4]);
    expect(copies(sandbox)).toEqual(each(5));
  });
});
