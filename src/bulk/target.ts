import { buildRequest } from "../core/call/build-request.js";
import { inputError } from "../core/call/request.js";
import type { InputIssue } from "../core/error-details.js";
import { isEducationAdminError } from "../core/errors.js";
import { type Api, type Operation, type OperationTable, placeholders, resourceNameOf } from "../core/operation.js";
import { operationOf, Resource, transportOf } from "../core/resource.js";
import { fieldsOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import type { SchoolChecks } from "../core/school.js";
import type { Transport } from "../core/transport.js";
import { notesOf } from "../operations.js";
import { type Field, fieldAt, type Values } from "./fields.js";

export interface Target {
  readonly name: string;
  readonly api: Api;
  readonly transport: Transport;
  readonly params: Values;
  readonly rows: Rows;
  /** The target for records that no row names, if an action runs on them. */
  readonly missing?: Target;
}

/** The target of a row; for a record that no row of the source names, the target of the action on it. */
export function targetOfRow<T extends Pick<Target, "rows" | "missing">>(
  target: T,
  row: { readonly missing?: true },
): T {
  return row.missing && target.missing ? { ...target, ...target.missing } : target;
}

/** The operations of a resource that bulk writes use; null if the resource lacks one. */
export interface Rows {
  readonly list: Operation | null;
  readonly get: Operation | null;
  readonly create: Operation | null;
  readonly update: Operation | null;
  readonly delete: Operation | null;
  /** An operation that changes only the state of a record. */
  readonly action: Operation | null;
}

interface ResourceClass {
  readonly operations?: OperationTable;
}

/** Every operation of a client's resource, by the name of its method. */
export function operationsOf(resource: Resource): ReadonlyMap<string, Operation> {
  const rows = Object.entries(tableOf(resource.constructor as ResourceClass)).filter(([name]) => name in resource);
  return new Map(rows.map(([name, row]) => [name, operationOf(resource, row)]));
}

// Includes the operations of the base class: a class for one API lists only those that it adds or replaces.
function tableOf(resourceClass: ResourceClass): OperationTable {
  const { operations } = resourceClass;
  return operations ? { ...tableOf(Object.getPrototypeOf(resourceClass)), ...operations } : {};
}

/**
 * Prepares a resource for planning or applying.
 * @throws InputError if it is not a resource of a client.
 */
export function targetOf(
  resource: Resource,
  params: Values,
  action: string | undefined,
  what: string,
  missing?: string,
): Target {
  const transport = transportOrNull(resource);
  if (!transport) throw inputError(what, [{ path: "", message: "takes a resource of a client, such as client.users" }]);
  const all = operationsOf(resource);
  const [first] = all.values();
  if (!first) throw inputError(what, [{ path: "", message: "takes a resource with operations" }]);
  const rows = rowsOf(all, Object.keys(params), action);
  const [own = "main"] = [...all.values()].find(({ apis }) => apis.length === 1)?.apis ?? first.apis;
  const target = { name: resourceNameOf(first.id), api: own, transport, params, rows };
  if (missing === undefined || !isAction(missing)) return target;
  return { ...target, missing: { ...target, rows: rowsOf(all, Object.keys(params), missing) } };
}

// A Proxy of a resource passes `instanceof` but has no transport.
function transportOrNull(resource: unknown): Transport | null {
  try {
    return resource instanceof Resource ? transportOf(resource) : null;
  } catch {
    return null;
  }
}

/** Selects the operations of a resource that apply to rows with these path parameters. */
export function rowsOf(
  all: ReadonlyMap<string, Operation>,
  params: readonly string[],
  action: string | undefined,
): Rows {
  const rows = [...all.values()];
  const takesParams = (row: Operation, more: number) => {
    const names = placeholders(row);
    return names.length === params.length + more && params.every((name) => names.includes(name));
  };
  const findNamed = (name: string, method: string) =>
    rows.find((row) => row.id.endsWith(`.${name}`) && row.method === method && takesParams(row, 1)) ?? null;
  const isCreate = (row: Operation) => row.method === "POST" && row.body !== undefined && !row.idempotent;
  const create = rows.find((row) => isCreate(row) && takesParams(row, 0)) ?? null;
  const update = findNamed("update", "PUT");
  const get =
    rows.find((row) => row.method === "GET" && !row.paged && row.path.endsWith("}") && takesParams(row, 1)) ?? null;
  const shown = create?.response ?? get?.response;
  const lists = rows.filter((row) => row.paged !== undefined && (row.id.endsWith(".list") || row.response === shown));
  return {
    list: lists.find((row) => takesParams(row, 0)) ?? lists[0] ?? null,
    get,
    create,
    update,
    delete: findNamed("delete", "DELETE"),
    action: action === undefined ? null : (all.get(action) ?? null),
  };
}

/** True if `missing` names an action. */
export function isAction(what: string): boolean {
  return !["list", "update", "delete"].includes(what);
}

const REASONS: Readonly<Record<string, string>> = {
  "orders.create": "two identical orders are legitimate; use a custom field as the key, such as custom.reference",
  "payments.createForInvoice": "two identical payments are legitimate",
  "webhooks.create": "use ensureWebhook of education-admin-sdk/webhooks",
  "webhooks.update": "use ensureWebhook of education-admin-sdk/webhooks",
};

export function whyNoCreate({ create, list }: Rows, key: readonly string[]): string | null {
  if (!create) return "the service creates none";
  if (create.array) return "the service creates several records at once";
  if (!list) return "no list shows what was created";
  const reason = REASONS[create.id];
  if (reason && !(create.id === "orders.create" && key.some((path) => path.startsWith("custom.")))) return reason;
  const readable = Object.keys(fieldsOf(create.body)).filter((name) => fieldAt(create.body, list.response, name)?.read);
  if (readable.length === 0) return "no field that is sent can be read back, so none can be the key";
  const unread = key.find((path) => !fieldAt(create.body, list.response, path)?.read);
  return unread === undefined ? null : `the key ${unread} cannot be both sent and read back`;
}

export function whyNoUpdate({ update, get, list }: Rows): string | null {
  if (!update) return "the service cannot change these records";
  if (!get && !("id" in fieldsOf(list?.response))) return "no operation reads the record";
  return REASONS[update.id] ?? null;
}

/** The field and value that an action sets; null if its effect is not visible in any field. */
export function stateOf({ action, get, list }: Rows): { readonly field: string; readonly value: unknown } | null {
  if (!action || action.body || action.method === "GET" || !action.path.includes("}/")) return null;
  const verb = action.path.slice(action.path.lastIndexOf("/") + 1);
  const fields = fieldsOf((get ?? list)?.response);
  if ("active" in fields && /^(de)?activate$/.test(verb)) return { field: "active", value: verb === "activate" };
  const value = { cancel: "canceled", approve: "active", deny: "denied", open: "open" }[verb];
  for (const field of ["status", "state"]) {
    const traits = fields[field] && traitsOf(unwrap(fields[field]));
    if (value && traits?.kind === "enumeration" && traits.values.includes(value)) return { field, value };
  }
  return null;
}

export function paramsOf({ params }: Target, row: Operation, id: number): Values {
  const placeholder = placeholders(row).find((name) => !(name in params)) ?? "id";
  return { ...params, [placeholder]: id };
}

export function anyField({ rows }: Pick<Target, "rows">, path: string): Field | null {
  const schema = recordSchema(rows);
  return fieldAt(rows.update?.body, schema, path) ?? fieldAt(rows.create?.body, schema, path);
}

/**
 * An enumeration field that distinguishes kinds of records and that no request body contains; null for other fields.
 */
export function kindField({ rows }: Pick<Target, "rows">, path: string): Field | null {
  const schema = fieldsOf(recordSchema(rows))[path];
  if (!schema || traitsOf(unwrap(schema)).kind !== "enumeration") return null;
  return anyField({ rows }, path) ? null : { path, schema, read: [path], decimal: false };
}

/** The values that every new record has in fields that cannot be sent. */
export function madeAs({ rows: { create } }: Pick<Target, "rows">): Readonly<Record<string, string>> {
  return (create && notesOf(create).makes) ?? {};
}

export function recordSchema({ get, list }: Rows): Schema | undefined {
  return list?.response ?? get?.response;
}

/** Checks a body as the client does, and returns it in the form to send. Sends nothing. */
export function checkBody(
  { transport }: Target,
  row: Operation,
  params: Values,
  body: unknown,
): { readonly body: Values } | { readonly issues: readonly InputIssue[] } {
  try {
    const built = buildRequest(row, { params, body }, "repeat");
    (transport.settings as { readonly school?: SchoolChecks }).school?.check(built);
    return { body: built.body as Values };
  } catch (error) {
    if (isEducationAdminError(error, "input")) return { issues: error.issues };
    throw error;
  }
}
