import { printable } from "../../core/printable.js";
import type { PersonToErase } from "../../erase/node-arguments.js";
import { type ErasureReport, erase } from "../../erase/node-erase.js";
import { PERSONS, type PersonKind } from "../../erase/person.js";
import { pluralize } from "../../work/pluralize.js";
import { helpBelow, positiveNumber } from "../arguments.js";
import { Argument, type Command } from "../commander.js";
import { confirm } from "../question.js";
import { checkMark, jsonText, type Terminal } from "../terminal.js";

interface Values {
  readonly in: readonly string[];
  readonly email?: readonly string[];
  readonly unfinished?: true;
  readonly json?: true;
  readonly yes?: true;
}

const DESCRIPTION =
  "Takes one person out of what this library keeps in folders and files: mirrors with their feeds, plans, CSV and NDJSON files, inboxes and journals in SQLite; workbooks are named, not changed. Prints what it found, then asks. It sends nothing: delete or overwrite the records in the service first, or the next mirror and export read them again.";

const STATUS_HELP =
  "Exit status: 0 if nothing of the person is left; 1 if something is left to look at, or no e-mail address of the person is known; 2 if nothing was changed for lack of confirmation, for example without a terminal or --yes. After an interruption, start it again with the same person.";

/** `education-admin-sdk erase user 41 --in data` */
export function eraseCommand(command: Command, terminal: Terminal): void {
  command
    .description(DESCRIPTION)
    .addArgument(new Argument("<kind>", "the kind of person").choices(Object.keys(PERSONS)))
    .addArgument(new Argument("<id>", "the identifier of the record").argParser(positiveNumber))
    .requiredOption("--in <path...>", "folders and files to look in (required); folders below them are included")
    .option("--email <address...>", "the person's e-mail addresses, if no record in these places has them")
    .option(
      "--unfinished",
      "also take out what is in use: rows of unfinished plans, waiting deliveries, and files that an interrupted program left behind",
    )
    .option("--json", "the report as JSON")
    .option("--yes", "do not ask");
  helpBelow(command, () => STATUS_HELP).action((kind: PersonKind, id: number, values: Values) =>
    run({ [kind]: id } as PersonToErase, values, terminal),
  );
}

async function run(person: PersonToErase, values: Values, terminal: Terminal): Promise<void> {
  const { unfinished = false, yes, json } = values;
  const options = { in: values.in, emails: values.email, unfinished };
  const print = (report: ErasureReport) => terminal.stdout.write(json ? `${jsonText(report)}\n` : textOf(report));
  if (!yes) {
    print(await erase(person, options));
    await confirm(terminal, {
      before: "Everything counted here is taken out, except what is in use. This cannot be undone.\n",
      question: "Erase it?",
      otherwise: "erase needs --yes if there is no terminal to ask on. Nothing was changed",
      refused: "Nothing was changed",
    });
  }
  const report = await erase(person, { ...options, write: true });
  print(report);
  if (!report.complete) throw new Error(`Data of ${report.person} may be left: look at the places above`);
  terminal.stderr.write(`${checkMark(terminal)}Nothing of ${report.person} is left here\n`);
}

function textOf({ person, places, left, service, written }: ErasureReport): string {
  const found = places.map(({ place, kind, records, parts, open }) => {
    const more = [parts > 0 && pluralize(parts, "part"), open > 0 && `${open} in use`].filter(Boolean);
    return `${printable(place)} (${kind}): ${[pluralize(records, "record"), ...more].join(", ")}\n`;
  });
  const looks = left.map(({ place, why }) => `${printable(`${place} ${why}`)}\n`);
  const kept = service.map(({ resource, records, delete: operation }) => {
    const how = operation ? `${operation} deletes one` : "no operation deletes one, so overwrite the values";
    return `The service may still have ${pluralize(records, "record")} of ${resource}: ${how}.\n`;
  });
  const none = found.length === 0 ? [`Nothing of ${person} was found.\n`] : [];
  return [...none, ...found, ...looks, ...(written ? kept : [])].join("");
}
