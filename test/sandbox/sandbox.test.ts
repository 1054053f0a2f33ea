import { build } from "esbuild";
import { describe, expect, expectTypeOf, test } from "vitest";
import { MainClient, OrganizationClient } from "../../src/index.js";
import { type Collection, createSandbox, type Given } from "../../src/sandbox/index.js";
import { type Account, type Invoice, LeadStatus } from "../../src/schemas.js";
import { ask, ids } from "./support.js";

describe("a sandbox", () => {
  test("creates clients", async () => {
    const sandbox = createSandbox();
    const client = new MainClient(sandbox);
    expect((await client.accounts.list()).records).toHaveLength(100);
    expect((await client.organization.contacts.list({ per_page: 1 })).records).toHaveLength(1);
    expect((await new OrganizationClient(sandbox).courseEditions.list({ per_page: 2 })).records).toHaveLength(2);
  });

  test("has a unique address and unique keys, so that tests do not share a rate budget", () => {
    const sandboxes = Array.from({ length: 50 }, () => createSandbox());
    expect(new Set(sandboxes.map(({ baseUrl }) => baseUrl)).size).toBe(50);
    expect(new Set(sandboxes.flatMap(({ apiKey, main, admin }) => [apiKey, main.apiKey, admin.apiKey])).size).toBe(150);
    expect(new URL(sandboxes[0]?.baseUrl as string).hostname).toMatch(/\.example$/);
  });

  test("accepts the caller's address and key", async () => {
    const sandbox = createSandbox({ baseUrl: "https://school.example/", apiKey: "my-key", size: 5 });
    expect(sandbox).toMatchObject({ baseUrl: "https://school.example", apiKey: "my-key" });
    expect((await new MainClient(sandbox).accounts.get(5)).id).toBe(5);
  });

  test("refuses an unknown option, with the most similar known name", () => {
    const make = () => createSandbox({ sise: 3 } as never);
    expect(make).toThrow(RangeError);
    expect(make).toThrow('createSandbox: the option sise is unknown; did you mean "size"?');
    expect(createSandbox({ sise: undefined } as never).store.accounts.count).toBe(1_000);
  });

  test("uses the paths of the option routes, like a client", async () => {
    const routes = {
      "accounts.get": { path: "relations/{id}/account" },
      "enrollments.cancel": { method: "POST" as const },
    };
    const sandbox = createSandbox({ size: 5, routes });
    const client = new MainClient({ ...sandbox, routes });
    expect((await client.accounts.get(3)).id).toBe(3);
    expect((await client.enrollments.cancel(3)).status).toBe("canceled");
    expect((await ask(sandbox, "api/v1/accounts/3")).status).toBe(404);
    expect(() => createSandbox({ routes: { "accounts.nothing": { path: "x" } } })).toThrow(RangeError);
  });

  test("refuses options out of range", () => {
    for (const options of [
      { size: 0 },
      { size: 1.5 },
      { size: 10_000_001 },
      { seed: 0.5 },
      { rateLimit: { requests: 0 } },
    ]) {
      expect(() => createSandbox(options)).toThrow(RangeError);
    }
  });

  test("needs nothing from Node in its main entry point", async () => {
    const bundle = await build({
      entryPoints: ["src/sandbox/index.ts"],
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "browser",
    });
    const imports = Object.values(bundle.metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path));
    expect(imports.filter((path) => path.startsWith("node:"))).toEqual([]);
  });
});

