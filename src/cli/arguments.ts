import { type Command, InvalidArgumentError, Option } from "./commander.js";
import { type Terminal, UsageError } from "./terminal.js";

// Options that people may try. Refused, because other users of the machine can read their values in the process list.
const SECRETS = ["key", "api-key", "apikey", "token", "secret", "webhook-secret", "password", "base-url"];

/**
 * Adds arguments, options, help and an action to a command. Nothing else defines the parser or the help text.
 * @param args the words after the command's name; they name the operation whose filters a list or record gets.
 */
export type DescribeCommand = (command: Command, terminal: Terminal, args: readonly string[]) => void;

export interface Connection {
  readonly api?: "main" | "admin";
  readonly envFile?: string;
  readonly school?: string;
  readonly withoutKey?: true;
}

export function connection(command: Command): Command {
  return schoolOptions(
    command.addOption(
      new Option("--api <api>", "which API to use (default: main if it has the operation)").choices(["main", "admin"]),
    ),
  );
}

/** Options of a command that uses one API only. */
export function schoolOptions(command: Command): Command {
  return command
    .option(
      "-e, --env-file <file>",
      "a file with EDUCATION_ADMIN_BASE_URL and EDUCATION_ADMIN_API_KEY, one NAME=value per line",
    )
    .option(
      "--school <name>",
      "a school of the file ~/.config/education-admin-sdk/schools.json, which only you can read",
    );
}

/** Adds text below the options in a command's help. @param textOf wraps the text to the terminal's width. */
export function helpBelow(command: Command, textOf: (width: number) => string): Command {
  return command.addHelpText("after", () => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
    return `\n${command.createHelp().boxWrap(textOf(width), width)}`;
  });
}

/** Reads `--api` before the arguments are parsed, because it decides which options exist. Null for an unknown API. */
export function apiArgument(args: readonly string[]): "main" | "admin" | null {
  const at = args.findIndex((arg) => arg === "--api" || arg.startsWith("--api="));
  const api = args[at]?.split("=")[1] ?? args[at + 1];
  return at >= 0 && (api === "main" || api === "admin") ? api : null;
}

export function positiveNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("must be a whole number from 1");
  return Number(text);
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("must be a whole number");
  return Number(text);
}

/** A whole number, also a negative one. */
export function anyWholeNumber(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError("must be a whole number");
  return Number(text);
}

export function names(text: string): string[] {
  return text.split(",").map((name) => name.trim());
}

/** Refuses a key or an address in the arguments. @throws UsageError naming the argument, not its value. */
export function refuseSecrets(command: Command, args: readonly string[]): void {
  for (const arg of args) {
    const name = /^--([\w-]+)/.exec(arg)?.[1]?.toLowerCase();
    if (name === undefined || !SECRETS.includes(name) || command.options.some(({ long }) => long === `--${name}`)) {
      continue;
    }
    throw new UsageError(
      `--${name}: address, key and secret are never taken from the command line, which other users can see. Set EDUCATION_ADMIN_BASE_URL, EDUCATION_ADMIN_API_KEY and, for webhooks, WEBHOOK_SECRET, or name a file with --env-file (-e).`,
    );
  }
}

/**
 * Refuses options without their value, as in `--out --resume`, where commander would take `--resume` as the value. Also
 * refuses a value for an option that takes none.
 * @throws UsageError naming the option.
 */
export function refuseForgottenValues(command: Command, args: readonly string[]): void {
  for (const [at, arg] of args.entries()) {
    if (arg === "--") return;
    const flag = arg.split("=")[0] ?? "";
    if (flag !== arg && command.options.some((option) => !option.required && option.long === flag)) {
      throw new UsageError(`${flag} takes no value`);
    }
    const next = args[at + 1] ?? "";
    if (optionWithValue(command, arg) && /^-./.test(next)) {
      throw new UsageError(`${arg} needs a value; for one that begins with a dash, write ${arg}=${next}`);
    }
  }
}

export function optionWithValue(command: Command, flag = ""): Option | undefined {
  return command.options.find(({ long, short, required }) => required && (long === flag || short === flag));
}

/** Reads a name and a value; the option can be repeated: `email=E-mail`. */
export function pair(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("must be a name and a value: email=E-mail");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Reads names of resources; `planned-courses` is `plannedCourses`. */
export function resourceNames(text: string): string[] {
  return names(text).map((name) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()));
}

export function share(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError("must be a number above 0 and at most 1");
  return value;
}
