import { describe, expect, test } from "vitest";
import type { BulkError } from "../../src/bulk/errors.js";
import type { ListLine, PlannedRow } from "../../src/bulk/lines.js";
import { RunService } from "../../src/bulk/run-service.js";
import { targetOf } from "../../src/bulk/target.js";
import { MainClient } from "../../src/index.js";
import { failure } from "../support/manual-clock.js";

type Values = Readonly<Record<string, unknown>>;
type Name = "labels" | "leads" | "accounts" | "users" | "courses" | "affiliations";

/** A request as the service received it. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

type Respond = (request: Sent) => Response | Promise<Response>;

interface Setup {
  readonly key?: readonly string[];
  readonly lists?: readonly ListLine[];
  readonly budget?: number;
  readonly since?: number;
  readonly validation?: "strict" | "off";
}

const CREATED = "2026-01-05T12:00:00.000Z";
const LABEL = { color: "#111111", model_type: "Lead", created_at: CREATED, updated_at: CREATED };
const label = (id: number, name: string, more: Values = {}) => ({ id, name, ...LABEL, ...more });
const create: PlannedRow = {
  row: 1,
  do: "create",
  key: "ada",
  send: { name: "Ada", color: "#222222", model_type: "Lead" },
};
const update: PlannedRow = { row: 2, do: "update", id: 7, send: { color: "#222222" }, before: { color: "#111111" } };
const remove: PlannedRow = { row: 3, do: "delete", id: 7 };
const read = { began: 0, ended: 0, record: label(7, "Zoe") };
const seenList = (...ids: readonly number[]): ListLine => ({ list: {}, seen: ids.flatMap((id) => [id, id]), pages: 1 });

/** A service that sends requests to a school with the given responses, and the requests that it sent. */
function world(
  name: Name,
  respond: Respond,
  { key = ["name"], lists = [], budget = 100, since, validation = "off" }: Setup = {},
) {
  const sent: Sent[] = [];
  const room: number[] = [];
  const client = new MainClient({
    baseUrl: "https://school.example",
    apiKey: "key",
    rateLimit: false,
    validation,
    fetch: async (input, init) => {
      const url = new URL(String(input));
      const body = init?.body ? JSON.parse(String(init.body)) : undefined;
      const request = { method: init?.method ?? "GET", path: url.pathname, query: url.searchParams, body };
      sent.push(request);
      return respond(request);
    },
  });
  const pace = {
    room: async (requests: number) => void room.push(requests),
    spend: () => undefined,
    leave: (requests: number) => void room.push(-requests),
    countRetries: () => undefined,
  };
  const target = targetOf(client[name], {}, undefined, "apply");
  const service = new RunService(target, { pace }, { key, lists, since, name: "a.plan", budget, timeoutMs: 30_000 });
  return { service, sent, room, target };
}

/** Responds with the page of a list that the request's cursor names. */
const listPages = (...pages: readonly (readonly unknown[])[]): Respond => {
  return ({ query }) => {
    const at = Number(query.get("cursor") ?? 0);
    const link = `<https://school.example/api/v1/labels?cursor=${at + 1}>; rel="next"`;
    return Response.json(pages[at] ?? [], { headers: at + 1 < pages.length ? { link } : {} });
  };
};
const refusal = (status: number, errors: Values = {}, headers: Record<string, string> = {}) =>
  Response.json({ errors, code: status, message: "No" }, { status, headers });

