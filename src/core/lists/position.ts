import { bareName, type Query } from "../call/request.js";
import { isTornLink, linkTarget } from "../link-header.js";

const PAGINATION: ReadonlySet<string> = /* @__PURE__ */ new Set(["cursor", "page", "per_page"]);

export function filtersOf(query: Query): Query {
  return query.filter(([name]) => !PAGINATION.has(name));
}

export function positionOf(query: Query): Query {
  return query.filter(([name]) => PAGINATION.has(name));
}

/**
 * Reads the position of the next page from a `Link` header. Only the link's query counts, because its host and path may
 * belong to a machine behind a proxy. The caller's filters stay as the caller sent them; every other parameter of the
 * link is part of the position.
 * @returns null at the end; `"torn"` if the header cannot be read, although it may name a next page.
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
  const filterNames = namesOf(filters);
  const found = [...url.searchParams].filter(([name]) => !filterNames.has(bareName(name)));
  const size = found.some(([name]) => name === "per_page") ? [] : position.filter(([name]) => name === "per_page");
  return [...found, ...size];
}

// `status` and `status[]` are the same filter, written in two array formats.
function namesOf(query: Query): ReadonlySet<string> {
  return new Set(query.map(([name]) => bareName(name)));
}

/**
 * A position as text, for detecting repetitions: only the cursor if there is one, because the other parameters may
 * change.
 */
export function positionKey(position: Query): string {
  const cursor = position.find(([name]) => name === "cursor");
  return cursor ? cursor[1] : JSON.stringify(position.filter(([name]) => name !== "per_page"));
}
