import { ConfigurationError } from "../core/errors.js";
import { operationsIn } from "../core/inside-client.js";
import { nearestName } from "../core/nearest-name.js";
import { type Operation, placeholders, resourceNameOf } from "../core/operation.js";
import { fieldsOf, traitsOf, unwrap } from "../core/schema/traits.js";
import { allOperations, notesOf } from "../operations.js";
import { type Columns, columnsOf, tableOf } from "./columns.js";

/** The parent list of a list, such as the users for the authentications of each user. */
export interface ParentPlan {
  readonly list: ListPlan;
  /** The parent's field that appears in the path: `id` or `slug`. */
  readonly field: string;
  /** The name of the path parameter, such as `user_id`. */
  readonly parameter: string;
}

export interface ListPlan {
  /** The resource's name in the client, such as `plannedCourses` or `organization.contacts`. */
  readonly name: string;
  readonly table: string;
  readonly row: Operation;
  /** The filters that make the list include the most records. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The operation that reads one record; null if the service has none. */
  readonly get: Operation | null;
  readonly parent: ParentPlan | null;
  readonly columns: Columns;
  readonly hasTextId: boolean;
}

export function plansOf(client: object): ReadonlyMap<string, ListPlan> {
  const rows = operationsIn(client).filter(({ paged }) => paged !== undefined);
  const plans = new Map<string, ListPlan>();
  // Parent lists come first, because the plan of a list below a parent refers to the parent's plan.
  for (const row of rows.sort((a, b) => placeholders(a).length - placeholders(b).length)) {
    const name = resourceNameOf(row.id);
    const plan = plans.has(name) ? null : planOf(name, row, plans);
    if (plan) plans.set(name, plan);
  }
  return plans;
}

/**
 * The plans of the requested lists, parents first.
 * @throws ConfigurationError for a list that the client does not have or that cannot be mirrored.
 */
export function selectPlans(
  all: ReadonlyMap<string, ListPlan>,
  names: readonly string[] | "flat" | undefined,
): ListPlan[] {
  if (names === undefined) return [...all.values()];
  if (names === "flat") return [...all.values()].filter(({ parent }) => parent === null);
  const chosen = new Set<ListPlan>();
  for (const name of names) {
    const plan = all.get(name);
    if (!plan) {
      const near = nearestName(name, [...all.keys()]);
      const hint =
        near === null ? `its lists are ${[...all.keys()].join(", ")}` : `did you mean ${JSON.stringify(near)}?`;
      throw new ConfigurationError(
        `Mirror: this client has no list ${JSON.stringify(name)} whose records have identifiers; ${hint}`,
      );
    }
    if (plan.parent) chosen.add(plan.parent.list);
    chosen.add(plan);
  }
  return [...chosen].sort((a, b) => Number(a.parent !== null) - Number(b.parent !== null));
}

function planOf(name: string, row: Operation, plans: ReadonlyMap<string, ListPlan>): ListPlan | null {
  const { id } = fieldsOf(row.response);
  const parent = placeholders(row).length === 0 ? null : parentOf(row, plans);
  if (!id || (placeholders(row).length > 0 && !parent)) return null;
  return {
    name,
    table: tableOf(name),
    row,
    query: notesOf(row).widest ?? {},
    get: getOf(name, row),
    parent,
    columns: columnsOf(row.response),
    hasTextId: traitsOf(unwrap(id)).kind !== "number",
  };
}

// Finds the parent list: `users`, whose records have an `id`, for `users/{user_id}/authentications`.
function parentOf(row: Operation, plans: ReadonlyMap<string, ListPlan>): ParentPlan | null {
  const [, above = "", parameter = ""] = /^([^{]+)\/\{(\w+)\}\/[^{]+$/.exec(row.path) ?? [];
  const list = [...plans.values()].find(
    (plan) => plan.row.path === above && plan.row.apis.some((api) => row.apis.includes(api)),
  );
  const field = parameter.slice(parameter.lastIndexOf("_") + 1);
  return list && field in fieldsOf(list.row.response) ? { list, field, parameter } : null;
}

function getOf(name: string, list: Operation): Operation | null {
  const found = allOperations.find(
    ({ id, apis, method, paged }) =>
      id === `${name}.get` && method === "GET" && !paged && list.apis.every((api) => apis.includes(api)),
  );
  // An operation without an identifier in its path, such as the provider's, reads no record of a list.
  return found && placeholders(found).length > 0 && found.path.endsWith("}") ? found : null;
}
