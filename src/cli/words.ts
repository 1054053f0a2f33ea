import { LIST_NAMES } from "../generated/words.js";
import { quoteForTerminal } from "../work/shell.js";
import { COMMANDS } from "./commands.js";
import { type Terminal, UsageError } from "./terminal.js";

const READ_LISTS = ["list", "count", "export"];

/**
 * Rewrites a command line to the form that the commands accept: `invoices list` becomes `list invoices`, and
 * `delete labels 7` becomes `do labels.delete 7`. In commands that only read, a school's name for a list becomes the
 * service's.
 * @throws UsageError for a resource without a verb.
 */
export async function inServiceWords(given: readonly string[], { stderr }: Terminal): Promise<readonly string[]> {
  const args = await verbFirst(given);
  const [verb = "", name = "", ...rest] = args;
  const list = READ_LISTS.includes(verb) ? LIST_NAMES.get(name) : undefined;
  if (!list) return args;
  stderr.write(`${name}: ${list.map(quoteForTerminal).join(" ")}\n`);
  return [verb, ...list, ...rest];
}

/** The verbs that can follow the name of a resource, such as `list` or `open`; empty if it is not a resource. */
export async function verbsOf(noun: string): Promise<readonly string[]> {
  return [...(await commandsOf(noun)).keys()];
}

/** The verbs of a resource, each with the command that it stands for, such as `do labels.delete`. */
async function commandsOf(noun: string): Promise<ReadonlyMap<string, readonly [verb: string, name: string]>> {
  const { ACTIONS, CREATES, kebab, LISTS, RECORDS, UPDATES } = await import("./operations.js");
  const resource = kebab(LIST_NAMES.get(noun)?.[0] ?? noun);
  const all = Object.entries({ list: LISTS, get: RECORDS, create: CREATES, update: UPDATES, do: ACTIONS });
  return new Map(
    all.flatMap(([verb, { names }]) => [
      ...(names.includes(resource)
        ? (verb === "list" ? READ_LISTS : [verb]).map((each) => [each, [each, noun]] as const)
        : []),
      ...names.flatMap((name) =>
        name.slice(0, name.lastIndexOf(".")) === resource
          ? [[name.slice(resource.length + 1), [verb, name]] as const]
          : [],
      ),
    ]),
  );
}

async function verbFirst(args: readonly string[]): Promise<readonly string[]> {
  const [first = "", second = "", ...rest] = args;
  if (first === "delete" && second !== "") return ["do", `${second}.delete`, ...rest];
  if (first === "" || first.startsWith("-") || first === "help") return args;
  // `webhooks` is a resource and a command. These four verbs mean the resource; `list` is the command's own.
  const isCommand = COMMANDS.some(({ name }) => name === first);
  if (isCommand && !(first === "webhooks" && ["get", "create", "update", "delete"].includes(second))) return args;
  const commands = await commandsOf(first);
  if (commands.size === 0) return args;
  if (second === "" || second.startsWith("-"))
    throw new UsageError(`Name a verb after "${first}": ${[...commands.keys()].join(", ")}`);
  return [...(commands.get(second) ?? ["do", `${first}.${second}`]), ...rest];
}
