import { textsByField } from "../field-errors.js";
import { type Operation, scopesIn } from "../operation.js";
import { printable } from "../printable.js";
import { redactCause, redactStart } from "../redact-cause.js";
import { statusText } from "../status-text.js";
import type { AttemptResult } from "./attempt-result.js";
import { errorBodyOf, type WireResponse } from "./body.js";
import type { EndedCall } from "./ended-call.js";
import { type Facts, type FormatProblem, type Obstacle, type WrongResponse, writeOutcome } from "./failure.js";
import type { GaveUp } from "./retry.js";

export { ResponseValidator } from "../drift/response-validator.js";
export { redact } from "../redact.js";
export { announce } from "./deprecation.js";
export { judge } from "./judge.js";
export { sensitiveValues } from "./sensitive-values.js";
export { redactCause };

const FORMAT_PROBLEMS: Readonly<Record<FormatProblem, string>> = {
  truncated: "returned truncated JSON",
  notJson: "returned something other than JSON; the response probably came from a proxy or login page",
  empty: "returned an empty body where one was expected",
  not_a_list: "did not return a list",
  not_a_record: "did not return a record",
  too_large: "returned a body larger than the `maxBodyBytes` option allows",
  unexpected_status: "is not a status that the service uses",
  redirect_write: "redirects a write, but only GET redirects are followed; check baseUrl",
  redirect_other_origin: "redirects to another origin, which must not receive the token; check baseUrl",
  redirect_no_location: "redirects without a Location header",
  redirect_too_many: "redirects again after five redirects, probably in a loop",
  redirect_hidden: "redirects, which browsers do not let scripts follow with a token; check baseUrl",
};

// Sentences that follow the error code of a failed connection. Browsers give no code.
const CONNECTION_HINTS: Readonly<Record<string, string>> = {
  ENOTFOUND: " The host name is unknown; check baseUrl.",
  EAI_AGAIN: " The name server did not answer; check the network.",
  "bad port": " fetch never connects to this port; check baseUrl.",
  ECONNREFUSED: " Nothing is listening at that address; check baseUrl and the network.",
  DEPTH_ZERO_SELF_SIGNED_CERT: " The certificate is self-signed; add its authority with NODE_EXTRA_CA_CERTS.",
  SELF_SIGNED_CERT_IN_CHAIN: " The certificate's authority is unknown; add it with NODE_EXTRA_CA_CERTS.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: " The certificate's authority is unknown; add it with NODE_EXTRA_CA_CERTS.",
  ERR_SSL_WRONG_VERSION_NUMBER:
    " The server answers without TLS at that address; check the port and the scheme of baseUrl.",
  CERT_HAS_EXPIRED: " The certificate has expired.",
  ERR_TLS_CERT_ALTNAME_INVALID: " The certificate belongs to another host; check baseUrl.",
};

// In characters.
const LONGEST_WORDS = 1_000;
const LONGEST_EXCERPT = 200;
const LONGEST_CODE = 60;

const GAVE_UP: Readonly<Record<GaveUp, string>> = {
  deadline: "Not retried: the next attempt would start after totalTimeout",
  retry_after: "Not retried: the service asks for a longer wait than retry.maxRetryAfter",
  quota: "Not retried: too many recent requests from this client have failed",
};
const ALREADY_DONE = "The service has processed it; do not send it again";
const CHECK_FIRST = "The service may have processed it; check before sending it again";

/**
 * Writes the error message of a failed call.
 * @param values values that were sent, which the message must not reveal.
 */
export function messageOf(...about: Parameters<typeof messageText>): string {
  return printable(messageText(...about));
}

function messageText(
  ended: EndedCall,
  facts: Facts,
  problem: FormatProblem | undefined,
  values: readonly string[],
): string {
  const { request, result, attempts } = ended;
  const { id } = request.operation;
  switch (result.kind) {
    case "response":
      if (problem === undefined) return `${id}: ${refusal(ended, result, facts, values)}`;
      return `${id}: ${wrongFormat(ended, result.response, facts, problem, values)}`;
    case "redirect":
    case "too_large":
      return `${id}: ${wrongFormat(ended, result.response, facts, problem as FormatProblem, values)}`;
    case "connection":
      return `${id}: ${noConnection(ended, result, values)}`;
    case "timeout":
      return `${id}: ${timeLimit(ended, result.scope)}.${afterwards(ended)}`;
    case "rate_limited": {
      const why =
        result.reason === "queue_full"
          ? "the queue is full (rateLimit.queueLimit)"
          : `the rate limit would hold it until ${facts.resetAt?.toISOString()}, later than totalTimeout allows`;
      return `${id}: not sent${attempts === 0 ? "" : " again"}, because ${why}.${afterwards(ended)}`;
    }
    // An earlier attempt may have been processed.
    case "misconfigured":
      return `${result.error.message}.${attempts === 0 ? " Nothing was sent." : afterwards(ended)}`;
    case "aborted":
      return "";
  }
}

