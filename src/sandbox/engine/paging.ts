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
  /** Those that fit in the order asked for; null for the order of the records. */
  readonly order: Order | null;
}

/** Records in an order of their own. @internal */
export interface Order {
  readonly slots: readonly number[];
  /** The sort keys of the record at a slot. */
  keysOf(slot: number): readonly unknown[];
  /** Below 0 when the first comes before the second. */
  compare(a: Mark, b: Mark): number;
}

/** Where a record stands in an order, whatever is added or removed around it. @internal */
export type Mark = readonly [keys: readonly unknown[], slot: number];

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
  const start = cursor === undefined ? FIRST : startOf(listing, readCursor(cursor, tie));
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
    const position = listing.order ? markOf(listing.order, last) : last + 1;
    links.push(link(request.url, { cursor: writeCursor("next", position, tie) }, "next"));
  }
  // Past the last record the way back starts at the cursor itself.
  const before = (first ?? start.from) - 1;
  if (collect(listing, before, -1, 1).length > 0) {
    const position = listing.order ? markBefore(listing.order, before) : before;
    links.push(link(request.url, { cursor: writeCursor("prev", position, tie) }, "prev"));
  }
  return { records: recordsAt(listing, places), link: links.join(", ") || null };
}

const FIRST = { towards: "next", from: 0 } as const;

// The place in the list, as it is now, that a cursor leads to.
function startOf(
  { order }: Pick<Listing<Identified>, "order">,
  { towards, position }: Cursor,
): { towards: "next" | "prev"; from: number } {
  if (!order || typeof position === "number") return { towards, from: position as number };
  const at = firstAfter(order, position);
  return { towards, from: towards === "next" ? at : at - 1 };
}

function markOf({ slots, keysOf }: Order, place: number): Mark {
  const slot = slots[place] as number;
  return [keysOf(slot), slot];
}

// A way back ends before the record that follows, so that what has been added in between is on it.
function markBefore(order: Order, place: number): Mark {
  if (place + 1 >= order.slots.length) return markOf(order, place);
  const [keys, slot] = markOf(order, place + 1);
  return [keys, slot - 0.5];
}

// The first place whose record comes after a mark, by halving.
function firstAfter(order: Order, mark: Mark): number {
  let [low, high] = [0, order.slots.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order.compare(markOf(order, middle), mark) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
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
  if (order) return order.slots.length;
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
  const length = order?.slots.length ?? records.slots;
  const places: number[] = [];
  for (let place = Math.min(from, length); place >= 0 && place <= length && places.length < most; place += step) {
    if (place === length) continue;
    const row = records.row(order ? (order.slots[place] as number) : place);
    if (row && (order || !fits || fits(row))) places.push(place);
  }
  return places;
}

function recordsAt<T extends Identified>({ records, order }: Listing<T>, places: readonly number[]): T[] {
  return places.map((place) => records.record(order ? (order.slots[place] as number) : place) as T);
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

interface Cursor {
  readonly towards: "next" | "prev";
  /** A place among the records, or where a record stands in an order. */
  readonly position: number | Mark;
}

function writeCursor(towards: "next" | "prev", position: number | Mark, tie: number): string {
  const text = JSON.stringify([towards, position, tie, sumOf(towards, position, tie)]);
  const bytes = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function sumOf(towards: unknown, position: unknown, tie: unknown): number {
  return hashText(`${towards} ${JSON.stringify(position)} ${tie}`);
}

function readCursor(cursor: string, tie: number): Cursor {
  let parts: unknown;
  try {
    const bytes = Uint8Array.from(atob(cursor.replace(/-/g, "+").replace(/_/g, "/")), (byte) => byte.charCodeAt(0));
    parts = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw refuseCursor("is not one this list has given out");
  }
  const [towards, position, made, sum] = Array.isArray(parts) ? parts : [];
  // Whatever else is in a cursor, the sum shows that it is one of the sandbox's own.
  if (sum === undefined || sum !== sumOf(towards, position, made)) {
    throw refuseCursor("is not one this list has given out");
  }
  if (made !== tie) throw refuseCursor("belongs to another list or to other filters");
  return { towards, position };
}

function refuseCursor(why: string): Refusal {
  return new Refusal(400, "The cursor is not valid", { errors: { cursor: [why] } });
}
