/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error("a median needs values");
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Writes a number with a fixed count of digits after the point and thin groups: `12 345.6`. */
export function formatNumber(value: number, digits = 0): string {
  const [whole = "", rest] = value.toFixed(digits).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, " ");
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

/** kB as bundlers and size badges write it: 1 000 bytes. */
export function kilobytes(bytes: number): string {
  return `${formatNumber(bytes / 1_000, 1)} kB`;
}
