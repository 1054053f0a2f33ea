import { expect } from "vitest";
import type { ClientOptions, ListOptions } from "../../../src/index.js";
import { defineSchool } from "../../../src/school/index.js";
import { settle, until } from "../../support/manual-clock.js";
import { type Fault, WAYS, type Way, type World, world } from "./ways.js";

/** A cell of the table: an option in one way to send requests. */
export interface Cell {
  readonly way: Way;
  readonly column: keyof typeof WAYS;
  /** Whether the client or the call receives the option. */
  readonly level: "client" | "call";
  /** How many of the way's requests the option reaches, counted from the first. */
  readonly reached: number;
}

/** Checks that an option reaches the requests of a way. */
export type Probe = (cell: Cell) => Promise<void>;

interface Started extends World {
  readonly work: Promise<unknown>;
}

/** Sends requests in a way with an option. If the work fails, its promise resolves with the error. */
function begin({ way, level }: Cell, given: object, more: ClientOptions = {}, fault: Fault | null = null): Started {
  const made = world(level === "client" ? { ...more, ...given } : more, fault);
  const work = Promise.resolve()
    .then(() => way.use(made.client, level === "call" ? given : undefined))
    .catch((error: unknown) => error);
  return Object.defineProperty(made as Started, "work", { value: work });
}

/** Expects the requests that the option reaches, and no others, to meet a condition. */
async function shows(cell: Cell, given: object, isShown: (call: World["calls"][number]) => boolean): Promise<void> {
  const { clock, work, calls } = begin(cell, given);
  expect(await clock.run(work)).not.toBeInstanceOf(Error);
  expect(calls.map(isShown)).toEqual(Array.from({ length: cell.way.requests }, (_, index) => index < cell.reached));
}

/** Lets each request hang once, and expects the call to end after this time. */
async function ends(cell: Cell, given: object, more: ClientOptions, after: number): Promise<void> {
  for (let at = 0; at < cell.reached; at++) {
    const started = begin(cell, given, more, { at, kind: "hang" });
    await until(() => started.calls.length > at);
    await started.clock.run(started.work);
    expect(started.hungFor, `request ${at}`).toBe(after);
    await settle();
    expect(started.clock.pending).toBe(0);
  }
}

/** Expects each request to be sent this many times if it always fails. */
async function attempts(cell: Cell, given: object, more: ClientOptions, times: number): Promise<void> {
  for (let at = 0; at < cell.reached; at++) {
    const { clock, work, calls } = begin(cell, given, more, { at, kind: "fail" });
    const begun = clock.now();
    await clock.run(work);
    expect(calls.filter(({ url }) => url.href === calls[at]?.url.href)).toHaveLength(times);
    expect(clock.now() - begun).toBeLessThan(60);
  }
}

/** Expects a report, or none, if a record of a request does not fit its schema. */
async function reports(cell: Cell, given: object, more: ClientOptions, isReported: boolean): Promise<void> {
  for (let at = 0; at < cell.reached; at++) {
    const { clock, work, events } = begin(cell, given, more, { at, kind: "invalid" });
    expect(await clock.run(work)).not.toBeInstanceOf(Error);
    expect(events.includes("drift"), `request ${at}`).toBe(isReported);
  }
}

// If a page of their list cannot be read, these ways read its records in another way.
const FALLS_BACK: readonly string[] = ["with", "many"];
const quiet = { rateLimit: false, retry: false } as const;
const MOVED = Object.fromEntries(
  ["accounts", "courses", "invoices"].flatMap((name) => [
    [`${name}.list`, { path: `moved/${name}` }],
    ...(name === "invoices" ? [] : [[`${name}.get`, { path: `moved/${name}/{id}` }]]),
    ...(name === "accounts" ? [[`${name}.update`, { path: `moved/${name}/{id}` }]] : []),
  ]),
) as ClientOptions["routes"];
const school = defineSchool({ accounts: { size: { type: "select", options: ["small"] } } } as never);

