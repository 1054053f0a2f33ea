import { describe, expect, it } from "vitest";
import {
  type ClientOptions,
  ConfigurationError,
  EducationAdminError,
  InputError,
  type ListOptions,
} from "../../src/index.js";
import { defineSchool } from "../../src/school/index.js";
import { drawCases } from "../support/amount.js";
import { failure, settle, until } from "../support/manual-clock.js";
import { PROBES, type Probe } from "./support/probes.js";
import { FUNCTIONS, OTHER_PLACES, WAYS, type Way, world } from "./support/ways.js";

/**
 * Every option in every way to send requests. `+`: it reaches each request. `1`: it reaches only the requests of the
 * list, not those for referenced records. `-`: it is refused before any request. `.`: it is accepted and changes
 * nothing.
 */
const OF_CALLS = `
             get update first next rest each byPage take toArray count with withOne filter one many lookup request pages export sync
signal        +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       +      +     +      +
timeout       +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     -       +      +     +      -
totalTimeout  +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     -       +      +     +      -
headers       +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     -       +      +     +      -
retry         +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     -       +      +     +      -
include       +    -      +    +    +    +     +      +     +      +    1      1      +    +   +     -       +      +     +      -
query         +    +      +    +    +    +     +      +     +      +    1      1      +    +   +     -       +      +     +      -
body          -    +      -    -    -    -     -      -     -      -    -      -      -    -   -     -       -      -     -      -
validation    +    +      +    +    +    +     +      +     +      .    +      +      +    +   +     -       +      +     +      -
priority      +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     -       +      +     +      -
resume        -    -      +    +    +    +     +      +     +      .    .      .      -    -   -     -       -      .     +      -
prefetch      -    -      .    .    +    +     +      +     +      .    .      .      -    -   -     -       -      +     +      -
maxPages      -    -      .    -    +    +     +      +     +      .    .      .      -    -   -     -       -      +     +      -
onInvalid     -    -      +    +    +    +     +      +     +      .    +      +      -    -   -     -       -      +     +      -
`;

const OF_CLIENTS = `
                        get update first next rest each byPage take toArray count with withOne filter one many lookup request pages export sync
baseUrl                  +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       +      +     +      +
apiKey                   +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       +      +     +      +
dangerouslyAllowBrowser  .    .      .    .    .    .     .      .     .      .    .      .      .    .   .     .       .      .     .      .
allowInsecureHttp        +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       +      +     +      +
fetch                    +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       +      +     +      +
headers                  +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       +      +     +      +
timeout                  +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       +      +     +      +
totalTimeout             +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       +      +     +      +
retry                    +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       +      +     +      +
rateLimit                +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       +      +     +      +
maxBodyBytes             +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       +      +     +      +
pageSize                 .    .      +    +    +    +     +      +     +      .    +      1      +    .   +     +       .      +     +      +
validation               +    +      +    +    +    +     +      +     +      .    +      +      +    +   +     +       +      +     +      +
arrayFormat              +    +      +    +    +    +     +      +     +      +    1      1      +    +   +     .       +      +     +      .
routes                   +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       .      .     +      +
on                       +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       +      +     +      +
readOnly                 .    -      .    .    .    .     .      .     .      .    .      .      .    .   .     .       .      .     .      .
school                   +    +      +    +    +    +     +      +     +      .    +      +      .    +   +     +       .      .     +      +
clock                    +    +      +    +    +    +     +      +     +      +    +      +      +    +   +     +       +      +     +      +
`;

type Cells = readonly (readonly [option: string, column: keyof typeof WAYS, cell: string])[];

