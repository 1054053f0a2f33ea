/** A number with its word: `1 event`, `2300 events`. @param word in the singular; its plural ends in s. */
export function pluralize(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