export function noRequest(): string {
  return "This platform has no Request, which the library needs besides fetch: load a polyfill for both";
}

export function wrongResponse(what: WrongResponse): string {
  return what === "none"
    ? "the `fetch` option must return a Response"
    : "the `fetch` option returned a Response whose body was already read; it must create a new one for each call";
}

export function noFurtherPage(): string {
  return "there is no further page, or maxPages ends the list; check hasNext before nextPage()";
}

export function noWayOn({ kind, page, seen }: Obstacle): string {
  switch (kind) {
    case "torn":
      return `the Link header of page ${page} cannot be read, so there may be more records and no way to reach them. A proxy may have cut off the header.`;
    case "hidden":
      return "the page is full, but the browser shows no Link header, so there may be more records and no way to reach them. The service must expose it to this origin (Access-Control-Expose-Headers: Link): ask its support, or use your own server as a proxy.";
    case "loop":
      return `page ${page} links back to page ${seen}, so the list would never end. The service repeats a cursor.`;
    case "empty":
      return `${page} pages in a row are empty, so the list may never end.`;
  }
}

export function cursorRefused(status: number): string {
  return `the service refused the checkpoint's cursor (${status}); it may have expired. Start the list again from the beginning.`;
}

/** @param end when the wait ends, in milliseconds since the epoch. */
export function warnOfWait(operation: string, end: number): void {
  console.warn(
    `education-admin-sdk: ${operation} waits until ${new Date(end).toISOString()}, because the rate limit is used up, the service asked for it or an attempt failed. ` +
      "Set the client options on.wait (before a request) and on.retry (after a failed attempt) to be told of every wait; this warning is not repeated.",
  );
}

export function warnOfFilter(operation: string, field: string): void {
  console.warn(
    `education-admin-sdk: ${operation} returned records that its filter ${field} excludes; the service seems to ignore it. ` +
      "Set the client option on.drift to be told of every ignored filter; this warning is not repeated.",
  );
}

function attemptsOf({ attempts }: EndedCall): string {
  return attempts === 1 ? "1 attempt" : `${attempts} attempts`;
}

function afterwards(ended: EndedCall, unknown = writeOutcome(ended) === "unknown"): string {
  const warning = unknown ? ` ${CHECK_FIRST}.` : "";
  return `${warning}${ended.gaveUp === null ? "" : ` ${GAVE_UP[ended.gaveUp]}.`}`;
}

function refusal(
  ended: EndedCall,
  result: AttemptResult & { kind: "response" },
  { apiMessage, resetAt, hiddenHeaders, outcome, requestId }: Facts,
  values: readonly string[],
): string {
  const { request } = ended;
  const { response, body, status } = result;
  const found = errorBodyOf(body.kind === "json" ? body.value : response.text);
  const clean = (text: string, length: number) => redactStart(text, values, length);
  const problems = fieldProblems(found?.errors, clean);
  const words = typeof apiMessage === "string" ? clean(apiMessage, LONGEST_WORDS) : foreignBody(result, values);
  const what =
    `${status} ${statusText(status)}`.trimEnd() +
    (status === response.status ? "" : ` (in a ${response.status} response)`);
  const said = words === "" || words === statusText(status) ? what : `${what}: ${words.replace(/\.$/, "")}`;
  const sentences = [
    problems === "" ? said : `${said} (${problems})`,
    resetAt ? `Retry after ${resetAt.toISOString()}` : null,
    likelyReasons(ended, status, found !== null && found.errors !== null, words),
    hiddenHeaders?.includes("retry-after")
      ? "The browser does not show whether the service sent Retry-After, because CORS does not expose it: the wait is a guess"
      : null,
    outcome === "unknown" ? CHECK_FIRST : null,
    ended.gaveUp && GAVE_UP[ended.gaveUp],
  ].filter((sentence) => sentence !== null);
  const { method, path } = request.operation;
  const suffix = requestId ? `, request ${requestId}` : "";
  return `${sentences.join(". ")} (${method} ${path}, ${attemptsOf(ended)}${suffix})`;
}

