import type { Api, Operation } from "./operation.js";
import type { Settings } from "./settings.js";
import type { Transport } from "./transport.js";

// Members that the class of a client protects: they are for the entries that are given a client, not for its users.
interface Inside {
  readonly transport: Transport;
  readonly api: Api;
  readonly operations: readonly Operation[];
}

/** The transport of a client. */
export function transportIn(client: object): Transport {
  return (client as Inside).transport;
}

/** The options of a client as they are in force: all of them, where its transport shows some. */
export function settingsIn(client: object): Settings {
  return transportIn(client).settings as unknown as Settings;
}

/** The API that a client speaks. */
export function apiOf(client: object): Api {
  return (client as Inside).api;
}

/** The operations of a client's API, and those of the Organization API, which every client reaches. */
export function operationsIn(client: object): readonly Operation[] {
  return (client as Inside).operations;
}
