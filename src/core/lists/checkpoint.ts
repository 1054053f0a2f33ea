import { type BuiltRequest, bareName, type Query } from "../call/request.js";
import { fingerprint } from "../fingerprint.js";
import { filtersOf, positionOf } from "./position.js";

/** What a checkpoint is bound to. */
type ListRequest = Pick<BuiltRequest, "operation" | "path" | "query">;

/** The version of the form that this library writes and reads. */
export const VERSION = 1;

/**
 * Writes a checkpoint: where to continue, bound to the operation and its filters, without containing them. A link's other parameters are
 * left out, because a checkpoint that comes back from a browser may bring only what leads to a page.
 */
export function writeCheckpoint(request: ListRequest, next: Query | null): string {
  const position = next && positionOf(next);
  // Without a cursor or page number, the list would silently begin anew; with the others it is refused.
  const leads = position?.some(([name]) => name !== "per_page");
  return JSON.stringify({
    v: VERSION,
    operation: request.operation.id,
    filters: filterHash(request),
    next: leads ? position : next,
  });
}

/** Stands for the filters. The order of values counts in `sort` alone: elsewhere it does not change which records a list has. */
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
