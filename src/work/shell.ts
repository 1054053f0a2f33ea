/**
 * Quotes a word for a POSIX shell. Uses no other code, because the sandbox's console runs the source text of this
 * function alone.
 */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Quotes a word for a command that a person runs on this machine. */
export function quoteForTerminal(word: string): string {
  return process.platform === "win32" ? `"${word}"` : quoteForShell(word);
}
