import { parseEnv } from "node:util";
import { AdminClient } from "../clients/admin.js";
import { MainClient } from "../clients/main.js";
import { ConfigurationError } from "../core/errors.js";
import type { Observers } from "../core/events.js";
import { argumentsOf, type Method, methodOf } from "../core/inside-client.js";
import type { Pages } from "../core/lists/pages.js";
import { type Operation, placeholders } from "../core/operation.js";
import type { ListOptions } from "../core/options.js";
import { otherRecord } from "../core/other-record.js";
import { daysIn } from "../work/days.js";
import { allOf, type Condition } from "../work/fields/condition.js";
import { type Field, isPresent, isUnread, valueAt } from "../work/fields/path.js";
import { type LeftOut, leftOutOf, sentencesOf, testerOf } from "../work/fields/tester.js";
import { joinPart } from "../work/same.js";
import { zoneOf } from "../work/zone.js";
import type { Connection } from "./arguments.js";
import { type Asked, joinsOf } from "./operation-command.js";
import { schoolNamed } from "./schools-file.js";
import { textIn } from "./system-problem.js";
import { type Wait, waitLines, waitObservers } from "./tell/wait-lines.js";
import { type Terminal, UsageError } from "./terminal.js";

/** The list that a command reads, and facts that its records do not show. */
export interface AskedList {
  readonly pages: Pages<unknown>;
  /** `as_of` is the time that `today` refers to; `zone` is the time zone in which days are compared. */
  facts(): { readonly read: number; readonly as_of: string; readonly zone?: string; readonly left_out?: LeftOut };
  /** Prints the facts as sentences. @param shown the printed records. @param absent default: `absentIn(shown)`. */
  tell(shown: readonly unknown[], absent?: readonly string[]): void;
}

export interface ListValues {
  readonly columns?: readonly Field[];
  readonly where?: readonly Condition[];
  readonly zone?: string;
}

/** Prepares a list with the joins that its columns and conditions need. Its client refuses every write. */
export async function listOf(
  asked: Asked<ListValues>,
  terminal: Terminal,
  options: ListOptions,
  onWait?: (wait: Wait) => void,
): Promise<AskedList> {
  const { columns = [], where = [], zone: given, withoutKey } = asked.values;
  const client = clientFor(terminal, { ...asked.values, api: asked.api }, onWait && { onWait });
  const list = methodIn(client, asked.operation)(...argumentsFor(asked), options) as Pages<unknown>;
  const condition = allOf(where);
  const joins = joinsOf([...columns, ...condition.tests.map(({ field }) => field)], asked.operation);
  const joined = Object.keys(joins).length > 0 ? (list.with(joins) as Pages<unknown>) : list;
  const { needsZone, needsNow, written } = condition;
  const known = needsZone ? (given ?? (await zoneOf(withoutKey ? null : methodOf(client, "educators.get")))) : null;
  const [now, zone] = [Date.now(), known ?? "UTC"];
  const tester = testerOf(condition, { now, zone });
  const fits = (record: unknown) => tester.holds(record);
  // A resumed export compares this text to check that the conditions are the same.
  const same = JSON.stringify([written, given]);
  fits.toString = () => joinPart(same, needsNow ? `${same} ${daysIn(zone)(now)} ${zone}` : same);
  return {
    pages: where.length > 0 ? joined.filter(fits) : joined,
    facts() {
      const left = Object.keys(tester.leftOut()).length > 0 && { left_out: tester.leftOut() };
      return { read: tester.read, as_of: new Date(now).toISOString(), ...(needsZone && { zone }), ...left };
    },
    tell(shown, absent = absentIn(shown, columns)) {
      const unread = columns.map(({ join }) => join);
      const more = known === null ? ": the school's time zone cannot be read; --zone names another" : "";
      const told = sentencesOf(leftOutOf(tester.leftOut(), shown, absent, unread));
      for (const one of [...(needsZone ? [`Days begin at midnight in ${zone}${more}.`] : []), ...told])
        terminal.stderr.write(`${one}\n`);
    },
  };
}

/** Paths of the fields that no record has, except those of joined records that could not be read. */
export function absentIn(records: readonly unknown[], fields: readonly Field[] = []): readonly string[] {
  const absent = fields.filter(
    ({ names, join }) => !records.some((record) => isUnread(record, join) || isPresent(valueAt(record, names))),
  );
  return records.length === 0 ? [] : absent.map(({ path }) => path);
}

export function argumentsFor(asked: Asked): readonly unknown[] {
  return argumentsOf(asked.operation, paramsOf(asked), asked.query);
}

export function paramsOf({ operation, parameters }: Asked): Readonly<Record<string, unknown>> {
  return Object.fromEntries(placeholders(operation).map((name, index) => [name, parameters[index]]));
}

