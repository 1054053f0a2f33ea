/**
 * The `./operations` entry: the tables that the clients, the sandbox and the documentation are made from, and the types
 * of their rows. Unstable: a minor release may change it.
 */

import { InputError } from "./core/errors.js";
import type { Api, Operation, OperationNotes, OperationTable } from "./core/operation.js";
import { scopesIn } from "./core/operation.js";
import { tableNotes } from "./generated/notes.js";
import type { OperationId } from "./generated/operation-id.js";
import { organizationTables, providerTables } from "./generated/tables.js";

export type { Method } from "./core/method.js";
export type {
  Api,
  FeatureFlag,
  Operation,
  OperationInput,
  OperationNotes,
  OperationOutput,
  OperationRow,
  OperationTable,
  Scopes,
} from "./core/operation.js";
export { Resource } from "./core/resource.js";
export type { Schema } from "./core/schema/model.js";
export type { InputOf, OutputOf } from "./core/schema/traits.js";
export type { OperationId } from "./generated/operation-id.js";
export { inputSchemaOf, type JsonSchema } from "./input-schemas.js";
export { type ClientParts, ClientTransport as Transport } from "./lookups/client-transport.js";

/**
 * The tables of every resource: those of the Main and the Admin API, then the Organization API's. If an operation
 * exists in Main and Admin but differs, the resource has a second table whose rows have the same ids but other `apis`.
 * Unstable.
 */
export const operationTables: readonly OperationTable[] = /* @__PURE__ */ providerTables.concat(organizationTables);

/** Every row of every table. An id occurs once per API: twice where the rows of Main and Admin differ. Unstable. */
export const allOperations: readonly Operation[] = /* @__PURE__ */ operationTables.flatMap((table) =>
  Object.values(table),
);

/**
 * The scopes that an integration must request to call these operations, sorted and without duplicates. If one of
 * several scopes is enough, the first is returned. Operations that any token may call, and those whose scopes are not
 * documented, add none.
 * @param api the API whose keys the integration uses; the APIs require different scopes in a few places. Default
 * `main`.
 * @throws InputError when there is no such operation in that API.
 * @example
 * scopesOf(["invoices.list", "accounts.get"]); // ["invoices:read", "relations:read"]
 */
export function scopesOf(operations: readonly OperationId[], api: Api = "main"): string[] {
  const needed = operations.flatMap((id) => {
    const row = allOperations.find(
      ({ id: name, apis }) => name === id && (apis.includes(api) || apis.includes("organization")),
    );
    if (!row) throw new InputError(`scopesOf: the ${api} API has no operation ${JSON.stringify(id)}`, []);
    const scopes = scopesIn(row, api) ?? [];
    return row.anyScope ? scopes.slice(0, 1) : scopes;
  });
  return [...new Set(needed)].sort();
}

let notes: ReadonlyMap<Operation, OperationNotes> | undefined;

/** Documentation of a row beyond the facts that a client needs: deprecation, notes. Unstable. */
export function notesOf(row: Operation): OperationNotes {
  notes ??= new Map(
    tableNotes.flatMap(([table, noted]) =>
      Object.entries(table).map(([name, each]) => [each, { ...noted["*"], ...noted[name] }] as const),
    ),
  );
  return { ...notes.get(row) };
}
