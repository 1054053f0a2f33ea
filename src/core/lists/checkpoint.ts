import { type BuiltRequest, bareName, type Query } from "../call/request.js";
import { fingerprint } from "../fingerprint.js";
import { filtersOf, positionOf } from "./position.js";

/** The parts of a request that a checkpoint is bound to. */
type ListRequest = Pick<BuiltRequest, "operation" | "path" | "query">;

/** The version of checkpoints that this library writes and reads. */
export const VERSION = 1;

/**
 * Writes a checkpoint: the position to continue from, bound to the operation and its filters without containing the
 * filters. Other parameters of a link are left out, because a checkpoint that comes back from a browser may contain
 * only a position.
 */
export function writeCheckpoint(request: ListRequest, next: Query | null): string {
  const position = next && positionOf(next);
  // A link without a cursor or page number would silently restart the list. In that case all its parameters are kept,
  // so that reading the checkpoint refuses it.
  const leads = position?.some(([name]) => name !== "per_page");
  return JSON.stringify({
    v: VERSION,
    operation: request.operation.id,
    filters: filterHash(request),
    next: leads ? position : next,
  });
}

/** Identifies the filters of a list. The order of a filter's values matters only for `sort`. */
export function filterHash({ path, query }: ListRequest): string {
  const given = filtersOf(query);
  if (given.length === 0) return fingerprint(path);
  const filters: string[] = [];
  const sort: string[] = [];
  for (const [name, value] of given) {
    const bare = bareName(name);
    if (bare === "sort") sort.push(value);
    else filters.push(`${bare}=${value}`);
  }
  if (sort.length > 0) filters.push(`sort=${sort.join(",")}`);
  return fingerprint([path, ...filters.sort()].join("\n"));
}
