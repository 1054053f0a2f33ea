/**
 * Reads a key, token or password that a caller passes, without the blanks, line breaks and quotes that files and
 * environment variables may add around it.
 * @returns null if the value is not text, is empty, or contains a line break or another control character.
 */
export function readSecret(given: unknown): string | null {
  if (typeof given !== "string") return null;
  const text = given.trim();
  const secret = /^(["'])(.*)\1$/s.exec(text)?.[2]?.trim() ?? text;
  return secret === "" || /\p{Cc}/u.test(secret) ? null : secret;
}
