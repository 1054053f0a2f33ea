// The sandbox that is compared with the model, and the model's initial records, which are read from the sandbox.
import type { MainClient } from "../../../src/index.js";
import type { createSandbox as CreateSandbox, Sandbox, SandboxData } from "../../../src/sandbox/index.js";
import { Model } from "./model.ts";
import { seenEnrollment, seenInvoice, seenOrder, seenPayment, seenPlannedCourse } from "./seen.ts";

/** The library under test: its sources, or the built package. */
export interface Library {
  readonly createSandbox: typeof CreateSandbox;
  readonly MainClient: typeof MainClient;
}

export interface ModelWorld {
  readonly sandbox: Sandbox;
  readonly main: MainClient;
  /** The events that were sent but have not been compared yet, such as `order.created 7`. */
  readonly events: string[];
  /** How often each operation was carried out or refused, such as `approve order: 422`. */
  readonly tally: Map<string, number>;
}

const NOW = "2030-06-01T12:00:00.000Z";

/** Sources of the initial records of a sequence: the seed, a snapshot, or the test. */
export type Beginning = "seeded" | "snapshot" | "own data";

// Records of the same kinds as the seeded ones, but in different quantities and currencies.
const GIVEN_DATA: SandboxData = {
  users: [{}, {}, {}, {}],
  accounts: [{ account_type: "personal", personal_user_id: 1 }, { name: "Example Ltd" }, {}, {}, {}, {}, {}, {}],
  plannedCourses: [
    { status: "planned", max_participants: 4 },
    { status: "active", currency: "GBP" },
    { status: "completed" },
  ],
  catalogVariants: [{ variantable_id: 1 }, { variantable_id: 2 }, { variantable_id: 3 }],
  orders: [
    {
      status: "active",
      planned_course_id: 1,
      cost_scheme: "student",
      cost: "50.00",
      items: [{ student_id: 2 }, { student_id: 3 }],
    },
    { status: "requested", planned_course_id: 2 },
    { status: "denied" },
  ],
  enrollments: [
    { order_id: 1, student_id: 2 },
    { order_id: 1, student_id: 3 },
    { planned_course_id: 3, student_id: 4 },
  ],
  invoices: [
    { order_id: 1, status: "paid" },
    { status: "open", items: [{ units: 2.5, unit_price: "10.01", invoice_vat_id: 2 }] },
    { status: "open", items: [{ units: -1, unit_price: "30.00" }] },
    { status: "concept" },
  ],
  payments: [{ invoice_id: 2, amount: "5.00" }],
};

/** A sandbox for many sequences: `begin` restores it and adds cases that the seeded records lack. */
export function modelWorld(
  { createSandbox, MainClient: Client }: Library,
  beginning: Beginning = "seeded",
): {
  begin(): { model: Model; real: ModelWorld };
} {
  const options = beginning === "own data" ? { empty: true, data: GIVEN_DATA } : { size: 12 };
  const sandbox = createSandbox({ ...options, now: NOW, rateLimit: false });
  const main = new Client({ ...sandbox.main, validation: "strict" });
  const world: ModelWorld = { sandbox, main, events: [], tally: new Map() };
  addRecords(sandbox);
  const snapshot = sandbox.snapshot();
  return {
    begin: () => {
      if (beginning === "snapshot") sandbox.restore(snapshot);
      else {
        sandbox.reset();
        addRecords(sandbox);
      }
      world.events.length = 0;
      sandbox.webhooks.subscribe({
        to: async (request) => {
          const { event, event_data } = (await request.json()) as { event: string; event_data: { id: number } };
          world.events.push(`${event} ${event_data.id}`);
          return new Response(null, { status: 204 });
        },
      });
      return { model: new Model(startOf(sandbox)), real: world };
    },
  };
}

// Adds variants with few places, without a limit, free of charge, and with a price that is yet to be decided; variants
// of a flexible and of a canceled planned course; a user without an account; and a denied order.
function addRecords({ store }: Sandbox): void {
  const course = (fields: Parameters<typeof store.plannedCourses.insert>[0]) =>
    store.plannedCourses.insert({ course_id: 1, ...fields }).id;
  const fixed = { type: "FixedPlannedCourse", start_date: "2030-09-01", end_date: "2030-09-15" } as const;
  const variants = [
    [course({ ...fixed, status: "planned", max_participants: 3 }), "student", "100.00"],
    [course({ ...fixed, status: "active", max_participants: null }), "order", "33.335"],
    [course({ ...fixed, status: "planned", max_participants: 1 }), "free", null],
    [course({ type: "FlexiblePlannedCourse", status: "active", max_participants: 5 }), "student", "0.01"],
    [course({ ...fixed, status: "planned", max_participants: null }), "tbd", null],
    [course({ ...fixed, status: "canceled", max_participants: null }), "student", "12.50"],
  ] as const;
  for (const [variantable_id, cost_scheme, cost] of variants) {
    const places = store.plannedCourses.get(variantable_id)?.max_participants ?? null;
    store.catalogVariants.insert({
      variantable_type: "PlannedCourse",
      variantable_id,
      available_places: places,
      cost_scheme,
      cost,
    });
  }
  store.users.insert({});
  store.orders.insert({ status: "denied" });
}

function startOf({ clock, store }: Sandbox): ConstructorParameters<typeof Model>[0] {
  const personalAccounts = [...store.accounts].filter(({ personal_user_id }) => personal_user_id !== null);
  return {
    now: clock.now(),
    orders: [...store.orders].map(seenOrder),
    invoices: [...store.invoices].map(seenInvoice),
    enrollments: [...store.enrollments].map(seenEnrollment),
    payments: [...store.payments].map(seenPayment),
    plannedCourses: [...store.plannedCourses].map(seenPlannedCourse),
    variants: [...store.catalogVariants].map(({ id, variantable_type, variantable_id, cost_scheme, cost }) => ({
      id,
      planned: variantable_type === "PlannedCourse" ? variantable_id : null,
      scheme: cost_scheme,
      cost,
    })),
    personalAccounts: new Map(personalAccounts.map(({ id, personal_user_id }) => [personal_user_id as number, id])),
    accounts: store.accounts.count,
    users: store.users.count,
    vatRates: new Map([...store.invoiceVats].map(({ id, percentage }) => [id, Number(percentage)])),
  };
}
