// Passes junk to every parameter of every method of the three clients, either as a whole argument or at one position in
// a valid one. Promises: each call ends with an InputError before anything is sent, or with a request that the method's
// row allows; no request leaves the configured origin and prefix; no other kind of error occurs.
import { inspect } from "node:util";
import { isEducationAdminError, MainClient, type RawRequest } from "education-admin-sdk";
import fc from "fast-check";
import { type CampaignOptions, campaign, command, type Figures, type Promises } from "./support/command.ts";
import { createRandom, type Random, seedOf } from "./support/random.ts";
import { RecordingFetch } from "./support/recording-fetch.ts";
import { complaint, fittingArguments, type Method, methodsOf } from "./support/surface.ts";

export interface BadInputFigures extends Figures {
  readonly methods: number;
  /** Rows of the operation tables that no method uses. */
  readonly unreached: readonly string[];
  readonly calls: number;
  readonly refused: number;
  readonly sent: number;
  readonly otherErrors: number;
  readonly outside: number;
}

const TOKEN = "token-of-the-bad-input-campaign";
const ORIGIN = "https://school.example";
const PREFIX = "/some/prefix/";

export function run(options: CampaignOptions = {}): Promise<BadInputFigures> {
  return campaign("bad-input", options, async ({ seed, long, promises }) => {
    const runs = long ? 400 : 12;
    const recorder = new RecordingFetch(TOKEN);
    const clientOptions = {
      baseUrl: ORIGIN + PREFIX,
      apiKey: TOKEN,
      fetch: recorder.fetch,
      rateLimit: false,
      retry: false,
      on: { drift: () => undefined },
    } as const;
    const { methods, unreached } = methodsOf(clientOptions);
    const trial = new Trial(recorder, promises);
    promises.check(unreached.length === 0, "every row has a method", unreached.join(", "));
    for (const [index, method] of methods.entries()) {
      const random = createRandom(seedOf(seed, index));
      for (const junk of fc.sample(fc.array(JUNK, { minLength: 4, maxLength: 4 }), {
        seed: seed + index,
        numRuns: runs,
      })) {
        await trial.method(method, argumentsOf(method, junk, random));
      }
      // A library that refuses everything must not pass, so valid values must be sent.
      const before = trial.counts.sent;
      await trial.method(method, fittingArguments(method.row));
      promises.check(trial.counts.sent === before + 1, "what fits is sent", `${method.client} ${method.id}`);
    }
    const client = new MainClient(clientOptions);
    for (const raw of fc.sample(RAW, { seed, numRuns: runs * 50 }))
      await trial.raw(client, raw as unknown as RawRequest);
    return { methods: methods.length, unreached, ...trial.counts };
  });
}

const TROUBLE: readonly unknown[] = [
  ...[
    undefined,
    null,
    "",
    " ",
    ".",
    "..",
    "a/b",
    "../..",
    "..%2f",
    "%2e%2e",
    ".%2E",
    "a%2fb",
    "a\\b",
    "?x=1",
    "#x",
    "a?b#c",
  ],
  ...[
    "a\u0000b",
    "\t",
    ".\t.",
    "..\n",
    "\ud800",
    "é",
    "//evil.example",
    "http://evil.example/",
    "@evil.example",
    "__proto__",
  ],
  ...[
    "constructor",
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0,
    0,
    -1,
    1.5,
    2 ** 53,
    1e21,
    "1",
    "01",
    "1e3",
    true,
    [],
    [[]],
    {},
  ],
  ...[Symbol("junk"), () => 1, 1n, new Date(Number.NaN), new Date(0), new Map(), new Set([1]), /x/, new Error("junk")],
  ...[
    Object.create(null),
    JSON.parse('{"__proto__":{"id":1}}'),
    cyclic(),
    { toString: 1 },
    JSON.parse('{"then":1}'),
    Promise.resolve(1),
  ],
  ...[
    { toJSON: () => ({ admin: true }) },
    { toString: () => "../.." },
    { valueOf: () => 7 },
    new URL("http://evil.example"),
  ],
  ...[
    { cursor: 1 },
    { page: 0 },
    { per_page: 101 },
    { sort: ["x"] },
    { signal: {} },
    { headers: { authorization: "x" } },
  ],
  ...[
    { headers: { "x y": "z" } },
    { headers: { x: "a\r\nb: c" } },
    { headers: 5 },
    { timeout: -1 },
    { retry: 7 },
    { resume: 5 },
  ],
  ...[
    { prefetch: -1 },
    { maxPages: 0 },
    { priority: "urgent" },
    { validation: "loose" },
    { onInvalid: 1 },
    { resume: "{}" },
  ],
];

const JUNK: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...TROUBLE),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(".", "/", "%", "2", "e", "\\", "?", "#", ":", "@", "\t", " "), maxLength: 12 }),
  fc.double(),
  fc.anything({
    maxDepth: 2,
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true,
    withTypedArray: true,
  }),
);

