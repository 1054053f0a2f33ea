// The model's independent arithmetic in whole cents and thousandths.
import assert from "node:assert/strict";

/** Converts decimal text with exactly two decimals to whole cents. */
export function centsOf(text: string): number {
  const [, sign, whole, cents] = /^(-?)(\d+)\.(\d\d)$/.exec(text) ?? assert.fail(`${text} is not an amount in cents`);
  const size = Number(whole) * 100 + Number(cents);
  return sign === "-" && size > 0 ? -size : size;
}

/** Converts whole cents to decimal text. */
export function textOf(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, "0");
  return `${cents < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Converts a price as text to thousandths; null is 0. */
export function thousandthsOf(cost: string | null): number {
  const [whole = "0", fraction = ""] = (cost ?? "0").split(".");
  return Number(whole) * 1000 + Number(fraction.padEnd(3, "0"));
}

/** Divides and rounds to an integer; halves are rounded away from zero. */
export function divide(value: number, by: number): number {
  const size = Math.floor((Math.abs(value) * 2 + by) / (by * 2));
  return value < 0 && size > 0 ? -size : size;
}
