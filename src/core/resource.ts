import { bindMethods } from "./bind-members.js";
import type { Transport } from "./transport.js";

// Not a member: a private or protected one would make every resource a type that only its own class can have, and tests
// could not put a fake in its place.
const transports = /* @__PURE__ */ new WeakMap<Resource, Transport>();

/** Base of every resource class: a group of operations on one transport. Its methods also work detached. */
export abstract class Resource {
  /** @param transport what sends the requests; clients pass their own. */
  constructor(transport: Transport) {
    transports.set(this, transport);
    bindMethods(this);
  }
}

/** The transport that a resource was made with. */
export function transportOf(resource: Resource): Transport {
  // The constructor sets it, and methods are bound to what it made.
  return transports.get(resource) as Transport;
}
