import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { SchoolDefinitions } from "../../school/definitions.js";
import { type ReadSchool, readSchool, type SchoolReader } from "../../school/read-school.js";
import { changeLines, changesOf, type RemovedOption, type SchoolChange } from "../../school/school-changes.js";
import { writeWhole } from "../../work/place/node-whole.js";
import { pluralize } from "../../work/pluralize.js";
import { type Connection, connection, namesAmong, positiveNumber } from "../arguments.js";
import { type Command, Option } from "../commander.js";
import { clientFor } from "../connection.js";
import { fileOf, twinIn } from "../files.js";
import { kebab } from "../operations.js";
import { checkMark, type Terminal, UsageError } from "../terminal.js";
import { OBSERVABLE, type Observable, withKnownObserved, withObserved } from "../types/observe-fields.js";
import { definitionsIn, hasTypesOf, isSchoolFile, schoolFile } from "../types/school-file.js";

interface Values extends Connection {
  readonly out?: string;
  readonly check?: true;
  readonly force?: true;
  readonly twin?: string;
  readonly observe: readonly Observable[];
  readonly pages: number;
}

const DESCRIPTION =
  "Writes a file with TypeScript types of the school's own fields: custom fields, custom objects and associations. It takes one request per 100 sign-up questions, one for the custom objects, one for each object whose fields the list leaves out, and two for the associations if any object exists.";

/** `education-admin-sdk types --out src/school.ts` */
export function typesCommand(command: Command, terminal: Terminal): void {
  const observe = new Option(
    "--observe <list>",
    "add fields found only in the records of this list; can be repeated",
  ).choices(OBSERVABLE.map(kebab));
  command
    .description(DESCRIPTION)
    .option("-o, --out <file>", "the file to write (default: the standard output)")
    .option("--force", "overwrite a file that this command did not write")
    .option("--check", "write nothing; if the file is out of date, print the differences and exit with 1")
    .option(
      "--twin <file>",
      "take the fields from a file that education-admin-sdk twin wrote, without sending a request",
    )
    .addOption(observe.argParser(observables).default([], "none"))
    .option("--pages <number>", "maximum number of pages to read for each --observe", positiveNumber, 3);
  connection(command).action((values: Values) => run(values, terminal));
}

async function run(values: Values, terminal: Terminal): Promise<void> {
  const { out, check, force, pages, observe, twin } = values;
  if (check && out === undefined) throw new UsageError("--check needs --out, the file to check");
  if (force && (out === undefined || check))
    throw new UsageError("--force needs --out and cannot be combined with --check");
  // A missing folder is created later, with the file.
  if (out !== undefined && (out === "" || existsSync(dirname(resolve(out))))) await fileOf(out, "types");
  if (twin !== undefined && observe.length > 0) throw new UsageError("--observe reads records: leave out --twin");
  let requests = 0;
  const known = twin === undefined ? null : definitionsOf(twin);
  const client = known ? null : clientFor(terminal, values, { on: { request: () => requests++ } });
  const file = check ? fileAt(String(out)) : null;
  if (out !== undefined && !check && !force) refuseForeign(out);
  const read = client ? await readSchool(client) : { definitions: known ?? {}, withoutObjects: false, notes: [] };
  let wrote = "";
  let { definitions } = read;
  if (client) for (const resource of observe) definitions = await withObserved(definitions, client, resource, pages);
  if (file) {
    await compare(file, definitions, client, String(out), terminal);
    wrote = `${out} is up to date: `;
  } else if (out === undefined) {
    terminal.stdout.write(schoolFile(definitions));
  } else {
    wrote = (await write(out, schoolFile(definitions))) ? `${out} was written: ` : `${out} is unchanged: `;
  }
  if (wrote !== "") wrote = checkMark(terminal) + wrote;
  terminal.stderr.write(summary(wrote, definitions, read, requests));
}

// Without these definitions, the file would describe a school that has no fields of its own.
function definitionsOf(file: string): SchoolDefinitions {
  const { school, unread } = twinIn(file, "--twin");
  if (!("signupQuestions" in unread)) return school;
  throw new UsageError(
    `--twin: the API key used for ${file} could not read the school's own fields; write the file again with one that can`,
  );
}

