import { bindMethods } from "./bind-members.js";
import type { Transport } from "./transport.js";

/** Base of every resource class: a group of operations on one transport. Its methods also work detached. */
export abstract class Resource {
  readonly #transport: Transport;

  /** @param transport what sends the requests; clients pass their own. */
  constructor(transport: Transport) {
    this.#transport = transport;
    bindMethods(this);
  }

  /** The transport, for the methods of a resource. */
  protected get transport(): Transport {
    return this.#transport;
  }
}
