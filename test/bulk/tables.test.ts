import { describe, expect, test } from "vitest";
import { fieldAt, flatten } from "../../src/bulk/fields.js";
import { apply, plan, rowsOf, undo } from "../../src/bulk/node.js";
import {
  operationsOf,
  recordSchema,
  rowsOf as rowsOfTable,
  stateOf,
  whyNoCreate,
  whyNoUpdate,
} from "../../src/bulk/target.js";
import { fieldsOf, traitsOf, unwrap } from "../../src/core/schema/traits.js";
import { AdminClient, MainClient, OrganizationClient } from "../../src/index.js";
import { allOperations, type Operation, Resource } from "../../src/operations.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import * as schemas from "../../src/schemas.js";
import { drawCases } from "../support/amount.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";

type AnyResource = Resource & { readonly list?: (...args: unknown[]) => AsyncIterable<Record<string, unknown>> };
type Values = Readonly<Record<string, unknown>>;

const OBJECT = { object_slug: "equipment" };
const FIELD = { object_type: "accounts", field_slug: "sector" };

function world(api: "main" | "admin"): { sandbox: Sandbox; client: MainClient | AdminClient } {
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  return { sandbox, client: api === "main" ? new MainClient(sandbox.main) : new AdminClient(sandbox.admin) };
}

function resources(client: object): [string, AnyResource][] {
  return Object.entries(client).filter((entry): entry is [string, AnyResource] => entry[1] instanceof Resource);
}

// Shared by the tests that only read the tables, because creating a sandbox takes time.
const clients = { main: world("main").client, admin: world("admin").client };
const resourceOf = ({ api, name }: { readonly api: "main" | "admin"; readonly name: string }) =>
  (clients[api] as unknown as Record<string, AnyResource>)[name] as AnyResource;

/** Every create, update and action of an API, each with its resource. */
function operations(api: "main" | "admin") {
  return resources(clients[api]).flatMap(([name, resource]) =>
    [...operationsOf(resource)].map(([method, row]) => ({ api, name, method, row })),
  );
}
const ALL = [...operations("main"), ...operations("admin")];
const once = <T extends { readonly row: Operation }>(all: readonly T[]) => {
  const seen = new Set<unknown>();
  return all.filter(({ row }) => !seen.has(row.body ?? row.id) && seen.add(row.body ?? row.id));
};
const ofThisDraw = (all: typeof ALL) => {
  const different = once(all);
  const tried = drawCases(different, Math.ceil(different.length / 6), different.length, ({ row }) => row.id);
  return tried.map((one) => [one.row.id, one.api, one] as const);
};
const ids = (all: readonly { readonly row: Operation }[]) => new Set(all.map(({ row }) => row.id));

const paramsOf = ({ path }: Operation): Values => {
  if (path.includes("object_slug")) return OBJECT;
  if (path.includes("field_slug")) return FIELD;
  return path.startsWith("planned_courses/{planned_course_id}/") ? { planned_course_id: 1 } : {};
};
const rowsFor = (one: (typeof ALL)[number]) =>
  rowsOfTable(operationsOf(resourceOf(one)), Object.keys(paramsOf(one.row)), undefined);

const creates = ALL.filter(({ row }) => row.method === "POST" && row.body && !row.idempotent);
const covered = creates.filter((one) => rowsFor(one).create === one.row && whyNoCreate(rowsFor(one), []) === null);
const updates = ALL.filter(({ method, row }) => method === "update" && row.method === "PUT");
const changed = updates.filter((one) => whyNoUpdate(rowsFor(one)) === null);
const actions = ALL.filter((one) => stateOf(rowsOfTable(operationsOf(resourceOf(one)), [], one.method)) !== null);

test("every operation of every resource is identified by its method", () => {
  const organization = new OrganizationClient({ baseUrl: "https://school.example", apiKey: "key" });
  const ofOrganization = resources(organization).flatMap(([, resource]) => [...operationsOf(resource).values()]);
  expect(new Set([...ALL.map(({ row }) => row), ...ofOrganization])).toEqual(new Set(allOperations));
});

