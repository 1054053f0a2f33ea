import type { Operation } from "../../core/operation.js";
import type { Identified } from "../data/collection.js";
import type { SandboxManners } from "../data/manners.js";
import { hashText } from "../data/random.js";
import type { Listing, Mark, Order } from "./behavior.js";
import { PAGE_PARAMETERS, type Values } from "./input.js";
import { urlText } from "./keys.js";
import { Refusal } from "./refusal.js";

const DEFAULT_PAGE_SIZE = 25;

/** One page with its `Link` and `Total` headers; null for a missing header. */
export interface ListPage<T> {
  readonly records: T[];
  readonly link: string | null;
  readonly total: number | null;
}

type Cut<T> = Omit<ListPage<T>, "total">;

export interface PageRequest {
  readonly operation: Operation;
  readonly url: URL;
  readonly query: Values;
  readonly manners: SandboxManners;
  readonly now: number;
  readonly totalOf: ReturnType<typeof totals>;
}

/**
 * Cuts one page from a listing (service description, rule 8). The `Link` header has prev and next in cursor mode, next
 * and last in the deprecated page mode.
 */
export function pageOf<T extends Identified>(listing: Listing<T>, request: PageRequest): ListPage<T> {
  const { cursor, per_page: asked = DEFAULT_PAGE_SIZE, page } = request.query as PageValues;
  const { manners } = request;
  const size = manners.perPage === "at most 50" ? Math.min(50, asked) : asked;
  const tie = tieOf(request);
  // rule: a list whose operation has no pagination parameters is returned in full and without a `Total` header.
  if (request.operation.paged === "none") {
    return { ...cursorPage(listing, request, undefined, Number.POSITIVE_INFINITY, tie), total: null };
  }
  const total = request.totalOf(tie, () => countOf(listing));
  // rule: `cursor` takes precedence over `page`.
  const cut =
    page !== undefined && cursor === undefined
      ? numberedPage(listing, request, page, size, total)
      : cursorPage(listing, request, cursor, size, tie);
  const isTold = manners.total === "sent" || (manners.total === "with page numbers" && page !== undefined);
  if (manners.total === "off by two") return { ...cut, total: total + 2 };
  return { ...cut, total: isTold ? total : null };
}

/**
 * Caches the number of records in each list until a record changes. Otherwise, every page would count the records of a
 * filtered list again.
 * @param version increases with every change of a record.
 */
export function totals(version: () => number): (list: number, count: () => number) => number {
  const counted = new Map<number, number>();
  let countedAt = -1;
  return (list, count) => {
    const now = version();
    if (now !== countedAt) counted.clear();
    countedAt = now;
    const total = counted.get(list) ?? count();
    counted.set(list, total);
    return total;
  };
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
  tie: number,
): Cut<T> {
  const { towards, position } = cursor === undefined ? FIRST : readCursor(cursor, tie, request);
  const write = (way: Cursor["towards"], to: Cursor["position"]) => writeCursor(way, to, tie, request);
  const length = request.manners.pages === "full" || towards !== "next" ? "full" : lengthAt(position);
  if (length === "empty") {
    const rest = link(request, { cursor: write("rest", position) }, "next");
    return { records: [], link: rest };
  }
  const most = length === "short" ? Math.ceil(size / 2) : size;
  const { order } = listing;
  const isCounted = request.manners.cursorPlaces === "counted";
  const countUntil = (place: number) => collect(listing, place, -1, Number.POSITIVE_INFINITY).length;
  // A cursor points to a position between two records: the next page begins there, and the previous page ends there.
  const from =
    order && typeof position !== "number"
      ? firstAfter(order, position)
      : isCounted && position !== 0
        ? (collect(listing, 0, 1, Number(position)).at(-1) ?? -1) + 1
        : Number(position);
  const places = towards === "prev" ? collect(listing, from - 1, -1, size).reverse() : collect(listing, from, 1, most);
  const [first, last] = [places[0], places.at(-1)];
  const isFull = request.manners.lastPage === "has an empty next" && places.length === most;
  const links: string[] = [];
  if (last !== undefined && (isFull || collect(listing, last + 1, 1, 1).length > 0)) {
    const next = isCounted ? countUntil(last) : order ? markOf(order, last) : last + 1;
    links.push(link(request, { cursor: write("next", next) }, "next"));
  }
  const before = first ?? from;
  if (collect(listing, before - 1, -1, 1).length > 0) {
    const prev = isCounted ? countUntil(before - 1) : order ? markBefore(order, before) : before;
    links.push(link(request, { cursor: write("prev", prev) }, "prev"));
  }
  return { records: recordsAt(listing, places), link: links.join(", ") || null };
}

