import { checkRows } from "../../bulk/node-check.js";
import { type FileProposal, keyFor, proposalFor, type ReadingOptions } from "../../bulk/node-proposal.js";
import { reasonOf } from "../../bulk/node-report.js";
import type { PlanOptions } from "../../bulk/types.js";
import type { Client } from "../../clients/client.js";
import { isEducationAdminError } from "../../core/errors.js";
import { didYouMean } from "../../core/option-checks.js";
import { Resource } from "../../core/resource.js";
import { pluralize } from "../../work/pluralize.js";
import type { Command } from "../commander.js";
import { offlineClient } from "../connection.js";
import { kebab } from "../operations.js";
import { commandLine, unreadLine, withProposal } from "../tell/bulk-proposal.js";
import { SHELL_WORDS } from "../tell/bulk-words.js";
import { plainText } from "../tell/table.js";
import { type Terminal, UsageError } from "../terminal.js";
import { optionsOf, rowsIn, type Values } from "./bulk-options.js";

const ROWS_SHOWN = 50;

export type Given = [name: string, file: string, values: Values, command: Command];

/** Finds a resource by its name: `plannedCourses` or `planned-courses`. @throws UsageError if there is none. */
export function resourceOf(client: Client, name: string): Resource {
  const all = Object.entries(client).filter((entry): entry is [string, Resource] => entry[1] instanceof Resource);
  const [, found] = all.find(([known]) => kebab(known) === kebab(name)) ?? [];
  if (found) return found;
  const names = all.map(([known]) => kebab(known));
  throw new UsageError(`This API has no "${name}"${didYouMean(kebab(name), names)}`);
}

const OFFERED = "check each option before you run it";

export async function propose(terminal: Terminal, [name, file, values, command]: Given): Promise<void> {
  const proposal = await proposalOf(terminal, name, file, values);
  const more = withProposal(values, proposal);
  const line = more && commandLine(command, [command.name(), name, file], more);
  terminal.stdout.write(
    `${unreadLine(proposal)}${line ? `The file suggests this command; ${OFFERED}:\n${line}\n` : ""}`,
  );
}

async function proposalOf(
  terminal: Terminal,
  name: string,
  file: string,
  values: Values,
): Promise<FileProposal | null> {
  const resource = resourceOf(offlineClient(values.api), name);
  const rows = await rowsIn(file, values, terminal);
  return proposalFor(resource, rows, optionsOf(values) as ReadingOptions);
}

/** If work fails with an InputError, prints the options with which the file can probably be read. */
export async function proposing<T>(terminal: Terminal, given: Given, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isEducationAdminError(error, "input")) await propose(terminal, given);
    throw error;
  }
}

/** Checks a file without sending a request, and prints the `bulk run` command that can read it. */
export async function checkFile(terminal: Terminal, run: Command, ...[name, file, values]: Given): Promise<void> {
  const resource = resourceOf(offlineClient(values.api), name);
  const key = values.key ?? (await keyFor(resource, await rowsIn(file, values, terminal)));
  if (key === null)
    throw new UsageError(
      `bulk check: no column of ${file} is named like a usual key, such as email: pass --key <field>, and --column <field=name> for each column to read`,
    );
  const given = { ...values, to: `${file.replace(/\.\w+$/, "")}.plan`, key };
  const proposal = await proposalOf(terminal, name, file, given);
  const asked = withProposal(given, proposal) ?? given;
  const rows = await rowsIn(file, asked, terminal);
  const words = { ...SHELL_WORDS, caller: "bulk check" };
  const { all, refused } = await checkRows(resource, rows, optionsOf(asked) as PlanOptions<unknown>, words);
  const lines = refused.slice(0, ROWS_SHOWN).map(({ row, why }) => {
    return `  row ${row}: ${plainText(reasonOf({ why, differs: {}, side: {} }))}\n`;
  });
  if (refused.length > lines.length) lines.push(`  and ${pluralize(refused.length - lines.length, "other row")}\n`);
  terminal.stdout.write(
    `${all - refused.length} of ${pluralize(all, "row")} can be read with this command; ${OFFERED}:\n${commandLine(run, ["run", name, file], asked)}\n${unreadLine(proposal)}${lines.length > 0 ? `Refused:\n${lines.join("")}` : ""}`,
  );
  if (refused.length > 0) throw new Error(`${pluralize(refused.length, "row")} refused`);
}
