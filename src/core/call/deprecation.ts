import { type DeprecatedEvent, eventOf, notify, type Observers, type OperationEvent } from "../events.js";
import { linkTarget } from "../link-header.js";
import { redact } from "../redact.js";
import type { EndedCall } from "./ended-call.js";
import { sensitiveValues } from "./sensitive-values.js";

// Caps the set of announced operations: the operation id of a raw request contains its path, so the number of ids
// is unlimited.
const MOST_ANNOUNCED = 1_000;

/**
 * Reports to the observer, once per operation, that the service has deprecated it; without an observer, prints one
 * warning.
 * @param announced operations already reported; only the first one causes a warning.
 */
export function announce({ request, result, token, url }: EndedCall, on: Observers, announced: Set<string>): void {
  const { id } = request.operation;
  if (result.kind !== "response" || announced.has(id) || announced.size >= MOST_ANNOUNCED) return;
  announced.add(id);
  const facts = announcementOf(result.response.headers, url, sensitiveValues(request, token));
  if (on.deprecated) notify(on, "deprecated", { ...eventOf(request.operation), ...facts });
  if (on.deprecated || announced.size > 1) return;
  const end = facts.sunset === null ? "" : ` and will stop working on ${facts.sunset.toISOString().slice(0, 10)}`;
  const more = facts.link === null ? "" : `; see ${facts.link}`;
  console.warn(
    `education-admin-sdk: the service announces that ${id} is deprecated${end}${more}. ` +
      "Set the client option on.deprecated to be told of every deprecated operation; this warning is not repeated.",
  );
}

/**
 * The deprecation that the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` announce.
 * @param values values to redact from the link.
 */
export function announcementOf(
  headers: Pick<Headers, "get">,
  url: string,
  values: readonly string[],
): Omit<DeprecatedEvent, keyof OperationEvent> {
  const link = headers.get("link");
  const target = linkTarget(link, "deprecation") ?? linkTarget(link, "sunset");
  const address = target === null ? null : URL.parse(target, url);
  return {
    since: dateOf(headers.get("deprecation")),
    sunset: dateOf(headers.get("sunset")),
    link: address && /^https?:$/.test(address.protocol) ? redact(address.href, values) : null,
  };
}

// An @ with seconds since the epoch, or an HTTP date; older services send only `true`.
function dateOf(text: string | null): Date | null {
  if (text === null) return null;
  const seconds = /^@(\d{1,11})$/.exec(text.trim())?.[1];
  const date = new Date(
    seconds === undefined ? (/[a-z]{3}.*:/i.test(text) ? text : Number.NaN) : Number(seconds) * 1_000,
  );
  return Number.isNaN(date.getTime()) ? null : date;
}