function foreignBody({ response, body }: AttemptResult & { kind: "response" }, values: readonly string[]): string {
  if (body.kind === "empty" || body.kind === "json") return "";
  const type = response.headers.get("content-type");
  const named = `${type === null ? "an unnamed type" : redactStart(type, values, LONGEST_EXCERPT)}${encodingNote(response, values)}`;
  const start = excerpt(response.text, values);
  return `not the service's error body but ${named}${start === "" ? "" : `: ${start}`}`;
}

function wrongFormat(
  ended: EndedCall,
  response: WireResponse,
  { status, contentType, outcome }: Facts,
  problem: FormatProblem,
  values: readonly string[],
): string {
  const start = excerpt(response.text, values);
  const isWrite = ended.request.operation.method !== "GET";
  const end = outcome === "done" ? ` ${ALREADY_DONE}.` : afterwards(ended, isWrite);
  const what = `${status} ${FORMAT_PROBLEMS[problem]} (content type ${contentType ?? "none"}${encodingNote(response, values)}, ${attemptsOf(ended)})`;
  return `${what}${start === "" ? "" : `: ${start}`}${end === "" ? "" : `.${end}`}`;
}

// Every platform decodes these encodings, so the message leaves them out.
const DECODED = /^(identity|(x-)?gzip|deflate|br)$/i;

function encodingNote({ headers }: WireResponse, values: readonly string[]): string {
  const named = headers
    .get("content-encoding")
    ?.split(",")
    .map((each) => each.trim());
  if (!named || named.every((each) => DECODED.test(each))) return "";
  return `, in the content encoding ${redactStart(named.join(", "), values, LONGEST_CODE)}, which this platform may not decode`;
}

