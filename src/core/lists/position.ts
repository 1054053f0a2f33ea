import { bareName, type Query } from "../call/request.js";

const PAGINATION: ReadonlySet<string> = /* @__PURE__ */ new Set(["cursor", "page", "per_page"]);

/** Why the next page cannot be fetched. */
export interface Obstacle {
  readonly kind: "torn" | "hidden" | "loop" | "empty";
  /** The page that leads on; of `empty` how many pages held no record. */
  readonly page: number;
  /** Of `loop`, the page it leads back to. */
  readonly seen?: number;
}

/** The filters of a query: everything but the pagination parameters. */
export function filtersOf(query: Query): Query {
  return query.filter(([name]) => !PAGINATION.has(name));
}

/** The pagination parameters of a query. */
export function positionOf(query: Query): Query {
  return query.filter(([name]) => PAGINATION.has(name));
}

/**
 * Reads from a `Link` header where the next page is. Only the link's query counts: its host and path may be those of a
 * machine behind a proxy. The caller's filters stay as the caller sent them; every other parameter of the link belongs to
 * the position.
 * @param filters the caller's filters.
 * @param position the position of the current page.
 * @returns the position of the next page; null at the end; `"torn"` where the header cannot be read, so that nobody knows.
 */
export function nextPosition(
  link: string | null,
  filters: Query,
  position: Query,
  pageUrl: string,
): Query | null | "torn" {
  const target = linkTarget(link, "next");
  if (target === null) return link !== null && isTornLink(link) ? "torn" : null;
  const url = URL.parse(target, pageUrl);
  if (!url) return "torn";
  const own = namesOf(filters);
  const found = [...url.searchParams].filter(([name]) => !own.has(bareName(name)));
  // A link without a page size means the size we asked for.
  const size = found.some(([name]) => name === "per_page") ? [] : position.filter(([name]) => name === "per_page");
  return [...found, ...size];
}

// `status` and `status[]` are the same filter, written in two array formats.
function namesOf(query: Query): ReadonlySet<string> {
  return new Set(query.map(([name]) => bareName(name)));
}

/** Whether a position would replace one of a list's own filters, as no link of the service can. */
export function replacesFilter(position: Query, filters: Query): boolean {
  const own = namesOf(filters);
  return position.some(([name]) => own.has(bareName(name)));
}

/** A position as text, to notice when it repeats: the cursor alone where there is one, as the rest may change. */
export function positionKey(position: Query): string {
  const cursor = position.find(([name]) => name === "cursor");
  return cursor ? cursor[1] : JSON.stringify(position.filter(([name]) => name !== "per_page"));
}

/**
 * Finds the target of one relation in a `Link` header (RFC 8288): quoted and unquoted relations, those in the wrong
 * quotes too, several in one parameter, any letter case, commas and semicolons inside the address. Reads the text once
 * from left to right, so a hostile header costs no more than its length.
 * @returns the target as written, or null when the relation is not there.
 */
export function linkTarget(header: string | null, relation: string): string | null {
  if (!header) return null;
  let at = 0;
  for (;;) {
    const open = header.indexOf("<", at);
    if (open < 0) return null;
    const close = header.indexOf(">", open);
    if (close < 0) return null;
    const parameters = readParameters(header, close + 1);
    at = parameters.end;
    if (parameters.relations.includes(relation)) return header.slice(open + 1, close).trim();
  }
}

// Whether a `Link` header without a next page may have had one: it ends inside a link, as one that was cut off does, or names
// a next page whose address is not in angle brackets.
function isTornLink(header: string): boolean {
  let last = -1;
  for (let at = 0; at < header.length; at++) {
    if (header[at] === "<") {
      last = at = header.indexOf(">", at);
      if (at < 0) return true;
    } else if (header[at] === '"') {
      for (at++; at < header.length && header[at] !== '"'; at++) if (header[at] === "\\") at++;
      if (at >= header.length) return true;
    }
  }
  if (last < 0) return /\brel\s*=\s*["']?next/i.test(header);
  if (/[,;]$/.test(header.trimEnd())) return true;
  // Every link has a relation (RFC 8288, 3.3).
  return readParameters(header, last + 1).relations.every((relation) => "next".startsWith(relation));
}

// Reads `; name=value` pairs up to the comma that ends this link.
function readParameters(header: string, start: number): { relations: string[]; end: number } {
  let relations: string[] = [];
  let at = start;
  while (at < header.length && header[at] !== ",") {
    if (header[at] !== ";") {
      at++;
      continue;
    }
    const nameEnd = seek(header, at + 1, "=;,");
    const name = header
      .slice(at + 1, nameEnd)
      .trim()
      .toLowerCase();
    at = nameEnd;
    if (header[at] !== "=") continue;
    const value = readValue(header, at + 1);
    at = value.end;
    // The first rel counts (RFC 8288, 3.3).
    if (name === "rel" && relations.length === 0) relations = value.text.toLowerCase().split(/[ \t]/);
  }
  return { relations, end: at };
}

function readValue(header: string, start: number): { text: string; end: number } {
  let at = start;
  while (header[at] === " " || header[at] === "\t") at++;
  if (header[at] !== '"') {
    const end = seek(header, at, ";,");
    // Single quotes are no quotes in a header, but a list must not end early over them.
    const text = header.slice(at, end).trim();
    return { text: text.replace(/^'(.*)'$/, "$1"), end };
  }
  const from = ++at;
  while (at < header.length && header[at] !== '"') at += header[at] === "\\" ? 2 : 1;
  return { text: header.slice(from, at), end: at + 1 };
}

function seek(header: string, start: number, stops: string): number {
  let at = start;
  while (at < header.length && !stops.includes(header[at] as string)) at++;
  return at;
}
