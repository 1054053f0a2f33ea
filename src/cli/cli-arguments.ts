import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import type { Operation } from "../core/operation.js";
import { didYouMean } from "../core/option-checks.js";
import { fieldsOf } from "../core/validation/traits.js";
import { pathProblem } from "../export/columns.js";
import { type Filter, filtersOf, parametersOf, queryOf, valueOfText } from "./filters.js";
import { kebab, type OperationChoice, type ProviderApi } from "./operations.js";
import { UsageError } from "./terminal.js";

/** Options that every command has that reads from the service. */
export const CONNECTION_OPTIONS = {
  api: { type: "string" },
  "env-file": { type: "string", short: "e" },
  help: { type: "boolean", short: "h" },
} as const satisfies ParseArgsOptionsConfig;

/** Help for {@link CONNECTION_OPTIONS}. */
export const CONNECTION_HELP = `  --api main|admin         which API to use            (default: main, or the one that has it)
  -e, --env-file <file>    a file with EDUCATION_ADMIN_BASE_URL and EDUCATION_ADMIN_API_KEY, one NAME=value per line
  -h, --help               this text
`;

// Names people try. Whoever can list the processes of the machine can read what stands there.
const SECRETS = ["key", "api-key", "apikey", "token", "secret", "webhook-secret", "password", "base-url"];

/** What a command line asks for. */
export interface Asked {
  readonly operation: Operation;
  readonly api: ProviderApi;
  /** The path parameters, in the order of the path. */
  readonly parameters: readonly unknown[];
  readonly query: Readonly<Record<string, unknown>>;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Reads the arguments of a command about an operation: its name, its path parameters, its filters and the command's options.
 * @param command as messages name it.
 * @returns null when the help text is asked for, after `help` was called with the operation, if there is a name.
 * @throws UsageError naming what is wrong.
 */
export function readArguments(
  command: "export" | "get" | "list",
  args: readonly string[],
  choice: OperationChoice,
  options: ParseArgsOptionsConfig,
  help: (operation: Operation | null) => void,
): Asked | null {
  refuseSecrets(args);
  // First, because the filters are known only once the operation is.
  const name = args[0]?.startsWith("-") ? undefined : args[0];
  const wantsHelp = args.includes("--help") || args.includes("-h");
  if (name === undefined) {
    if (!wantsHelp) {
      const what = command === "get" ? "resource" : "list";
      throw new UsageError(`Name the ${what} first, before any options. One of:\n${columns(choice.names)}`);
    }
    help(null);
    return null;
  }
  const api = apiOf(args);
  const found = choice.find(name, api);
  if (wantsHelp) {
    help(found.operation);
    return null;
  }
  const filters = filtersOf(found.operation);
  const { values, positionals } = parsed(args, { ...filterOptions(filters), ...CONNECTION_OPTIONS, ...options });
  const names = parametersOf(found.operation);
  const given = positionals.slice(1);
  if (given.length !== names.length) {
    const usage = `${command} ${name}`;
    if (names.length === 0) throw new UsageError(`${usage} takes no more arguments`);
    const needed = names
      .map((parameter) => `${/^[aeio]/.test(parameter) ? "an" : "a"} ${kebab(parameter)}`)
      .join(" and ");
    const problem = given.length < names.length ? `needs ${needed}` : `takes ${needed} and nothing more`;
    throw new UsageError(`${usage} ${problem}: ${usage}${parameterUsage(found.operation)}`);
  }
  const schemas = fieldsOf(found.operation.params);
  return {
    ...found,
    parameters: names.map((parameter, index) => valueOfText(schemas[parameter], given[index] ?? "")),
    query: queryOf(filters, values),
    values,
  };
}

/** Reads `--columns`. @returns null without it. @throws UsageError for a path that leads to no value. */
export function columnPaths({ operation, values }: Asked): string[] | null {
  if (typeof values.columns !== "string") return null;
  const paths = values.columns.split(",").map((path) => path.trim());
  for (const path of paths) {
    const problem = pathProblem(path, operation.response, []);
    if (problem !== null) throw new UsageError(`--columns: "${path}" ${problem}`);
  }
  return paths;
}

/** The part of a help text that names the filters of a list. */
export function filterHelp(operation: Operation): string {
  const filters = filtersOf(operation);
  if (filters.length === 0) return "";
  const lines = filters.map(({ option, takes, multiple }) => {
    const left = `  --${option} ${takes}`;
    return multiple ? `${left.padEnd(26)} can be repeated` : left;
  });
  return `Filters:\n${lines.join("\n")}\n\n`;
}

/** The path parameters in a usage line. */
export function parameterUsage(operation: Operation): string {
  return parametersOf(operation)
    .map((name) => ` <${kebab(name)}>`)
    .join("");
}

/** Names in lines of a terminal's width. */
export function columns(names: readonly string[]): string {
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const perLine = Math.max(1, Math.floor(98 / width));
  const lines: string[] = [];
  for (let at = 0; at < names.length; at += perLine) {
    lines.push(
      `  ${names
        .slice(at, at + perLine)
        .map((name) => name.padEnd(width))
        .join("")
        .trimEnd()}`,
    );
  }
  return lines.join("\n");
}

/** A whole number from 1, from an option. @throws UsageError naming the option. */
export function positiveNumber(name: string, value: unknown): number {
  if (!/^[1-9]\d*$/.test(String(value))) throw new UsageError(`--${name} must be a whole number from 1`);
  return Number(value);
}

function filterOptions(filters: readonly Filter[]): ParseArgsOptionsConfig {
  return Object.fromEntries(filters.map(({ option, multiple }) => [option, { type: "string", multiple }]));
}

/** Reads arguments. @throws UsageError for an option that does not exist or lacks its value. */
export function parsed<const Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(problemOf(args, options, error));
  }
}

