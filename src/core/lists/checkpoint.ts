import { type BuiltRequest, bareName, type Query } from "../call/request.js";
import { fingerprint } from "../fingerprint.js";
import { filtersOf, positionOf } from "./position.js";

type ListRequest = Pick<BuiltRequest, "operation" | "path" | "query">;

export const VERSION = 1;

/**
 * Writes a checkpoint: the position at which to continue, with the operation and a hash of its filters. Other
 * parameters of the next page's link are left out, because a checkpoint that comes back from a browser must contain
 * only a position.
 */
export function writeCheckpoint(request: ListRequest, next: Query | null): string {
  const position = next && positionOf(next);
  // A link without a cursor or page number would silently restart the list, so all its parameters are kept:
  // `readCheckpoint` then refuses the checkpoint.
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
