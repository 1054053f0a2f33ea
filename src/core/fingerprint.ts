/** A short, non-cryptographic hash: two 32-bit FNV-1a hashes with different seeds. */
export function fingerprint(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x050c5d1f;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit ^ (i & 0xff), 0x01000193);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

/** A {@link fingerprint} as a whole number, which takes less memory than a string. */
export function hashOf(text: string): number {
  return Number.parseInt(fingerprint(text).slice(-13), 16);
}
