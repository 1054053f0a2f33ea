import { EducationAdminError } from "../core/errors.js";
import { helpBelow, refuseForgottenValues, refuseSecrets } from "./arguments.js";
import { Command, CommanderError } from "./commander.js";
import { COMMANDS } from "./commands.js";
import { guardOutput, type Terminal, UsageError } from "./terminal.js";
import { contentsOfPackage, versionOfPackage } from "./version.js";
import { inServiceWords, verbsOf } from "./words.js";

const NAME = "education-admin-sdk";
const USAGE = 2;

const SETTINGS_HELP = `education-admin-sdk <command> --help lists the options of a command.

The service's address and the API key come from the environment variables EDUCATION_ADMIN_BASE_URL and EDUCATION_ADMIN_API_KEY, from the file that --env-file names, or from the file of schools (--school); never from the command line, which other users can see.

Exit status: 0 on success; 1 when something failed; 2 when the command line or the settings are wrong, a plan was not confirmed, or doctor or twin could not read the school; nothing was written.`;

/**
 * Runs a command line. @returns the exit status: 0, 1 for a failure, 2 for a mistake in the command line or the
 * settings.
 */
export async function runCli(words: readonly string[], given: Terminal): Promise<number> {
  const { env, stop } = given;
  // Only a terminal must be protected from control characters: a file or pipe gets the service's text unchanged.
  const stdout = given.stdout.isTTY ? guardOutput(given.stdout) : given.stdout;
  const guardedErrors = guardOutput(given.stderr);
  const stderr = hasLiveLines(given) ? guardedErrors : { write: (text: string) => guardedErrors.write(text) };
  const terminal: Terminal = { env, stdout, stderr, stop };
  if (words[0] === "completion" && words[1] === "--") {
    await complete(words.slice(2), terminal);
    return 0;
  }
  let asked: Command | undefined;
  try {
    const args = await inServiceWords(words, terminal);
    const program = await programOf(args, terminal);
    asked = commandOf(program, args);
    refuseSecrets(asked, args);
    refuseForgottenValues(asked, args);
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const usage = error instanceof CommanderError && asked ? new UsageError(sentenceOf(error, asked)) : error;
    terminal.stderr.write(`${usage instanceof Error ? usage.message : String(usage)}\n`);
    if (!isUsage(usage)) return 1;
    terminal.stderr.write(`\nSee: ${asked ? pathOf(asked) : NAME} --help\n`);
    return USAGE;
  }
}

// The shell calls this whenever the Tab key is pressed.
async function complete(words: readonly string[], terminal: Terminal): Promise<void> {
  const { completionLines, startingWith } = await import("./commands/completion.js");
  const [noun = "", last = ""] = words;
  const verbs = words.length === 2 && !COMMANDS.some(({ name }) => name === noun) ? await verbsOf(noun) : [];
  if (verbs.length > 0) {
    terminal.stdout.write(startingWith(last, verbs));
    return;
  }
  const typed = await inServiceWords(words.slice(0, -1), { ...terminal, stderr: { write: () => undefined } });
  const program = await programOf(typed, terminal);
  terminal.stdout.write(completionLines(commandOf(program, typed), [...typed, ...words.slice(-1)]));
}

// A CI log keeps every state of a line, and a dumb terminal cannot overwrite a line.
function hasLiveLines({ env, stderr }: Terminal): boolean {
  return stderr.isTTY === true && !env.CI && env.TERM !== "dumb";
}

function isUsage(error: unknown): boolean {
  if (!(error instanceof EducationAdminError)) return error instanceof UsageError;
  // Errors that the library found before sending anything: an invalid filter or option, or a missing key.
  const { code, reason } = error as EducationAdminError & { readonly reason?: string };
  const isUnsent = code === "bulk" && reason !== "blind" && reason !== "stopped";
  return code === "input" || code === "configuration" || isUnsent;
}

// Loads only the command that the arguments name.
async function programOf(args: readonly string[], terminal: Terminal): Promise<Command> {
  const program = new Command(NAME)
    .usage("<command> [options]")
    .version(
      /^(-v|--version) --verbose$/.test(args.join(" ")) ? contentsOfPackage() : versionOfPackage(),
      "-v, --version",
      "the version of the package; with --verbose also what it contains",
    )
    .helpOption("-h, --help", "show this help")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      // Errors are written once, at the end, with the help command to run.
      writeErr: () => undefined,
      getOutHelpWidth: () => Math.min(terminal.stdout.columns || 100, 120),
    });
  helpBelow(program, () => SETTINGS_HELP);
  const [name, ...rest] = args[0] === "help" ? args.slice(1) : args;
  for (const entry of COMMANDS) {
    const command = program.command(entry.name).summary(entry.summary);
    if (entry.name === name) (await entry.load())(command, terminal, rest);
  }
  return program;
}

// Finds the command that the arguments name: `list accounts` for `list accounts --limit 3`.
function commandOf(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const arg of args) {
    const next = command.commands.find((one) => one.name() === arg || one.alias() === arg);
    if (!next) break;
    command = next;
  }
  return command;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

// The parser's error without the invalid value, which may be a secret.
function sentenceOf({ code, message }: CommanderError, asked: Command): string {
  if (code === "commander.help") {
    return `Which command? One of: ${asked.commands.map((command) => command.name()).join(", ")}`;
  }
  if (code === "commander.missingArgument") {
    const missing = /'(.*?)'/.exec(message)?.[1] ?? "";
    return `Give the ${missing}: ${pathOf(asked)} ${asked.usage().replace("[options] ", "")}`;
  }
  const unknown = code === "commander.unknownOption" ? /'(-n|--[\w-]+)/.exec(message)?.[1] : undefined;
  const meant = unknown === undefined ? null : meantBy(unknown, asked);
  if (meant) return `Unknown option '${unknown}' (Did you mean ${meant}?)`;
  const [first = "", hint = ""] = message
    .replace(/^error: /, "")
    .replace(/^option '.*?(--[\w-]+).*?' argument '.*' is invalid\. /s, "$1: ")
    .replace(/^command-argument value '.*' is invalid for argument '(.*?)'\. /s, "<$1>: ")
    .replace(/^option '.*?(--[\w-]+).*' argument missing$/, "$1 needs a value")
    .replace(/: Allowed choices are (.*)\.$/, " must be one of $1")
    .replace(/: must /, " must ")
    .replace(/^(unknown option '[^=']+)=.*'/s, "$1'")
    .split("\n");
  return `${first.slice(0, 1).toUpperCase()}${first.slice(1)}${hint && ` ${hint}`}`;
}

/** Names that other programs use for an option. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  "--limit": ["-n", "--max", "--count", "--first", "--top"],
  "--columns": ["--fields", "--select"],
  "--out": ["--output", "--file"],
};
const BEGINS = ["--since", "--from", "--after"];
const ENDS = ["--until", "--to", "--before"];

function meantBy(unknown: string, { options }: Command): string | null {
  const known = options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const other = known.find((name) => OTHER_NAMES[name]?.includes(unknown));
  if (other) return other;
  if (BEGINS.includes(unknown)) return known.find((name) => /-(after|from)$|^--start$/.test(name)) ?? null;
  return ENDS.includes(unknown) ? (known.find((name) => /-(before|until)$|^--end$/.test(name)) ?? null) : null;
}
