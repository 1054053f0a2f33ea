import type { Operation } from "../../core/operation.js";
import type { Identified, Records } from "../data/collection.js";
import { hashText } from "../data/random.js";
import type { Values } from "./input.js";
import { Refusal } from "./refusal.js";

const DEFAULT_PAGE_SIZE = 25;

/** Query parameters that choose a page and filter nothing. @internal */
export const PAGE_PARAMETERS: ReadonlySet<string> = new Set(["cursor", "per_page", "page"]);

/** The records a list may show. @internal */
export interface Listing<T extends Identified> {
  readonly records: Records<T>;
  /** Which of them; null for all. */
  readonly fits: ((row: Readonly<T>) => boolean) | null;
  /** Slots of those that fit in the order asked for; null for the order of the records. */
  readonly order: readonly number[] | null;
}

/** One page, and the `Link` header that leads on. @internal */
export interface ListPage<T> {
  readonly records: T[];
  readonly link: string | null;
}

/** The request a page answers. @internal */
export interface PageRequest {
  readonly operation: Operation;
  readonly url: URL;
  readonly query: Values;
}

/**
 * Cuts a page out of a listing (service description, rule 8). In cursor mode the `Link` header has prev and next, in
 * the deprecated page mode next and last. @internal
 */
export function pageOf<T extends Identified>(listing: Listing<T>, request: PageRequest): ListPage<T> {
  const { cursor, per_page: size = DEFAULT_PAGE_SIZE, page } = request.query as PageValues;
  // Lists without pagination parameters come whole.
  if (request.operation.paged === "none") return cursorPage(listing, request, undefined, Number.POSITIVE_INFINITY);
  // Which wins when both come is not shown; a cursor is the newer way.
  if (page !== undefined && cursor === undefined) return numberedPage(listing, request, page, size);
  return cursorPage(listing, request, cursor, size);
}

interface PageValues {
  readonly cursor?: string;
  readonly per_page?: number;
  readonly page?: number;
}

function cursorPage<T extends Identified>(
  listing: Listing<T>,
  request: PageRequest,
  cursor: string | undefined,
  size: number,
): ListPage<T> {
  const tie = tieOf(request);
  const start = cursor === undefined ? { towards: "next" as const, from: 0 } : readCursor(cursor, tie);
  let places: number[];
  let more: boolean;
  if (start.towards === "next") {
    places = collect(listing, start.from, 1, size + 1);
    more = places.length > size;
    places = places.slice(0, size);
  } else {
    places = collect(listing, start.from, -1, size).reverse();
    more = collect(listing, start.from + 1, 1, 1).length > 0;
  }
  const [first, last] = [places[0], places.at(-1)];
  const links: string[] = [];
  if (more && last !== undefined) {
    links.push(link(request.url, { cursor: writeCursor("next", last + 1, tie) }, "next"));
  }
  // Past the last record the way back starts at the cursor itself.
  const before = (first ?? start.from) - 1;
  if (collect(listing, before, -1, 1).length > 0) {
    links.push(link(request.url, { cursor: writeCursor("prev", before, tie) }, "prev"));
  }
  return { records: recordsAt(listing, places), link: links.join(", ") || null };
}

function numberedPage<T extends Identified>(
  listing: Listing<T>,
  { url }: PageRequest,
  page: number,
  size: number,
): ListPage<T> {
  const total = countOf(listing);
  const last = Math.max(1, Math.ceil(total / size));
  const links: string[] = [];
  if (page < last) links.push(link(url, { page: page + 1 }, "next"));
  links.push(link(url, { page: last }, "last"));
  const places = page > last ? [] : collect(listing, 0, 1, page * size).slice((page - 1) * size);
  return { records: recordsAt(listing, places), link: links.join(", ") };
}

function countOf<T extends Identified>({ records, fits, order }: Listing<T>): number {
  if (order) return order.length;
  if (!fits) return records.count;
  let count = 0;
  for (let slot = 0; slot < records.slots; slot++) {
    const row = records.row(slot);
    if (row && fits(row)) count++;
  }
  return count;
}

// Places are slots, or positions in the order asked for.
function collect<T extends Identified>(listing: Listing<T>, from: number, step: 1 | -1, most: number): number[] {
  const { records, fits, order } = listing;
  const length = order?.length ?? records.slots;
  const places: number[] = [];
  for (let place = Math.min(from, length); place >= 0 && place <= length && places.length < most; place += step) {
    if (place === length) continue;
    const row = records.row(order ? (order[place] as number) : place);
    if (row && (order || !fits || fits(row))) places.push(place);
  }
  return places;
}

function recordsAt<T extends Identified>({ records, order }: Listing<T>, places: readonly number[]): T[] {
  return places.map((place) => records.record(order ? (order[place] as number) : place) as T);
}

function link(url: URL, changes: Readonly<Record<string, string | number>>, relation: string): string {
  const target = new URL(url);
  for (const name of ["cursor", "page"]) target.searchParams.delete(name);
  for (const [name, value] of Object.entries(changes)) target.searchParams.set(name, String(value));
  return `<${target.href}>; rel="${relation}"`;
}

// A cursor is good for the operation and the filters it was made for, and for nothing else.
function tieOf({ operation, url, query }: PageRequest): number {
  const filters = Object.entries(query)
    .filter(([name]) => !PAGE_PARAMETERS.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return hashText(JSON.stringify([operation.id, url.pathname.slice(url.pathname.indexOf("/api/")), filters]));
}

function writeCursor(towards: "next" | "prev", from: number, tie: number): string {
  const text = JSON.stringify([towards, from, tie, hashText(`${towards} ${from} ${tie}`)]);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function readCursor(cursor: string, tie: number): { towards: "next" | "prev"; from: number } {
  let parts: unknown[];
  try {
    parts = JSON.parse(atob(cursor.replace(/-/g, "+").replace(/_/g, "/")));
  } catch {
    throw refuseCursor("is not one this list has given out");
  }
  const [towards, from, made, sum] = Array.isArray(parts) ? parts : [];
  const whole = (towards === "next" || towards === "prev") && typeof from === "number" && typeof made === "number";
  if (!whole || sum !== hashText(`${towards} ${from} ${made}`))
    throw refuseCursor("is not one this list has given out");
  if (made !== tie) throw refuseCursor("belongs to another list or to other filters");
  return { towards, from };
}

function refuseCursor(why: string): Refusal {
  return new Refusal(400, "The cursor is not valid", { errors: { cursor: [why] } });
}