/** The effect of each option on the requests or their results. */
export const PROBES: Readonly<Record<keyof ListOptions | keyof ClientOptions, Probe>> = {
  async signal(cell) {
    for (let at = 0; at < cell.reached; at++) {
      const stop = new AbortController();
      const started = begin(cell, { signal: stop.signal }, quiet, { at, kind: "hang" });
      await until(() => started.calls.length > at);
      stop.abort(new RangeError("left"));
      expect(await started.clock.run(started.work)).toBe(stop.signal.reason);
      // A lookup reads the list for all callers, so the reading continues.
      expect(started.hungFor).toBe(cell.column === "lookup" ? null : 0);
      expect(started.calls).toHaveLength(at + 1);
      if (cell.column !== "lookup") expect(started.clock.pending).toBe(0);
    }
    const { work, calls } = begin(cell, { signal: AbortSignal.abort(new RangeError("left")) });
    expect(await work).toBeInstanceOf(RangeError);
    expect(calls).toEqual([]);
  },
  timeout: (cell) => ends(cell, { timeout: 70 }, { ...quiet, ...(cell.level === "call" && { timeout: 9_000 }) }, 70),
  totalTimeout: (cell) => ends(cell, { totalTimeout: 500 }, quiet, 500),
  headers: (cell) => shows(cell, { headers: { "x-probe": "1" } }, ({ headers }) => headers["x-probe"] === "1"),
  async retry(cell) {
    await attempts(cell, { retry: { limit: 2, backoffLimit: 5 } }, {}, 3);
    await attempts(cell, { retry: false }, {}, 1);
  },
  include: (cell) => shows(cell, { include: ["a"] }, ({ url }) => url.searchParams.get("include") === "a"),
  query: (cell) => shows(cell, { query: { extra: "a" } }, ({ url }) => url.searchParams.get("extra") === "a"),
  body: (cell) => shows(cell, { body: { mood: "good" } }, ({ body }) => body === '{"name":"A","mood":"good"}'),
  async validation(cell) {
    const other = (validation: "off" | "report") => (cell.level === "call" ? { validation } : {});
    await reports(cell, { validation: "off" }, other("report"), false);
    await reports(cell, { validation: "report" }, other("off"), true);
    for (let at = 0; at < cell.reached; at++) {
      const { clock, work, calls } = begin(cell, { validation: "strict" }, other("off"), { at, kind: "invalid" });
      const error = await clock.run(work);
      if (at > 0 && FALLS_BACK.includes(cell.column)) expect(calls.length).toBeGreaterThan(cell.way.requests);
      else if (cell.column !== "many") expect(error).toMatchObject({ code: "response_validation" });
    }
  },
  async priority(cell) {
    for (let at = 0; at < cell.reached; at++) {
      // Leaves batch calls just enough of the window for the requests before this one and for one that was sent
      // earlier.
      const rateLimit = { requests: 100, reserve: (99 - at) / 100 };
      const before = (given: object) => {
        const made = world({ rateLimit });
        return { ...made, use: () => Promise.resolve(cell.way.use(made.client, given)) };
      };
      const batch = before({ priority: "batch" });
      await batch.client.accounts.get(9, { priority: "batch" });
      const work = batch.use();
      await settle();
      await until(() => batch.client.rateLimit.queued > 0);
      expect(batch.calls).toHaveLength(1 + at);
      await batch.clock.run(work);
      const interactive = before({ priority: "interactive" });
      await interactive.client.accounts.get(9);
      await interactive.clock.run(interactive.use(), 0);
      expect(interactive.calls).toHaveLength(1 + cell.way.requests);
    }
  },
  async resume(cell) {
    const { checkpoint } = await world().client.accounts.list().first();
    const way: Way = cell.column === "next" ? WAYS.first : cell.way;
    const { clock, work, calls } = begin({ ...cell, way }, { resume: checkpoint });
    expect(await clock.run(work)).not.toBeInstanceOf(Error);
    expect(calls.map(({ url }) => url.searchParams.get("cursor"))).toEqual(["two"]);
  },
  // The second page hangs: with prefetching, its request is already sent when the first page arrives.
  async prefetch(cell) {
    await shows(cell, { prefetch: 0 }, () => true);
    const { accounts } = world().client;
    for (const [prefetch, sent] of [
      [0, 1],
      [1, 2],
    ] as const) {
      const { client, calls } = world();
      const list = client.accounts.list({}, { prefetch });
      expect(accounts).toBeDefined();
      const iterator =
        { byPage: () => list.byPage(), take: () => list.take(3)[Symbol.asyncIterator]() }[cell.column as "take"]?.() ??
        list[Symbol.asyncIterator]();
      await iterator.next();
      await settle();
      expect(calls).toHaveLength(sent);
      await iterator.return?.();
    }
  },
  async maxPages(cell) {
    const { clock, work, calls } = begin(cell, { maxPages: 1 });
    expect(await clock.run(work)).not.toBeInstanceOf(Error);
    expect(calls).toHaveLength(1);
  },
  async onInvalid(cell) {
    const at = cell.way.requests - 1;
    const skipping = begin(cell, { validation: "strict", onInvalid: "skip" }, {}, { at, kind: "invalid" });
    expect(await skipping.clock.run(skipping.work)).not.toBeInstanceOf(Error);
    if (FALLS_BACK.includes(cell.column)) return;
    const { clock, work } = begin(cell, { validation: "strict", onInvalid: "throw" }, {}, { at, kind: "invalid" });
    expect(await clock.run(work)).toMatchObject({ code: "response_validation" });
  },
  baseUrl: (cell) =>
    shows(cell, { baseUrl: "https://other.example/sub" }, ({ url }) =>
      url.href.startsWith("https://other.example/sub/api"),
    ),
  apiKey: (cell) => shows(cell, { apiKey: async () => "k-1" }, ({ headers }) => headers.authorization === "Bearer k-1"),
  allowInsecureHttp: (cell) =>
    shows(cell, { allowInsecureHttp: true, baseUrl: "http://other.example" }, ({ url }) => url.protocol === "http:"),
  dangerouslyAllowBrowser: async () => undefined,
  fetch: (cell) => shows(cell, {}, () => true),
  async rateLimit(cell) {
    const { clock, work, times } = begin(cell, { rateLimit: { requests: 1, windowMs: 1_000, reserve: 0 } });
    expect(await clock.run(work)).not.toBeInstanceOf(Error);
    expect(times).toHaveLength(cell.reached);
    for (const [index, time] of times.entries()) expect(time - (times[0] ?? 0)).toBeGreaterThanOrEqual(index * 1_000);
  },
  async maxBodyBytes(cell) {
    for (let at = 0; at < cell.reached; at++) {
      const { clock, work, calls } = begin(cell, { maxBodyBytes: 999_999 }, quiet, { at, kind: "large" });
      const ended = await clock.run(work);
      // If a page cannot be read, lookups read its records in another way.
      if (ended instanceof Error) expect(ended).toMatchObject({ code: "response_format" });
      else expect(calls.length).toBeGreaterThan(cell.reached);
      const allowed = begin(cell, { maxBodyBytes: 1_000_000 }, quiet, { at, kind: "large" });
      expect(await allowed.clock.run(allowed.work)).not.toBeInstanceOf(Error);
    }
  },
  pageSize: (cell) => shows(cell, { pageSize: 2 }, ({ url }) => url.searchParams.get("per_page") === "2"),
  async arrayFormat(cell) {
    const { client, calls, clock } = world({ arrayFormat: "comma" });
    await clock.run(Promise.resolve(cell.way.use(client, { query: { include: ["a", "b"] } })));
    const shown = calls.map(({ url }) => url.searchParams.get("include") === "a,b");
    expect(shown).toEqual(shown.map((_, index) => index < cell.reached));
    if (cell.column === "filter") expect(calls[0]?.url.searchParams.get("id")).toBe("1,2");
  },
  routes: (cell) => shows(cell, { routes: MOVED }, ({ url }) => url.pathname.startsWith("/api/v1/moved/")),
  async on(cell) {
    const { clock, work, events, calls } = begin(cell, {});
    await clock.run(work);
    for (const name of ["request", "response"]) {
      expect(events.filter((each) => each === name)).toHaveLength(calls.length);
    }
  },
  readOnly: async () => undefined,
  async school(cell) {
    const { clock, work, events } = begin(cell, { school });
    await clock.run(work);
    expect(events).toContain("drift");
  },
  async clock(cell) {
    for (let at = 0; at < cell.reached; at++) {
      const started = begin(cell, {}, { timeout: 70, retry: false }, { at, kind: "hang" });
      await until(() => started.calls.length > at);
      expect(started.clock.pending).toBeGreaterThan(0);
      await started.clock.run(started.work);
      expect(started.clock.pending).toBe(0);
    }
  },
};