async function compare(
  file: SchoolDefinitions,
  read: SchoolDefinitions,
  client: SchoolReader | null,
  name: string,
  terminal: Terminal,
): Promise<void> {
  const now = withKnownObserved(read, file);
  const changes = changesOf(file, now);
  if (changes.length === 0) return;
  const removed = changes.flatMap((change) => change.removed ?? []);
  const disabled = client ? await disabledOptions(removed, client) : new Set();
  const isDisabled = ({ removed }: SchoolChange) => Boolean(removed && disabled.has(keyOf(removed)));
  terminal.stdout.write(
    changeLines(changes.map((change) => (isDisabled(change) ? { ...change, kind: "option disabled" } : change))),
  );
  throw new Error(
    `${name} is out of date: ${pluralize(changes.length, "difference")}. Run the command without --check to bring it up to date.`,
  );
}

async function disabledOptions(removed: readonly RemovedOption[], client: SchoolReader): Promise<ReadonlySet<string>> {
  const disabled = new Set<string>();
  const fields = new Map(removed.map(({ kind, slug }) => [`${kind} ${slug}`, { kind, slug }]));
  for (const { kind, slug } of fields.values()) {
    if (kind === "orders") continue;
    const options = await client.customFieldOptions.list({ object_type: kind, field_slug: slug }).toArray();
    for (const { value } of options.filter(({ enabled }) => !enabled)) {
      disabled.add(keyOf({ kind, slug, option: value }));
    }
  }
  return disabled;
}

function keyOf({ kind, slug, option }: RemovedOption): string {
  return JSON.stringify([kind, slug, option]);
}

function fileAt(name: string): SchoolDefinitions {
  if (!existsSync(name)) throw new Error(`${name} does not exist. Run the command without --check to write it.`);
  const text = readFileSync(name, "utf8");
  const definitions = definitionsIn(text);
  const again = "Run the command with --force instead of --check to write the file again.";
  if (!definitions) throw new Error(`${name} contains no definitions that this command can read. ${again}`);
  // Only the definitions are compared with the service, so types that do not match them would go unnoticed.
  if (!hasTypesOf(text, definitions)) {
    throw new Error(
      `The types in ${name} do not match its definitions. Was the file edited, or does it contain a merge conflict? ${again}`,
    );
  }
  return definitions;
}

// Refuses to overwrite a file of that name that someone may have written by hand.
function refuseForeign(name: string): void {
  const text = existsSync(name) ? readFileSync(name, "utf8") : "";
  if (text.trim() === "" || (isSchoolFile(text) && definitionsIn(text) !== null)) return;
  const why = isSchoolFile(text)
    ? "contains no definitions that this command can read. Was the file edited, or does it contain a merge conflict?"
    : "was not written by this command.";
  throw new Error(`${name} ${why} Nothing was written. Name another file, or replace this one with --force.`);
}

// Leaves an unchanged file alone, so that its modification time does not start builds again.
async function write(name: string, text: string): Promise<boolean> {
  if (existsSync(name) && readFileSync(name, "utf8") === text) return false;
  mkdirSync(dirname(name), { recursive: true });
  await writeWhole(resolve(name), text, 0o666);
  return true;
}

function summary(
  wrote: string,
  definitions: SchoolDefinitions,
  { withoutObjects, notes }: ReadSchool,
  requests: number,
): string {
  const { objects = {}, associations = {}, ...kinds } = definitions;
  const fields = count(Object.values(kinds));
  const note = withoutObjects
    ? "The service refused to list custom objects: is the `Custom objects` feature flag disabled? Custom objects are left out.\n"
    : "";
  const parts = [
    pluralize(fields, "field"),
    pluralize(count([objects]), "custom object"),
    pluralize(count(Object.values(associations)), "association"),
    `in ${pluralize(requests, "request")}`,
  ];
  return `${[...notes, ""].join("\n")}${note}${wrote}${parts.join(", ")}\n`;
}

function count(groups: readonly (object | undefined)[]): number {
  return groups.reduce((sum, group) => sum + Object.keys(group ?? {}).length, 0);
}

function observables(text: string, before: readonly Observable[]): Observable[] {
  const asked = namesAmong(kebab(text), OBSERVABLE.map(kebab));
  return [...before, ...OBSERVABLE.filter((list) => asked.includes(kebab(list)))];
}
