import { expect, test } from "vitest";
import { fieldsOf, type Schema, traitsOf, unwrap } from "../../src/core/schema/traits.js";
import { doctor } from "../../src/doctor/index.js";
import { fieldClasses } from "../../src/generated/field-classes.js";
import * as schemas from "../../src/generated/schemas.js";
import { MainClient } from "../../src/index.js";
import { createSandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import { formatTwin, type Twin, type TwinProgress, takeTwin } from "../../src/twin/index.js";
import { refusal } from "../doctor/support.js";
import { amount, drawCases } from "../support/amount.js";
import { type Deviation, field, like, NOW, records, school, twinOf } from "./support.js";

test("a school of medium size takes at most 120 reads, as announced", async () => {
  const sandbox = createSandbox({ now: NOW, rateLimit: false });
  const told: TwinProgress[] = [];
  const twin = await takeTwin(new MainClient(sandbox), { onProgress: (progress) => told.push(progress) });
  const { length } = sandbox.requests;
  expect(new Set(sandbox.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  expect(length).toBeLessThanOrEqual(120);
  expect(Math.abs((told[0]?.expected ?? 0) - length)).toBeLessThanOrEqual(length * 0.05);
  expect(told.at(-1)?.requests).toBe(length);
  expect(formatTwin(twin).length).toBeLessThan(100_000);
});

// Reading all records of a school and of its twin's sandbox takes seconds.
test.each([1_000].slice(0, amount(0, 10)))(
  "the frequencies for %i people are those of the school, but for a step of five points by the records of the present",
  async (size) => {
    const client = new MainClient({ ...createSandbox({ now: NOW, rateLimit: false }), on: { drift: () => undefined } });
    const twin = await takeTwin(client);
    const whole = await takeTwin(client, { pages: 100 });
    const again = await takeTwin(like(twin, { size }).client, { pages: 100 });
    expect(again.counts.orders).toBe(size);
    expect([differingShares(whole, twin, 3), differingShares(whole, again, 5)]).toEqual([[], []]);
  },
);

// Kinds of values whose frequencies differ by more than some percentage points, in lists of up to a thousand records.
function differingShares(whole: Twin, other: Twin, points: number): string[] {
  const share = ({ most, ...others }: Twin["shape"][string][string] = { most: "" }, kind = "") => {
    const told = Object.values(others).map((value) => (typeof value === "number" ? value : 0));
    if (kind === most) return 100 - told.reduce((sum, value) => sum + value, 0);
    const { [kind]: own = 0 } = others;
    return typeof own === "number" ? own : 0;
  };
  const lists = Object.keys(whole.counts).filter((list) => !(Number(whole.counts[list]) > 1_000));
  return lists.flatMap((list) =>
    Object.entries(whole.shape[list] ?? {}).flatMap(([path, shape]) => {
      const { [path]: now } = other.shape[list] ?? {};
      const kinds = [...new Set([...Object.keys(shape), ...Object.keys(now ?? {}), shape.most, now?.most])];
      return kinds
        .filter((kind) => kind !== "most" && Math.abs(share(shape, kind) - share(now, kind)) > points)
        .map((kind) => `${list}.${path}: ${kind} ${share(shape, kind)} → ${share(now, kind)}`);
    }),
  );
}

test("a sandbox has the records of its twin under the same identifiers, and invents the requested number of people", async () => {
  const client = await school(field("courses", "name", "Our own course", 3));
  const twin = await twinOf(client);
  const { sandbox, client: own } = like(twin);
  expect((await own.courses.get(3)).name).toBe("Our own course");
  expect(formatTwin(await twinOf(client))).toBe(formatTwin(twin));
  expect(sandbox.store.users.count).toBe(60);
  expect(sandbox.store.orders.count).toBe(60);
  expect(sandbox.store.courses.count).toBe((await client.courses.list().toArray()).length);
  expect(like(twin, { size: 7 }).sandbox.store.users.count).toBe(7);
  const names = ({ store }: typeof sandbox) => store.users.filter(() => true).map((user) => user.last_name);
  expect(names(like(twin).sandbox)).toEqual(names(sandbox));
  expect(names(like(twin, { seed: 2 }).sandbox)).not.toEqual(names(sandbox));
  sandbox.store.users.update(1, { last_name: "Changed" });
  sandbox.reset();
  expect(sandbox.store.users.get(1)?.last_name).not.toBe("Changed");
});

test("records that the key cannot read are named, and the sandbox's defaults replace them", async () => {
  const closed = await school({
    answer: (response, _, { pathname }) =>
      /\/(orders|signup_questions|programs)$/.test(pathname) ? Response.json({}, { status: 403 }) : response,
  });
  const twin = await twinOf(closed);
  expect(twin.unread).toEqual({ orders: 403, programs: 403, signupQuestions: 403 });
  expect(twin.disabledFeatures).toEqual(["Programs"]);
  await expect(like(twin).client.programs.list().toArray()).rejects.toMatchObject({ status: 403 });
});

const from = (request: number, answer: () => Response): Deviation => {
  let left = request;
  return { answer: () => (--left > 0 ? undefined : answer()) };
};
const at = (path: RegExp, answer: () => Response): Deviation => ({
  answer: (_, __, { pathname, search }) => (path.test(pathname + search) ? answer() : undefined),
});
const PAGE = () => new Response("<p>Sign in</p>", { headers: { "content-type": "text/html" } });

test.each<readonly [string, Deviation]>([
  ["200 and no list", at(/\/leads/, () => Response.json({}))],
  ["200 and a page in place of the second page", at(/\/orders\?.*(cursor|page=)/, PAGE)],
  ["200 and a page in place of the fields", at(/\/signup_questions/, PAGE)],
  ["429 once", at(/\/leads/, () => refusal(429, {}, { "retry-after": "1" }))],
  ["401 from some request on", from(30, () => refusal(401))],
  ["403 from some request on, as the key was revoked", from(30, () => refusal(403))],
  ["404 from some request on, as the key was revoked", from(30, () => refusal(404))],
])("a service that responds with %s gives no twin", async (_, deviation) => {
  const client = await school({ ...deviation, options: { size: 110 } });
  await expect(takeTwin(client)).rejects.toThrow();
});

test.each<readonly [string, () => Response]>([
  ["a 429", () => refusal(429, {}, { "retry-after": "3" })],
  ["a 503", () => refusal(503)],
  [
    "a lost connection",
    () => {
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });
    },
  ],
])("reading continues after %s, whichever request gets it", async (_, fail) => {
  for (const number of [2, 30, 58]) {
    const sandbox = createSandbox({ now: NOW, rateLimit: false, size: 60, skipWaits: true });
    let requests = 0;
    const fetch: typeof sandbox.fetch = async (...request) =>
      ++requests === number ? fail() : sandbox.fetch(...request);
    const { counts } = await takeTwin(new MainClient({ ...sandbox, fetch, on: { drift: () => undefined } }));
    expect([counts.users, requests > number]).toEqual([60, true]);
  }
});

test("every record that stays is kept once, although others write and the clock is set", async () => {
  const sandbox = createSandbox({ now: NOW, rateLimit: false, size: 110 });
  const { users, courses, categories } = sandbox.store;
  const stayed = [...courses].map(({ id }) => id);
  let requests = 0;
  const set = () => (requests % 2 === 0 ? -1 : 1) * 86_400_000;
  const client = new MainClient({
    ...sandbox,
    clock: {
      now: () => sandbox.clock.now() + set(),
      steady: () => sandbox.clock.now(),
      setTimeout: (work, ms) => sandbox.clock.setTimeout(work, ms),
      clearTimeout: (timer) => sandbox.clock.clearTimeout(timer),
    },
    fetch: async (...request) => {
      const response = await sandbox.fetch(...request);
      users.delete(++requests);
      users.insert({});
      courses.insert({ name: `Made after ${requests} requests` });
      const [first] = categories;
      if (first) categories.update(first.id, { name: `Renamed after ${requests} requests` });
      return response;
    },
    on: { drift: () => undefined },
  });
  const { data, counts } = await twinOf(client);
  const ids = data.courses?.map(({ id }) => id) ?? [];
  expect(ids).toEqual([...new Set(ids)]);
  expect(ids).toEqual(expect.arrayContaining(stayed));
  expect(counts.users).toBe(110);
});

test("a failing service gives no twin, and a wrong option is refused before anything is sent", async () => {
  let left = 40;
  const failing = await school({ answer: () => (left-- > 0 ? undefined : Response.json({}, { status: 503 })) });
  await expect(takeTwin(failing)).rejects.toMatchObject({ status: 503 });
  await expect(takeTwin(failing, { pages: 0 })).rejects.toMatchObject({ name: "InputError" });
});

test("a file of another format is refused, and a file with too many records invents no more than the school has", async () => {
  const twin = await twinOf(await school());
  const { counts, data } = twin;
  const forms: readonly object[] = [
    { version: 99 },
    { shape: undefined },
    { shape: { users: null } },
    { shape: { users: { email: "text" } } },
    { shape: { users: { email: { most: "text", null: 1e9 } } } },
    { shape: { users: { email: { a: { b: {} } } } } },
    { counts: { ...counts, orders: -1 } },
    { counts: { ...counts, orders: "NaN" } },
    { data: { ...data, categories: { length: 1e9 } } },
    { data: { ...data, categories: [{ id: "x" }] } },
    { manners: { total: 1 } },
  ];
  for (const form of forms) {
    expect(() => createSandbox({ twin: { ...twin, ...form } as Twin }), JSON.stringify(form)).toThrow(
      "the option twin must be",
    );
  }
  const { store } = createSandbox({ twin: { ...twin, counts: { ...counts, leads: 1e12 } }, size: 1 });
  expect(store.leads.count).toBe(50);
});

const manners = (values: object, more: SandboxOptions = {}): Deviation => ({
  options: { manners: values, ...more } as SandboxOptions,
});
// Deviations of a school from the sandbox, one per row.
const DEVIATIONS: readonly (readonly [string, Deviation])[] = [
  ...Object.entries({
    order: ["newest first", "by name", "by updated_at"],
    total: ["with page numbers", "absent", "off by two"],
    links: ["relative"],
    relations: ["bare among others"],
    lastPage: ["has an empty next"],
    unknownFilters: ["ignored"],
    unreadableFilters: ["ignored"],
    arrays: ["repeated", "with brackets"],
    perPage: ["at most 50"],
    times: ["whole seconds", "an offset"],
    decimals: ["one place", "four places"],
    withoutKey: ["401", "404"],
    unknownKey: ["401", "404"],
    errors: ["an empty list", "no body", "HTML"],
    identifiers: ["large"],
    optionalFields: ["absent"],
    nullableFields: ["null"],
    newValues: ["some"],
    longNotes: ["some"],
  }).flatMap(([name, values]) =>
    values.map((value) => [`${name}: ${value}`, manners({ [name]: value }, { size: 110 })] as const),
  ),
  ["no programs", { options: { disabledFeatures: ["Programs"] } }],
  ["no custom objects", manners({ missingFlag: "404" }, { disabledFeatures: ["Custom objects"] })],
  ...["users", "accounts", "orders", "invoices", "leads", "courses"].flatMap((list) =>
    [undefined, null, 7].map((value) => [`${list}.updated_at ${value}`, field(list, "updated_at", value)] as const),
  ),
  ...[7, "Text", true, null, ["Text"], { name: "Text" }].map(
    (value) => [`a new field ${JSON.stringify(value)}`, field("enrollments", "mood", value, 2)] as const,
  ),
  ["a new status", field("invoices", "status", "in_dispute", 3)],
  ["users without addresses", records("users", ({ address: _, ...user }) => user)],
];

test("there are fifty deviations", () => expect(DEVIATIONS.length).toBeGreaterThanOrEqual(50));

test.each(drawCases(DEVIATIONS, 3))("doctor reports the same for the twin: %s", async (_, deviation) => {
  const client = await school(deviation);
  const { client: own } = like(await twinOf(client));
  const [theirs, ours] = [await doctor(client), await doctor(own)].map(({ findings }) =>
    findings.map(({ check, status }) => `${check}: ${status}`),
  );
  expect(ours).toEqual(theirs);
});

test("texts have the length of the school's, in the sandbox's own words", async () => {
  const name = "Van der Ipsum-Loremstein tot Dolorburg";
  const twin = await twinOf(await school(field("users", "last_name", name, 2)));
  expect(twin.shape.users?.last_name).toEqual({ most: "long text", text: 50 });
  const names = [...like(twin).sandbox.store.users].map((user) => String(user.last_name));
  expect(names.filter(({ length }) => length > 30).length).toBe(30);
  expect(JSON.stringify(names)).not.toContain("Dolorburg");
});

test("only enumerations that reveal nothing about a person keep their values", () => {
  const wrong = Object.entries(fieldClasses).flatMap(([name, { plain = "" }]) =>
    Object.entries(fieldsOf((schemas as unknown as Readonly<Record<string, Schema>>)[name]))
      .filter(([, schema]) => traitsOf(unwrap(schema)).kind === "enumeration")
      .filter(([path]) => !plain.split(" ").includes(path))
      .map(([path]) => `${name}.${path}`),
  );
  // Addresses are parts of other records, and the twin does not keep their values.
  expect(wrong.filter((path) => !/address/i.test(path))).toEqual([]);
});
