import type { Clock } from "../core/clock.js";
import { ConfigurationError } from "../core/errors.js";
import { callObserver } from "../core/events.js";
import { isPlainObject } from "../core/json.js";
import { checkNames, type Fail, flag, type Names, record } from "../core/option-checks.js";
import { HOLD_ABOVE, type HoldAbove } from "../work/hold.js";
import type { RepairReport } from "./repair.js";
import type { ListReport } from "./report.js";

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration: a whole number and its unit, such as `10m`, `6h` or `1d`. */
export type Duration = `${number}${keyof typeof UNITS}`;

/**
 * Parses a duration.
 * @returns milliseconds.
 * @throws ConfigurationError unless it is a whole number above 0 with a unit: ms, s, m, h or d.
 */
export function milliseconds(option: string, duration: unknown): number {
  const [, digits = "", unit = ""] = /^([1-9]\d{0,8})(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  if (typeof duration === "string" && digits !== "") return Number(digits) * UNITS[unit as keyof typeof UNITS];
  throw new ConfigurationError(
    `Mirror: ${option} must be a whole number with a unit (ms, s, m, h, d), such as "10m" or "6h"`,
  );
}

/** Options of `mirror`. */
export interface MirrorOptions<List extends string = string> {
  /**
   * The lists to copy, by the client's names, such as `accounts` or `organization.contacts`. A list below another one,
   * such as the authentications of users, takes one request per parent record, and its parent list is copied too.
   * `"flat"` selects all lists that have no parent. Default: every list of the client whose records have identifiers.
   */
  readonly resources?: readonly List[] | "flat" | undefined;
  /**
   * The largest fraction of the client's request budget to use: more than 0, at most 1. The budget is the client's
   * `rateLimit`; a client without one does not limit the mirror either. Default 0.2: 100 requests in 5 minutes.
   */
  readonly share?: number | undefined;
  /**
   * A name for the rights of the client's key. A key proves that a record is gone only if a key with the same name has
   * seen that record. If keys change or differ between processes, give all keys with the same rights the same name.
   * Default: every key counts as different, but all keys that one mirror gets from an `apiKey` function count as one.
   */
  readonly keyName?: string | undefined;
  /** How often `run` sweeps each list. Default `{ default: "6h" }`. */
  readonly every?: { readonly [Name in List | "default"]?: Duration } | undefined;
  /** How often `run` reads the records added at the end of lists. Default `30m`; false for never. */
  readonly tail?: Duration | false | undefined;
  /** How often `run` looks for failed notifications. Default `15m`; false for never. */
  readonly repair?: Duration | false | undefined;
  /**
   * If more than `rows` rows and more than the fraction `share` of a list are missing, the run marks no row as gone.
   * Default `{ share: 0.1, rows: 20 }`.
   */
  readonly holdAbove?: Partial<HoldAbove> | undefined;
  /** True to keep changes for `changes`. Default true. */
  readonly history?: boolean | undefined;
  /** Called with the report on each list that `run` has processed. Exceptions it throws are ignored. */
  readonly onReport?: ((report: ListReport) => void) | undefined;
  /** Called with the report on failed notifications that `run` has processed. Exceptions it throws are ignored. */
  readonly onRepair?: ((report: RepairReport) => void) | undefined;
  /**
   * Called when the mirror begins to wait for its share of the request budget, with the earliest possible end of the
   * wait. Exceptions it throws are ignored.
   */
  readonly onWait?: ((until: Date) => void) | undefined;
  /**
   * The clock, for tests. Default: the client's clock, which is the sandbox's for a sandbox client and otherwise the
   * machine's.
   */
  readonly clock?: Clock | undefined;
}

export interface MirrorSettings {
  readonly share: number;
  readonly keyName: string | undefined;
  readonly every: ReadonlyMap<string, number>;
  readonly everyDefault: number;
  /** Milliseconds; null for never. */
  readonly tail: number | null;
  readonly repair: number | null;
  readonly holdAbove: HoldAbove;
  readonly history: boolean;
  readonly onReport: (report: ListReport) => void;
  readonly onRepair: (report: RepairReport) => void;
  readonly onWait: (until: Date) => void;
  readonly clock: Clock;
}

const NAMES: Names<MirrorOptions> = {
  resources: 1,
  share: 1,
  keyName: 1,
  every: 1,
  tail: 1,
  repair: 1,
  holdAbove: 1,
  history: 1,
  onReport: 1,
  onRepair: 1,
  onWait: 1,
  clock: 1,
};

export const DEFAULT_SHARE = 0.2;

const fail: Fail = (option, rule) => new ConfigurationError(`Mirror: ${option || "the options"} ${rule}`);

/**
 * Checks the options of a mirror. @param clientClock used if no clock is given. @throws ConfigurationError naming the
 * invalid option.
 */
export function settingsOf(options: MirrorOptions, clientClock: Clock): MirrorSettings {
  if (!isPlainObject(options as unknown)) throw fail("", "must be a plain object");
  checkNames(options, NAMES, fail);
  const { resources, share = DEFAULT_SHARE, keyName, tail = "30m", repair = "15m", clock = clientClock } = options;
  if (resources !== undefined && resources !== "flat" && !(Array.isArray(resources) && resources.length > 0)) {
    throw fail("resources", 'must be an array of list names, or "flat"');
  }
  if (keyName !== undefined && !(typeof keyName === "string" && keyName !== ""))
    throw fail("keyName", "must be a name");
  if (!(typeof share === "number" && share > 0 && share <= 1))
    throw fail("share", "must be a number above 0 and at most 1");
  const every = record("every", options.every ?? {}, fail) as Readonly<Record<string, Duration | undefined>>;
  const { default: everyDefault = "6h", ...others } = every;
  for (const name of Object.keys(others)) {
    if (Array.isArray(resources) && !resources.includes(name))
      throw fail(`every.${name}`, "names a list that is not in resources");
  }
  const intervals = Object.entries(others).map(
    ([name, value]) => [name, milliseconds(`every.${name}`, value)] as const,
  );
  return {
    share,
    keyName,
    every: new Map(intervals),
    everyDefault: milliseconds("every.default", everyDefault),
    tail: tail === false ? null : milliseconds("tail", tail),
    repair: repair === false ? null : milliseconds("repair", repair),
    holdAbove: holdAboveOf(options.holdAbove ?? {}),
    history: flag("history", options.history ?? true, fail),
    onReport: observer("onReport", options.onReport),
    onRepair: observer("onRepair", options.onRepair),
    onWait: observer("onWait", options.onWait),
    clock,
  };
}

function observer<Value>(name: string, given: ((value: Value) => void) | undefined): (value: Value) => void {
  if (given !== undefined && typeof given !== "function") throw fail(name, "must be a function");
  return (value) => callObserver(given, value);
}

function holdAboveOf(given: Partial<HoldAbove>): HoldAbove {
  checkNames(record("holdAbove", given, fail), { share: 1, rows: 1 }, fail, "holdAbove.");
  const { share = HOLD_ABOVE.share, rows = HOLD_ABOVE.rows } = given;
  if (!(typeof share === "number" && share >= 0 && share <= 1))
    throw fail("holdAbove.share", "must be a number from 0 to 1");
  if (!(Number.isInteger(rows) && rows >= 0)) throw fail("holdAbove.rows", "must be a whole number of at least 0");
  return { share, rows };
}