// With the manner `pages`, the first page is short, and the length of a later page depends on its position.
function lengthAt(position: Cursor["position"]): "full" | "short" | "empty" {
  if (position === 0) return "short";
  return (["full", "short", "empty"] as const)[hashText(JSON.stringify(position)) % 3] ?? "full";
}

const FIRST: Cursor = { towards: "next", position: 0 };

function markOf({ slots, keysOf }: Order, place: number): Mark {
  const slot = slots[place] as number;
  return [keysOf(slot), slot];
}

// A position just before the record at this index, so that the previous page includes records added there later.
function markBefore(order: Order, place: number): Mark {
  if (place >= order.slots.length) return markOf(order, place - 1);
  const [keys, slot] = markOf(order, place);
  return [keys, slot - 0.5];
}

// The first position whose record comes after a mark (binary search).
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
  request: PageRequest,
  page: number,
  size: number,
  total: number,
): Cut<T> {
  const last = Math.max(1, Math.ceil(total / size));
  const links: string[] = [];
  if (page < last) links.push(link(request, { page: page + 1 }, "next"));
  links.push(link(request, { page: last }, "last"));
  const places = page > last ? [] : collect(listing, 0, 1, page * size).slice((page - 1) * size);
  return { records: recordsAt(listing, places), link: links.join(", ") };
}

function countOf<T extends Identified>({ records, fits, order }: Listing<T>): number {
  if (order) return order.slots.length;
  if (!fits) return records.count;
  let count = 0;
  for (const row of records.rows()) if (fits(row)) count++;
  return count;
}

// Collects the positions of up to `most` records: slots or, in an ordered listing, indexes in that order.
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
  return places.map((place) => records.row(order ? (order.slots[place] as number) : place) as T);
}

function link(
  { url, manners }: PageRequest,
  changes: Readonly<Record<string, string | number>>,
  relation: string,
): string {
  const target = new URL(url);
  for (const name of ["cursor", "page"]) target.searchParams.delete(name);
  for (const [name, value] of Object.entries(changes)) target.searchParams.set(name, String(value));
  const address = manners.links === "relative" ? target.pathname + target.search : target.href;
  return `<${address}>; ${manners.relations === "quoted" ? `rel="${relation}"` : `title="a, b"; rel=${relation}`}`;
}

// rule: a cursor is valid only for its list and filters.

// A hash that ties a cursor to its operation, path and filters. The order of a parameter's values matters only in
// `sort`.
function tieOf({ operation, url, query }: PageRequest): number {
  const filters = Object.entries(query)
    .filter(([name]) => !PAGE_PARAMETERS.includes(name))
    .map(([name, value]) => [name, Array.isArray(value) && name !== "sort" ? value.toSorted() : value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return hashText(JSON.stringify([operation.id, url.pathname.slice(url.pathname.indexOf("/api/")), filters]));
}

interface Cursor {
  /** `rest` leads from an empty page to the next page. */
  readonly towards: "next" | "prev" | "rest";
  /** A slot, or the position of a record in an order. */
  readonly position: number | Mark;
}

const LIFE_MS = 300_000;

function writeCursor(
  towards: Cursor["towards"],
  position: number | Mark,
  tie: number,
  { manners, now }: PageRequest,
): string {
  const parts = [towards, position, tie, manners.cursors === "stay valid" ? null : now + LIFE_MS];
  return urlText(new TextEncoder().encode(JSON.stringify([...parts, sumOf(parts)])));
}

function sumOf(parts: readonly unknown[]): number {
  return hashText(JSON.stringify(parts));
}

function readCursor(cursor: string, tie: number, { now }: PageRequest): Cursor {
  let parts: unknown;
  try {
    const bytes = Uint8Array.from(atob(cursor.replace(/-/g, "+").replace(/_/g, "/")), (byte) => byte.charCodeAt(0));
    parts = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw refuseCursor("is not a cursor of this list");
  }
  const [towards, position, made, endsAt, sum] = Array.isArray(parts) ? parts : [];
  // The checksum proves that the sandbox made this cursor.
  if (sum === undefined || sum !== sumOf([towards, position, made, endsAt])) {
    throw refuseCursor("is not a cursor of this list");
  }
  if (endsAt !== null && endsAt <= now) throw refuseCursor("has expired");
  if (made !== tie) throw refuseCursor("was created for another list or with different filters");
  return { towards, position };
}

function refuseCursor(why: string): Refusal {
  return new Refusal(400, "The cursor is not valid", { errors: { cursor: [why] } });
}
