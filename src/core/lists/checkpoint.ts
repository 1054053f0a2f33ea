import type { BuiltRequest } from "../call/request.js";
import { fingerprint } from "../credentials.js";
import { CheckpointError } from "../errors.js";
import type { Operation } from "../operation.js";
import { linkTarget } from "./link-header.js";

/** Query parameters as they are written, in order. */
export type Query = BuiltRequest["query"];

const VERSION = 1;
const POSITION: ReadonlySet<string> = new Set(["cursor", "page", "per_page"]);

/** The filters of a request: its query without the pagination parameters. */
export function filtersOf(query: Query): Query {
  return query.filter(([name]) => !POSITION.has(name));
}

/** The pagination parameters of a request. */
export function positionOf(query: Query): Query {
  return query.filter(([name]) => POSITION.has(name));
}

/**
 * Reads from a `Link` header where the next page is. Only the query of the link counts: its host and path may be those
 * of a machine behind a proxy. Filters we sent stay as we sent them, whatever the link makes of them.
 * @returns the pagination parameters of the next page and whatever else the link adds, or null at the end.
 */
export function nextPosition(link: string | null, current: Query, pageUrl: string): Query | null {
  const target = linkTarget(link, "next");
  if (target === null) return null;
  const url = URL.parse(target, pageUrl);
  if (!url) return null;
  const ours = new Set(filtersOf(current).map(([name]) => bare(name)));
  const found = [...url.searchParams].filter(([name]) => !ours.has(bare(name)));
  // A link with a cursor but no page size means the size we asked for.
  const size = found.some(([name]) => name === "per_page") ? [] : current.filter(([name]) => name === "per_page");
  return [...found, ...size];
}

/** A position as text, to notice when it comes back. */
export function positionKey(position: Query): string {
  return JSON.stringify(position.filter(([name]) => name !== "per_page"));
}

/** Writes a checkpoint: where to go on, tied to the operation and its filters, without holding them. */
export function writeCheckpoint(row: Operation, request: BuiltRequest, next: Query | null): string {
  return JSON.stringify({ v: VERSION, operation: row.id, filters: filterHash(request), next });
}

/**
 * Reads a checkpoint.
 * @returns the position to go on from, or null when the list was read to its end.
 * @throws CheckpointError when it is not one of this operation with these filters.
 */
export function readCheckpoint(text: string, row: Operation, request: BuiltRequest): Query | null {
  const fail = (why: string) =>
    new CheckpointError(`${row.id}: the checkpoint ${why}. Nothing was sent.`, { operation: row.id });
  let found: { v?: unknown; operation?: unknown; filters?: unknown; next?: unknown };
  try {
    found = JSON.parse(text);
  } catch {
    throw fail("is not one of this library");
  }
  if (typeof found !== "object" || found === null || typeof found.operation !== "string") {
    throw fail("is not one of this library");
  }
  if (found.v !== VERSION) throw fail(`has version ${String(found.v)}, this library reads version ${VERSION}`);
  if (found.operation !== row.id) throw fail(`belongs to ${found.operation}`);
  if (found.filters !== filterHash(request)) throw fail("belongs to other filters; resume with those it was made with");
  if (found.next !== null && !isQuery(found.next)) throw fail("is damaged");
  return found.next;
}

function filterHash({ path, query }: BuiltRequest): string {
  const filters = filtersOf(query).map(([name, value]) => `${bare(name)}=${value}`);
  return fingerprint([path, ...filters.sort()].join("\n"));
}

function isQuery(value: unknown): value is Query {
  return (
    Array.isArray(value) &&
    value.every(
      (pair) =>
        Array.isArray(pair) &&
        pair.length === 2 &&
        pair.every((part) => typeof part === "string" && part.isWellFormed()),
    )
  );
}

// `status` and `status[]` are the same filter in two ways of writing arrays.
function bare(name: string): string {
  return name.endsWith("[]") ? name.slice(0, -2) : name;
}
