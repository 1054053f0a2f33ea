import type { Transport } from "./transport.js";

/** Base of every resource class: a group of operations on one transport. */
export abstract class Resource {
  readonly #transport: Transport;

  /** @param transport the road every request takes; clients pass their own. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The transport, for the methods of a resource. */
  protected get transport(): Transport {
    return this.#transport;
  }
}
