import { describe, expect, test } from "vitest";
import { apply, type BulkError, plan, rowsOf } from "../../src/bulk/node.js";
import { wait } from "../../src/core/clock.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { copies, created, each, outcomes, people, school } from "./support/school.js";

const LOST = { operation: "users.create", reset: true } as const;
const PASSED = { operation: "users.create" } as const;
const EMPTY_LIST = { operation: "users.list", times: Number.POSITIVE_INFINITY, body: [] } as const;

async function planned(count: number) {
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

describe("the only create, whose response was lost,", () => {
  test("is found where the service carried it out", async () => {
    const { sandbox, run } = await planned(1);
    sandbox.faults.next({ ...LOST, applied: true });
    expect(await run()).toMatchObject({ created: 1, complete: true });
    expect(created(sandbox)).toEqual([1]);
  });

  test("is not sent again where the list does not show it, however often the plan is applied", async () => {
    const { at, sandbox, client, run } = await planned(1);
    sandbox.faults.next(LOST);
    for (let turn = 0; turn < 3; turn++) expect(await run()).toMatchObject({ unknown: 1, complete: false });
    expect(created(sandbox)).toEqual([1]);
    for await (const { why } of rowsOf(at("a.plan"))) expect(why[0]?.message).toContain("then plan the rows again");
    // As the reason says.
    expect(await plan(client.users, people(1), { to: at("b.plan"), key: "email" })).toMatchObject({ create: 1 });
    expect(await apply(client, at("b.plan"))).toMatchObject({ created: 1 });
    expect(copies(sandbox)).toEqual(each(1));
  });

  test("is found by a later run where the service carried it out late", async () => {
    const { sandbox, run } = await planned(1);
    sandbox.faults.next({ operation: "users.create", delayMs: Number.POSITIVE_INFINITY, appliedAfterMs: 600_000 });
    expect(await run()).toMatchObject({ unknown: 1 });
    await wait(sandbox.clock, 600_000, undefined);
    expect(await run()).toMatchObject({ created: 1, complete: true });
    expect(created(sandbox)).toEqual([1]);
  });
});

describe("the first of many creates, whose response was lost,", () => {
  test("is sent again once the list shows the second", async () => {
    const { sandbox, run } = await planned(5);
    sandbox.faults.next(LOST);
    expect(await run()).toMatchObject({ created: 5, complete: true });
    expect(created(sandbox).slice(0, 3)).toEqual([1, 2, 1]);
    expect(copies(sandbox)).toEqual(each(5));
  });

  test("waits for the third where the second is refused", async () => {
    const { sandbox, run } = await planned(5);
    sandbox.faults.next(LOST, { ...PASSED, errors: { email: ["is taken"] } });
    expect(await run()).toMatchObject({ created: 4, failed: 1 });
    expect(created(sandbox).slice(0, 4)).toEqual([1, 2, 3, 1]);
  });

  test("stays unknown where all others are refused", async () => {
    const { sandbox, run } = await planned(3);
    sandbox.faults.next(LOST, { ...PASSED, times: 2, errors: { email: ["is taken"] } });
    expect(await run()).toMatchObject({ failed: 2, unknown: 1 });
    expect(created(sandbox)).toEqual([1, 2, 3]);
  });

  test("is sent again by the run after a kill, once one of its rows is known", async () => {
    const { at, sandbox, client, run } = await planned(4);
    sandbox.faults.next(LOST, { ...PASSED, delayMs: Number.POSITIVE_INFINITY });
    const stop = new AbortController();
    const onProgress = () => sandbox.calls("users.create").length === 2 && stop.abort();
    await failure(apply(client, at("a.plan"), { signal: stop.signal, onProgress }));
    expect(created(sandbox)).toEqual([1, 2]);
    expect(await run()).toMatchObject({ created: 4, complete: true });
    expect(copies(sandbox)).toEqual(each(4));
  });

  test("and of the second one: nothing more is sent; each further run sends one that was never sent", async () => {
    const { at, sandbox, run, blind } = await planned(4);
    sandbox.faults.next(LOST, LOST);
    const { reason, message } = await blind();
    expect({ reason, message }).toMatchObject({ reason: "blind", message: expect.stringContaining("rows 1 and 2") });
    expect(created(sandbox)).toEqual([1, 2]);
    sandbox.faults.next(LOST);
    expect((await blind()).reason).toBe("blind");
    expect(created(sandbox)).toEqual([1, 2, 3]);
    expect(await run()).toMatchObject({ created: 4, complete: true });
    expect(created(sandbox).slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect(copies(sandbox)).toEqual(each(4));
    expect(Object.values(await outcomes(at("a.plan")))).toEqual(["created", "created", "created", "created"]);
  });
});

describe("a list that does not show what was created", () => {
  test("stops the run after one create", async () => {
    const { sandbox, run, blind } = await planned(30);
    sandbox.faults.next(EMPTY_LIST);
    expect(await blind()).toMatchObject({ reason: "blind", code: "bulk" });
    expect((await blind()).reason).toBe("blind");
    expect(created(sandbox)).toEqual([1]);
    sandbox.faults.clear();
    expect(await run()).toMatchObject({ created: 30 });
    expect(copies(sandbox)).toEqual(each(30));
  });

  test.each([true, false])(
    "stops a run whose first response was lost after two creates (carried out: %s)",
    async (applied) => {
      const { sandbox, run, blind } = await planned(30);
      sandbox.faults.next(EMPTY_LIST, { ...LOST, applied });
      for (let turn = 0; turn < 2; turn++) expect((await blind()).reason).toBe("blind");
      expect(created(sandbox)).toEqual([1, 2]);
      sandbox.faults.clear();
      expect(await run()).toMatchObject({ created: 30 });
      expect(copies(sandbox)).toEqual(each(30));
    },
  );

  test("stops a run in which it began to leave records out", async () => {
    const { sandbox, run, blind } = await planned(30);
    sandbox.faults.next(
      { operation: "users.list", times: 1 },
      EMPTY_LIST,
      ...Array.from({ length: 4 }, () => PASSED),
      LOST,
    );
    expect((await blind()).reason).toBe("blind");
    expect(new Set(created(sandbox)).size).toBe(created(sandbox).length);
    sandbox.faults.clear();
    expect(await run()).toMatchObject({ created: 30, complete: true });
    expect(copies(sandbox)).toEqual(each(30));
  });
});
