// Characters of Windows-1252 between 0x80 and 0x9F; the others are as in Latin-1. Written out, because the platform can
// decode but not encode Windows-1252.
const SIGNS =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";

export function fromWindows1252(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => SIGNS[byte - 0x80] ?? String.fromCharCode(byte)).join("");
}

/** Encodes a text in Windows-1252; null if it contains a character that Windows-1252 lacks. */
export function toWindows1252(text: string): Uint8Array | null {
  const bytes = Array.from(text, (sign) =>
    SIGNS.includes(sign) ? 0x80 + SIGNS.indexOf(sign) : (sign.codePointAt(0) ?? 0),
  );
  return bytes.every((byte) => byte < 0x100) ? Uint8Array.from(bytes) : null;
}