describe("seeded data", () => {
  test("is the same for one seed, on any day, and differs for another", async () => {
    const read = async (seed: number, now: string) => {
      const sandbox = createSandbox({ seed, size: 50, now });
      return Promise.all(
        ["accounts", "invoices", "enrollments", "leads"].map(
          async (name) => (await ask(sandbox, `api/v1/${name}?per_page=50`)).body,
        ),
      );
    };
    const one = await read(7, "2026-01-01T00:00:00.000Z");
    expect(await read(7, "2026-01-04T22:59:59.999Z")).toEqual(one);
    expect(await read(8, "2026-01-01T00:00:00.000Z")).not.toEqual(one);
  });

  test("is consistent: every reference leads to a record", () => {
    const { store } = createSandbox({ size: 120, seed: 11 });
    for (const invoice of store.invoices) {
      expect(invoice.account_name).toBe(store.accounts.get(invoice.account_id)?.name);
      const order = invoice.order_id === null ? null : store.orders.get(invoice.order_id);
      expect(order?.number ?? null).toBe(invoice.order_number);
      expect(store.payments.filter(({ invoice_id }) => invoice_id === invoice.id)).toEqual(invoice.payments);
      const paid = (invoice.payments ?? []).reduce((sum, payment) => sum + Number(payment.amount), 0);
      expect((Number(invoice.total_incl) - paid).toFixed(2)).toBe(invoice.total_open);
      expect(invoice.status === "paid").toBe(invoice.total_open === "0.00");
    }
    for (const order of store.orders) {
      const enrolled = store.enrollments.filter(({ order_id }) => order_id === order.id);
      const invoices = store.invoices.filter(({ order_id }) => order_id === order.id);
      expect(order.order_items?.length).toBe(order.number_of_students);
      for (const { student_id } of order.order_items ?? []) expect(store.users.get(student_id)).toBeDefined();
      // Order 14 and every fiftieth after it have no invoice yet.
      const invoiced = order.id % 50 === 14 ? 0 : 1;
      if (order.status === "active")
        expect([invoices.length, enrolled.length]).toEqual([invoiced, order.number_of_students]);
      if (order.status === "requested" || order.status === "denied") expect([...invoices, ...enrolled]).toEqual([]);
      for (const [at, { planned_course_id, student_id, status }] of enrolled.entries()) {
        expect([planned_course_id, student_id]).toEqual([order.planned_course_id, order.order_items?.[at]?.student_id]);
        if (order.status === "canceled") expect(status).toBe("canceled");
      }
      for (const { account_id, total_incl, status } of invoices) {
        expect([account_id, total_incl]).toEqual([order.account_id, order.total_cost_incl]);
        if (order.status === "canceled") expect(status).not.toBe("concept");
      }
    }
    for (const planned of store.plannedCourses) {
      const waiting = store.orders.filter((row) => row.status === "requested" && row.planned_course_id === planned.id);
      const students = waiting.reduce((sum, { number_of_students }) => sum + number_of_students, 0);
      expect(planned.requested_enrollments_count).toBe(students);
    }
    for (const enrollment of store.enrollments) {
      const planned = store.plannedCourses.get(enrollment.planned_course_id);
      expect(store.courses.get(planned?.course_id as number)).toBeDefined();
      expect(store.users.get(enrollment.student_id)).toBeDefined();
      if (enrollment.grade) expect(store.grades.get(enrollment.grade.id)).toEqual(enrollment.grade);
    }
    for (const attendance of store.attendances) {
      const meeting = store.meetings.get(attendance.meeting_id);
      expect(meeting?.planned_course_id).toBe(store.enrollments.get(attendance.enrollment_id)?.planned_course_id);
    }
    for (const variant of store.catalogVariants) expect(store.catalogProducts.get(variant.product_id)).toBeDefined();
    for (const product of store.catalogProducts) expect(store.categories.get(product.category_id)).toBeDefined();
    for (const meeting of store.meetings) {
      if (meeting.meeting_location_id !== null)
        expect(store.meetingLocations.get(meeting.meeting_location_id)).toBeDefined();
    }
    for (const edition of store.organization.programEditions) expect(edition.program_template_name).toMatch(/Program$/);
    for (const account of store.accounts) {
      const users = store.affiliations.filter(({ account_id }) => account_id === account.id);
      expect([account.id, users.length]).toEqual([account.id, account.users_count]);
      expect(users.some(({ key_contact }) => key_contact)).toBe(
        account.account_type === "business" && account.id % 50 !== 4,
      );
      for (const label of account.label_ids) expect(store.labels.get(label)?.model_type).toBe("Account");
    }
    for (const category of store.categories) {
      const inIt = <T extends { category_id: number }>(records: Iterable<T>) =>
        [...records].filter((each) => each.category_id === category.id).length;
      expect(inIt(store.courses)).toBe(category.courses_count);
      expect(inIt(store.catalogProducts)).toBe(category.products_count);
      expect([...store.categories].filter(({ parent_id }) => parent_id === category.id)).toHaveLength(
        category.children_count,
      );
    }
  });

  test("has every status of invoices, enrollments and leads", () => {
    const { store } = createSandbox({ size: 200 });
    const statuses = (records: Iterable<{ status: string }>) =>
      [...new Set([...records].map(({ status }) => status))].sort();
    expect(statuses(store.invoices)).toEqual(["concept", "expired", "open", "paid"]);
    expect(statuses(store.enrollments)).toEqual(["active", "canceled", "completed", "confirmed"]);
    expect(statuses(store.leads)).toEqual([...LeadStatus.values].sort());
    expect(statuses(store.organization.courseEditions)).toEqual(["active", "canceled", "completed", "planned"]);
  });

  test("belongs to no one: every address ends in example.com or example.org", () => {
    const { store } = createSandbox({ size: 300 });
    const text = JSON.stringify([
      ...store.users,
      ...store.accounts,
      ...store.leads,
      ...store.authentications,
      ...store.educators,
    ]);
    const addresses = text.match(/[\w.-]+@[\w.-]*\w/g) ?? [];
    expect(addresses.length).toBeGreaterThan(500);
    expect(addresses.filter((address) => !/@example\.(com|org)$/.test(address))).toEqual([]);
  });

  test("has from one to millions of people without storing them", async () => {
    for (const size of [1, 10]) {
      const tiny = createSandbox({ size });
      expect(ids((await ask(tiny, "api/v1/invoices?per_page=100")).body)).toHaveLength(size);
      for (const name of Object.keys(tiny.store).filter((key) => key !== "organization")) {
        JSON.stringify([...((tiny.store as unknown as Record<string, Iterable<unknown>>)[name] as Iterable<unknown>)]);
      }
    }
    const before = process.memoryUsage().heapUsed;
    // If each record took a hundred bytes, this sandbox would take 500 MB.
    const huge = createSandbox({ size: 5_000_000 });
    expect(huge.store.accounts.count).toBe(5_000_000);
    expect(huge.store.accounts.at(4_999_999)?.id).toBe(5_000_000);
    expect((await ask(huge, "api/v1/invoices/4999999")).body).toMatchObject({ id: 4_999_999 });
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000);
  });
});

