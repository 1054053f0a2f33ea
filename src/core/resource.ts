import { bindMethods } from "./bind-members.js";
import type { Call } from "./call/call.js";
import type { Pages } from "./lists/pages.js";
import {
  type Operation,
  type OperationInput,
  type OperationOutput,
  type OperationTable,
  rowNameOf,
} from "./operation.js";
import type { ListOptions, RequestOptions } from "./options.js";
import type { Transport } from "./transport.js";

// Not a member of the class: if it had a private or protected member, tests could not replace a resource with a fake.
const connections = /* @__PURE__ */ new WeakMap<Resource, Connection>();

interface Connection {
  readonly transport: Transport;
  readonly rows: OperationTable | undefined;
}

/** Base class of every resource: a group of operations on one transport. Methods of a resource also work detached. */
export abstract class Resource {
  /**
   * @param transport sends the requests; clients pass their own.
   * @param rows replace the table's rows of the same name, for an API that returns other fields.
   */
  constructor(transport: Transport, rows?: OperationTable) {
    connections.set(this, { transport, rows });
    bindMethods(this);
  }
}

/** Calls an operation of a resource that returns one record or nothing. */
export function call<Row extends Operation>(
  resource: Resource,
  row: Row,
  input: OperationInput<Row>,
  options?: RequestOptions,
): Call<OperationOutput<Row>> {
  return transportOf(resource).call(operationOf(resource, row), input, options);
}

/** Prepares a list of a resource; nothing is sent until it is awaited or iterated. */
export function pages<Row extends Operation>(
  resource: Resource,
  row: Row,
  input: OperationInput<Row>,
  options?: ListOptions,
): Pages<OperationOutput<Row>> {
  return transportOf(resource).pages(operationOf(resource, row), input, options);
}

export function transportOf(resource: Resource): Transport {
  return connectionOf(resource).transport;
}

/** The row that replaces the given row in this resource, or the given row itself. */
export function operationOf<Row extends Operation>(resource: Resource, row: Row): Row {
  const { rows } = connectionOf(resource);
  return (rows?.[rowNameOf(row.id)] as Row | undefined) ?? row;
}

// The entry always exists: methods are bound to the instance, which the constructor has registered.
function connectionOf(resource: Resource): Connection {
  return connections.get(resource) as Connection;
}
