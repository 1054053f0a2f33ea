/** The known name that is most similar to a misspelled name; null if none is similar. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const text = name.toLowerCase();
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(text.length / 2)) + 1;
  for (const candidate of known) {
    const distance = distanceOf(text, candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

// If one name contains the other, they are similar unless the shorter name has at most two characters; the closer their
// lengths, the smaller the distance.
function distanceOf(text: string, other: string): number {
  if (text === other) return 0;
  const contained = other.includes(text) || text.includes(other);
  if (contained && Math.min(text.length, other.length) > 2) return 1 + Math.abs(text.length - other.length) / 100;
  return editDistance(text, other);
}

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
