import type { AdminClient } from "../clients/admin.js";
import type { MainClient } from "../clients/main.js";
import type { OrganizationClient } from "../clients/organization.js";
import { ConfigurationError } from "../core/errors.js";
import { methodOf } from "../core/inside-client.js";
import { API_PREFIX, type Api, type Operation, placeholders } from "../core/operation.js";
import { didYouMean } from "../core/option-checks.js";
import { allOperations } from "../operations.js";

/** The client through which a proxy reads. */
export type ProxyClient = MainClient | AdminClient | OrganizationClient;

export interface Match {
  readonly row: Operation;
  readonly params: ReadonlyMap<string, string>;
}

/** @throws ConfigurationError for an operation that cannot be allowed. */
export function allowedRows(client: ProxyClient, allow: unknown): readonly Operation[] {
  if (!Array.isArray(allow) || allow.length === 0) {
    throw new ConfigurationError('The option `allow` must name at least one operation, such as "courses.list"');
  }
  const offered = rowsOfClient(client);
  const readable = offered.filter(({ method }) => method === "GET");
  return [...new Set<unknown>(allow)].map((id) => {
    const row = readable.find((candidate) => candidate.id === id);
    if (row) return row;
    if (offered.some((candidate) => candidate.id === id)) {
      throw new ConfigurationError(`The option \`allow\` names "${String(id)}", which writes; a proxy only reads`);
    }
    const near = didYouMean(
      String(id),
      readable.map((candidate) => candidate.id),
    );
    throw new ConfigurationError(
      `The option \`allow\` names "${String(id)}", an operation that this client does not have${near}`,
    );
  });
}

/**
 * Finds the allowed operation for a path. A path that could also mean an operation that is not allowed has no match:
 * `custom/objects/{object_slug}` and `custom/{object_type}/associations` can have the same address.
 * @param path below `basePath`; without a `basePath`, anything may precede `api/v1/` or `api/organization/`.
 */
export function matchPath(allowed: readonly Operation[], path: string): Match | null {
  const segments = segmentsOf(path);
  if (!segments) return null;
  const meant = READABLE.filter((row) => paramsOf(row, segments) !== null);
  const fewest = Math.min(...meant.map((row) => placeholders(row).length));
  const nearest = meant.filter((row) => placeholders(row).length === fewest);
  const row = allowed.find((candidate) => nearest.includes(candidate));
  const params = row && paramsOf(row, segments);
  return row && params && nearest.every(({ id }) => allowed.some((other) => other.id === id)) ? { row, params } : null;
}

const READABLE = /* @__PURE__ */ allOperations.filter(({ method }) => method === "GET");

// Recognizes the API of a client by the client's methods, so that wrapped clients and clients from other copies of the
// library also work.
function rowsOfClient(client: ProxyClient): readonly Operation[] {
  const rowsOf = (api: Api) => allOperations.filter(({ apis }) => apis.includes(api));
  const has = (row: Operation) => methodOf(client, row.id) !== null;
  const api =
    typeof client === "object" && client !== null
      ? (["main", "admin", "organization"] as const).find((one) => rowsOf(one).every(has))
      : undefined;
  if (!api) throw new ConfigurationError("The client must be a MainClient, an AdminClient or an OrganizationClient");
  return api === "organization" ? rowsOf(api) : [...rowsOf(api), ...rowsOf("organization")];
}

// The segments of a path; null for a path that no client writes and that servers may interpret differently because of
// empty segments, dot segments or encoded slashes.
function segmentsOf(path: string): string[] | null {
  const segments: string[] = [];
  for (const written of path.split("/")) {
    let segment: string;
    try {
      segment = decodeURIComponent(written);
    } catch {
      return null;
    }
    if (segment === "" || /^\.{1,2}$|[/\\\p{Cc}]|%(?:2e|2f|5c)/iu.test(segment)) return null;
    segments.push(segment);
  }
  return segments;
}

function paramsOf(row: Operation, segments: readonly string[]): Map<string, string> | null {
  const template = templateOf(row);
  if (template.length !== segments.length) return null;
  const params = new Map<string, string>();
  for (const [at, part] of template.entries()) {
    const segment = segments[at] as string;
    if (part.startsWith("{")) params.set(part.slice(1, -1), segment);
    else if (part !== segment) return null;
  }
  return params;
}

function templateOf({ apis, path }: Operation): string[] {
  return `${API_PREFIX[apis[0] ?? "main"]}/${path}`.split("/");
}
