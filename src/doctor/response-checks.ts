import { announcementOf } from "../core/call/deprecation.js";
import { API_NAME, scopesIn } from "../core/operation.js";
import { asAssumed, type Check, differs, inWords, isNew, notSeen, safeName, some } from "./check.js";
import type { Evidence } from "./evidence.js";
import type { Reading } from "./reader.js";

/** A larger difference means that a clock is wrong: drift alone stays below it. */
const MOST_APART_SECONDS = 60;

export const RESPONSE_CHECKS: readonly Check[] = [
  {
    id: "scopes",
    question: "Is a list that the key may not read refused with 403 or 404?",
    guide: "errors",
    promise: "403 and 404 name the missing scope as a likely reason",
    todo: "Report the status to the maintainers of the library.",
    judge({ samples, api }) {
      const readable = samples.filter(({ failure }) => failure === null);
      const refused = samples.filter(({ status, operation }) => isRefusal(status) && !operation.feature);
      const other = samples.filter(
        ({ failure, status, operation }) => failure !== null && !isRefusal(status) && !operation.feature,
      );
      const seen = `readable: ${inWords(readable.map(({ resource }) => resource))}${withStatus("; refused", refused)}${withStatus("; other", other)}`;
      if (other.some(({ status }) => status !== null && status !== 429)) return differs(seen);
      if (refused.length === 0) return asAssumed(seen);
      const scopes = inWords(refused.flatMap(({ operation }) => scopesIn(operation, api) ?? []));
      const todo = `To read these, give the key of the ${API_NAME[api]} API the scopes ${scopes}. A 404 does not mean that there are no records.`;
      return { ...asAssumed(seen), todo };
    },
  },
  {
    id: "feature_flags",
    question: "Is an operation whose feature flag is off refused with 403 or 404?",
    guide: "errors",
    promise: "403 and 404 name the flag as a likely reason",
    todo: "Report the status to the maintainers of the library.",
    judge({ samples }) {
      const flagged = samples.filter(({ operation }) => operation.feature);
      const answered = flagged.filter(({ status }) => status !== null && status !== 429);
      if (answered.length === 0) return notSeen("no operation that needs a feature flag got a response");
      const seen = answered.map(({ operation, failure, status }) => {
        const what = failure === null ? "on" : `${status}: the feature is off, or the key is not allowed to read it`;
        return `${operation.feature}: ${what}`;
      });
      const isOdd = answered.some(({ failure, status }) => failure !== null && !isRefusal(status));
      return isOdd ? differs(seen.join("; ")) : asAssumed(seen.join("; "));
    },
  },
  {
    id: "rate_limit_headers",
    question: "Does the service allow as many requests as the client sends?",
    guide: "rate-limits",
    promise: "the client stays within 500 requests in 5 minutes, and reads no limit from responses",
    todo: "Ask the service which period its limit covers, and set the client option rateLimit accordingly.",
    judge({ readings, requestLimit }) {
      const names = new Set<string>();
      let least = Number.POSITIVE_INFINITY;
      for (const [name, value] of readings.flatMap(({ headers }) => [...headers])) {
        if (!/rate-?limit/.test(name)) continue;
        names.add(safeName(name));
        const limit = /limit$/.test(name) ? /^\d{1,7}/.exec(value) : null;
        if (limit) least = Math.min(least, Number(limit[0]));
      }
      const seen = `headers: ${inWords(names)}${Number.isFinite(least) ? `; ${least} requests` : ""}`;
      return requestLimit !== null && least < requestLimit
        ? differs(`${seen}, the client allows ${requestLimit}`)
        : asAssumed(seen);
    },
  },
  {
    id: "retry_after",
    question: "Does a 429 say how long to wait, in seconds or as a date?",
    guide: "rate-limits",
    promise: "Retry-After is obeyed, in seconds or as a date",
    todo: "Set totalTimeout to limit the wait, and report the Retry-After header to the maintainers of the library.",
    judge({ readings }) {
      const limited = readings.find(({ status }) => status === 429);
      if (!limited) return notSeen("no request was refused because of the rate limit");
      const after = limited.headers.get("retry-after");
      if (after === null) return differs("a 429 without Retry-After");
      if (!/^\d{1,9}$/.test(after)) {
        return Number.isNaN(Date.parse(after)) ? differs("neither a number nor a date") : asAssumed("a date");
      }
      // No window of 300 seconds can require such a wait, so the number cannot be in seconds.
      return Number(after) > 3_600 ? differs("a number far above the rate limit's 300 seconds") : asAssumed("seconds");
    },
  },
  {
    id: "clock",
    question: "Does the clock of this machine agree with the service's?",
    guide: "webhooks",
    promise: "a delivery whose signature is older than 5 minutes is refused",
    todo: "Synchronize the clock of this machine (NTP), or raise toleranceSeconds.",
    judge({ readings }) {
      const apart = readings.flatMap(secondsApart);
      if (apart.length === 0) return notSeen("no response has a Date header");
      const least = Math.round(Math.min(...apart));
      return least > MOST_APART_SECONDS
        ? differs(`${least} seconds apart`)
        : asAssumed(`at most ${MOST_APART_SECONDS} seconds apart`);
    },
  },
  {
    id: "etag",
    question: "Is a record always sent whole, without 304 Not Modified?",
    guide: "fewer-requests",
    promise: "every read is a request of its own; the library keeps no cache",
    todo: "Nothing breaks. Tell the maintainers of the library: repeated reads could be cheaper.",
    judge({ readings, conditional }) {
      if (conditional?.status === 304) return isNew("ETag, and 304 in response to If-None-Match");
      if (conditional) return asAssumed("ETag, but the whole record in response to If-None-Match");
      if (!readings.some(({ failure }) => failure === null)) return notSeen("nothing could be read");
      return asAssumed("no ETag on a record");
    },
  },
  {
    id: "deprecations",
    question: "Are all operations that doctor called free of deprecation notices?",
    guide: "observability",
    promise: "the `deprecated` event reports what the service announces about an operation",
    todo: "Read the service's announcement about these operations, and look for a release of the library that avoids them.",
    judge({ readings, baseUrl }) {
      const announced = new Map<string, string>();
      for (const { called, headers } of readings) {
        const isAnnounced = headers.has("deprecation") || headers.has("sunset");
        if (isAnnounced && !announced.has(called)) announced.set(called, announcementIn(headers, baseUrl));
      }
      if (announced.size > 0) return isNew(some([...announced].map(([called, said]) => `${called} (${said})`)));
      return readings.length > 0 ? asAssumed("no Deprecation or Sunset header") : notSeen("no request was answered");
    },
  },
];

// Omits the query of the link, which could contain a key or a value from a record.
function announcementIn(headers: Headers, baseUrl: string): string {
  const { since, sunset, link } = announcementOf(headers, baseUrl, []);
  const day = (date: Date) => date.toISOString().slice(0, 10);
  const page = link && new URL(link);
  return [
    since ? `deprecated since ${day(since)}` : "deprecated",
    ...(sunset ? [`ends on ${day(sunset)}`] : []),
    ...(page ? [`see ${page.origin}${page.pathname}`] : []),
  ].join(", ");
}

function isRefusal(status: number | null): boolean {
  return status === 403 || status === 404;
}

function withStatus(word: string, readings: readonly Reading[]): string {
  if (readings.length === 0) return "";
  return `${word}: ${inWords(readings.map(({ resource, failure }) => `${resource} (${failure})`))}`;
}

// Zero if the time in the Date header, which counts in whole seconds, lies between the request and its response.
function secondsApart({ headers, sent, answered }: Evidence["readings"][number]): number[] {
  const date = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(date)) return [];
  return [Math.max(0, sent - 1_000 - date, date - answered) / 1_000];
}