/** The start of a response's text; empty for JSON, even truncated, because records hold personal data. */
export function excerpt(text: string, values: readonly string[]): string {
  if (/^\s*[[{]/.test(text)) return "";
  return printable(redactStart(text, values, LONGEST_EXCERPT))
    .replace(/\s+/g, " ")
    .trim();
}

// Codes of failures after a connection was established, for which "could not connect" would be wrong.
const CLOSED_CODES: ReadonlySet<string> = /* @__PURE__ */ new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

// Reasons other than a failed connection: no key exists yet, or fetch would withhold the response (detected by
// refused-by-fetch.ts, which browsers do not load).
const REFUSED: Readonly<Record<string, string>> = {
  NO_KEY: "gave no tokens; see the cause",
  HTTP_407:
    "answered with 407 Proxy Authentication Required: a proxy on the way requires a user name and password; check the proxy and baseUrl",
  CONTENT_ENCODINGS:
    "answered with more content encodings than fetch decodes; a proxy on the way probably encodes the body repeatedly",
};

function noConnection(
  ended: EndedCall,
  { code }: AttemptResult & { kind: "connection" },
  values: readonly string[],
): string {
  const named = code === null ? "" : ` (${redactStart(code, values, LONGEST_CODE)})`;
  const { origin } = new URL(ended.url);
  const refused = code !== null && REFUSED[code];
  if (refused) return `${origin} ${refused} (${attemptsOf(ended)}).${afterwards(ended)}`;
  const what =
    code !== null && CLOSED_CODES.has(code)
      ? `the connection to ${origin} closed before a response arrived`
      : `could not connect to ${origin}`;
  const hint = code === null ? browserHint(ended.url) : (CONNECTION_HINTS[code] ?? "");
  return `${what}${named} after ${attemptsOf(ended)}.${hint}${afterwards(ended)}`;
}

function timeLimit(ended: EndedCall, scope: "attempt" | "total"): string {
  const { timeout, totalTimeout } = ended.request.settings;
  return scope === "attempt"
    ? `did not get a complete response within timeout (${timeout} ms, ${attemptsOf(ended)})`
    : `did not finish within totalTimeout (${totalTimeout} ms, ${attemptsOf(ended)})`;
}

/**
 * A hint for a browser request that got no response. The browser does not tell scripts the reason: being offline, an
 * unreachable host and a request that CORS forbids look the same.
 */
export function browserHint(url: string): string {
  const { navigator, location } = globalThis as { navigator?: { onLine?: boolean }; location?: { origin: string } };
  if (navigator?.onLine === undefined) return "";
  if (!navigator.onLine) return " The browser is offline.";
  if (!location || location.origin === new URL(url).origin) return " The browser is online; check baseUrl.";
  return ` The browser is online, and the page is on another origin (${location.origin}): most likely the service does not allow requests from it (CORS). Ask the service's support to add your domain, or use your own server as a proxy; otherwise check baseUrl.`;
}

const FILTER_BY_RECORD = /[?&](\w+_)?ids?\b/;

/**
 * The likely reasons for this status, the most likely first, and what to do about them.
 * @param fromService whether the body was the service's error body.
 * @param words the service's message.
 */
export function likelyReasons(
  { request, token, url, workedAt }: EndedCall,
  status: number,
  fromService: boolean,
  words: string,
): string | null {
  const { operation, raw, resumed } = request;
  const { feature } = operation;
  if (status === 412) return "The school is not set up for this operation";
  if (status !== 401 && status !== 403 && status !== 404) return null;
  const reasons: string[] = [];
  const key = keyReason(operation, status, workedAt);
  const isOff = `the feature flag "${feature}" is off`;
  const namesFeature = feature !== undefined && words.toLowerCase().includes(feature.toLowerCase());
  if (namesFeature) reasons.push(isOff);
  if (token === null) reasons.push("the client has no API key (apiKey: null), and this operation is not public");
  if (status === 404 && !fromService) reasons.push("the address is not the service's; check baseUrl");
  if (raw && !/^\/?api\//.test(operation.path)) reasons.push('the path lacks the API\'s prefix, such as "api/v1/"');
  if (resumed) reasons.push("the checkpoint's cursor has expired");
  if (token !== null && status !== 404) reasons.push(key);
  if (status !== 401) {
    if (raw && status === 404) reasons.push("the path is wrong, or a record it names does not exist");
    else if (operation.path.includes("{")) reasons.push("the record does not exist or belongs to another school");
    else if (operation.method !== "GET" || FILTER_BY_RECORD.test(url)) {
      reasons.push("a record that the request names belongs to another school");
    }
    if (feature !== undefined && !namesFeature) reasons.push(isOff);
    if (token !== null && status === 404) reasons.push(key);
    const isPart = operation.method !== "GET" || !operation.path.endsWith("}");
    if (status === 404 && isPart && operation.path.includes("{") && operation.pathConfirmed !== false) {
      reasons.push(
        "if you can read the record itself, the service may have moved this operation: see the option routes, and update the library",
      );
    }
    if (operation.beta) reasons.push("the operation is in beta and may have changed");
    if (operation.pathConfirmed === false) {
      reasons.push(
        `the operation's path is not confirmed by the service description; set the option routes["${operation.id}"]`,
      );
    }
  }
  return `Likely reasons: ${reasons.join("; or ")}`;
}

function keyReason(operation: Operation, status: number, workedAt: number | null): string {
  if (workedAt !== null) {
    return `the API key, which worked at ${new Date(workedAt).toISOString()}, has expired or been revoked, or the administrator it belongs to has lost rights; see "Connect your school"`;
  }
  if (status === 401) return "the API key is wrong, has expired or was revoked";
  const scopes = scopesInWords(operation);
  return `the API key is wrong, has expired or lacks the scope this operation needs${scopes && ` (${scopes})`}, or the administrator it belongs to lacks the right`;
}

// The scopes as text, such as `relations:read`; empty if the operation needs none or its scopes are not documented.
function scopesInWords(row: Operation): string {
  const word = row.anyScope ? " or " : " and ";
  return [...new Set(row.apis.map((api) => (scopesIn(row, api) ?? []).join(word)))].filter(Boolean).join(", or ");
}

const MOST_FIELDS = 5;
const LONGEST_PROBLEM = 200;
// Paths that match look like field names; others may contain personal data and are not shown. A name that equals a sent
// value is redacted.
const FIELD_NAME = /^[\w.[\]-]{0,80}$/;

/** The fields that the service refused, with its reasons: `email: is taken; label_ids: …`. */
export function fieldProblems(errors: unknown, clean: (text: string, length: number) => string): string {
  const known = [...textsByField(errors)].filter(([path]) => FIELD_NAME.test(path));
  const problems = known.slice(0, MOST_FIELDS).map(([path, texts]) => {
    const name = path === "" ? "" : `${path}: `;
    return clean(`${name}${texts.slice(0, MOST_FIELDS).join(", ")}`, name.length + LONGEST_PROBLEM);
  });
  return `${problems.join("; ")}${known.length > MOST_FIELDS ? "; and more" : ""}`;
}
