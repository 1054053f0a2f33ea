import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { AdminClient } from "../clients/admin.js";
import { MainClient } from "../clients/main.js";
import type { Call } from "../core/call/call.js";
import { ConfigurationError } from "../core/errors.js";
import type { Observers } from "../core/events.js";
import type { Pages } from "../core/lists/pages.js";
import { type Operation, placeholders } from "../core/operation.js";
import type { ListOptions } from "../core/options.js";
import type { Connection } from "./cli-arguments.js";
import type { Asked } from "./cli-operations.js";
import { fileProblem } from "./system-problem.js";
import { type Terminal, UsageError } from "./terminal.js";
import { type Wait, waitLines, waitObservers } from "./wait-lines.js";

/** A method of a resource, as the command line calls it. */
type Method = (...args: unknown[]) => unknown;

/** Prepares the list that is asked for. Its client refuses every write. */
export function listOf(
  asked: Asked,
  terminal: Terminal,
  options: ListOptions,
  onWait?: (wait: Wait) => void,
): Pages<unknown> {
  const { query, operation } = asked;
  // A method takes its query where its operation has one, or pages.
  const filters = operation.query || operation.paged !== "none" ? [query] : [];
  const list = methodOf(asked, terminal, onWait && { onWait });
  return list(...pathArguments(asked), ...filters, options) as Pages<unknown>;
}

/** Reads the record that is asked for. */
export async function recordOf(asked: Asked, terminal: Terminal): Promise<unknown> {
  return await (methodOf(asked, terminal)(...pathArguments(asked)) as Call<unknown>);
}

/** The path parameters as a method takes them: several as one object. */
export function pathArguments({ operation, parameters }: Asked): readonly unknown[] {
  if (parameters.length < 2) return parameters;
  return [Object.fromEntries(placeholders(operation).map((name, index) => [name, parameters[index]]))];
}

const SETTINGS = ["EDUCATION_ADMIN_BASE_URL", "EDUCATION_ADMIN_API_KEY"] as const;

/** What a command asks of its client. */
interface ClientOfCommand {
  /** Called when a call waits noticeably. Default: a line for people. */
  readonly onWait?: (wait: Wait) => void;
  readonly on?: Observers;
  /** False for a command that writes. Default true. */
  readonly readOnly?: boolean;
}

/** Makes the client of a command. @throws UsageError when address or key is not set, or the file cannot be read. */
export function clientFor(
  terminal: Terminal,
  { api = "main", envFile, withoutKey }: Connection,
  { onWait = waitLines(terminal.stderr), on = {}, readOnly = true }: ClientOfCommand = {},
): MainClient | AdminClient {
  const values = settingsOf(terminal, envFile);
  const needed = withoutKey ? SETTINGS.slice(0, 1) : SETTINGS;
  const missing = needed.filter((name) => !values[name]?.trim());
  if (missing.length > 0) {
    const where = envFile === undefined ? "" : `, neither in ${envFile} nor in the environment`;
    throw new UsageError(
      `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not set${where}. Set ${missing.length === 1 ? "it" : "them"} in the environment, or name a file with one NAME=value per line: --env-file school.env. To read only what the school has published, list, get and export take --without-key`,
    );
  }
  const options = {
    baseUrl: values.EDUCATION_ADMIN_BASE_URL,
    apiKey: withoutKey ? null : values.EDUCATION_ADMIN_API_KEY,
    readOnly,
    on: { ...on, ...waitObservers(onWait) },
  };
  try {
    return api === "main" ? new MainClient(options) : new AdminClient(options);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    // People who use a command know the variables, not the options of a client.
    throw new UsageError(
      error.message
        .replace(/^The option baseUrl\b/, "EDUCATION_ADMIN_BASE_URL")
        .replace(/^The option apiKey\b/, "EDUCATION_ADMIN_API_KEY"),
    );
  }
}

function methodOf({ operation, api, values }: Asked, terminal: Terminal, options?: ClientOfCommand): Method {
  return methodIn(clientFor(terminal, { ...values, api }, options), operation);
}

/** The method of a client that carries out an operation. */
export function methodIn(client: MainClient | AdminClient, operation: Operation): Method {
  // An operation's id is where its method is: organization.contacts.list.
  const method = operation.id
    .split(".")
    .reduce<unknown>((target, name) => (target as Record<string, unknown>)[name], client);
  if (typeof method !== "function") throw new Error(`${operation.id} has no method`);
  return method as Method;
}

/** Variables of the environment, and before them those of the file that `--env-file` names. @throws UsageError when it cannot be read. */
export function settingsOf({ env }: Terminal, file: string | undefined): Readonly<Record<string, string | undefined>> {
  if (file === undefined) return env;
  try {
    // Some editors begin a file with a byte order mark, which would become part of the first name.
    return { ...env, ...parseEnv(readFileSync(file, "utf8").replace(/^\uFEFF/, "")) };
  } catch (error) {
    throw new UsageError(`--env-file: ${file} ${fileProblem(error)}`);
  }
}
