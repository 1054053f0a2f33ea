import type { Observers, OperationEvent } from "./events.js";
import { printable } from "./printable.js";

/** Where log lines are written: `console`, or a logger with the same methods. */
export interface Logger {
  /** Requests and pages; only at the level `debug`. */
  debug(line: string): void;
  /** Responses and waits for the rate limit. */
  info(line: string): void;
  /** Failures, retries, differences from schemas, deprecations. */
  warn(line: string): void;
}

export const LEVELS = {
  request: "debug",
  page: "debug",
  response: "info",
  wait: "info",
  retry: "warn",
  failure: "warn",
  drift: "warn",
  deprecated: "warn",
} as const satisfies Readonly<Record<keyof Observers, keyof Logger>>;

/**
 * Makes observers that log a client's events, one line per event. No line contains a key, a value of a query or body,
 * or the data of a record. In Node, the environment variable `EDUCATION_ADMIN_LOG=info` or `debug` logs all clients of
 * the process to standard error.
 * @param level `debug` adds requests and pages. Default `info`.
 * @example
 * const school = new MainClient({ ...sandbox, on: logTo(console) });
 * await school.accounts.get(7); // education-admin-sdk response accounts.get GET accounts/{id} attempt=1 status=200 …
 */
export function logTo(logger: Logger, level: "info" | "debug" = "info"): Observers {
  const logged = Object.entries(LEVELS).filter(([, its]) => its !== "debug" || level === "debug");
  const observers = logged.map(([name, its]) => [name, (event: OperationEvent) => logger[its](lineOf(name, event))]);
  return Object.fromEntries(observers) as Observers;
}

function lineOf(name: string, { operation, method, path, ...more }: OperationEvent): string {
  const values = Object.entries(more).filter(([key, value]) => value !== null && key !== "checkpoint");
  const words = values.map(
    ([key, value]: [string, unknown]) => `${key}=${value instanceof Date ? value.toISOString() : value}`,
  );
  // The operation name of a raw request already contains the method and the path.
  const where = operation.startsWith(method) ? [] : [method, path];
  return printable(["education-admin-sdk", name, operation, ...where, ...words].join(" "));
}
