/** Says which of the known names somebody probably meant: ` Did you mean "x"?`, or nothing when none is close. @internal */
export function didYouMean(name: string, known: Iterable<string>): string {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 4)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best === undefined ? "" : ` Did you mean "${best}"?`;
}

// Insertions, deletions and replacements that lead from one text to the other.
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