/** Reads the options of a command that takes nothing else. @throws UsageError as `parsed` does. */
export function parsedOptions<const Options extends ParseArgsOptionsConfig>(
  command: string,
  args: readonly string[],
  options: Options,
) {
  const { values, positionals } = parsed(args, options);
  if (positionals.length === 0) return values;
  throw new UsageError(`${command} takes options only, not "${positionals[0]}"`);
}

// Node's own texts explain positional arguments.
function problemOf(args: readonly string[], options: ParseArgsOptionsConfig, error: unknown): string {
  const { tokens } = parseArgs({ args: [...args], allowPositionals: true, options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) {
      const names = Object.keys(options);
      return `There is no option ${rawName}${rawName.startsWith("--") ? didYouMean(name, names, "--") : ""}`;
    }
    if (option.type === "boolean" && value !== undefined) return `${rawName} takes no value`;
    if (option.type === "string" && (value === undefined || (value.startsWith("-") && !token.inlineValue))) {
      return value === undefined
        ? `${rawName} needs a value`
        : `${rawName} needs a value; for one that begins with a dash, write ${rawName}=${value}`;
    }
  }
  return error instanceof Error ? error.message : String(error);
}

/** Refuses a key or an address in the arguments. @throws UsageError naming the argument, not its value. */
export function refuseSecrets(args: readonly string[]): void {
  for (const arg of args) {
    const name = /^--([\w-]+)/.exec(arg)?.[1]?.toLowerCase();
    if (name === undefined || !SECRETS.includes(name)) continue;
    throw new UsageError(
      `--${name}: address, key and secret are never taken from the command line, which other users can see. Set EDUCATION_ADMIN_BASE_URL, EDUCATION_ADMIN_API_KEY and, for webhooks, WEBHOOK_SECRET, or name a file with --env-file (-e).`,
    );
  }
}

/** The API that `--api` names; null without it. @throws UsageError for another one. */
export function apiOf(args: readonly string[]): ProviderApi | null {
  const { values } = parseArgs({ args: [...args], strict: false, allowPositionals: true, options: CONNECTION_OPTIONS });
  const { api } = values;
  if (api === undefined) return null;
  if (api !== "main" && api !== "admin") throw new UsageError("--api must be main or admin");
  return api;
}
