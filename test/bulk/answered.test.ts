import { appendFileSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apply, plan, rowsOf } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { drawCases } from "../support/amount.js";
import { testFolder } from "./support/folder.js";
import { connection, copies, createdNumbers, each, people, school } from "./support/school.js";

type Body = Record<string, unknown>;

const SETTLE_MS = 60_000;

/**
 * A school that carries out its first create but responds with `respond`. The list shows the new record only after a
 * delay. @param shownAfterMs the delay, counted from the response.
 * @param shownAfterMs the delay, counted from the response.
 */
function acknowledging(respond: () => Response, shownAfterMs: number) {
  const { sandbox } = school();
  let hidden = 0;
  let at = 0;
  const fetch: typeof sandbox.fetch = async (input, init) => {
    const response = await sandbox.fetch(input, init);
    if (init?.method === "POST" && hidden === 0) {
      hidden = ((await response.json()) as { id: number }).id;
      at = sandbox.clock.now();
      return respond();
    }
    const isList = init?.method === "GET" && /\/users(\?|$)/.test(String(input));
    if (!isList || sandbox.clock.now() >= at + shownAfterMs) return response;
    const records = (await response.json()) as Body[];
    return Response.json(
      records.filter(({ id }) => id !== hidden),
      { headers: response.headers },
    );
  };
  return { sandbox, client: new MainClient({ ...connection(sandbox), fetch, retry: { limit: 0 } }) };
}

const ACKNOWLEDGED: readonly (readonly [string, () => Response])[] = [
  ["201 and a body that ends too early", () => new Response('{"id": 1', { status: 201 })],
  ["201 and no body", () => new Response(null, { status: 201 })],
  ["201 and {}", () => Response.json({}, { status: 201 })],
  ["202 and {}", () => Response.json({}, { status: 202 })],
  ["200 and a body that ends too early", () => new Response('{"id": 1', { status: 200 })],
  ["200 and a page", () => new Response("<p>Done</p>", { headers: { "content-type": "text/html" } })],
];

test.each(drawCases(ACKNOWLEDGED, 3))("a create that got %s is never sent again", async (_, respond) => {
  const at = testFolder();
  const { sandbox, client } = acknowledging(respond, 2 * SETTLE_MS);
  await plan(client.users, people(3), { to: at("a.plan"), key: "email" });
  expect(await apply(client, at("a.plan"), { settleMs: SETTLE_MS })).toMatchObject({ created: 3, complete: true });
  expect(createdNumbers(sandbox)).toHaveLength(3);
  expect(copies(sandbox)).toEqual(each(3));
});

test("a create that no list ever shows ends as unknown, and no later run sends it", async () => {
  const at = testFolder();
  const { sandbox, client } = acknowledging(() => Response.json({}, { status: 202 }), 20 * SETTLE_MS);
  await plan(client.users, people(2), { to: at("a.plan"), key: "email" });
  for (let run = 0; run < 2; run++) {
    expect(await apply(client, at("a.plan"), { settleMs: SETTLE_MS })).toMatchObject({ created: 1, unknown: 1 });
  }
  expect(copies(sandbox)).toEqual(each(2));
  for await (const { outcome, why } of rowsOf(at("a.plan"))) {
    if (outcome === "unknown") expect(why[0]?.message).toContain("succeeded, but the response lacked the record");
  }
  await sandbox.clock.advance(20 * SETTLE_MS);
  expect(await apply(client, at("a.plan"), { settleMs: SETTLE_MS })).toMatchObject({ created: 2, complete: true });
});

test("the plan records that a create got a response, so a run after a kill does not send it either", async () => {
  const at = testFolder();
  const { sandbox, client } = acknowledging(() => new Response(null, { status: 201 }), 2 * SETTLE_MS);
  const { sandbox: other, client: another } = school();
  await plan(client.users, people(2), { to: at("a.plan"), key: "email" });
  const stop = new AbortController();
  const options = { settleMs: SETTLE_MS, signal: stop.signal, onProgress: () => stop.abort() };
  await apply(client, at("a.plan"), options).catch(() => undefined);
  const lines = readFileSync(at("a.plan"), "utf8").trim().split("\n");
  expect(lines.filter((line) => line.includes('"answered":true'))).toHaveLength(1);
  expect(await apply(client, at("a.plan"), { settleMs: SETTLE_MS })).toMatchObject({ created: 2, complete: true });
  expect(copies(sandbox)).toEqual(each(2));
  // A run that sent no request cannot have written this line, so the plan is refused.
  await plan(another.users, people(1), { to: at("b.plan"), key: "email" });
  appendFileSync(at("b.plan"), '{"row":1,"answered":true}\n');
  await expect(apply(another, at("b.plan"))).rejects.toMatchObject({ reason: "not_a_plan" });
  expect(copies(other)).toEqual({});
});

/**
 * A school that answers each update of a user with `respond`; if `respond` returns null, the school carries out the
 * update.
 */
function updating(respond: (body: Body, count: number) => Response | null) {
  const { sandbox } = school();
  let count = 0;
  const fetch: typeof sandbox.fetch = async (input, init) => {
    const isUpdate = init?.method === "PUT";
    return (isUpdate && respond(JSON.parse(String(init?.body)), ++count)) || sandbox.fetch(input, init);
  };
  return { sandbox, client: new MainClient({ ...connection(sandbox), fetch, retry: { limit: 0 } }) };
}

const NOTHING: readonly (readonly [string, unknown])[] = [
  ["errors", { errors: { first_name: ["is taken"] } }],
  ["a message", { message: "Try later" }],
  ["success: false", { success: false }],
  ["{}", {}],
  ["another record", { id: 3, first_name: "Changed" }],
];

test.each(drawCases(NOTHING, 3))(
  "an update that got %s and was not carried out is not reported as updated",
  async (_, body) => {
    const at = testFolder();
    const { sandbox, client } = updating(() => Response.json(body));
    await plan(client.users, [{ id: 2, first_name: "Changed" }], { to: at("a.plan"), key: "id" });
    expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 0, unknown: 1, complete: false });
    expect(sandbox.store.users.get(2)?.first_name).not.toBe("Changed");
  },
);

test.each(drawCases(NOTHING, 3))("an update that got %s once is read, and sent again", async (_, body) => {
  const at = testFolder();
  const { sandbox, client } = updating((__, count) => (count === 1 ? Response.json(body) : null));
  await plan(client.users, [{ id: 2, first_name: "Changed" }], { to: at("a.plan"), key: "id" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 1, complete: true });
  expect(sandbox.store.users.get(2)?.first_name).toBe("Changed");
});
