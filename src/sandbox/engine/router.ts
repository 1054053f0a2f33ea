import type { Method } from "../../core/method.js";
import { API_PREFIX, type Operation } from "../../core/operation.js";
import type { RouteOverride } from "../../core/options.js";

export interface Match {
  readonly row: Operation;
  readonly params: Readonly<Record<string, string>>;
}

interface Route {
  readonly row: Operation;
  readonly method: Method;
  readonly prefix: string;
  readonly segments: readonly string[];
}

export class Router {
  readonly #routes: readonly Route[];

  /** @throws RangeError if `overrides` names an unknown operation. */
  constructor(rows: readonly Operation[], overrides: Readonly<Record<string, RouteOverride>> = {}) {
    const unknown = Object.keys(overrides).find((id) => !rows.some((row) => row.id === id));
    if (unknown !== undefined) throw new RangeError(`routes: there is no operation "${unknown}"`);
    this.#routes = rows
      .map((row) => ({
        row,
        method: overrides[row.id]?.method ?? row.method,
        prefix: API_PREFIX[row.apis[0] ?? "main"],
        segments: (overrides[row.id]?.path ?? row.path).split("/"),
      }))
      // `orders/comments` before `orders/{id}`: a literal segment takes precedence over a placeholder.
      .sort((a, b) => placeholders(a) - placeholders(b));
  }

  /**
   * The best match for a method and path; several matches if the operation differs between Main and Admin.
   * @param pathname may have a prefix before `api/…`.
   */
  match(method: string, pathname: string): Match[] {
    const found = splitPath(pathname);
    if (!found) return [];
    const { prefix, segments } = found;
    const matches: Match[] = [];
    for (const route of this.#routes) {
      if (route.method !== method || route.prefix !== prefix || route.segments.length !== segments.length) continue;
      const params = paramsOf(route.segments, segments);
      if (params) matches.push({ row: route.row, params });
    }
    // rule: `PATCH` updates a record as `PUT` does; public documents show it for the same paths.
    if (matches.length === 0 && method === "PATCH") return this.match("PUT", pathname);
    return matches.filter(({ row }) => row.id === matches[0]?.row.id);
  }
}

/** Splits a path at the API's prefix, wherever the prefix begins; null without a prefix. */
export function splitPath(pathname: string): { before: string; prefix: string; segments: string[] } | null {
  for (const prefix of new Set(Object.values(API_PREFIX))) {
    const at = pathname.indexOf(`/${prefix}/`);
    if (at < 0) continue;
    const path = pathname.slice(at + prefix.length + 2).replace(/\/$/, "");
    return path === "" ? null : { before: pathname.slice(0, at), prefix, segments: path.split("/") };
  }
  return null;
}

function placeholders({ segments }: Route): number {
  return segments.filter((segment) => segment.startsWith("{")).length;
}

function paramsOf(template: readonly string[], segments: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [at, part] of template.entries()) {
    const segment = segments[at] as string;
    if (!part.startsWith("{")) {
      if (part !== segment) return null;
      continue;
    }
    try {
      params[part.slice(1, -1)] = decodeURIComponent(segment);
    } catch {
      return null;
    }
  }
  return params;
}
