/** A number with its noun: `1 event`, `2300 events`. @param word a singular noun whose plural ends in s. */
export function pluralize(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
