import { readFileSync } from "node:fs";
import { EducationAdminError } from "../core/errors.js";
import { didYouMean } from "../core/option-checks.js";
import { COMMANDS } from "./cli-commands.js";
import { type Terminal, UsageError } from "./terminal.js";

/** Exit status of a command line that cannot be carried out as it is written. */
const USAGE = 2;

/** Runs a command line. @returns the exit status: 0, 1 for a failure, 2 for a mistake in the command line or the settings. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await dispatch(args, terminal);
    return 0;
  } catch (error) {
    terminal.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof UsageError) {
      terminal.stderr.write(`\nSee: education-admin-sdk ${commandOf(args)}--help\n`);
      return USAGE;
    }
    // What the library refused before it sent anything: a filter, an option, a missing key.
    const refused = error instanceof EducationAdminError && (error.code === "input" || error.code === "configuration");
    return refused ? USAGE : 1;
  }
}

async function dispatch([name, ...rest]: readonly string[], terminal: Terminal): Promise<void> {
  if (name === "--help" || name === "-h" || name === "help") {
    terminal.stdout.write(help());
    return;
  }
  // Every command has it, as people expect it at the end of the line too.
  if (name === "--version" || name === "-v" || rest.includes("--version")) {
    terminal.stdout.write(`${versionOfPackage()}\n`);
    return;
  }
  const names = COMMANDS.map((command) => command.name);
  if (name === undefined) throw new UsageError(`Which command? One of: ${names.join(", ")}`);
  const entry = COMMANDS.find((command) => command.name === name);
  if (!entry) throw new UsageError(`There is no command "${name}"${didYouMean(name, names)}`);
  const command = await entry.load();
  await command.run(rest, terminal);
}

function help(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return `Usage: education-admin-sdk <command> [options]

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join("\n")}

education-admin-sdk <command> --help tells the rest.

The address and the key of the service come from the environment variables EDUCATION_ADMIN_BASE_URL and
EDUCATION_ADMIN_API_KEY, or from a file that --env-file names; never from the command line, which other users can see.

  -h, --help     this text
  -v, --version  the version of the package

Exit status: 0; 1 when something failed; 2 when the command line or the settings are wrong, and nothing was sent.
`;
}

function commandOf([name = ""]: readonly string[]): string {
  return COMMANDS.some((command) => command.name === name) ? `${name} ` : "";
}

function versionOfPackage(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return String(version);
}
