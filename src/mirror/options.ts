import type { Clock } from "../core/clock.js";
import { ConfigurationError } from "../core/errors.js";
import { callObserver } from "../core/events.js";
import {
  callable,
  type Fail,
  failuresOf,
  flag,
  methods,
  must,
  type OptionTable,
  optionsOf,
  readOptions,
  record,
  whole,
} from "../core/option-checks.js";
import { HOLD_ABOVE, type HoldAbove } from "../work/hold.js";
import type { RepairReport } from "./repair.js";
import type { ListReport } from "./report.js";

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration: a whole number and its unit, such as `10m`, `6h` or `1d`. */
export type Duration = `${number}${keyof typeof UNITS}`;

/**
 * Parses a duration.
 * @returns milliseconds.
 * @throws ConfigurationError unless it is a positive whole number with a unit: ms, s, m, h or d.
 */
export function milliseconds(option: string, duration: unknown): number {
  const [, digits = "", unit = ""] = /^([1-9]\d{0,8})(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  if (typeof duration === "string" && digits !== "") return Number(digits) * UNITS[unit as keyof typeof UNITS];
  throw new ConfigurationError(
    `Mirror: ${option} must be a whole number with a unit (ms, s, m, h, d), such as "10m" or "6h"`,
  );
}

/** Options for `mirror`. */
export interface MirrorOptions<List extends string = string> {
  /**
   * The lists to copy, by the client's names, such as `accounts` or `organization.contacts`. A list below another one,
   * such as the authentications of users, takes one request per parent record, and its parent list is copied too.
   * `"flat"` selects all lists that have no parent. Default: every list of the client whose records have identifiers.
   */
  readonly resources?: readonly List[] | "flat" | undefined;
  /**
   * The largest fraction of the client's request budget to use: more than 0, at most 1. The budget is the client's
   * `rateLimit`; without one, the mirror is not limited. Default 0.2: 100 requests in 5 minutes.
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
  /** True to record changes, for `changes` and `at`. Default true. */
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

export const DEFAULT_SHARE = 0.2;

const fraction = (least: number, rule: string) =>
  must<number>((value) => typeof value === "number" && value >= least && value <= 1, rule);

const HOLD_OPTIONS = {
  share: [/* @__PURE__ */ fraction(0, "must be a number from 0 to 1"), HOLD_ABOVE.share],
  rows: [/* @__PURE__ */ whole(0), HOLD_ABOVE.rows],
} satisfies OptionTable<HoldAbove>;

const OPTIONS = {
  resources: [
    /* @__PURE__ */ must<readonly string[] | "flat">(
      (value) => value === "flat" || (Array.isArray(value) && value.length > 0),
      'must be an array of list names, or "flat"',
    ),
  ],
  share: [/* @__PURE__ */ fraction(Number.MIN_VALUE, "must be a number above 0 and at most 1"), DEFAULT_SHARE],
  keyName: [/* @__PURE__ */ must<string>((value) => typeof value === "string" && value !== "", "must be a name")],
  every: [intervalsOf],
  tail: [intervalOf],
  repair: [intervalOf],
  holdAbove: [
    (option: string, value: Partial<HoldAbove>, fail: Fail) => readOptions(value, HOLD_OPTIONS, fail, `${option}.`),
  ],
  history: [flag, true],
  onReport: [callable<(report: ListReport) => void>],
  onRepair: [callable<(report: RepairReport) => void>],
  onWait: [callable<(until: Date) => void>],
  clock: [/* @__PURE__ */ methods<Clock>("now", "setTimeout", "clearTimeout")],
} satisfies OptionTable<MirrorOptions>;

export type MirrorSettings = ReturnType<typeof settingsOf>;

export function settingsOf(options: MirrorOptions, clientClock: Clock) {
  const { onReport, onRepair, onWait, ...given } = optionsOf("Mirror", options, OPTIONS);
  const { resources, every = new Map<string, number>(), clock = clientClock, holdAbove = HOLD_ABOVE } = given;
  for (const name of every.keys()) {
    if (name !== "default" && Array.isArray(resources) && !resources.includes(name))
      throw failuresOf("Mirror")(`every.${name}`, "names a list that is not in resources");
  }
  const { tail = milliseconds("tail", "30m"), repair = milliseconds("repair", "15m") } = given;
  return {
    ...given,
    every,
    tail,
    repair,
    holdAbove,
    clock,
    onReport: (report: ListReport) => callObserver(onReport, report),
    onRepair: (report: RepairReport) => callObserver(onRepair, report),
    onWait: (until: Date) => callObserver(onWait, until),
  };
}

function intervalOf(option: string, value: Duration | false): number | null {
  return value === false ? null : milliseconds(option, value);
}

function intervalsOf(option: string, every: Readonly<Record<string, Duration | undefined>>, fail: Fail) {
  const given = Object.entries(record(option, every, fail)).filter(([, value]) => value !== undefined);
  return new Map(given.map(([name, value]) => [name, milliseconds(`${option}.${name}`, value)]));
}