function cellsOf(table: string): Cells {
  const [head = [], ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  expect(head).toEqual(Object.keys(WAYS));
  return rows.flatMap(([option = "", ...cells]) => {
    expect(cells).toHaveLength(head.length);
    return cells.map((cell, index) => [option, head[index] as keyof typeof WAYS, cell] as const);
  });
}

/** The cells with one of these marks; `npm test` takes a third of them, which changes with each commit. */
function markedCells(cells: Cells, ...marks: readonly string[]): Cells {
  const marked = cells.filter(([, , cell]) => marks.includes(cell));
  return drawCases(marked, Math.ceil(marked.length / 3));
}

// The compiler reports a missing name here when an option is added.
const CALL_OPTIONS = {
  signal: AbortSignal.abort(),
  timeout: 1,
  totalTimeout: 1,
  headers: {},
  retry: false,
  include: ["meetings"],
  query: { a: 1 },
  body: { a: 1 },
  validation: "off",
  priority: "batch",
  resume: "x",
  prefetch: 0,
  maxPages: 1,
  onInvalid: "skip",
} as const satisfies Record<keyof ListOptions, unknown>;

const CLIENT_OPTIONS = {
  baseUrl: "https://other.example",
  apiKey: "other",
  dangerouslyAllowBrowser: true,
  allowInsecureHttp: true,
  fetch: () => undefined,
  headers: {},
  timeout: 1,
  totalTimeout: 1,
  retry: false,
  rateLimit: false,
  maxBodyBytes: 7,
  pageSize: 7,
  validation: "off",
  arrayFormat: "comma",
  routes: {},
  on: {},
  readOnly: true,
  school: defineSchool({}),
  clock: {},
} as const satisfies Record<keyof ClientOptions, unknown>;

async function expectRefused(use: Way["use"], options: object, name: string): Promise<void> {
  const { client, calls, clock } = world();
  const error = await clock.run(failure(async () => use(client, options)));
  expect(error instanceof InputError || error instanceof ConfigurationError, String(error)).toBe(true);
  expect(error.message).toContain(name);
  expect(calls).toEqual([]);
}

/** Sends requests in a way in which an option has no effect, and expects the usual number of requests. */
async function expectUnchanged(way: Way, client: ClientOptions, options: object | undefined): Promise<void> {
  const { client: made, calls, clock } = world(client);
  await clock.run(Promise.resolve(way.use(made, options)));
  expect(calls).toHaveLength(way.requests);
}

describe.each([
  ["of a call or list", cellsOf(OF_CALLS), CALL_OPTIONS, "call"],
  ["of a client", cellsOf(OF_CLIENTS), CLIENT_OPTIONS, "client"],
] as const)("an option %s", (_, cells, values, level) => {
  it("is in the table", () => {
    expect([...new Set(cells.map(([option]) => option))].sort()).toEqual(Object.keys(values).sort());
  });

  it.each(markedCells(cells, "+", "1"))("reaches: %s, %s (%s)", async (option, column, cell) => {
    const way: Way = WAYS[column];
    const probe = PROBES[option as keyof typeof PROBES] as Probe;
    await probe({ way, column, level, reached: cell === "1" ? 1 : way.requests });
  });

  it.each(markedCells(cells, "."))("has no effect: %s, %s", async (option, column) => {
    // The cells marked `+` test the effect of a checkpoint.
    if (option === "resume") return;
    const given = { [option]: (values as Readonly<Record<string, unknown>>)[option] };
    await expectUnchanged(WAYS[column], level === "client" ? given : {}, level === "call" ? given : undefined);
  });

  it.each(markedCells(cells, "-"))("is refused: %s, %s", async (option, column) => {
    const way: Way = WAYS[column];
    const value = (values as Readonly<Record<string, unknown>>)[option];
    if (level === "call" && column !== "next") return expectRefused(way.use, { [option]: value }, option);
    const { client, clock, calls } = world(level === "client" ? { [option]: value } : {});
    const error = await clock.run(failure(async () => way.use(client, level === "call" ? { [option]: value } : {})));
    expect(error.message).toContain(option === "readOnly" ? "read-only" : option);
    expect(calls.length).toBeLessThan(way.requests);
  });
});

describe("an option of clients", () => {
  const only = Object.keys(CLIENT_OPTIONS).filter((name) => !(name in CALL_OPTIONS));
  it.each(Object.keys(WAYS))("is refused among the options of a call: %s", async (column) => {
    const { use } = WAYS[column as keyof typeof WAYS] as Way;
    for (const name of only)
      await expectRefused(use, { [name]: (CLIENT_OPTIONS as Record<string, unknown>)[name] }, name);
  });
});

describe("options of calls and clients", () => {
  it.each(Object.keys(OTHER_PLACES))("are refused in %s", async (place) => {
    const use = OTHER_PLACES[place] as Way["use"];
    const own = place === "the options of exportTo" ? ["resume"] : [];
    if (place.endsWith("lookup")) own.push("query");
    if (place.endsWith("mirror")) own.push("clock");
    for (const [name, value] of Object.entries({ ...CLIENT_OPTIONS, ...CALL_OPTIONS })) {
      if (!own.includes(name)) await expectRefused(use, { [name]: value }, name);
    }
  });
});

describe.each([[null], [7], ["x"], [[]], [new Map()]])("%o in place of options", (value) => {
  // A call without options may pass null.
  it.each(Object.entries({ ...(value !== null && WAYS), ...FUNCTIONS }))("is refused: %s", async (name, use) => {
    const { client, clock, calls } = world();
    const way = typeof use === "function" ? use : (use as Way).use;
    const error = await clock.run(failure(async () => way(client, value as never)));
    expect([name, error]).toEqual([name, expect.any(EducationAdminError)]);
    expect(error.message).toMatch(/must be a/);
    expect(calls.length).toBeLessThan(2);
  });
});

describe("a totalTimeout longer than the client's", () => {
  it.each(["get", "each", "with", "withOne", "filter", "one", "many", "export"] as const)(
    "takes precedence: %s",
    async (column) => {
      const way: Way = WAYS[column];
      for (let at = 0; at < way.requests; at++) {
        const started = world({ totalTimeout: 100 }, { at, kind: "hang" });
        const { client, clock, calls } = started;
        const work = failure(async () => way.use(client, { totalTimeout: 500 }));
        await until(() => calls.length > at);
        await clock.run(work);
        expect(started.hungFor).toBe(500);
        await settle();
        expect(clock.pending).toBe(0);
      }
    },
  );
});
