import { describe, expect, test } from "vitest";
import { AdminClient, MainClient, type Order, UnprocessableEntityError } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { eventsOf, ids } from "./support.js";

const NOW = "2030-06-01T12:00:00.000Z";

interface World {
  readonly sandbox: Sandbox;
  readonly main: MainClient;
  readonly admin: AdminClient;
  /** Adds a variant of a planned course with this capacity; by default it costs 100.00 per student. */
  variant(
    places: number | null,
    price?: { cost: string | null; cost_scheme: "student" | "order" | "tbd" | "free" },
  ): number;
}

function world(): World {
  const sandbox = createSandbox({ size: 40, now: NOW });
  const { catalogVariants, plannedCourses } = sandbox.store;
  return {
    sandbox,
    main: new MainClient({ ...sandbox.main, validation: "strict" }),
    admin: new AdminClient({ ...sandbox.admin, validation: "strict" }),
    variant: (places, price = { cost: "100.00", cost_scheme: "student" }) => {
      const { id } = plannedCourses.insert({ status: "planned", max_participants: places, start_date: "2030-09-01" });
      return catalogVariants.insert({
        variantable_type: "PlannedCourse",
        variantable_id: id,
        available_places: places,
        ...price,
      }).id;
    },
  };
}

async function refusal(call: PromiseLike<unknown>): Promise<unknown> {
  const error = await Promise.resolve(call).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UnprocessableEntityError);
  return (error as UnprocessableEntityError).errors;
}

/** The enrollments and invoices of an order. */
function effects({ store }: Sandbox, order: Pick<Order, "id">) {
  return {
    enrollments: store.enrollments.filter(({ order_id }) => order_id === order.id),
    invoices: store.invoices.filter(({ order_id }) => order_id === order.id),
  };
}

describe("a new order", () => {
  test("waits for approval, takes no places and has the price in the catalog", async () => {
    const { sandbox, main, variant } = world();
    const catalog_variant_id = variant(3);
    const order = await main.orders.create({ catalog_variant_id, creator_id: 7, student_ids: [7, 1], label_ids: [] });
    const planned = sandbox.store.catalogVariants.get(catalog_variant_id)?.variantable_id as number;
    expect(order).toMatchObject({
      id: 41,
      number: 1041,
      status: "requested",
      number_of_students: 2,
      origin: "api",
      cost: "100.00",
      cost_scheme: "student",
      total_cost_excl: "200.00",
      total_cost_incl: "242.00",
      creator_id: 7,
      planned_course_id: planned,
      label_ids: [],
    });
    expect(order.order_items?.map(({ student_id }) => student_id)).toEqual([7, 1]);
    expect(effects(sandbox, order)).toEqual({ enrollments: [], invoices: [] });
    expect(sandbox.store.catalogVariants.get(catalog_variant_id)?.available_places).toBe(3);
    expect(sandbox.store.plannedCourses.get(planned)).toMatchObject({
      current_participants: 0,
      requested_enrollments_count: 2,
    });
    expect(await main.orders.get(order.id)).toEqual(order);
  });

  test("belongs to the given account, else to the creator's personal account, which is created if missing", async () => {
    const { sandbox, main, admin, variant } = world();
    const order = { catalog_variant_id: variant(null), student_ids: [7] };
    const personal = sandbox.store.accounts.find(({ personal_user_id }) => personal_user_id === 7);
    expect((await main.orders.create({ ...order, creator_id: 7 })).account_id).toBe(personal?.id);
    expect((await main.orders.create({ ...order, creator_id: 7, account_id: 1 })).account_id).toBe(1);
    const user = await admin.users.create({ first_name: "Sample", last_name: "User", email: "sample@example.com" });
    const { account_id } = await main.orders.create({ ...order, creator_id: user.id });
    expect(sandbox.store.accounts.get(account_id)).toMatchObject({
      account_type: "personal",
      personal_user_id: user.id,
      name: "Sample User",
      users_count: 1,
    });
    expect((await main.orders.create({ ...order, creator_id: user.id })).account_id).toBe(account_id);
  });

  test.each([
    ["student", "33.335", 3, "100.01", "121.01"],
    ["order", "33.335", 3, "33.34", "40.34"],
    ["free", "5.00", 1, "0.00", "0.00"],
    ["tbd", "5.00", 1, null, null],
  ] as const)(
    "charged by %s at %s for %i students costs %s, with VAT %s",
    async (cost_scheme, cost, count, excl, incl) => {
      const { main, variant } = world();
      const student_ids = [1, 2, 3].slice(0, count);
      const order = await main.orders.create({
        catalog_variant_id: variant(null),
        creator_id: 7,
        student_ids,
        cost_scheme,
        cost,
      });
      expect([order.total_cost_excl, order.total_cost_incl]).toEqual([excl, incl]);
      expect(order.cost).toBe(cost_scheme === "free" || cost_scheme === "tbd" ? null : cost);
    },
  );

  test("is refused for unknown records, a planned course of another variant, and a variant without a price", async () => {
    const { sandbox, main, variant } = world();
    const events = eventsOf(sandbox, ["order.*", "account.*"]);
    const catalog_variant_id = variant(null, { cost: null, cost_scheme: "free" });
    const order = { catalog_variant_id, creator_id: 7, student_ids: [7] };
    const missing = ["refers to a record that does not exist"];
    expect(await refusal(main.orders.create({ ...order, student_ids: [7, 999] }))).toEqual({ student_ids: missing });
    expect(await refusal(main.orders.create({ ...order, creator_id: 999 }))).toEqual({ creator_id: missing });
    expect(await refusal(main.orders.create({ ...order, planned_course_id: 1 }))).toEqual({
      planned_course_id: ["is not the planned course of catalog_variant_id"],
    });
    expect(await refusal(main.orders.create({ ...order, cost_scheme: "order" }))).toEqual({
      cost: ["is required when cost_scheme is order"],
    });
    await sandbox.webhooks.settled();
    expect(events).toEqual([]);
    expect(sandbox.store.orders.count).toBe(40);
  });
});