const SETTINGS = ["EDUCATION_ADMIN_BASE_URL", "EDUCATION_ADMIN_API_KEY"] as const;

interface ClientOfCommand {
  /** Called for each wait that is long enough to report. Default: prints a line. */
  readonly onWait?: (wait: Wait) => void;
  readonly on?: Observers;
  /** False for commands that write. Default true. */
  readonly readOnly?: boolean;
}

/**
 * Creates a command's client. @throws UsageError if the address or the key is missing from the environment, or from
 * the file that replaces it, or if that file cannot be read.
 */
export function clientFor(
  terminal: Terminal,
  { api = "main", envFile, school, withoutKey }: Connection,
  { onWait = waitLines(terminal.stderr), on = {}, readOnly = true }: ClientOfCommand = {},
): MainClient | AdminClient {
  // Address and key belong together: a key from the environment must not be sent to an address from the file.
  if (school !== undefined && envFile !== undefined)
    throw new UsageError("--school contradicts --env-file; leave one out");
  const values = school ? schoolNamed(school, terminal) : envFile ? variablesIn(envFile) : terminal.env;
  const needed = withoutKey ? SETTINGS.slice(0, 1) : SETTINGS;
  const missing = needed.filter((name) => !values[name]?.trim());
  if (missing.length > 0) throw new UsageError(missingSettings(missing, envFile, withoutKey));
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
    // Users of the command know the environment variables, not the options of a client.
    throw new UsageError(
      error.message
        .replace(/^The option baseUrl\b/, "EDUCATION_ADMIN_BASE_URL")
        .replace(/^The option apiKey\b/, "EDUCATION_ADMIN_API_KEY"),
    );
  }
}

/** The client of a command that sends nothing. */
export function offlineClient(api: Connection["api"]): MainClient | AdminClient {
  const fetch = () => Promise.reject(new Error("this command sends nothing"));
  const options = { apiKey: "none", baseUrl: "https://service.invalid", fetch };
  return api === "admin" ? new AdminClient(options) : new MainClient(options);
}

/** The client's method for an operation. Rejects if the service returns a record other than the requested one. */
export function methodIn(client: object, operation: Operation): Method {
  const { id, path } = operation;
  const method = methodOf(client, id);
  if (!method) throw new Error(`${id} has no method`);
  if (!path.endsWith("{id}")) return method;
  return async (...given) => {
    const record = (await method(...given)) as { readonly id?: unknown } | undefined;
    const asked = given[placeholders(operation).length - 1];
    if (record?.id !== undefined && String(record.id) !== String(asked)) throw otherRecord(id, asked);
    return record;
  };
}

function missingSettings(
  missing: readonly string[],
  envFile: string | undefined,
  withoutKey: Connection["withoutKey"],
): string {
  const [it, are] = missing.length === 1 ? ["it", "is"] : ["them", "are"];
  if (envFile === undefined) {
    const published = withoutKey
      ? ""
      : ". To read only what the school has published, pass --without-key to list, get, count or export";
    return `${missing.join(" and ")} ${are} not set. Set ${it} in the environment, or name a file with one NAME=value per line: --env-file school.env, or a school: --school north${published}`;
  }
  return `--env-file: ${envFile} does not set ${missing.join(" or ")}. Address and key must both be in the file: those in the environment may belong to another school and were not used. Nothing was sent`;
}

/**
 * The environment variables, overridden by those in the file of `--env-file`. @throws UsageError if the file cannot be
 * read.
 */
export function settingsOf({ env }: Terminal, file: string | undefined): Readonly<Record<string, string | undefined>> {
  return file === undefined ? env : { ...env, ...variablesIn(file) };
}

// Matches an empty line, a comment, or a variable, whose quoted value may span several lines.
const ENTRY =
  /[^\S\n]*(?:#.*|(?:export\s+)?[\w.-]+[^\S\n]*=[^\S\n]*(?:"[^"]*".*|'[^']*'.*|`[^`]*`.*|(?!["'`]).*))?(?:\n|$)/y;

function variablesIn(file: string): Readonly<Record<string, string | undefined>> {
  // Some editors write a byte order mark, which would become part of the first name.
  const text = textIn(file, "--env-file")
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n");
  ENTRY.lastIndex = 0;
  while (ENTRY.lastIndex < text.length) {
    const { lastIndex } = ENTRY;
    if (ENTRY.test(text)) continue;
    // parseEnv would skip this line. The line may contain the key, so the error does not show it.
    const line = text.slice(0, lastIndex).split("\n").length;
    throw new UsageError(`--env-file: line ${line} of ${file} cannot be read. Write NAME=value, or # before a comment`);
  }
  return parseEnv(text);
}
