import { isEducationAdminError } from "../core/errors.js";
import { type Operation, placeholders } from "../core/operation.js";
import { fieldsOf } from "../core/schema/traits.js";
import { type JoinedSchemas, schemasOf } from "../export/joined-schemas.js";
import { LIST_NAMES } from "../generated/words.js";
import { allOperations } from "../operations.js";
import { resourceOf } from "../resources/references.js";
import { type Condition, parseCondition } from "../work/fields/condition.js";
import { type Field, parsePath } from "../work/fields/path.js";
import { valueOfText } from "../work/fields/text.js";
import { isZone } from "../work/zone.js";
import { apiArgument, type Connection, connection, type DescribeCommand, helpBelow, names } from "./arguments.js";
import { Argument, type Command, InvalidArgumentError, Option } from "./commander.js";
import { filterOptions, queryOf } from "./filters.js";
import { ACTIONS, type FoundOperation, kebab, LISTS, type OperationChoice } from "./operations.js";
import { type Terminal, UsageError } from "./terminal.js";

export interface Asked<Values = unknown> extends FoundOperation {
  readonly parameters: readonly unknown[];
  readonly query: Readonly<Record<string, unknown>>;
  readonly rest: readonly string[];
  readonly values: Values & Connection;
}

/** A command whose first argument names the resource, and so the operation: `list accounts`. */
export interface OperationCommand<Values> {
  readonly description: string;
  readonly choice: OperationChoice;
  /** False for operations that need a key. Default true. */
  readonly withoutKey?: boolean;
  options(row: Command, operation: Operation): Command;
  run(asked: Asked<Values>, terminal: Terminal): Promise<void>;
}

/**
 * Describes a command with one subcommand per operation. Only the subcommand that the arguments name gets its
 * parameters, filters and options.
 */
export function operationCommand<Values>(command: OperationCommand<Values>): DescribeCommand {
  return (group, terminal, args) => {
    const { description, choice } = command;
    const noun = choice === LISTS ? "list" : choice === ACTIONS ? "action" : "record";
    group.description(description).usage(`<${noun}> [options]`);
    const what = choice === LISTS ? "the arguments, filters and options" : "the arguments and options";
    const more = `${group.name()} <${noun}> --help lists ${what} of one ${noun}.`;
    helpBelow(
      group,
      (width) => `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)}s:\n${inColumns(choice.names, width)}\n\n${more}`,
    );
    const asked = args[0]?.startsWith("-") ? undefined : args[0];
    const api = apiArgument(args);
    const found = asked !== undefined && choice.has(asked, api) ? choice.find(asked, api) : null;
    for (const name of choice.names) {
      const isAsked = asked !== undefined && kebab(asked) === name;
      if (isAsked && !found) continue;
      const row = group.command(name, { hidden: true });
      if (isAsked && found) describeRow(asked === name ? row : row.alias(asked), found, command, terminal);
    }
    // Only so that shells complete names such as `students`, which are replaced before the command is parsed.
    if (choice === LISTS) for (const name of LIST_NAMES.keys()) group.command(name, { hidden: true });
    if (found) return;
    connection(group)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        // Throws an error that explains why there is no such subcommand.
        if (asked !== undefined) choice.find(asked, api, group.name());
        throw new UsageError(`Name the ${noun} first, before any options. One of:\n${inColumns(choice.names)}`);
      });
  };
}

function describeRow<Values>(
  row: Command,
  found: FoundOperation,
  { description, options, run, withoutKey = true }: OperationCommand<Values>,
  terminal: Terminal,
): void {
  const { operation } = found;
  const schemas = fieldsOf(operation.params);
  for (const parameter of placeholders(operation)) {
    const read = (text: string) => valueOfText(schemas[parameter], text);
    row.addArgument(new Argument(`<${kebab(parameter)}>`).argParser(read));
  }
  const filters = filterOptions(operation);
  for (const { option } of filters) row.addOption(option);
  connection(options(row.description(description), operation));
  if (withoutKey) row.option("--without-key", "read only what the school has published; no key is used");
  const count = placeholders(operation).length;
  row.action(() => {
    const [parameters, [rest = []]] = [row.processedArgs.slice(0, count), row.processedArgs.slice(count)];
    return run({ ...found, parameters, rest, query: queryOf(filters, row), values: row.opts() }, terminal);
  });
}

