import { expect, test } from "vitest";
import { apply, type BulkError, type BulkProgress, plan } from "../../src/bulk/node.js";
import { AdminClient, type InputError, MainClient, OrganizationClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { connection, copies, people, school } from "./support/school.js";

test("an unknown option, or an invalid value, is refused before the plan is opened", async () => {
  const { client } = school();
  const wrong: readonly (readonly [unknown, string])[] = [
    [null, "options must be a plain object"],
    [[], "options must be a plain object"],
    [{ stops: 3 }, "stops is unknown"],
    ...[0, -1, 1.01, Number.NaN, "0.5", null].map(
      (share) => [{ share }, "share must be a number above 0 and at most 1"] as const,
    ),
    ...[0, 1.5, "3", null].map(
      (stopAfter) => [{ stopAfter }, "stopAfter must be a whole number of at least 1"] as const,
    ),
    ...[-1, Number.POSITIVE_INFINITY, Number.NaN, "1", null].map(
      (settleMs) => [{ settleMs }, "settleMs must be a number of milliseconds"] as const,
    ),
  ];
  for (const [options, message] of wrong) {
    const error = await failure<InputError>(apply(client, testFolder()("none.plan"), options as never));
    expect(error.message).toBe(`apply: ${message}. Nothing was sent.`);
  }
});

test("anything other than a client is refused", async () => {
  const at = testFolder();
  for (const none of [undefined, null, {}, { transport: {} }, 7] as never[]) {
    const error = await failure<InputError>(apply(none, at("none.plan")));
    expect(error.message).toBe("apply: client must be a client, such as new MainClient(). Nothing was sent.");
  }
});

test("the smallest and largest values of options are accepted", async () => {
  const at = testFolder();
  const { client } = school();
  await plan(client.users, people(2), { to: at("a.plan"), key: "email" });
  for (const options of [{ share: 1 }, { share: 0.001 }, { stopAfter: 1 }, { settleMs: 0 }]) {
    expect(await apply(client, at("a.plan"), options)).toMatchObject({ created: 2 });
  }
});

test("a plan is refused by a client of another API, address or kind", async () => {
  const at = testFolder();
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  const admin = new AdminClient(sandbox.admin);
  await plan(admin.programs, [{ id: 1 }], { to: at("a.plan"), key: "id" });
  const address = `${sandbox.admin.baseUrl}/other`;
  const others: readonly (readonly [unknown, string])[] = [
    [new AdminClient({ ...sandbox.admin, baseUrl: address }), "an address other than the client's"],
    [new MainClient(sandbox.main), "the admin API"],
    [new OrganizationClient(sandbox.main), "programs, which this client does not have"],
  ];
  for (const [other, what] of others) {
    const { reason, message } = await failure<BulkError>(apply(other as never, at("a.plan")));
    const expected = `${at("a.plan")} was made for ${what}. Nothing was sent.`;
    expect({ reason, message }).toEqual({ reason: "other_school", message: expected });
  }
});

test("progress reports finished rows, sent requests, until when the run waits, and when it ends", async () => {
  const at = testFolder();
  const sandbox = createSandbox({ size: "small", skipWaits: true, rateLimit: false });
  const windowMs = 60_000;
  const client = new MainClient({ ...connection(sandbox), rateLimit: { requests: 11, windowMs } });
  const rows = [1, 2, 3, 4, 5, 6].map((id) => ({ id, name: `Changed ${id}` }));
  expect(await plan(client.courses, rows, { to: at("a.plan"), key: "id" })).toMatchObject({ update: 6, requests: 12 });
  const start = sandbox.clock.now();
  const told: BulkProgress[] = [];
  const onProgress = (progress: BulkProgress) => {
    told.push(progress);
    throw new Error("an observer's own problem");
  };
  // The budget leaves four requests per window, so the run has to wait for later windows.
  expect(await apply(client, at("a.plan"), { onProgress })).toMatchObject({ updated: 6, requests: 12 });
  expect(new Set(told.map(({ total }) => total))).toEqual(new Set([6]));
  const seconds = (date: Date | null) => date && Math.round((date.getTime() - start) / 1_000);
  const waits = told.flatMap(({ waitingUntil, waitingFor }) =>
    waitingUntil ? [[waitingFor, seconds(waitingUntil)]] : [],
  );
  expect(new Set(waits.map(([what]) => what))).toEqual(new Set(["share"]));
  for (const { endsAt } of told) expect(endsAt?.getTime()).toBeGreaterThanOrEqual(start);
  expect(told.at(-1)).toMatchObject({ waitingUntil: null, percent: 100 });
  for (const { rows, percent } of told) expect(percent).toBeCloseTo((100 * rows) / 6);
});

test("an observer's exception changes nothing, and an aborted run sends nothing more", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  await plan(client.users, people(4), { to: at("a.plan"), key: "email" });
  const stop = new AbortController();
  const onProgress = () => {
    stop.abort(new Error("enough"));
    throw new Error("an observer's own problem");
  };
  expect(await failure(apply(client, at("a.plan"), { onProgress, signal: stop.signal }))).toMatchObject({
    message: "enough",
  });
  expect(copies(sandbox)).toEqual({ "new-1@example.com": 1 });
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 4 });
});
