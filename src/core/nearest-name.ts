/** The known name nearest to a misspelt one, or null when none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const text = name.toLowerCase();
  let nearest: string | null = null;
  let least = Math.max(2, Math.floor(text.length / 3)) + 1;
  for (const candidate of known) {
    const other = candidate.toLowerCase();
    const distance = other.startsWith(text) || text.startsWith(other) ? 1 : editDistance(text, other);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

// Levenshtein's distance, one row at a time.
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