describe("an approved order", () => {
  test("is active, enrolls its students, takes their places and has a concept invoice", async () => {
    const { sandbox, main, variant } = world();
    const catalog_variant_id = variant(5);
    const { id } = await main.orders.create({ catalog_variant_id, creator_id: 7, student_ids: [7, 1] });
    const events = eventsOf(sandbox, ["*"]);
    await sandbox.clock.advance(60_000);
    const order = await main.orders.approve(id);
    expect(order).toMatchObject({ status: "active", updated_at: "2030-06-01T12:01:00.000Z" });
    const { enrollments, invoices } = effects(sandbox, order);
    expect(enrollments.map(({ student_id }) => student_id)).toEqual([7, 1]);
    for (const enrollment of enrollments) {
      expect(enrollment).toMatchObject({
        status: "confirmed",
        planned_course_id: order.planned_course_id,
        start_date: "2030-09-01",
        grade: null,
      });
    }
    const [invoice] = invoices;
    expect(await main.invoices.get(invoice?.id as number)).toMatchObject({
      status: "concept",
      number: null,
      order_number: order.number,
      account_id: order.account_id,
      total_excl: "200.00",
      total_incl: "242.00",
      total_open: "242.00",
      invoice_items: [{ units: 2, unit_price: "100.00", catalog_variant_id, invoice_vat_id: 1 }],
    });
    expect(sandbox.store.catalogVariants.get(catalog_variant_id)).toMatchObject({
      available_places: 3,
      availability: "limited_availability",
    });
    expect(await main.plannedCourses.get(order.planned_course_id as number)).toMatchObject({
      current_participants: 2,
      requested_enrollments_count: 0,
    });
    await sandbox.webhooks.settled();
    expect(events).toEqual([
      `order.updated ${id}`,
      `order.approved ${id}`,
      ...ids(enrollments).map((enrollment) => `enrollment.created ${enrollment}`),
      `invoice.created ${invoice?.id}`,
    ]);
  });

  test("is active at once with approve: true, and approving it again changes nothing", async () => {
    const { sandbox, main, variant } = world();
    const events = eventsOf(sandbox, ["order.*"]);
    const body = { catalog_variant_id: variant(1), creator_id: 7, student_ids: [7], approve: true };
    const order = await main.orders.create(body);
    expect(order.status).toBe("active");
    const before = effects(sandbox, order);
    expect(before.enrollments).toHaveLength(1);
    expect(await main.orders.approve(order.id)).toEqual(order);
    expect(effects(sandbox, order)).toEqual(before);
    await sandbox.webhooks.settled();
    expect(events).toEqual(["order.created 41", "order.updated 41", "order.approved 41"]);
  });

  test.each(["free", "tbd"] as const)("with the cost scheme %s it has no invoice", async (cost_scheme) => {
    const { sandbox, main, variant } = world();
    const catalog_variant_id = variant(1, { cost: null, cost_scheme });
    const order = await main.orders.create({ catalog_variant_id, creator_id: 7, student_ids: [7], approve: true });
    const { enrollments, invoices } = effects(sandbox, order);
    expect([enrollments.length, invoices.length]).toEqual([1, 0]);
  });

  test("is refused without enough places or for a canceled planned course, and creates nothing", async () => {
    const { sandbox, main, variant } = world();
    const catalog_variant_id = variant(1);
    const order = { catalog_variant_id, creator_id: 7, student_ids: [7, 1] };
    const errors = { catalog_variant_id: ["has too few places left: 1 of the 2 needed"] };
    expect(await refusal(main.orders.create({ ...order, approve: true }))).toEqual(errors);
    expect(sandbox.store.orders.count).toBe(40);
    const requested = await main.orders.create(order);
    expect(await refusal(main.orders.approve(requested.id))).toEqual(errors);
    expect(await main.orders.get(requested.id)).toEqual(requested);
    await main.plannedCourses.cancel(requested.planned_course_id as number);
    const single = await main.orders.create({ ...order, student_ids: [1] });
    expect(await refusal(main.orders.approve(single.id))).toEqual({
      catalog_variant_id: ["belongs to a canceled planned course"],
    });
    expect(effects(sandbox, requested)).toEqual({ enrollments: [], invoices: [] });
  });

  test("of a program edition has an invoice and no enrollments", async () => {
    const { sandbox, main } = world();
    const variant = sandbox.store.catalogVariants.find(
      ({ variantable_type }) => variantable_type === "Program::Edition",
    );
    const order = await main.orders.create({
      catalog_variant_id: variant?.id as number,
      creator_id: 7,
      student_ids: [7],
      approve: true,
    });
    expect(order.planned_course_id).toBeNull();
    const { enrollments, invoices } = effects(sandbox, order);
    expect([enrollments.length, invoices.length]).toEqual([0, 1]);
  });
});

