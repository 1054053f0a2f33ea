/** Where a command reads settings and writes output. Tests replace it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command's result, for programs. */
  readonly stdout: Output;
  /** Progress and problems, for people. */
  readonly stderr: Output;
  /** Ends a command that runs until it is stopped. Default: Ctrl-C and SIGTERM. */
  readonly stop?: AbortSignal | undefined;
}

/** One output of a terminal. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** A green check mark before what was done, for people at a terminal who have not set NO_COLOR; else nothing. */
export function done({ env, stderr }: Terminal): string {
  return stderr.isTTY && !env.NO_COLOR ? "\x1b[32m✓\x1b[39m " : "";
}

/** A value as indented JSON, in which no character reaches a terminal that it would obey or hide: JSON itself escapes only the first 32. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A mistake in the command line: exit status 2. */
export class UsageError extends Error {}
