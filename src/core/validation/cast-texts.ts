/**
 * The texts that `Enumeration.cast` was called with. A cast value is plain text, so the closed schema recognises it by
 * this record. All copies of the library in a process share it.
 */
const CAST_TEXTS = /* @__PURE__ */ Symbol.for("education-admin-sdk.cast-texts.v1");

// Callers cast a handful of spellings; texts out of untrusted data must not fill the memory.
const MOST_TEXTS = 1_000;

/** Records a text cast for the enumeration with these values. Beyond 1,000 texts the oldest is forgotten. */
export function rememberCast(values: readonly string[], text: string): void {
  const shared = globalThis as { [CAST_TEXTS]?: Map<string, Set<string>> };
  shared[CAST_TEXTS] ??= new Map();
  const key = keyOf(values);
  const texts = shared[CAST_TEXTS].get(key) ?? new Set();
  shared[CAST_TEXTS].set(key, texts);
  // Removed first, so that a text that is cast again becomes the newest.
  texts.delete(text);
  texts.add(text);
  if (texts.size > MOST_TEXTS) texts.delete(texts.values().next().value as string);
}

/** True for a text that was cast for the enumeration with these values. */
export function wasCast(values: readonly string[], text: string): boolean {
  const shared = globalThis as { [CAST_TEXTS]?: Map<string, Set<string>> };
  return shared[CAST_TEXTS]?.get(keyOf(values))?.has(text) ?? false;
}

// Copies of the library have no object in common, but the same lists.
function keyOf(values: readonly string[]): string {
  return JSON.stringify(values);
}