test("every create, update and action is covered, except the listed ones", () => {
  const refused = [...ids(creates)].filter((id) => !ids(covered).has(id));
  expect(refused.sort()).toEqual([
    "comments.create",
    "emails.send",
    "grades.create",
    "labels.addToOrder",
    "orders.create",
    "payments.createForInvoice",
    "planningAttendees.create",
    "programEditions.createElements",
    "requiredTeacherGroupAttendees.create",
    "teachers.create",
    "webhooks.create",
  ]);
  expect([...ids(updates)].filter((id) => !ids(changed).has(id)).sort()).toEqual([
    "comments.update",
    "webhooks.update",
  ]);
  expect([...ids(actions)].sort()).toEqual([
    "enrollments.cancel",
    "invoices.open",
    "orders.approve",
    "orders.cancel",
    "orders.deny",
    "plannedCourses.cancel",
    "programEnrollments.cancel",
    "teachers.activate",
    "teachers.deactivate",
  ]);
});

test.each([
  ["orders.create", "custom.reference", null],
  [
    "orders.create",
    "customer_id",
    "two identical orders are legitimate; use a custom field as the key, such as custom.reference",
  ],
  ["invoiceVats.create", "custom.reference", "the key custom.reference cannot be both sent and read back"],
  ["users.create", "email", null],
  ["users.create", "with_authentication", "the key with_authentication cannot be both sent and read back"],
  ["grades.create", "id", "no list shows what was created"],
  ["orders.get", "id", "the service creates none"],
])("%s by the key %s: %s", (id, key, why) => {
  const one = ALL.find(({ row }) => row.id === id) as (typeof ALL)[number];
  const rows = rowsFor(one);
  expect(whyNoCreate(id.endsWith(".get") ? { ...rows, create: null } : rows, [key])).toBe(why);
});

test("the fields of updates that can be read back", () => {
  const all = once(changed).flatMap((one) => {
    const rows = rowsFor(one);
    return Object.keys(fieldsOf(one.row.body)).map((name) => ({
      name: `${one.row.id}.${name}`,
      read: fieldAt(one.row.body, recordSchema(rows), name)?.read ?? null,
    }));
  });
  const unread = all.filter(({ read }) => !read).map(({ name }) => name);
  expect(unread).toHaveLength(33);
  expect(all.length).toBeGreaterThan(3 * unread.length);
  expect(unread).toContain("users.update.with_authentication");
  expect(unread).toContain("plannedCourses.update.duration");
});

const factoryOf = (schema: unknown) =>
  Object.entries(schemas)
    .find(([, known]) => known === schema)?.[0]
    .replace(/Schema$/, "") ?? "";

function rowOf(sandbox: Sandbox, { row }: (typeof ALL)[number]): Values {
  const make = sandbox.make as unknown as Record<string, (given?: object) => Values>;
  const given = {
    ...("user_id" in fieldsOf(row.body) && { user_id: sandbox.store.users.insert({}).id }),
    ...("account_id" in fieldsOf(row.body) && { account_id: sandbox.store.accounts.insert({}).id }),
  };
  const body = make[factoryOf(row.body)]?.(given) ?? {};
  return JSON.parse(JSON.stringify(body)) as Values;
}

describe.each(ofThisDraw(covered))("%s of the %s API", (_, api, one) => {
  test("is planned, applied and undone", async () => {
    const at = testFolder();
    const { sandbox, client } = world(api);
    const resource = (client as unknown as Record<string, AnyResource>)[one.name] as AnyResource;
    const params = paramsOf(one.row);
    const rows = rowsFor(one);
    const body = rowOf(sandbox, one);
    const flat = flatten(body);
    const key = Object.keys(flat).filter((path) => {
      const kind = typeof flat[path];
      const field = fieldAt(one.row.body, rows.list?.response, path);
      return field?.read && !field.decimal && ["string", "number", "boolean"].includes(kind) && flat[path] !== "";
    });
    const options = { to: at("a.plan"), key: key as never, params: params as never };
    const summary = await plan(resource, [body], options);
    const first: unknown[] = [];
    for await (const { why } of rowsOf(at("a.plan"))) first.push(...why);
    expect(summary, JSON.stringify([body, first])).toMatchObject({ create: 1, refuse: 0 });
    const sent = sandbox.requests.length;
    const report = await apply(client as never, at("a.plan"));
    const whys: unknown[] = [];
    for await (const row of rowsOf(at("a.plan"))) whys.push(row);
    expect(report, JSON.stringify(whys)).toMatchObject({ created: 1, complete: true });
    expect(sandbox.requests.length - sent).toBe(summary.requests);
    // Planned again, the same rows find their records.
    expect(await plan(resource, [body], { ...options, to: at("b.plan"), update: false })).toMatchObject({ leave: 1 });
    const back = await undo(at("a.plan"), { to: at("back.plan"), creates: "delete" });
    // Without `created_at`, a record does not show whether it was created after its request.
    const isDated = "created_at" in fieldsOf(recordSchema(rows));
    if (!rows.delete || !isDated) expect(back).toMatchObject({ refuse: 1 });
    else expect(await apply(client as never, at("back.plan"))).toMatchObject({ deleted: 1, complete: true });
  });
});

