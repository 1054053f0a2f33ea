import { describe, expect, test } from "vitest";
import { apply, type BulkRow, plan, rowsOf, undo } from "../../src/bulk/node.js";
import { isEducationAdminError, MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { testFolder } from "./support/folder.js";
import { connection } from "./support/school.js";

type Values = Readonly<Record<string, unknown>>;

/** How a service answers a write with success that it has not carried out, or not as it was sent. The `nth` write is the first one at 1. */
type Lie = (write: {
  readonly request: Request;
  readonly sandbox: Sandbox;
  readonly nth: number;
  readonly id: number;
  readonly body: Values;
  /** Carries it out as it was sent, or as `changed` says. */
  send(changed?: Values): Promise<Response>;
  /** The records that were there before the plan, and the last one that it made. */
  readonly theirs: readonly number[];
}) => Promise<Response>;

const ROWS = 6;
const ok = (record: unknown, status = 200) => Response.json(record, { status });
const shown = async (sandbox: Sandbox, { url, headers }: Request, id: number): Promise<Values> => {
  const address = `${url.replace(/\/\d+$/, "")}/${id}`;
  return (await (await sandbox.fetch(new Request(address, { headers }))).json()) as Values;
};
const later = (sandbox: Sandbox, ms: number, work: () => unknown) =>
  void sandbox.clock.setTimeout(() => void work(), ms);

// Every second write, so that the first of a kind may be honest; `first` lies from the first on.
const CREATES: Readonly<Record<string, Lie>> = {
  "another's record": async ({ sandbox, request, send, theirs }) => {
    await send();
    return ok(await shown(sandbox, request, theirs.at(-1) ?? 0), 201);
  },
  "the record before it": async ({ sandbox, request, send }) => {
    const last = [...sandbox.store.leads].at(-1)?.id ?? 0;
    await send();
    return ok(await shown(sandbox, request, last), 201);
  },
  "another's id": async ({ send, theirs }) =>
    ok({ ...((await (await send()).json()) as Values), id: theirs.at(-1) }, 201),
  "an id that nothing has": async ({ send }) => ok({ ...((await (await send()).json()) as Values), id: 987_654 }, 201),
  "nothing of the record": async ({ send }) => send().then(() => ok({}, 201)),
  "an echo, and stores nothing": async ({ body, nth }) => ok({ ...body, id: 500_000 + nth }, 201),
  "half of it stored": async ({ send, body }) =>
    ok(
      { ...((await (await send({ ...body, company_name: null })).json()) as Values), company_name: body.company_name },
      201,
    ),
  "an echo, and stores it later": async ({ sandbox, send, body }) => {
    later(sandbox, 90_000, send);
    return ok({ ...body, id: Math.max(...[...sandbox.store.leads].map(({ id }) => id)) + 1 }, 201);
  },
  "an older record, and makes none": async ({ sandbox, request, theirs }) =>
    ok(await shown(sandbox, request, theirs[0] ?? 0)),
  "an older record, which it changes": async ({ sandbox, request, theirs, body }) => {
    sandbox.store.leads.update(theirs[0] ?? 0, { company_name: String(body.company_name) });
    return ok(await shown(sandbox, request, theirs[0] ?? 0));
  },
  "its key in small letters": async ({ send, body }) => send({ ...body, title: String(body.title).toLowerCase() }),
  "another field cut": async ({ send, body }) => send({ ...body, company_name: String(body.company_name).slice(0, 3) }),
};
const store = ({ sandbox, id }: Parameters<Lie>[0], values: Values) => sandbox.store.users.update(id, values as never);
const after = async (write: Parameters<Lie>[0], values: Values) => {
  const record = (await (await write.send()).json()) as Values;
  store(write, values);
  return ok({ ...record, ...values });
};
const UPDATES: Readonly<Record<string, Lie>> = {
  "an echo, and stores nothing": async ({ sandbox, request, id, body }) =>
    ok({ ...(await shown(sandbox, request, id)), ...body }),
  "half of it stored": async (write) => {
    const { last_name } = write.sandbox.store.users.get(write.id) ?? {};
    const response = await write.send();
    store(write, { last_name });
    return response;
  },
  "an echo, and stores it later": async ({ sandbox, request, id, body, send }) => {
    later(sandbox, 90_000, send);
    return ok({ ...(await shown(sandbox, request, id)), ...body });
  },
  "labels emptied": (write) => after(write, { label_ids: [] }),
  "labels emptied, and shows the old ones": async (write) => {
    const record = (await (await write.send()).json()) as Values;
    store(write, { label_ids: [], updated_at: record.updated_at });
    return ok(record);
  },
  "what is not sent emptied": (write) => after(write, { middle_name: null, phone: null }),
  "another field written otherwise": (write) =>
    after(write, { city: "UTRECHT", email: String(write.sandbox.store.users.get(write.id)?.email).toUpperCase() }),
  "a state that moves": (write) => after(write, { active: false, blocked: true, locale: "xx" }),
  "another's record": async ({ sandbox, request, send, theirs }) => {
    await send();
    return ok(await shown(sandbox, request, theirs.at(-1) ?? 0));
  },
  "nothing of the record": async ({ send }) => send().then(() => ok({})),
  "its record as it was": async ({ sandbox, request, id, send }) => {
    const before = await shown(sandbox, request, id);
    await send();
    return ok(before);
  },
  "the values stored in another's record": async (write) => {
    const record = await shown(write.sandbox, write.request, write.id);
    write.sandbox.store.users.update(write.theirs.at(-1) ?? 0, write.body as never);
    return ok({ ...record, ...write.body });
  },
};
const DELETES: Readonly<Record<string, Lie>> = {
  "204, and deletes nothing": async () => new Response(null, { status: 204 }),
  "204, and archives it": async ({ sandbox, id }) => {
    sandbox.store.leads.update(id, { status: "archive" });
    return new Response(null, { status: 204 });
  },
  "204, and deletes it later": async ({ sandbox, send }) => {
    later(sandbox, 90_000, send);
    return new Response(null, { status: 204 });
  },
  "its record, and deletes nothing": async ({ sandbox, request, id }) => ok(await shown(sandbox, request, id)),
};

/** A school that lies in writes of one method: in every second one, or from the first on. */
function lying(method: string, lie: Lie, everyOther: boolean) {
  const sandbox = createSandbox({ size: "small", skipWaits: true, rateLimit: false });
  const theirs = ["Theirs one", "Theirs two"].map(
    (title) => sandbox.store.leads.insert({ title, status: "prospect", company_name: "Theirs" } as never).id,
  );
  let nth = 0;
  const fetch: typeof sandbox.fetch = async (...args) => {
    const request = new Request(...args);
    if (request.method !== method || (++nth % 2 === 1 && everyOther)) return sandbox.fetch(request);
    const body = method === "DELETE" ? {} : ((await request.clone().json()) as Values);
    const { url, headers } = request;
    const send = (changed: Values = body) => {
      const init = { method, headers, ...(method !== "DELETE" && { body: JSON.stringify(changed) }) };
      return sandbox.fetch(new Request(url, init));
    };
    return lie({
      request,
      sandbox,
      nth,
      id: Number(url.split("/").at(-1)),
      body,
      send,
      theirs: method === "PUT" ? [30, 31] : theirs,
    });
  };
  return { sandbox, client: new MainClient({ ...connection(sandbox), fetch, validation: "off" }), theirs };
}

async function rowsIn(path: string): Promise<BulkRow[]> {
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(path)) rows.push(row);
  return rows;
}

