/**
 * The `./operations` entry: the tables that the clients, the sandbox and the documentation are made from, and the types
 * of their rows. Unstable: any release may change it.
 */

import type { Operation, OperationNotes, OperationTable } from "./core/operation.js";
import { tableNotes } from "./generated/notes.js";
import { organizationTables, providerTables } from "./generated/tables.js";

export type { Method } from "./core/method.js";
export type { Schema } from "./core/model.js";
export type {
  Api,
  Operation,
  OperationInput,
  OperationNotes,
  OperationOutput,
  OperationRow,
  OperationTable,
} from "./core/operation.js";
export { Resource } from "./core/resource.js";
export { Transport } from "./core/transport.js";
export type { OperationId } from "./generated/operation-id.js";

/**
 * The tables of every resource: those of the Main and the Admin API, then the Organization API's. Where Main and Admin
 * differ in more than presence, the resource has a second table whose rows have the same ids but other `apis`. Unstable.
 */
export const operationTables: readonly OperationTable[] = /* @__PURE__ */ providerTables.concat(organizationTables);

/** Every row of every table. An id occurs once per API: twice where the rows of Main and Admin differ. Unstable. */
export const allOperations: readonly Operation[] = /* @__PURE__ */ operationTables.flatMap((table) =>
  Object.values(table),
);

/** What documentation says about a row beyond what a client needs: scopes, deprecation, notes. Unstable. */
export function notesOf(row: Operation): OperationNotes {
  for (const [table, notes] of tableNotes) {
    for (const [name, candidate] of Object.entries(table)) {
      if (candidate === row) return { ...notes["*"], ...notes[name] };
    }
  }
  return {};
}