// Custom fields of the seeded records.
const CUSTOM: Readonly<Record<string, string>> = {
  "accounts.update": "sector",
  "catalogProducts.update": "language",
  "courses.update": "language",
  "customRecords.update": "supplier",
  "users.update": "diet",
};

const VALUES: Readonly<Record<string, (now: unknown) => unknown>> = {
  boolean: (now) => now !== true,
  text: (now) => (/^-?\d+\.\d+$/.test(String(now)) ? "77.70" : "Another text"),
  number: () => 2,
};

describe.each(ofThisDraw(actions))("%s of the %s API", (_, api, one) => {
  test("is planned and applied, and cannot be undone", async () => {
    const at = testFolder();
    const { sandbox, client } = world(api);
    const resource = (client as unknown as Record<string, AnyResource>)[one.name] as AnyResource;
    if (one.row.id === "orders.approve") {
      const [free] = sandbox.store.catalogVariants.filter((variant) => Number(variant.available_places) > 2);
      sandbox.store.orders.insert({ status: "requested", catalog_variant_id: free?.id });
    }
    const all = await allOf(client, one, {});
    const rows = all.map(({ id }) => ({ id }));
    const options = { key: "id" as never, do: one.method as never };
    // All seeded teachers are active, so none can be activated.
    if (one.method === "activate")
      for (const { id } of rows) sandbox.store.teachers.update(id as number, { active: false });
    const summary = await plan(resource, rows, { ...options, to: at("a.plan") });
    expect(summary.update).toBeGreaterThan(0);
    const sent = sandbox.requests.length;
    expect(await failure(apply(client as never, at("a.plan")))).toMatchObject({ code: "input" });
    expect(sandbox.requests).toHaveLength(sent);
    const report = await apply(client as never, at("a.plan"), { irreversible: true, stopAfter: 1000 });
    expect(report.updated).toBeGreaterThan(0);
    const { failed, ignored, differing } = report;
    expect(report.updated + failed + report.unchanged + ignored).toBe(rows.length);
    // Opening an overdue invoice has no effect, so the run reads it again.
    if (one.row.id !== "invoices.open") expect(ignored).toBe(0);
    if (failed + ignored === 0) expect(sandbox.requests.length - sent).toBe(summary.requests);
    // A second plan contains the refused rows as updates again, and leaves the finished rows alone.
    const again = await plan(resource, rows, { ...options, to: at("b.plan") });
    const left = failed + ignored + differing;
    expect(again).toMatchObject({ update: left, leave: rows.length - left });
    expect(await failure(undo(at("a.plan"), { to: at("back.plan") }))).toMatchObject({ code: "input" });
  });
});

