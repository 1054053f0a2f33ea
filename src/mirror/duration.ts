import { ConfigurationError } from "../core/errors.js";

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A length of time: a whole number and its unit, such as `10m`, `6h` or `1d`. */
export type Duration = `${number}${keyof typeof UNITS}`;

/**
 * Reads a length of time.
 * @returns milliseconds.
 * @throws ConfigurationError when it is anything but a whole number above 0 with a unit: ms, s, m, h or d.
 */
export function milliseconds(option: string, duration: unknown): number {
  const [, digits = "", unit = ""] = /^([1-9]\d{0,8})(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  if (typeof duration === "string" && digits !== "") return Number(digits) * UNITS[unit as keyof typeof UNITS];
  throw new ConfigurationError(
    `Mirror: ${option} must be a whole number with a unit (ms, s, m, h, d), such as "10m" or "6h"`,
  );
}
