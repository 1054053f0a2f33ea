import type { ClientOptions } from "../core/options.js";
import { Transport, type TransportParts } from "../core/transport.js";
import { ClientLookups } from "./client-lookups.js";
import type { LookupParts } from "./context.js";

/** The parts of a client that its transport uses. @hidden */
export interface ClientParts extends LookupParts, Pick<TransportParts, "routed"> {}

const NO_PARTS: ClientParts = { operations: () => [], references: async () => () => null };

/** A transport with lookups: all requests of a client or a resource go through it. @hidden */
export class ClientTransport extends Transport {
  /** @throws ConfigurationError naming the option that is wrong. */
  constructor(options: ClientOptions, parts: ClientParts = NO_PARTS) {
    super(options, {
      routed: parts.routed,
      lookups: (transport, settings) => new ClientLookups(parts, transport, settings),
    });
  }
}
