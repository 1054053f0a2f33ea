/** The known name that differs least from the one given, as `; did you mean "…"?`; empty when none is close. */
export function didYouMean(name: string, known: readonly string[]): string {
  let best = "";
  // A third of the letters wrong is a typo; more is another name.
  let least = Math.floor(name.length / 3) + 1;
  for (const candidate of known) {
    const steps = distance(name.toLowerCase(), candidate.toLowerCase());
    if (steps >= least) continue;
    least = steps;
    best = candidate;
  }
  return best === "" ? "" : `; did you mean "${best}"?`;
}

// Levenshtein, one row at a time.
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