describe.each(ofThisDraw(changed))("%s of the %s API", (_, api, one) => {
  const rows = rowsFor(one);
  const schema = recordSchema(rows);
  const paths = Object.entries(fieldsOf(one.row.body)).flatMap(([name, field]) => {
    const { kind, ...traits } = traitsOf(unwrap(field)) as { kind: string; fields?: object };
    const slug = CUSTOM[one.row.id];
    if (kind === "record") return slug === undefined ? [] : [`${name}.${slug}`];
    return kind === "object" && traits.fields ? Object.keys(traits.fields).map((below) => `${name}.${below}`) : [name];
  });
  const comparable = paths.filter((path) => fieldAt(one.row.body, schema, path)?.read);
  test.each(comparable)("%s can be changed and restored", async (path) => {
    const at = testFolder();
    const { sandbox, client } = world(api);
    const resource = (client as unknown as Record<string, AnyResource>)[one.name] as AnyResource;
    const params = paramsOf(one.row);
    const field = fieldAt(one.row.body, schema, path);
    const record = await firstOf(client, one, params);
    const now = field?.read?.reduce<unknown>((value, name) => (value as Values | null)?.[name] ?? null, record);
    const others = await allOf(client, one, params);
    const seen = others.map((other) =>
      field?.read?.reduce<unknown>((at, name) => (at as Values | null)?.[name] ?? null, other),
    );
    const taken =
      VALID_VALUES[`${one.row.id} ${path}`]?.(sandbox, now) ??
      seen.find((other) => other !== null && String(other) !== String(now));
    const value = taken ?? newValue(field?.schema as never, now);
    const summary = await plan(resource, [{ id: record.id, [path]: value }], {
      to: at("a.plan"),
      key: "id" as never,
      params: params as never,
    });
    const why: unknown[] = [];
    for await (const row of rowsOf(at("a.plan"))) why.push(row);
    expect(summary, JSON.stringify(why)).toMatchObject({ update: 1 });
    const readFields = async () => {
      const found = await firstOf(client, one, params);
      return comparable.map((name) => [
        name,
        fieldAt(one.row.body, schema, name)?.read?.reduce<unknown>(
          (at, part) => (at as Values | null)?.[part] ?? null,
          found,
        ),
      ]);
    };
    const before = await readFields();
    const report = await apply(client as never, at("a.plan"), { sideEffects: FOLLOWS[`${one.row.id} ${path}`] });
    const done: unknown[] = [];
    for await (const row of rowsOf(at("a.plan"))) done.push(row);
    expect(report, JSON.stringify(done)).toMatchObject({ updated: 1, complete: true });
    expect(await readFields()).not.toEqual(before);
    const back = await undo(at("a.plan"), { to: at("back.plan") });
    expect(back).toMatchObject({ update: 1 });
    const again = { sideEffects: FOLLOWS[`${one.row.id} ${path}`] };
    expect(await apply(client as never, at("back.plan"), again)).toMatchObject({ updated: 1, complete: true });
    expect(await readFields()).toEqual(before);
  });
});

// Fields whose values the sandbox derives from a field that is sent.
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  "meetings.update meeting_location_id": ["planning_meeting_location_ids"],
};

// Values for fields that the service checks more strictly than the schema does.
const VALID_VALUES: Readonly<Record<string, (sandbox: Sandbox, now: unknown) => unknown>> = {
  "accounts.update email": () => "other@example.com",
  "users.update email": () => "other@example.com",
  "labels.update color": () => "#336699",
  "plannedCourses.update start_date": () => "2024-12-30",
  "programEditions.update start_date": () => "2024-12-30",
  "customFieldOptions.update value": () => "Another one",
  "grades.update gradeable_type": () => "Program::Enrollment",
  "meetings.update start_date_time": (_, now) => new Date(Date.parse(String(now)) + 60_000).toISOString(),
  "programElements.update planned_course_id": ({ store }, now) =>
    store.plannedCourses.insert({ course_id: store.plannedCourses.get(Number(now))?.course_id ?? 1 }).id,
  "tasks.update subject_id": () => 1,
};

async function allOf(client: object, { name, row }: (typeof ALL)[number], params: Values): Promise<Values[]> {
  const resource = (client as Record<string, AnyResource>)[name] as AnyResource;
  if (name === "grades")
    return [(await (resource as unknown as { get(id: number): Promise<Values> }).get(1)) as Values];
  const args = row.path.includes("object_slug") ? ["equipment"] : Object.keys(params).length > 0 ? [params] : [];
  const all: Values[] = [];
  for await (const record of resource.list?.(...args) ?? []) all.push(record);
  return all;
}

async function firstOf(...args: Parameters<typeof allOf>): Promise<Values> {
  const [one, two] = await allOf(...args);
  // The first user is an administrator. The service does not change an administrator's e-mail address.
  const first = args[1].name === "users" ? two : one;
  if (!first) throw new Error("the sandbox has no record");
  return first;
}

function newValue(schema: Parameters<typeof traitsOf>[0], now: unknown): unknown {
  const traits = traitsOf(unwrap(schema));
  if (traits.kind === "enumeration") return traits.values.find((value) => value !== now) ?? now;
  if (traits.kind === "array") return [];
  if (/^\d{4}-\d\d-\d\dT/.test(String(now))) return new Date(Date.parse(String(now)) + 60_000).toISOString();
  if (/^\d{4}-\d\d-\d\d$/.test(String(now)) || traits.kind === "converted") return "2031-03-04";
  if (traits.kind === "number" && typeof now === "number") return now === 1 ? 2 : 1;
  return VALUES[traits.kind]?.(now) ?? "Another text";
}