/** The `--columns` option of an operation. @param joins allows fields of joined records: `account.email`. */
export function columnsOption(operation: Operation, description: string, joins = true): Option {
  const more = joins ? joinExample(operation) : "";
  return new Option("--columns <a,b.c>", `${description}${more}`).argParser((text) =>
    names(text).map((path) => fieldIn(path, operation, joins)),
  );
}

function joinExample(operation: Operation): string {
  const joined = joinableOf(operation);
  const name = joined.has("account") ? "account" : [...joined.keys()][0];
  const [schema] = (name !== undefined && joined.get(name)) || [];
  if (!schema) return "";
  const fields = fieldsOf(schema);
  const field = ["email", "name", "number"].find((one) => one in fields) ?? "id";
  return `; ${name}.${field} also reads the ${name} that ${name}_id names`;
}

export function whereOptions(row: Command, operation: Operation): Command {
  const joined = joinableOf(operation);
  const fields = fieldsOf(operation.response);
  const day = ["expiration_date", "created_at"].find((one) => one in fields);
  const example = day === undefined ? "id>100" : `${day}<today`;
  const where = `only records that meet a condition, such as '${example}', checked after reading; can be repeated`;
  return row
    .addOption(
      new Option("--where <condition>", where).argParser((text, before: readonly Condition[] = []) => {
        try {
          return [...before, parseCondition(text, (path) => parsePath(path, operation.response, joined))];
        } catch (error) {
          throw isEducationAdminError(error, "input") ? new InvalidArgumentError(error.message) : error;
        }
      }),
    )
    .addOption(
      new Option("--zone <zone>", "the time zone in which days begin for --where (default: the school's)").argParser(
        (zone) => {
          if (isZone(zone)) return zone;
          throw new InvalidArgumentError("must be a time zone such as Europe/Amsterdam");
        },
      ),
    );
}

/** The joins that the given fields need: `{ account: true }` for `account.email`. */
export function joinsOf(fields: readonly Field[], operation: Operation): Readonly<Record<string, true>> {
  const joinable = joinableOf(operation);
  const own = fieldsOf(operation.response);
  const all = fields.map(({ names: [first = ""] }) => first);
  return Object.fromEntries(all.filter((name) => joinable.has(name) && !(name in own)).map((name) => [name, true]));
}

function fieldIn(path: string, operation: Operation, joins: boolean): Field {
  const found = parsePath(path, operation.response, joins ? joinableOf(operation) : new Map());
  if ("problem" in found) throw new InvalidArgumentError(`"${path}" ${found.problem}`);
  return found.field;
}

function joinableOf(operation: Operation): JoinedSchemas {
  const ids = Object.keys(fieldsOf(operation.response)).filter((field) => field.endsWith("_id"));
  const schemas = schemasOf(
    ids.map((field) => field.slice(0, -3)),
    operation,
    resourceOf,
    allOperations,
  );
  return new Map([...schemas].filter(([, found]) => found.length > 0));
}

export function inColumns(all: readonly string[], width = 98): string {
  const column = Math.max(...all.map((name) => name.length)) + 2;
  const perLine = Math.max(1, Math.floor(width / column));
  const lines: string[] = [];
  for (let at = 0; at < all.length; at += perLine) {
    const cells = all.slice(at, at + perLine).map((name) => name.padEnd(column));
    lines.push(`  ${cells.join("").trimEnd()}`);
  }
  return lines.join("\n");
}