/** Applies a plan as often as someone would, through what stops it. */
async function applied(client: MainClient, path: string): Promise<boolean> {
  let isComplete = false;
  for (let run = 0; run < 2 && !isComplete; run++) {
    try {
      isComplete = (await apply(client, path)).complete;
    } catch (error) {
      if (!isEducationAdminError(error)) throw error;
    }
  }
  return isComplete;
}

const copy = (records: Iterable<{ readonly id: number }>) =>
  new Map([...records].map((one) => [one.id, structuredClone(one) as Values]));
const without = ({ updated_at: _, ...record }: Values) => JSON.stringify(record);
const both = (lies: Readonly<Record<string, Lie>>) =>
  Object.entries(lies).flatMap(([name, lie]) =>
    [true, false].map((every) => [name, every ? "every other" : "each", lie, every] as const),
  );

describe("a service that answers writes with success and", () => {
  test.each(both(CREATES))("returns %s to %s create is not believed", async (_, _how, lie, every) => {
    const at = testFolder();
    const { sandbox, client } = lying("POST", lie, every);
    const before = copy(sandbox.store.leads);
    const rows = Array.from({ length: ROWS }, (_, n) => ({
      title: `New ${n}x`,
      company_name: `Company ${n}`,
      status: "prospect",
    }));
    await plan(client.leads, rows, { to: at("a.plan"), key: "title" });
    const isComplete = await applied(client, at("a.plan"));
    const found = [...sandbox.store.leads];
    const asPlanned = rows.every(
      ({ title, company_name }) =>
        found.filter((one) => one.title === title && one.company_name === company_name).length === 1,
    );
    expect(isComplete && !asPlanned).toBe(false);
    const harmed = [...before].filter(
      ([id, record]) => without(sandbox.store.leads.get(id) as never) !== without(record),
    );
    expect(harmed.length).toBeLessThanOrEqual(1);
    await undo(at("a.plan"), { to: at("b.plan"), creates: "delete" });
    await applied(client, at("b.plan"));
    // Nothing of others is deleted, and what is left of the plan is named.
    for (const id of before.keys()) expect(sandbox.store.leads.get(id)).toBeDefined();
    const named = (await rowsIn(at("b.plan")))
      .filter(({ outcome, why }) => outcome !== "deleted" || why.length > 0)
      .map(({ row }) => row);
    for (const one of sandbox.store.leads) {
      if (before.has(one.id)) continue;
      expect(named).toContain(1 + rows.findIndex(({ title }) => title.toLowerCase() === one.title.toLowerCase()));
    }
  });

  test.each(both(UPDATES))("%s in %s update is not believed", async (_, _how, lie, every) => {
    const at = testFolder();
    const { sandbox, client } = lying("PUT", lie, every);
    const ids = Array.from({ length: ROWS }, (_, n) => 3 + n);
    const [label] = [...sandbox.store.labels];
    for (const id of [...ids, 30, 31])
      sandbox.store.users.update(id, { label_ids: [label?.id ?? 0], middle_name: "van" });
    const before = copy(sandbox.store.users);
    await plan(
      client.users,
      ids.map((id) => ({ id, first_name: "New", last_name: "Name" })),
      { to: at("a.plan"), key: "id" },
    );
    const isComplete = await applied(client, at("a.plan"));
    const wanted = (id: number): Values =>
      ids.includes(id) ? { ...before.get(id), first_name: "New", last_name: "Name" } : { ...before.get(id) };
    const odd = [...before.keys()].filter((id) => {
      const { full_name: _, updated_at: __, ...record } = sandbox.store.users.get(id) as never as Values;
      const { full_name: ___, updated_at: ____, ...planned } = wanted(id);
      return JSON.stringify(record) !== JSON.stringify(planned);
    });
    expect([isComplete, odd]).toEqual([odd.length === 0 && isComplete, odd]);
    const moved = (id: number) => {
      const {
        first_name: _,
        last_name: __,
        full_name: ___,
        updated_at: ____,
        ...now
      } = sandbox.store.users.get(id) as never as Values;
      const { first_name: a, last_name: b, full_name: c, updated_at: d, ...then } = before.get(id) ?? {};
      return JSON.stringify(now) !== JSON.stringify(then) ? [a, b, c, d] : null;
    };
    // Each start may harm one: both starts, and of every second write the two that tell a service's doing from a colleague's.
    expect([...before.keys()].filter((id) => moved(id)).length).toBeLessThanOrEqual(every ? 4 : 2);
    await undo(at("a.plan"), { to: at("b.plan") });
    await applied(client, at("b.plan"));
    const undone = await rowsIn(at("b.plan"));
    for (const id of ids) {
      const isBack = without(sandbox.store.users.get(id) as never) === without(before.get(id) ?? {});
      const row = undone.find((one) => one.id === id);
      const isSaid =
        row === undefined ||
        !["updated", "unchanged"].includes(String(row.outcome)) ||
        row.why.length > 0 ||
        row.confirmed === false ||
        Object.keys({ ...row.differs, ...row.side }).length > 0;
      expect([id, isBack || isSaid, row]).toEqual([id, true, row]);
    }
  });

  test.each(both(DELETES))("answers %s to %s delete is not believed", async (_, _how, lie, every) => {
    const at = testFolder();
    const { sandbox, client } = lying("DELETE", lie, every);
    const before = copy(sandbox.store.leads);
    const rows = Array.from({ length: ROWS }, (_, n) => ({
      title: `New ${n}x`,
      company_name: `Company ${n}`,
      status: "prospect",
    }));
    await plan(client.leads, rows, { to: at("a.plan"), key: "title" });
    expect(await applied(client, at("a.plan"))).toBe(true);
    await undo(at("a.plan"), { to: at("b.plan"), creates: "delete" });
    const isComplete = await applied(client, at("b.plan"));
    const left = [...sandbox.store.leads].filter(({ id }) => !before.has(id));
    expect(isComplete && left.length > 0).toBe(false);
    const found = await rowsIn(at("b.plan"));
    for (const { id } of left) expect(found.find((row) => row.id === id)?.outcome).not.toBe("deleted");
  });
});