describe("a write", () => {
  const writeRow = (row: PlannedRow, respond: Respond) => world("labels", respond).service.write(row, read);

  test("that succeeded gives the record, the time of the write, and the fields stored otherwise", async () => {
    const { service, sent } = world("labels", () =>
      Response.json(label(9, "Ada", { color: "#333333", updated_at: "2026-01-05T13:00:00.000+01:00" }), {
        status: 201,
      }),
    );
    expect(await service.write(create, null)).toEqual({
      kind: "done",
      id: 9,
      version: Date.parse(CREATED),
      born: Date.parse(CREATED),
      differs: { color: ["#222222", "#333333"] },
      status: 201,
      sent: expect.any(Number),
      dates: [expect.any(Number), expect.any(Number)],
    });
    expect(sent).toMatchObject([{ method: "POST", body: create.send }]);
  });

  test("of a change also sends the fields that the service requires, from the record as just read", async () => {
    const { service, sent } = world("accounts", () => Response.json({ id: 7, phone: "1", updated_at: CREATED }));
    const record = { id: 7, name: "Zoe", phone: null, email: "z@example.com" };
    const change = { ...update, send: { phone: "1" } };
    expect(await service.write(change, { ...read, record })).toEqual({
      kind: "done",
      id: 7,
      version: Date.parse(CREATED),
    });
    expect(sent).toMatchObject([{ method: "PUT" }]);
    expect(sent[0]?.body).toEqual({ name: "Zoe", phone: "1" });
    expect(sent[0]?.path).toMatch(/\/accounts\/7$/);
  });

  test.each<readonly [string, Respond]>([
    ["no record", () => Response.json({ message: "Try later" })],
    ["another record", () => Response.json(label(8, "Zoe", { color: "#222222" }))],
  ])("of a change whose response contains %s may not have been carried out", async (_, respond) => {
    expect(await writeRow(update, respond)).toMatchObject({ kind: "lost" });
  });

  test("of a change that succeeded without a body is decided by the next reading", async () => {
    expect(await writeRow(update, () => new Response(null, { status: 204 }))).toEqual({ kind: "done", id: 7 });
  });

  test("of a change is done if no response is documented and none came, but not if the response has content", async () => {
    const responses = [new Response(null, { status: 204 }), Response.json({ success: false })];
    const { service, target } = world("labels", () => responses.shift() as Response);
    Object.assign(target, { rows: { ...target.rows, update: { ...target.rows.update, response: undefined } } });
    expect(await service.write(update, read)).toEqual({ kind: "done", id: 7 });
    expect(await service.write(update, read)).toMatchObject({ kind: "lost" });
  });

  test("that deletes has no body, and gives no more than the record", async () => {
    const { service, sent } = world("labels", () => new Response(null, { status: 204 }));
    expect(await service.write(remove, read)).toEqual({ kind: "done", id: 7 });
    expect(sent).toMatchObject([{ method: "DELETE", body: undefined }]);
  });

  test("of an action sends no body", async () => {
    const teacher = { id: 7, active: true };
    const { service, sent, target } = world("users", () => Response.json(teacher));
    const action = { ...target, rows: { ...target.rows, action: { ...target.rows.get, method: "PUT" } } };
    Object.assign(target, action);
    await service.write({ row: 2, do: "update", id: 7, send: { active: true } }, { ...read, record: teacher });
    expect(sent).toMatchObject([{ method: "PUT", body: undefined }]);
  });

  test.each<readonly [string, Respond, object]>([
    ["no identifier", () => Response.json(label(9.5, "Ada"), { status: 201 }), { answered: true }],
    ["no content", () => new Response(null, { status: 204 }), { answered: true }],
    ["a status above 499", () => refusal(503), {}],
    ["text that ends too early", () => new Response('{"na', { status: 201 }), { answered: true }],
    ["a page of a proxy", () => new Response("<p>", { headers: { "content-type": "text/html" } }), { answered: true }],
  ])("of a create whose response has %s may have been carried out", async (_, respond, answered) => {
    expect(await writeRow(create, respond)).toEqual({ kind: "lost", error: expect.anything(), ...answered });
  });

  test("whose response the client refuses has been carried out, because the response names the record", async () => {
    const { service } = world("labels", () => Response.json({ id: 9, name: 4 }, { status: 201 }), {
      validation: "strict",
    });
    expect(await service.write(create, null)).toEqual({ kind: "done", id: 9 });
  });

  test("that the rate limit delays has not been carried out, and says when to send it again", async () => {
    const held = await writeRow(create, () => refusal(429, {}, { "retry-after": "7" }));
    expect(held).toMatchObject({ kind: "none", isLimited: true, retryAfterMs: 7_000, error: { like: "rate_limited" } });
  });

  test("that did not reach the service has not been carried out", async () => {
    const refused = await writeRow(create, () => {
      throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
    });
    expect(refused).toMatchObject({ kind: "none", isLimited: false, retryAfterMs: null });
  });

  test("that the service refuses has the status and the fields", async () => {
    expect(await writeRow(create, () => refusal(422, { name: ["is taken"] }))).toMatchObject({
      kind: "refused",
      status: 422,
      why: [{ field: "name", message: "is taken" }],
    });
  });

  test("that the client refuses counts as a 422, and nothing is sent", async () => {
    const { service, sent } = world("labels", () => Response.json({}));
    const wrong = { ...create, send: { name: "Ada", model_type: "Nobody" } };
    const refused = await service.write(wrong, null);
    expect(refused).toMatchObject({ kind: "refused", status: 422, why: [{ field: "model_type" }] });
    expect(sent).toHaveLength(0);
  });

  test("to a deleted record is not a refusal; a create has no record that could be deleted", async () => {
    expect(await writeRow(update, () => refusal(404))).toMatchObject({ kind: "gone" });
    expect(await writeRow(create, () => refusal(404))).toMatchObject({ kind: "refused", status: 404 });
  });

  test.each<readonly [string, readonly number[], number, string]>([
    ["the list has none", [], 0, "refused"],
    ["the list shows others", [8], 1, "gone"],
    ["the list shows it", [7, 8], 2, "refused"],
    ["the list lacks what it counts, but shows one that can be read", [8], 2, "gone"],
    ["the list lacks what it counts, and shows none that can be read", [9], 2, "refused"],
  ])("that deletes gets a 404, and %s: %j of %i is %s", async (_, ids, total, kind) => {
    const { service } = world("leads", ({ method, path }) => {
      if (method === "GET" && path.endsWith("/leads"))
        return Response.json(
          ids.map((id) => ({ id })),
          { headers: { "x-total": `${total}`, total: `${total}` } },
        );
      return method === "GET" && path.endsWith("/8") ? Response.json({ id: 8 }) : refusal(404);
    });
    expect(await service.write(remove, read)).toMatchObject({ kind });
  });

  test("of a create has not created the record in its response if the record is older than the plan", async () => {
    const one = world("labels", () => Response.json(label(9, "Ada")), { since: Date.parse(CREATED) + 3_001 });
    expect(await one.service.write(create, null)).toMatchObject({ kind: "lost", answered: true });
    const other = world("labels", () => Response.json(label(9, "Ada")), { since: Date.parse(CREATED) + 3_000 });
    expect(await other.service.write(create, null)).toMatchObject({ kind: "done", id: 9 });
  });

  test("fails like another one with the same status and fields, and unlike one with others", async () => {
    const like = async (respond: Respond) => {
      const result = await writeRow(create, respond);
      return "error" in result ? result.error.like : null;
    };
    const one = await like(() => refusal(422, { name: ["is taken"] }));
    expect(await like(() => refusal(422, { name: ["is taken"] }))).toBe(one);
    expect(await like(() => refusal(422, { color: ["is taken"] }))).not.toBe(one);
    expect(await like(() => refusal(403))).not.toBe(await like(() => refusal(401)));
  });

  test("hides a row's value in the reasons if the service repeats it", async () => {
    const secret = { ...create, send: { ...create.send, name: "Jo Privacy" } };
    const refused = await writeRow(secret, () => refusal(422, { name: ["Jo Privacy is taken"] }));
    expect(JSON.stringify("why" in refused && refused.why)).not.toContain("Privacy");
  });

  test("that fails because of a bug is reported as a bug", async () => {
    const { service } = world("labels", () => Response.json({}));
    await expect(service.write({ ...create, do: "leave" }, null)).rejects.toThrow("no operation for leave");
    const { target } = world("labels", () => Response.json({}));
    const spend = () => {
      throw new Error("a bug");
    };
    const pace = { room: async () => undefined, spend, leave: () => undefined, countRetries: () => undefined };
    const broken = new RunService(
      target,
      { pace },
      { key: ["name"], lists: [], name: "a.plan", budget: 100, timeoutMs: 30_000 },
    );
    await expect(broken.write(create, null)).rejects.toThrow("a bug");
  });
});