const RAW = fc.oneof(
  JUNK,
  fc.record(
    {
      method: fc.oneof({ weight: 3, arbitrary: fc.constantFrom("GET", "POST", "PUT", "DELETE") }, JUNK),
      path: fc.oneof(
        fc.constantFrom("api/v1/accounts", "/api/v1/accounts"),
        JUNK,
        JUNK.filter((part) => typeof part === "string").map((part) => `api/v1/${part}/x`),
        JUNK.filter((part) => typeof part === "string").map((part) => `api/v1/${part}`),
      ),
      query: fc.oneof(fc.constant({ id: [1, 2], name: "a&b" }), JUNK),
      body: JUNK,
    },
    { requiredKeys: ["method", "path"] },
  ),
);

function cyclic(): unknown {
  const value: Record<string, unknown> = { name: "x" };
  value.self = value;
  return value;
}

// Returns one of these: only junk; valid arguments with junk at one position or in place of one argument; valid
// arguments followed by junk.
function argumentsOf({ row }: Method, junk: readonly unknown[], random: Random): unknown[] {
  const way = random.weighted({ all: 2, place: 5, argument: 2, options: 2 });
  if (way === "all") return junk.slice(0, random.whole(0, 4));
  const fitting = fittingArguments(row);
  if (way === "options" || fitting.length === 0) return [...fitting, junk[0]];
  const index = random.whole(0, fitting.length - 1);
  if (way === "argument") return fitting.with(index, junk[0]);
  return fitting.with(index, spoil(fitting[index], junk, random));
}

function spoil(value: unknown, junk: readonly unknown[], random: Random): unknown {
  if (Array.isArray(value) && value.length > 0)
    return random.chance(0.3) ? [...value, junk[0]] : [spoil(value[0], junk, random)];
  if (typeof value !== "object" || value === null || random.chance(0.1)) return junk[0];
  const names = Object.keys(value);
  if (names.length === 0 || random.chance(0.15)) return { ...value, [String(nameOf(junk[1]))]: junk[0] };
  const name = random.pick(names);
  return { ...value, [name]: spoil((value as Record<string, unknown>)[name], junk, random) };
}

function nameOf(value: unknown): string {
  return typeof value === "string" ? value : "unheard_of";
}

/** Makes calls and checks what they did. */
class Trial {
  readonly counts = { calls: 0, refused: 0, sent: 0, otherErrors: 0, outside: 0 };
  readonly #recorder: RecordingFetch;
  readonly #promises: Promises;

  constructor(recorder: RecordingFetch, promises: Promises) {
    this.#recorder = recorder;
    this.#promises = promises;
  }

  async method({ client, id, row, call }: Method, values: readonly unknown[]): Promise<void> {
    this.#recorder.answer = row.paged ? "[]" : "{}";
    const describeCall = () => `${client}.${id}(${values.map(printValue).join(", ")})`;
    await this.#judge(() => call(values), describeCall);
    const prefix = `${PREFIX}${row.apis.includes("organization") ? "api/organization" : "api/v1"}/`;
    for (const request of this.#recorder.requests) {
      const why = complaint(row, prefix, request);
      this.#promises.check(why === null, "every request is one the row allows", `${describeCall()}: ${why}`);
    }
  }

  async raw(client: MainClient, request: RawRequest): Promise<void> {
    this.#recorder.answer = "{}";
    const describeCall = () => `request(${printValue(request)})`;
    await this.#judge(() => client.request(request), describeCall);
    for (const { url } of this.#recorder.requests) {
      const segments = String(request.path).replace(/^\//, "").split("/").length;
      const found = url.pathname.slice(PREFIX.length).split("/").length;
      this.#promises.check(segments === found, "a path by hand leads where it says", `${describeCall()}: ${url.href}`);
    }
  }

  async #judge(act: () => unknown, what: () => string): Promise<void> {
    this.#recorder.requests = [];
    this.counts.calls++;
    let error: unknown;
    try {
      await act();
    } catch (thrown) {
      error = thrown ?? new Error("nothing was thrown, as an error");
    }
    const { requests } = this.#recorder;
    const refused = isEducationAdminError(error, "input") || isEducationAdminError(error, "checkpoint");
    if (refused) this.counts.refused++;
    if (requests.length > 0) this.counts.sent++;
    this.#promises.check(!refused || requests.length === 0, "what is refused is not sent", what());
    // As options, junk may be a tiny timeout or strict validation, so other errors of the library can occur, but never
    // a configuration error.
    const answered =
      error === undefined || (isEducationAdminError(error) && !isEducationAdminError(error, "configuration"));
    if (!answered) this.counts.otherErrors++;
    this.#promises.check(
      answered,
      "no error but InputError",
      `${what()}: ${inspect(error).split("\n").slice(0, 3).join(" ")}`,
    );
    for (const { url, authorization } of requests) {
      const inside = url.origin === ORIGIN && url.pathname.startsWith(PREFIX) && authorization !== null;
      if (!inside) this.counts.outside++;
      this.#promises.check(inside, "nothing outside origin and prefix is asked", `${what()}: ${url.href}`);
    }
  }
}

function printValue(value: unknown): string {
  return inspect(value, { depth: 3, breakLength: Number.POSITIVE_INFINITY });
}

if (import.meta.main) await command(run);