describe("a canceled order", () => {
  test("cancels its enrollments, frees their places and loses its concept invoice", async () => {
    const { sandbox, main, variant } = world();
    const catalog_variant_id = variant(2);
    const body = { catalog_variant_id, creator_id: 7, student_ids: [7, 1], approve: true };
    const order = await main.orders.create(body);
    const { enrollments, invoices } = effects(sandbox, order);
    expect(sandbox.store.catalogVariants.get(catalog_variant_id)?.availability).toBe("not_available");
    await main.enrollments.cancel(enrollments[0]?.id as number);
    expect(sandbox.store.catalogVariants.get(catalog_variant_id)?.available_places).toBe(1);
    const events = eventsOf(sandbox, ["*"]);
    const canceled = await main.orders.cancel(order.id);
    expect(canceled.status).toBe("canceled");
    expect(effects(sandbox, order).enrollments.map(({ status }) => status)).toEqual(["canceled", "canceled"]);
    expect(effects(sandbox, order).invoices).toEqual([]);
    expect(sandbox.store.catalogVariants.get(catalog_variant_id)?.available_places).toBe(2);
    await sandbox.webhooks.settled();
    expect(events).toEqual([
      `order.updated ${order.id}`,
      `order.canceled ${order.id}`,
      `enrollment.updated ${enrollments[1]?.id}`,
      `invoice.deleted ${invoices[0]?.id}`,
    ]);
    expect(await main.orders.cancel(order.id)).toEqual(canceled);
  });

  test("keeps an invoice that was opened", async () => {
    const { sandbox, main, variant } = world();
    const body = { catalog_variant_id: variant(2), creator_id: 7, student_ids: [7], approve: true };
    const order = await main.orders.create(body);
    const opened = await main.invoices.open(effects(sandbox, order).invoices[0]?.id as number);
    await main.orders.cancel(order.id);
    expect(await main.invoices.get(opened.id)).toEqual(opened);
  });
});

describe("a denied order", () => {
  test("was in status requested; no other order can be denied", async () => {
    const { sandbox, main, variant } = world();
    const events = eventsOf(sandbox, ["*"]);
    const order = await main.orders.create({ catalog_variant_id: variant(2), creator_id: 7, student_ids: [7] });
    expect(await main.orders.deny(order.id)).toBeUndefined();
    expect((await main.orders.get(order.id)).status).toBe("denied");
    const again = { status: ["is denied, so the order cannot be denied"] };
    expect(await refusal(main.orders.deny(order.id))).toEqual(again);
    expect(await refusal(main.orders.approve(order.id))).toEqual({
      status: ["is denied, so the order cannot be approved"],
    });
    expect(await refusal(main.orders.cancel(order.id))).toEqual({
      status: ["is denied, so the order cannot be canceled"],
    });
    const active = await main.orders.create({
      catalog_variant_id: variant(2),
      creator_id: 7,
      student_ids: [7],
      approve: true,
    });
    expect(await refusal(main.orders.deny(active.id))).toEqual({
      status: ["is active, so the order cannot be denied"],
    });
    await sandbox.webhooks.settled();
    expect(events.filter((event) => event.endsWith(` ${order.id}`) && event.startsWith("order."))).toEqual([
      `order.created ${order.id}`,
      `order.updated ${order.id}`,
      `order.denied ${order.id}`,
    ]);
  });
});
