import { isPlainObject } from "../core/json.js";
import {
  acceptAny,
  callable,
  checkOptions as checkTable,
  type Fail,
  flag,
  group,
  must,
  type OptionTable,
  oneOf,
} from "../core/option-checks.js";
import type { DefinedSchool } from "../school/definitions.js";
import { isDay } from "../work/days.js";
import { isLatency, LATENCY_RULE } from "./engine/latency.js";
import { checkWebhookOptions } from "./engine/subscription.js";
import type { SandboxOptions } from "./options.js";
import { isTwin } from "./twin.js";

const isHttpUrl = (text: unknown) =>
  typeof text === "string" && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

// A key with a space cannot be parsed from the `Authorization` header.
const isKey = (key: unknown) => typeof key === "string" && /^[\x21-\x7e]+$/.test(key);

// Options with `acceptAny` are checked by the code that uses them.
const OPTIONS: OptionTable<SandboxOptions> = {
  seed: [must(Number.isSafeInteger, "must be a whole number")],
  size: [acceptAny],
  baseUrl: [must(isHttpUrl, "must be a URL that begins with http or https")],
  apiKey: [must(isKey, "must consist of letters, digits and punctuation, without spaces")],
  api: [oneOf("main", "admin")],
  disabledFeatures: [acceptAny],
  rateLimit: [
    (option, value, fail) => value === false || group(option, value, { requests: 1, windowMs: 1 }, fail, " or false"),
  ],
  routes: [acceptAny],
  now: [(_, value) => timeOf(value)],
  freeze: [flag],
  skipWaits: [flag],
  manners: [acceptAny],
  empty: [flag],
  data: [must(isPlainObject, "must map names of collections to lists of records")],
  school: [
    must(
      (value) => isPlainObject((value as DefinedSchool | null)?.definitions),
      "must be the value exported by the file that `npx education-admin-sdk types` writes",
    ),
  ],
  twin: [must(isTwin, "must be the content of a file that this version of `npx education-admin-sdk twin` wrote")],
  webhooks: [(_, value, fail) => checkWebhookOptions(value, fail)],
  oauth: [acceptAny],
  latency: [must((value) => typeof value === "function" || isLatency(value), LATENCY_RULE)],
  onDelivery: [callable],
  onRequest: [callable],
};

const fail: Fail = (option, rule) => new RangeError(`createSandbox: the option ${option} ${rule}`);

/** @throws RangeError for an unknown option or an invalid value. */
export function checkOptions(options: SandboxOptions): void {
  checkTable(options, OPTIONS, fail);
}

/** The `now` option in milliseconds since the epoch. @throws RangeError for a time that does not exist. */
export function timeOf(now: Date | string | undefined): number | undefined {
  if (now === undefined) return undefined;
  const time = new Date(now).getTime();
  // `Date` parses 31 February as 3 March, so check that the day exists.
  const day = typeof now === "string" ? /^\d{4}-\d{2}-\d{2}/.exec(now)?.[0] : undefined;
  if (!Number.isNaN(time) && (day === undefined || isDay(day))) return time;
  throw fail("now", 'must be a time that exists, such as "2030-01-01T09:00:00.000Z"');
}
