/** The middle value; for an even number of values, the mean of the middle two. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error("a median needs values");
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Formats a number with a fixed number of decimals and with its digits in groups of three: `12 345.6`. */
export function formatNumber(value: number, digits = 0): string {
  const [whole = "", rest] = value.toFixed(digits).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, " ");
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

/** Formats a size in kB of 1 000 bytes, the unit that bundlers and size badges use. */
export function kilobytes(bytes: number): string {
  return `${formatNumber(bytes / 1_000, 1)} kB`;
}