describe("the store", () => {
  test("has types for each resource", () => {
    const { store } = createSandbox({ size: 5 });
    expectTypeOf(store.accounts).toEqualTypeOf<Collection<Account>>();
    expectTypeOf(store.invoices.get(1)).toEqualTypeOf<Invoice | undefined>();
    expectTypeOf(store.invoices.insert).parameter(0).toEqualTypeOf<Given<Invoice> | undefined>();
  });

  test("writes records that the APIs return", async () => {
    const sandbox = createSandbox({ size: 5 });
    const client = new MainClient({ ...sandbox, validation: "strict" });
    const added = sandbox.store.invoices.insert({ status: "open", account_name: "Example Ltd" });
    expect(await client.invoices.get(added.id)).toEqual(added);
    sandbox.store.users.update(2, { last_name: "Renamed" });
    expect((await client.organization.contacts.list()).records[1]).toMatchObject({ id: 2, last_name: "Renamed" });
    expect(sandbox.store.invoices.delete(1)).toBe(true);
    expect(ids((await client.invoices.list()).records)).toEqual([2, 3, 4, 5, 6]);
  });

  test("returns copies, so that changing one changes nothing", () => {
    const { store } = createSandbox({ size: 5 });
    store.accounts.update(1, { name: "Kept" });
    const copy = store.accounts.get(1) as Account;
    copy.name = "Changed";
    copy.label_ids.push(99);
    expect(store.accounts.get(1)).toMatchObject({ name: "Kept" });
    expect(store.accounts.get(1)?.label_ids).not.toContain(99);
  });

  test("finds, filters and counts, and distinguishes positions from identifiers", () => {
    const { accounts } = createSandbox({ size: 10 }).store;
    accounts.delete(2);
    expect(accounts.delete(2)).toBe(false);
    expect(accounts.update(2, { name: "x" })).toBeUndefined();
    expect([accounts.count, accounts.at(1)?.id, accounts.at(9), accounts.get(2)]).toEqual([9, 3, undefined, undefined]);
    expect(accounts.find(({ account_type }) => account_type === "business")?.id).toBe(1);
    expect(ids(accounts.filter(({ account_type }) => account_type === "business"))).toEqual([1, 4, 6, 9]);
    expect(accounts.insert({ id: 500 }).id).toBe(500);
    expect(accounts.insert().id).toBe(501);
    expect(() => accounts.insert({ id: 500 })).toThrow(RangeError);
    accounts.delete(500);
    for (const id of [2, 500]) expect(accounts.insert({ id, name: "Back" })).toMatchObject({ id, name: "Back" });
    expect(ids([...accounts])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 500, 501]);
  });

  test("is seeded again by reset, which clears requests, faults, time and subscriptions", async () => {
    const sandbox = createSandbox({ size: 5, now: "2030-01-01T00:00:00.000Z", rateLimit: { requests: 2 } });
    const before = await ask(sandbox, "api/v1/accounts");
    sandbox.store.accounts.insert({ name: "Gone" });
    sandbox.store.accounts.delete(1);
    sandbox.faults.next({ status: 500 });
    sandbox.webhooks.subscribe({ to: () => new Response() });
    await sandbox.clock.advance(3_600_000);
    sandbox.reset();
    expect(sandbox.requests).toEqual([]);
    expect(sandbox.clock.now()).toBe(Date.parse("2030-01-01T00:00:00.000Z"));
    expect((await ask(sandbox, "api/v1/accounts")).body).toEqual(before.body);
    expect((await ask(sandbox, "api/v1/accounts")).status).toBe(200);
    sandbox.store.accounts.update(1, { name: "x" });
    await sandbox.webhooks.settled();
    expect(sandbox.webhooks.deliveries).toEqual([]);
  });
});

