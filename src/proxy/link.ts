import { linkTarget } from "../core/link-header.js";

const POSITION = ["cursor", "page", "per_page"];

/**
 * Rewrites the service's `Link` header for the page: the visitor's own query with the position from the link. The URL
 * is relative, so that it works wherever the proxy is mounted.
 * @returns null if the header contains no usable link.
 */
export function rewriteLink(link: string | null, asked: URLSearchParams): string | null {
  const links: string[] = [];
  for (const relation of ["next", "prev", "first", "last"]) {
    const target = linkTarget(link, relation);
    const position = target === null ? undefined : URL.parse(target, "https://service.invalid/")?.searchParams;
    if (!position) continue;
    const query = new URLSearchParams(asked);
    // Keeps the requested page size if the link has none.
    for (const name of POSITION) if (name !== "per_page" || position.has(name)) query.delete(name);
    for (const [name, value] of position) if (POSITION.includes(name)) query.append(name, value);
    links.push(`<?${query}>; rel="${relation}"`);
  }
  return links.join(", ") || null;
}
