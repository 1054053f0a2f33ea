import { BulkError } from "../bulk/errors.js";
import { apply } from "../bulk/node-apply.js";
import { once } from "../bulk/node-once.js";
import { rowsOf } from "../bulk/node-state.js";
import type { MainClient } from "../clients/main.js";
import { NotFoundError, UnprocessableEntityError } from "../core/errors.js";
import { acceptAny, flag, type OptionTable, whole } from "../core/option-checks.js";
import type { CatalogVariant } from "../resources/catalog/catalog-variants.js";
import type { Order } from "../resources/finance/orders.js";
import type { UserCreate } from "../resources/people/users.js";
import {
  type ActOptions,
  checkAct,
  digestOf,
  isBegun,
  isConfirmed,
  isMarked,
  placeOf,
  planWhole,
  readList,
  readOne,
  refusal,
  withKept,
} from "./node-act.js";

/** The people to enroll, the planned course, and the payer. */
export interface Enrolling {
  readonly plannedCourse: number;
  /** The account that pays for all, in one order. Default: each person's own account, with one order per person. */
  readonly account?: number | undefined;
  /** Identifiers of users, or rows with an e-mail address: users who do not exist are created. */
  readonly people: readonly (number | UserCreate)[];
  /** False to leave the orders waiting for approval. Default true. */
  readonly approve?: boolean | undefined;
}

/** The outcome for one person. */
export interface Enrolled {
  /** The user's identifier; null for a new person if the act was not confirmed. */
  readonly student: number | null;
  /**
   * `enrolled`, or `waiting` for approval, as a result of this call; `was enrolled` or `was waiting` before it;
   * `refused` by the service; `twice` if somebody else enrolled the person too: cancel one of the two; `open` if the
   * act was not confirmed.
   */
  readonly outcome: "enrolled" | "waiting" | "was enrolled" | "was waiting" | "refused" | "twice" | "open";
  /** The orders that hold the person's places. */
  readonly orders: readonly number[];
  /** Why the service refused the order. */
  readonly why?: string;
}

type Client = Pick<MainClient, "catalogVariants" | "enrollments" | "orders" | "plannedCourses" | "users">;

const ENROLLING: OptionTable<Enrolling> = {
  plannedCourse: [whole(1)],
  account: [whole(1)],
  people: [acceptAny],
  approve: [flag],
};

const NOT_ORDERED = new Error("no further order is sent");

interface Placed {
  readonly isWaiting: boolean;
  readonly order: number | null;
}

/**
 * Enrolls people in a planned course, each once: finds or creates them by e-mail address, and orders places for those
 * who have none. To continue an interrupted call, repeat it with the same people.
 * @throws InputError if the course cannot be ordered or is canceled, a user does not exist, a row is refused, or too
 * few places are left (those in waiting orders count as taken); no order is sent then. The errors of `apply` and
 * `once`.
 * @example
 * for (const { student, outcome } of await enroll(client, { plannedCourse: 1, people: [7] })) console.log(student, outcome);
 */
