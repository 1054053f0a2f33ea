import { isPlainObject } from "../core/json.js";
import { checkNames, type Fail, group, type Names, oneOf } from "../core/option-checks.js";
import { checkOAuth } from "./engine/oauth.js";
import type { SandboxRateLimit } from "./engine/rate-window.js";
import { checkWebhookOptions } from "./engine/webhook-options.js";
import type { SandboxOptions } from "./options.js";

const OPTIONS: Names<SandboxOptions> = {
  seed: 1,
  size: 1,
  baseUrl: 1,
  apiKey: 1,
  api: 1,
  disabledFeatures: 1,
  rateLimit: 1,
  routes: 1,
  now: 1,
  freeze: 1,
  skipWaits: 1,
  manners: 1,
  empty: 1,
  data: 1,
  school: 1,
  webhooks: 1,
  oauth: 1,
  latency: 1,
  onDelivery: 1,
  onRequest: 1,
};

const RATE_LIMIT: Names<SandboxRateLimit> = { requests: 1, windowMs: 1 };

const fail: Fail = (option, rule) => new RangeError(`createSandbox: the option ${option} ${rule}`);

/** @throws RangeError for an option that does not exist or cannot have its value, unless its own part checks it. @internal */
export function checkOptions(options: SandboxOptions): void {
  checkNames(options, OPTIONS, fail);
  const { seed, baseUrl, apiKey, api, rateLimit, data, webhooks, oauth } = options;
  if (seed !== undefined && !Number.isSafeInteger(seed)) throw fail("seed", "must be a whole number");
  if (baseUrl !== undefined && !isHttpUrl(baseUrl))
    throw fail("baseUrl", "must be a URL that begins with http or https");
  // A key with a space could not be read from the header that carries it.
  if (apiKey !== undefined && !(typeof apiKey === "string" && /^[\x21-\x7e]+$/.test(apiKey))) {
    throw fail("apiKey", "must be text of letters, digits and signs, without spaces");
  }
  if (api !== undefined) oneOf("main", "admin")("api", api, fail);
  if (rateLimit !== undefined && rateLimit !== false) group("rateLimit", rateLimit, RATE_LIMIT, fail, " or false");
  if (data !== undefined && !isPlainObject(data))
    throw fail("data", "must be an object with a list for each collection");
  for (const name of ["empty", "freeze", "skipWaits"] as const) {
    const value: unknown = options[name];
    if (value !== undefined && typeof value !== "boolean") throw fail(name, "must be true or false");
  }
  for (const name of ["onRequest", "onDelivery"] as const) {
    const value: unknown = options[name];
    if (value !== undefined && typeof value !== "function") throw fail(name, "must be a function");
  }
  if (oauth !== undefined) checkOAuth(oauth);
  if (webhooks !== undefined) checkWebhookOptions(webhooks, fail);
}

/** The time of the option `now`, in milliseconds since the epoch. @throws RangeError for a time that does not exist. @internal */
export function timeOf(now: Date | string | undefined): number | undefined {
  if (now === undefined) return undefined;
  const time = new Date(now).getTime();
  if (Number.isNaN(time) || (typeof now === "string" && !hasDay(now))) {
    throw fail("now", 'must be a time that exists, such as "2030-01-01T09:00:00.000Z"');
  }
  return time;
}

// The platform reads 31 February as 3 March.
function hasDay(time: string): boolean {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(time)?.[0];
  return day === undefined || new Date(`${day}T00:00:00.000Z`).toISOString().startsWith(day);
}

function isHttpUrl(text: unknown): boolean {
  return typeof text === "string" && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
