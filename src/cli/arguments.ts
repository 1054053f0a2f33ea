import { didYouMean } from "../core/option-checks.js";
import { type Command, InvalidArgumentError, Option } from "./commander.js";
import { type Terminal, UsageError } from "./terminal.js";

// Options that people may try, but that are refused: other users of the machine can read arguments in the process list.
const SECRETS = ["key", "api-key", "apikey", "token", "secret", "webhook-secret", "password", "base-url"];

/**
 * Adds a command's arguments, options, help and action.
 * @param args the words after the command's name. They select the operation whose filters become options.
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

/** Adds `--env-file` and `--school`, for commands that use only one API. */
export function schoolOptions(command: Command): Command {
  return command
    .option(
      "-e, --env-file <file>",
      "a file with EDUCATION_ADMIN_BASE_URL and EDUCATION_ADMIN_API_KEY, one NAME=value per line",
    )
    .option(
      "--school <name>",
      "a school in the file that EDUCATION_ADMIN_SCHOOLS names (default: ~/.config/education-admin-sdk/schools.json); only you may have access to that file",
    );
}

/** Adds a command to a group. @param description default: the summary as a sentence. */
export function subcommand(group: Command, name: string, summary: string, description?: string): Command {
  const sentence = `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`;
  return group
    .usage("<command> [options]")
    .command(name)
    .summary(summary)
    .description(description ?? sentence);
}

/** Adds text below the options in a command's help. @param textOf returns the text for a width in columns. */
export function helpBelow(command: Command, textOf: (width: number) => string): Command {
  return command.addHelpText("after", () => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
    return `\n${command.createHelp().boxWrap(textOf(width), width)}`;
  });
}

/** Reads `--api` before the arguments are parsed, because it decides which options exist. Null if absent or invalid. */
export function apiArgument(args: readonly string[]): "main" | "admin" | null {
  const at = args.findIndex((arg) => arg === "--api" || arg.startsWith("--api="));
  const api = args[at]?.split("=")[1] ?? args[at + 1];
  return at >= 0 && (api === "main" || api === "admin") ? api : null;
}

/** Makes a parser for an option's value. @param read returns undefined for invalid text; `rule` is then the error. */
export function reader<T>(rule: string, read: (text: string) => T | undefined): (text: string) => T {
  return (text) => {
    const value = read(text);
    if (value === undefined) throw new InvalidArgumentError(rule);
    return value;
  };
}

const number = (rule: string, pattern: RegExp) =>
  reader(rule, (text) => (pattern.test(text) ? Number(text) : undefined));
export const positiveNumber = /* @__PURE__ */ number("must be a positive whole number", /^[1-9]\d*$/);
export const wholeNumber = /* @__PURE__ */ number("must be a whole number", /^\d+$/);
export const anyWholeNumber = /* @__PURE__ */ number("must be a whole number", /^-?\d+$/);
export const share = /* @__PURE__ */ reader("must be a number above 0 and at most 1", (text) =>
  Number(text) > 0 && Number(text) <= 1 ? Number(text) : undefined,
);
export const timeOf = /* @__PURE__ */ reader("must be a time such as 2030-01-01T09:00Z", (text) =>
  Number.isNaN(Date.parse(text)) ? undefined : new Date(text),
);

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

/** Parses a pair such as `email=E-mail`; the option can be repeated. @param before the pairs given so far. */
export function pair(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("must be a name and a value, such as email=E-mail");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Parses the names of resources: `planned-courses` becomes `plannedCourses`. */
export function resourceNames(text: string): string[] {
  return names(text).map((name) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()));
}

export function namesAmong(text: string, known: readonly string[]): string[] {
  for (const name of names(text))
    if (!known.includes(name))
      throw new InvalidArgumentError(`must be one of ${known.join(", ")}${didYouMean(name, known)}`);
  return names(text);
}