describe("a look", () => {
  test("shows only new records, with their keys, times and the fields that can be sent", async () => {
    const { service } = world("labels", listPages([label(1, "Old"), label(9, " ADA ", { extra: 1 })]), {
      lists: [seenList(1)],
    });
    const { began, ...look } = await service.look([create], true);
    expect(look).toEqual({
      whole: true,
      ascending: true,
      seen: [1, 1],
      older: [label(1, "Old")],
      shown: [
        { id: 9, key: "ADA", record: label(9, " ADA "), created: Date.parse(CREATED), version: Date.parse(CREATED) },
      ],
    });
    expect(began).toBeGreaterThan(0);
  });

  test("reports if identifiers do not ascend, including known ones", async () => {
    const look = async (...ids: readonly number[]) =>
      (
        await world("labels", listPages(ids.map((id) => label(id, `${id}`))), { lists: [seenList(5)] }).service.look(
          [create],
          true,
        )
      ).ascending;
    expect(await look(4, 5, 9)).toBe(true);
    expect(await look(9, 5)).toBe(false);
  });

  test("shows a record that is on two pages once", async () => {
    const { service, sent } = world("labels", listPages([label(8, "B"), label(9, "Ada")], [label(9, "Ada")]));
    expect((await service.look([create], true)).shown.map(({ id }) => id)).toEqual([8, 9]);
    expect(sent).toHaveLength(2);
  });

  test("is blind if it shows no earlier record although there were some", async () => {
    const blind = world("labels", listPages([label(9, "Ada")]), { lists: [seenList(1)] }).service.look([create], true);
    expect(await failure<BulkError>(blind)).toMatchObject({ reason: "blind" });
    const empty = world("labels", listPages([label(9, "Ada")]), { lists: [seenList()] });
    expect((await empty.service.look([create], true)).shown).toHaveLength(1);
  });

  test("requests the rows' keys if the list was read by its filter, or the whole list if required", async () => {
    const list = { ...seenList(), filter: "email" };
    const rows = ["a@b.example", "c@d.example"].map(
      (email, at): PlannedRow => ({ row: at + 1, do: "create", key: email, send: { email } }),
    );
    const user = (id: number, email: string | null) => ({ id, email, created_at: CREATED, updated_at: CREATED });
    const { service, sent } = world(
      "users",
      ({ query }) => Response.json(query.has("email") ? [user(9, query.get("email"))] : [user(8, "x@y.example")]),
      { key: ["email"], lists: [list] },
    );
    const look = await service.look(rows, false);
    expect(sent.map(({ query }) => query.get("email"))).toEqual(["a@b.example", "c@d.example"]);
    // Each row was looked up on its own. Both responses show record 9, but the result lists it once.
    expect(look).toMatchObject({ whole: false, ascending: true, shown: [{ id: 9 }] });
    expect(look.asked).toEqual(new Set([1, 2]));
    const whole = await service.look(rows, true);
    expect(whole).toMatchObject({ whole: true, shown: [{ id: 8 }] });
    expect(whole.asked).toBeUndefined();
  });

  test("at a list of a parent that the plan has not read shows all records", async () => {
    const { service } = world("labels", listPages([label(9, "Ada")]));
    expect(service.listOf(create)).toBe("{}");
    expect((await service.look([], true)).shown).toHaveLength(1);
  });
});

