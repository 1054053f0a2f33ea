/** The environment and outputs of a command. Tests replace it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command's result, for programs. */
  readonly stdout: Output;
  /** Progress and problems, for people. */
  readonly stderr: Output;
  /** Stops a command that runs until it is stopped, as Ctrl-C and SIGTERM do. */
  readonly stop?: AbortSignal | undefined;
}

export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** A green check mark on a terminal without NO_COLOR; otherwise empty. */
export function checkMark({ env, stderr }: Terminal): string {
  return stderr.isTTY && !env.NO_COLOR ? CHECK_MARK : "";
}

/**
 * Formats a value as indented JSON without characters that a terminal would obey or hide; JSON itself escapes only the
 * first 32 control characters.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// Control characters other than tabs and line ends; characters that change the direction of text.
const OBEYED = /(?![\t\n]|\r\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
const CHECK_MARK = "\x1b[32m✓\x1b[39m ";
// The control sequences that the command itself writes, to overwrite or clear a line and to color the check mark.
const BEGINS = ["\r\x1b[K", "\r\x1b[J", "\r", CHECK_MARK];
const END = "\x1b[K";

/** Wraps an output so that text from the service cannot control the terminal. */
export function guardOutput<O extends Output>(output: O): O {
  const clean = (text: string) => {
    const before = BEGINS.find((one) => text.startsWith(one)) ?? "";
    const after = text.slice(before.length).endsWith(END) ? END : "";
    return before + text.slice(before.length, text.length - after.length).replace(OBEYED, " ") + after;
  };
  const write = (chunk: string | Uint8Array, ...more: unknown[]) => {
    const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
    return (output.write as (...args: unknown[]) => unknown)(clean(text), ...more);
  };
  return new Proxy(output, {
    get(target, name) {
      if (name === "write") return write;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** A mistake in the command line: exit status 2. */
export class UsageError extends Error {}
