/** A word as a POSIX shell reads it. Refers to nothing else, because the sandbox's console runs its source text. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A word in a command that a person runs on this machine. */
export function quoteForTerminal(word: string): string {
  return process.platform === "win32" ? `"${word}"` : quoteForShell(word);
}