describe("a reset collection", () => {
  test("drops the added records, and its sorted pages start again", async () => {
    const sandbox = createSandbox({ size: 5 });
    const { accounts } = sandbox.store;
    accounts.insert({ id: 500, name: "Added" });
    const list = "api/v1/catalog/products?sort=position:asc&per_page=2";
    const before = (await ask(sandbox, list)).body;
    sandbox.store.catalogProducts.update(2, { position: 0 });
    expect(ids((await ask(sandbox, list)).body)[0]).toBe(2);
    sandbox.reset();
    expect(accounts.get(500)).toBeUndefined();
    expect(accounts.update(500, { name: "x" })).toBeUndefined();
    expect(accounts.insert({ id: 500 }).id).toBe(500);
    expect(ids([...accounts])).toEqual([1, 2, 3, 4, 5, 500]);
    expect((await ask(sandbox, list)).body).toEqual(before);
  });
});

describe("requests", () => {
  test("have requests and responses, but never the key", async () => {
    const sandbox = createSandbox({ size: 5 });
    const client = new MainClient(sandbox);
    const started = sandbox.clock.now();
    await client.accounts.list({ search: "x", per_page: 2 });
    await client.accounts.create({ name: "Example Ltd" });
    await client.accounts.get(99).then(undefined, () => undefined);
    await ask(sandbox, "api/v1/nothing", { method: "POST", body: "not json" });
    expect(sandbox.requests).toEqual([
      {
        operation: "accounts.list",
        method: "GET",
        path: "/api/v1/accounts",
        query: expect.arrayContaining([
          ["search", "x"],
          ["per_page", "2"],
        ]),
        body: null,
        status: 200,
        at: expect.any(Number),
      },
      {
        operation: "accounts.create",
        method: "POST",
        path: "/api/v1/accounts",
        query: [],
        body: { name: "Example Ltd" },
        status: 201,
        at: expect.any(Number),
      },
      {
        operation: "accounts.get",
        method: "GET",
        path: "/api/v1/accounts/99",
        query: [],
        body: null,
        status: 404,
        at: expect.any(Number),
      },
      {
        operation: null,
        method: "POST",
        path: "/api/v1/nothing",
        query: [],
        body: "not json",
        status: 404,
        at: expect.any(Number),
      },
    ]);
    expect(sandbox.requests[0]?.at).toBeGreaterThanOrEqual(started);
    expect(JSON.stringify(sandbox.requests)).not.toContain(sandbox.apiKey);
  });

  test("are passed to onRequest one by one; its errors have no effect", async () => {
    const seen: unknown[] = [];
    const sandbox = createSandbox({
      size: 5,
      onRequest: (request) => {
        seen.push(request.status);
        throw new Error("observer");
      },
    });
    await ask(sandbox, "api/v1/accounts");
    await ask(sandbox, "api/v1/accounts/77");
    expect(seen).toEqual([200, 404]);
  });

  test("have a different request id each", async () => {
    const sandbox = createSandbox({ size: 5 });
    const answers = await Promise.all([1, 2, 3].map(() => ask(sandbox, "api/v1/accounts")));
    expect(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size).toBe(3);
  });
});
