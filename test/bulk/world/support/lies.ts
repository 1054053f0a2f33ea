// Services that respond to a write with success although they do not carry it out as sent.
import type { Sandbox } from "../../../../src/sandbox/index.js";
import {
  type BrokenReadings,
  type Lie,
  later,
  nextLead,
  nothing,
  answer as ok,
  readRecord,
  refuse,
  type Values,
} from "./lie.ts";
import { MORE_CREATES, MORE_DELETES, MORE_UPDATES } from "./more-lies.ts";

const CREATES: Readonly<Record<string, Lie>> = {
  "a refusal with 422, and stores it": async ({ send }) => send().then(() => refuse(422)),
  "a refusal with 409, and stores it": async ({ send }) => send().then(() => refuse(409)),
  "a refusal with 422, and stores it with another key": async ({ send, body }) =>
    send({ ...body, title: `Web: ${body.title}` }).then(() => refuse(422)),
  "a refusal with 422, and stores half of it": async ({ send, body }) =>
    send({ ...body, company_name: null }).then(() => refuse(422)),
  "no body, and stores it": async ({ send }) => send().then(() => nothing(201)),
  "no body, and stores nothing": async () => nothing(201),
  "its record, which readings show 2 s later": async ({ sandbox, send, freeze }) => {
    await freeze(nextLead(sandbox), 2_000);
    return send();
  },
  "its record, which readings show 100 s later": async ({ sandbox, send, freeze }) => {
    await freeze(nextLead(sandbox), 100_000);
    return send();
  },
  "its record, which cannot be read for a minute": async ({ sandbox, send, hide }) => {
    hide(nextLead(sandbox), 403, 60_000);
    return send();
  },
  "its record, and an automation moves a field 30 s later": async ({ sandbox, send }) => {
    const response = await send();
    const id = nextLead(sandbox) - 1;
    later(sandbox, 30_000, () => sandbox.store.leads.update(id, { wants_newsletter: true }));
    return response;
  },
  "another's record": async ({ sandbox, request, send, theirs }) => {
    await send();
    return ok(await readRecord(sandbox, request, theirs.at(-1) ?? 0), 201);
  },
  "the record before it": async ({ sandbox, request, send }) => {
    const last = [...sandbox.store.leads].at(-1)?.id ?? 0;
    await send();
    return ok(await readRecord(sandbox, request, last), 201);
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
    ok(await readRecord(sandbox, request, theirs[0] ?? 0)),
  "an older record, which it changes": async ({ sandbox, request, theirs, body }) => {
    sandbox.store.leads.update(theirs[0] ?? 0, { company_name: String(body.company_name) });
    return ok(await readRecord(sandbox, request, theirs[0] ?? 0));
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
const automation =
  (ms: number): Lie =>
  async (write) => {
    const response = await write.send();
    later(write.sandbox, ms, () =>
      store(write, { middle_name: "auto", updated_at: new Date(write.sandbox.clock.now()).toISOString() }),
    );
    return response;
  };
const UPDATES: Readonly<Record<string, Lie>> = {
  "a refusal with 422, and stores it": async ({ send }) => send().then(() => refuse(422)),
  "a refusal with 409, and stores it": async ({ send }) => send().then(() => refuse(409)),
  "a refusal with 403, and stores it": async ({ send }) => send().then(() => refuse(403)),
  "a refusal with 404, and stores it": async ({ send }) => send().then(() => refuse(404)),
  "a refusal with 422, and stores half of it": async (write) => {
    const { last_name } = write.sandbox.store.users.get(write.id) ?? {};
    await write.send();
    store(write, { last_name });
    return refuse(422);
  },
  "a refusal with 422, and shows what it stored 2 s later": async ({ id, send, freeze }) => {
    await freeze(id, 2_000);
    return send().then(() => refuse(422));
  },
  "no body, and stores it": async ({ send }) => send().then(() => nothing(204)),
  "no body, and stores nothing": async () => nothing(204),
  "no body, and stores half of it": async (write) => {
    const { last_name } = write.sandbox.store.users.get(write.id) ?? {};
    await write.send();
    store(write, { last_name });
    return nothing(204);
  },
  "its record as it was, which readings show for 2 s": async ({ sandbox, request, id, send, freeze }) => {
    const before = await readRecord(sandbox, request, id);
    await freeze(id, 2_000);
    await send();
    return ok(before);
  },
  "its record as it was, which readings show for 100 s": async ({ sandbox, request, id, send, freeze }) => {
    const before = await readRecord(sandbox, request, id);
    await freeze(id, 100_000);
    await send();
    return ok(before);
  },
  "its record, which cannot be read from then on": async ({ id, send, hide }) => {
    const response = await send();
    hide(id, 403, Number.POSITIVE_INFINITY);
    return response;
  },
  "its record, which answers readings with 500 for a minute": async ({ id, send, hide }) => {
    const response = await send();
    hide(id, 500, 60_000);
    return response;
  },
  "its record, and an automation moves a field at once": automation(0),
  "its record, and an automation moves a field a moment later": automation(100),
  "its record, and somebody sets it back": async (write) => {
    const old = { ...write.sandbox.store.users.get(write.id) };
    const response = await write.send();
    store(write, { first_name: old.first_name, last_name: old.last_name });
    return response;
  },
  "an echo, and stores nothing": async ({ sandbox, request, id, body }) =>
    ok({ ...(await readRecord(sandbox, request, id)), ...body }),
  "half of it stored": async (write) => {
    const { last_name } = write.sandbox.store.users.get(write.id) ?? {};
    const response = await write.send();
    store(write, { last_name });
    return response;
  },
  "an echo, and stores it later": async ({ sandbox, request, id, body, send }) => {
    later(sandbox, 90_000, send);
    return ok({ ...(await readRecord(sandbox, request, id)), ...body });
  },
  "labels emptied": (write) => after(write, { label_ids: [] }),
  "labels emptied, and shows the old ones": async (write) => {
    const record = (await (await write.send()).json()) as Values;
    store(write, { label_ids: [], updated_at: record.updated_at });
    return ok(record);
  },
  "what is not sent emptied": (write) => after(write, { middle_name: null, label_ids: [] }),
  "what no body writes emptied": (write) => after(write, { description: null, roles: [] }),
  "what no body writes written otherwise": (write) => after(write, { description: "TEACHES" }),
  "another field written otherwise": (write) =>
    after(write, {
      middle_name: "VAN",
      email: String(write.sandbox.store.users.get(write.id)?.email).toUpperCase(),
    }),
  "a state that moves": (write) =>
    after(write, { wants_newsletter: !write.sandbox.store.users.get(write.id)?.wants_newsletter }),
  "another's record": async ({ sandbox, request, send, theirs }) => {
    await send();
    return ok(await readRecord(sandbox, request, theirs.at(-1) ?? 0));
  },
  "nothing of the record": async ({ send }) => send().then(() => ok({})),
  "its record as it was": async ({ sandbox, request, id, send }) => {
    const before = await readRecord(sandbox, request, id);
    await send();
    return ok(before);
  },
  "the values stored in another's record": async (write) => {
    const record = await readRecord(write.sandbox, write.request, write.id);
    write.sandbox.store.users.update(write.theirs.at(-1) ?? 0, write.body as never);
    return ok({ ...record, ...write.body });
  },
};
const DELETES: Readonly<Record<string, Lie>> = {
  "a refusal with 409, and deletes it": async ({ send }) => send().then(() => refuse(409)),
  "a refusal with 422, and deletes it": async ({ send }) => send().then(() => refuse(422)),
  "a refusal with 409, and deletes nothing": async () => refuse(409),
  "200 and no body, and deletes nothing": async () => nothing(200),
  "204, and readings show it for 2 s": async ({ id, send, freeze }) => {
    await freeze(id, 2_000);
    return send();
  },
  "204, and readings of it end with 500 for a minute": async ({ id, send, hide }) => {
    hide(id, 500, 60_000);
    return send();
  },
  "204, and deletes nothing": async () => new Response(null, { status: 204 }),
  "204, and archives it": async ({ sandbox, id }) => {
    sandbox.store.leads.update(id, { status: "archive" });
    return new Response(null, { status: 204 });
  },
  "204, and deletes it later": async ({ sandbox, send }) => {
    later(sandbox, 90_000, send);
    return new Response(null, { status: 204 });
  },
  "its record, and deletes nothing": async ({ sandbox, request, id }) => ok(await readRecord(sandbox, request, id)),
};

const BY_METHOD = {
  POST: { ...CREATES, ...MORE_CREATES },
  PUT: { ...UPDATES, ...MORE_UPDATES },
  DELETE: { ...DELETES, ...MORE_DELETES },
} as const;

/**
 * A lie that the service tells on every write with this HTTP method, or only on every second one, so that the first
 * response is true.
 */
export interface Lied {
  readonly method: "POST" | "PUT" | "DELETE";
  readonly name: string;
  readonly everyOther: boolean;
  /** True if the plan is made by `change`, from the records themselves. */
  readonly isComputed: boolean;
}

/** Every lie in variants: told on every second write, on every write, and on every write of a computed change. */
export const LIED: readonly Lied[] = (["POST", "PUT", "DELETE"] as const).flatMap((method) =>
  Object.keys(BY_METHOD[method]).flatMap((name) =>
    [
      { everyOther: true, isComputed: false },
      { everyOther: false, isComputed: false },
      ...(method === "PUT" ? [{ everyOther: false, isComputed: true }] : []),
    ].map((how) => ({ method, name, ...how })),
  ),
);

export interface Stored {
  readonly leads: readonly Values[];
  readonly users: readonly Values[];
}

/** The identifiers of the users that plans change. */
export const CHANGED = Array.from({ length: 6 }, (_, n) => 3 + n);
const OTHERS = [30, 31];

/** The sandbox behind a service that lies. */
export type School = Sandbox;

/** A school whose service lies. */
export class LyingSchool {
  readonly clock: Sandbox["clock"];
  readonly fetch: Sandbox["fetch"];
  /** The records as they were before the first write. */
  readonly before: Stored;
  readonly #sandbox: Sandbox;
  /** The error of a lie that failed, kept because the failure would otherwise look like a lost connection. */
  #failure: unknown = null;
  readonly #hidden = new Map<number, { readonly status: number; readonly until: number }>();
  #broken: BrokenReadings | null = null;
  #readings = 0;
  readonly #frozen = new Map<number, { readonly record: Values | null; readonly until: number }>();

  constructor(sandbox: Sandbox, { method, name, everyOther }: Lied) {
    this.#sandbox = sandbox;
    this.clock = sandbox.clock;
    const lie = (BY_METHOD[method] as Readonly<Record<string, Lie>>)[name] as Lie;
    const theirs = ["Theirs one", "Theirs two"].map(
      (title) => sandbox.store.leads.insert({ title, status: "prospect", company_name: "Theirs" } as never).id,
    );
    const [label] = [...sandbox.store.labels];
    for (const id of [...CHANGED, ...OTHERS])
      sandbox.store.users.update(id, {
        label_ids: [label?.id ?? 0],
        middle_name: "van",
        description: "Teaches",
      });
    this.before = this.snapshot();
    let nth = 0;
    this.fetch = async (...args) => {
      const request = new Request(...args);
      if (request.method === "GET") return this.#read(request, method === "PUT" ? "users" : "leads");
      if (request.method !== method || (++nth % 2 === 1 && everyOther)) return sandbox.fetch(request);
      const body = method === "DELETE" ? {} : ((await request.clone().json()) as Values);
      const { url, headers } = request;
      const send = (changed: Values = body) =>
        sandbox.fetch(
          new Request(url, { method, headers, ...(method !== "DELETE" && { body: JSON.stringify(changed) }) }),
        );
      const id = Number(url.split("/").at(-1));
      const now = sandbox.clock.now();
      const currentRecord = async (one: number) => {
        const response = await sandbox.fetch(new Request(`${url.replace(/\/\d+$/, "")}/${one}`, { headers }));
        return response.ok ? ((await response.json()) as Values) : null;
      };
      const told = lie({
        request,
        sandbox,
        nth,
        id,
        body,
        send,
        theirs: method === "PUT" ? OTHERS : theirs,
        hide: (one, status, ms) => void this.#hidden.set(one, { status, until: now + ms }),
        breakReadings: (how) => {
          this.#broken = how;
        },
        freeze: async (one, ms) => void this.#frozen.set(one, { record: await currentRecord(one), until: now + ms }),
      });
      return told.catch((error: unknown) => {
        this.#failure ??= error;
        throw error;
      });
    };
  }

  // Responds to a reading as the lies require.
  async #read(request: Request, resource: "users" | "leads"): Promise<Response> {
    const now = this.clock.now();
    const isLive = <T extends { readonly until: number }>(one: T | undefined) => one !== undefined && now < one.until;
    const [, found, id] = /\/(users|leads)(?:\/(\d+))?$/.exec(new URL(request.url).pathname) ?? [];
    const response = await this.#sandbox.fetch(request);
    if (found === resource && this.#broken) return this.#breakReading(this.#broken, Number(id ?? 0), response);
    if (found !== resource || (this.#hidden.size === 0 && this.#frozen.size === 0)) return response;
    const hidden = this.#hidden.get(Number(id));
    if (hidden && isLive(hidden)) return refuse(hidden.status);
    const frozen = this.#frozen.get(Number(id));
    if (frozen && isLive(frozen)) return frozen.record ? ok(frozen.record) : refuse(404);
    if (id !== undefined || !response.ok) return response;
    const shown = (await response.json()) as (Values & { readonly id: number })[];
    const records = shown.flatMap((record) => {
      const { record: old, ...one } = this.#frozen.get(record.id) ?? { until: 0, record: null };
      return isLive(one) ? (old ?? []) : record;
    });
    return Response.json(records, { headers: response.headers });
  }

  async #breakReading(how: BrokenReadings, id: number, response: Response): Promise<Response> {
    if (id > 0) {
      const isMissed = how === "one of five ends with 404" && ++this.#readings % 5 === 0;
      const isLocked = how === "one record ends with 403" && id % 6 === 3;
      return isMissed ? refuse(404) : isLocked ? refuse(403) : response;
    }
    if (!response.ok || !how.startsWith("lists")) return response;
    const all = (await response.json()) as (Values & { readonly id: number })[];
    if (how === "lists end early") return ok(all.slice(0, Math.ceil(all.length / 2)));
    const shown = all.filter((one) => one.id % 2 === 0);
    return Response.json(shown, { headers: response.headers });
  }

  snapshot(): Stored {
    if (this.#failure) throw this.#failure;
    const all = (records: Iterable<unknown>) => [...records].map((one) => structuredClone(one) as Values);
    return { leads: all(this.#sandbox.store.leads), users: all(this.#sandbox.store.users) };
  }
}
