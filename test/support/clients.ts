import type { ClientOptions } from "../../src/index.js";
import { AdminClient, MainClient } from "../../src/index.js";

let clients = 0;

/** Options of a client with a unique token, so that tests share no request budget. */
export function options(more: ClientOptions = {}): ClientOptions {
  return {
    baseUrl: "https://school.example",
    apiKey: `key-of-client-${++clients}`,
    retry: { backoffLimit: 2 },
    ...more,
  };
}

/** A client of the Main API. */
export function mainClient(more: ClientOptions = {}): MainClient {
  return new MainClient(options(more));
}

/** A client of the Admin API. */
export function adminClient(more: ClientOptions = {}): AdminClient {
  return new AdminClient(options(more));
}
