import { ConfigurationError } from "../core/errors.js";
import { METHODS } from "../core/method.js";
import { type Operation, placeholders } from "../core/operation.js";
import { configurationError, didYouMean, group, type Names } from "../core/option-checks.js";
import type { RouteOverride } from "../core/options.js";

const ROUTE_OPTIONS: Names<RouteOverride> = { method: 1, path: 1 };

/**
 * Applies the `routes` option to the operations of a client.
 * @returns the changed operations, keyed by the original operations.
 * @throws ConfigurationError for an unknown id, method or placeholder, or a wrong path.
 */
export function resolveRoutes(
  routes: Readonly<Record<string, RouteOverride>>,
  operations: readonly Operation[],
): ReadonlyMap<Operation, Operation> {
  const changed = new Map<Operation, Operation>();
  for (const [id, route] of Object.entries(routes)) {
    const rows = operations.filter((operation) => operation.id === id);
    if (rows.length === 0) {
      const known = operations.map((operation) => operation.id);
      throw new ConfigurationError(`routes: this client has no operation "${id}"${didYouMean(id, known)}`);
    }
    const option = `routes["${id}"]`;
    group(option, route, ROUTE_OPTIONS, configurationError);
    for (const row of rows) changed.set(row, overrideRoute(row, route, option));
  }
  return changed;
}

function overrideRoute(row: Operation, route: RouteOverride, option: string): Operation {
  const { method = row.method, path } = route;
  if (!METHODS.includes(method)) {
    throw new ConfigurationError(`${option}: the method must be one of ${METHODS.join(", ")}`);
  }
  if (path === undefined) return { ...row, method };
  checkPath(option, path, row.path);
  // A path that the caller sets counts as confirmed.
  const { pathConfirmed: _, ...facts } = row;
  return { ...facts, method, path };
}

function checkPath(option: string, path: unknown, template: string): void {
  const plain = typeof path === "string" && /^[\w{}./-]+$/.test(path);
  if (!plain || path.split("/").some((part) => part === "" || /^\.\.?$/.test(part))) {
    throw new ConfigurationError(`${option}: the path must be relative to the API's prefix, such as "${template}"`);
  }
  const [expected, found] = [placeholders({ path: template }), placeholders({ path })];
  const missing = expected.filter((name) => !found.includes(name)).join(", ") || "none";
  const unknown = found.filter((name) => !expected.includes(name)).join(", ") || "none";
  if (missing !== "none" || unknown !== "none") {
    throw new ConfigurationError(
      `${option}: the path must have the placeholders of "${template}"; missing: ${missing}; unknown: ${unknown}`,
    );
  }
}