describe("reading the records of changes", () => {
  const rows = [7, 8].map((id): PlannedRow => ({ row: id, do: "update", id, send: {} }));
  const course = (id: number) => ({ id, name: `Course ${id}`, updated_at: CREATED });

  test("takes one request if the list accepts identifiers; records that it leaves out are read one by one", async () => {
    const { service, sent } = world("courses", ({ path }) =>
      path.endsWith("/courses") ? Response.json([course(7)]) : refusal(404),
    );
    const reads = await service.read(rows);
    expect(sent.map(({ path }) => path.split("/").at(-1))).toEqual(["courses", "8"]);
    expect(reads.get(7)).toMatchObject({ record: { id: 7 }, version: Date.parse(CREATED) });
    expect(reads.get(8)?.record).toBeNull();
    expect(reads.get(8)).not.toHaveProperty("version");
    expect(reads.get(7)?.ended ?? 0).toBeGreaterThanOrEqual(reads.get(7)?.began ?? Number.NaN);
  });

  test("takes the whole list if there is no other way; records that it leaves out are gone", async () => {
    const { service, sent } = world("affiliations", () => Response.json([{ id: 7 }, { id: 9 }]));
    const reads = await service.read(rows);
    expect(sent).toHaveLength(1);
    expect([...reads].map(([row, { record }]) => [row, record])).toEqual([
      [7, { id: 7 }],
      [8, null],
    ]);
  });

  test("takes one request each if the list does not accept identifiers", async () => {
    const { service, sent } = world("users", ({ path }) => Response.json({ id: Number(path.split("/").at(-1)) }));
    expect((await service.read(rows)).size).toBe(2);
    expect(sent).toHaveLength(2);
  });
});

describe("the reserved part of the budget", () => {
  const rows: readonly PlannedRow[] = [create, update, remove];

  test.each<readonly [Name, number]>([
    // One request per row, plus the reads of the records that are changed.
    ["courses", 3 + 1],
    ["users", 3 + 2],
    ["affiliations", 3 + 4],
  ])("covers reading and writing %s", async (name, requests) => {
    const lists = [{ ...seenList(), pages: 4 }];
    const { service, room } = world(name, () => Response.json({}), { lists });
    await service.room(rows);
    service.leave();
    expect(room).toEqual([requests, -requests]);
  });

  test.each<readonly [Name, number, number]>([
    ["users", 100, 8],
    ["users", 9, 4],
    ["users", 1, 1],
    ["courses", 100, 8],
    ["courses", 5, 4],
    ["courses", 1, 1],
    ["affiliations", 100, 32],
    ["affiliations", 10, 6],
  ])("for %s within a budget of %i covers %i changes at once", (name, budget, changes) => {
    const { service } = world(name, () => Response.json({}), { lists: [{ ...seenList(), pages: 4 }], budget });
    expect(service.atOnce).toBe(changes);
  });
});
