/** An exact decimal number: `digits` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { digits: 0n, scale: 0 };

/**
 * Parses a number or an amount as the service writes it; null for anything else, such as an identifier with a leading
 * zero.
 */
export function decimalOf(value: unknown): Decimal | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const found = /^(-?(?:0|[1-9]\d{0,29}))(?:\.(\d{1,30}))?$/.exec(String(value));
  if (!found) return null;
  const [, whole = "0", part = ""] = found;
  return { digits: BigInt(whole + part), scale: part.length };
}

export function plus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: digitsAt(a, scale) + digitsAt(b, scale), scale };
}

export function times(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const [one, other] = [digitsAt(a, scale), digitsAt(b, scale)];
  return one < other ? -1 : Number(one > other);
}

export function decimalText({ digits, scale }: Decimal): string {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const number = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
  return digits < 0n ? `-${number}` : number;
}

function digitsAt({ digits, scale }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(to - scale);
}