export async function enroll(
  client: Client,
  enrolling: Enrolling,
  options: ActOptions = {},
): Promise<readonly Enrolled[]> {
  checkAct("enroll", enrolling, ENROLLING, options);
  const { plannedCourse, account, people, approve = true } = enrolling;
  const { settleMs, signal } = options;
  const fail = (path: string, message: string) => refusal("enroll", path, message);
  if (!Array.isArray(people)) throw fail("people", "must be an array");
  if (people.length === 0) throw fail("people", "names nobody");
  const wrong = people.find((one) => typeof one === "number" && !(Number.isSafeInteger(one) && one > 0));
  // Checked here: the service might refuse the identifier only after orders for other people were sent.
  if (wrong !== undefined) throw fail("people", `names ${wrong}: an identifier is a positive whole number`);
  const rows = people.filter((one) => typeof one !== "number");
  const sold = client.catalogVariants.list({ variantable_type: "planned_course", variantable_id: plannedCourse });
  const isOfCourse = (one: CatalogVariant) =>
    one.variantable_id === plannedCourse && one.variantable_type === "PlannedCourse";
  const variant = (await readList("catalogVariants.list", sold)).find(isOfCourse);
  if (!variant) throw fail("plannedCourse", `${plannedCourse} cannot be ordered: no catalog variant offers it`);
  const usersPlan = placeOf(options, `enroll-${plannedCourse}-${digestOf(rows)}.users`);
  if (rows.length > 0 && !(await isBegun(usersPlan)))
    await planWhole("enroll", client.users, rows, { to: usersPlan, key: "email", update: false });
  const found: (number | null)[] = [];
  if (rows.length > 0) for await (const { id } of rowsOf(usersPlan)) found.push(id);
  const known = [
    ...new Set([...people.filter((one) => typeof one === "number"), ...found.filter((id) => id !== null)]),
  ];
  const isNew = found.filter((id) => id === null).length;
  const before = await placesIn(client, plannedCourse, variant.id);
  const placeless = known.filter((id) => !before.has(id));
  const wanted = placeless.length + isNew;
  if (
    wanted > 0 &&
    (await readOne("plannedCourses.get", plannedCourse, client.plannedCourses.get(plannedCourse))).status === "canceled"
  )
    throw fail("plannedCourse", `${plannedCourse} is canceled`);
  for (const id of placeless.filter((one) => people.includes(one))) {
    try {
      await client.users.get(id);
    } catch (error) {
      if (error instanceof NotFoundError) throw fail("people", `names ${id}, who does not exist in the service`);
      throw error;
    }
  }
  const waiting = [...before.values()].flat().filter(({ isWaiting }) => isWaiting).length;
  const { available_places: free } = variant;
  const left = free === null ? Number.POSITIVE_INFINITY : Math.max(0, free - waiting);
  if (wanted > left) {
    const held = free && waiting ? `: orders that wait for approval hold ${free - left} of ${free}` : "";
    throw fail("people", `need more places (${wanted}) than planned course ${plannedCourse} has left (${left})${held}`);
  }
  const payer = account === undefined ? "their own accounts" : `account ${account}`;
  const steps = [
    ...(isNew > 0 ? [`create users: ${isNew}`] : []),
    ...(wanted > 0 ? [`order places in "${variant.name}" for ${payer}: ${wanted}`] : []),
  ];
  if (!(await isConfirmed(options, steps))) {
    const open = [...known, ...Array<null>(isNew).fill(null)];
    return open.map((student) => ({ student, outcome: "open", orders: [] }));
  }
  if (rows.length > 0) {
    const { complete } = await apply(client as MainClient, usersPlan, { settleMs, signal });
    if (!complete)
      throw new BulkError(
        "stopped",
        "enroll: some users could not be created. To see which, read the plan whose name ends in .users: rowsOf(plan). To continue, look for these users in the service, remove the plan and call again: users who exist are found by their e-mail address",
      );
    for await (const { id } of rowsOf(usersPlan)) if (id !== null && !known.includes(id)) known.push(id);
  }
  const refused = new Map<number, string>();
  const markOf = (group: readonly number[]) =>
    placeOf(options, `enroll-${plannedCourse}-${digestOf([...group].sort())}.ordering`);
  const orderFor = async (group: readonly number[], order?: () => PromiseLike<unknown>): Promise<void> => {
    let student_ids: readonly number[] = group;
    try {
      // Each group has its own mark of an order under way: the next group's order would remove a shared one.
      await once<true>(markOf(group), {
        settleMs,
        signal,
        async find() {
          const placed = await placesIn(client, plannedCourse, variant.id);
          student_ids = group.filter((student) => !placed.has(student));
          return student_ids.length === 0 ? true : null;
        },
        make:
          order ??
          (() =>
            client.orders.create(
              {
                catalog_variant_id: variant.id,
                account_id: account,
                creator_id: student_ids[0] as number,
                student_ids,
                approve,
              },
              { signal },
            )),
      });
    } catch (error) {
      if (!(error instanceof UnprocessableEntityError)) throw error;
      for (const student of student_ids) refused.set(student, error.message);
    }
  };
  if (account === undefined) for (const one of known) await orderFor([one]);
  else {
    const group = placeOf(options, `enroll-${plannedCourse}-for-${account}.people`);
    await withKept<readonly number[], void>(group, "enroll", async (kept, keep) => {
      // The service may still carry out an interrupted order for other people: waits for it, but sends nothing.
      const isOther = kept !== null && kept.length > 0 && digestOf(kept) !== digestOf(known);
      if (isOther && (await isMarked(markOf(kept), "enroll")))
        await orderFor(kept, () => Promise.reject(NOT_ORDERED)).catch((error: unknown) => {
          if (error !== NOT_ORDERED) throw error;
        });
      await keep(known);
      await orderFor(known);
      await keep([]);
    });
  }
  const after = await placesIn(client, plannedCourse, variant.id);
  return known.map((student) => {
    const places = after.get(student) ?? [];
    const orders = [...new Set(places.flatMap(({ order }) => order ?? []))];
    const why = refused.get(student);
    if (places.length === 0) return { student, outcome: "refused", orders, why: why ?? "the service shows no place" };
    if (places.length > 1 && !before.has(student)) return { student, outcome: "twice", orders };
    const state = places[0]?.isWaiting ? "waiting" : "enrolled";
    return { student, outcome: before.has(student) ? `was ${state}` : state, orders } as const;
  });
}

// Reads orders first: an order that is approved between the two reads is then found as enrollments.
async function placesIn(
  client: Client,
  plannedCourse: number,
  catalog_variant_id: number,
): Promise<Map<number, Placed[]>> {
  const places = new Map<number, Placed[]>();
  const add = (student: number, place: Placed) => {
    const all = places.get(student) ?? [];
    if (!all.some(({ order }) => order !== null && order === place.order)) places.set(student, [...all, place]);
  };
  // The Main API may ignore the filter, so orders are also checked here.
  const isWaiting = (order: Order) => order.status === "requested" && order.catalog_variant_id === catalog_variant_id;
  for (const order of await readList("orders.list", client.orders.list({ catalog_variant_id }))) {
    const { id } = order;
    if (!isWaiting(order)) continue;
    for (const { student_id } of (await readOne("orders.get", id, client.orders.get(id))).order_items ?? [])
      add(student_id, { isWaiting: true, order: id });
  }
  const list = client.enrollments.list({ planned_course_id: plannedCourse });
  for (const { student_id, status, order_id, planned_course_id } of await readList("enrollments.list", list))
    if (status !== "canceled" && planned_course_id === plannedCourse)
      add(student_id, { isWaiting: false, order: order_id });
  return places;
}
