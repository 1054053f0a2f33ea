import { isWorkbook } from "../../bulk/file/node-sheet.js";
import { ENCODINGS, type FileEncoding } from "../../bulk/file/text.js";
import { readCsv, readSheet, type SheetFound } from "../../bulk/node.js";
import type { PlanOptions } from "../../bulk/types.js";
import type { Resource } from "../../core/resource.js";
import { type Connection, names, pair } from "../arguments.js";
import { type Command, Option } from "../commander.js";
import { sheetSentence } from "../tell/bulk-words.js";
import { type Terminal, UsageError } from "../terminal.js";

export interface Values extends Connection {
  readonly to: string;
  readonly key: readonly string[];
  readonly column?: Readonly<Record<string, string>>;
  readonly find?: Readonly<Record<string, string>>;
  readonly clear?: readonly string[];
  readonly encoding?: FileEncoding;
  readonly delimiter?: string;
  readonly header?: readonly string[];
  readonly sheet?: string;
  readonly where?: string;
  readonly set?: Readonly<Record<string, string>>;
  readonly allow?: readonly string[];
  readonly date?: string;
  readonly dateTime?: string;
  readonly yesNo?: readonly string[];
  readonly listSeparator?: string;
  readonly decimal?: "." | ",";
  readonly empty?: readonly string[];
  readonly words?: Readonly<Record<string, string>>;
  readonly duplicates?: "first";
  readonly allowAlike?: true;
  readonly missing?: string;
  readonly missingWhere?: string;
  readonly missingSet?: Readonly<Record<string, string>>;
  readonly param?: Readonly<Record<string, string>>;
  readonly do?: string;
  readonly create: boolean;
  readonly update: boolean;
  readonly only?: readonly string[];
  readonly csv?: true;
  readonly html?: string;
  readonly confirm?: string;
  readonly yes?: true;
  readonly report?: string;
  readonly share?: number;
  readonly irreversible?: true;
  readonly sideEffects?: readonly string[];
  readonly deleteCreated?: true;
  readonly keep?: number;
  readonly absent?: readonly string[];
}

const KEY = "the field or fields, such as email or id, that identify a row's record";

export function reading(command: Command): Command {
  return ofFile(command.option("--key <field,…>", `${KEY} (default: a usual one)`, names));
}

export function planning(command: Command): Command {
  const required = command
    .requiredOption("--to <file>", "the plan file (required)")
    .requiredOption("--key <field,…>", `${KEY} (required)`, names);
  return ofFile(required)
    .option(
      "--allow <doubt,…>",
      "accept doubts, such as exponent or mostly_new, instead of refusing the row or the run",
      names,
    )
    .option("--allow-alike", "create a record even if its key is similar to that of a record or of another row")
    .option(
      "--missing-where <condition>",
      "expect a row for every record that meets a condition, such as status=active and planned_course_id=7",
    )
    .option(
      "--missing <what>",
      "what to do with a record that meets --missing-where but has no row: list, delete, update, or an action such as cancel (default: list)",
    )
    .option("--missing-set <field=value>", "a value that --missing update writes; can be repeated", pair)
    .option("--do <action>", "run this action, such as approve, on each record instead of writing fields")
    .option("--no-create", "refuse rows that match no record")
    .option("--no-update", "leave existing records as they are")
    .option("--report <file>", "write the rows with their outcomes and the reasons for refusal: .xlsx or .csv");
}

function ofFile(command: Command): Command {
  return command
    .argument("<resource>", "users, accounts, …")
    .argument("<rows>", "the file with the rows: a workbook, .xlsx or .ods, or CSV")
    .option(
      "--column <field=name>",
      "a field and its column, or two columns, such as start_date_time=date+from; can be repeated (default: the column named like the field)",
      pair,
    )
    .option("--sheet <name>", "the sheet of a workbook (default: the only one that is not hidden)")
    .addOption(new Option("--encoding <name>", "encoding of a CSV file (default: utf-8 or utf-16)").choices(ENCODINGS))
    .option(
      "--delimiter <sign>",
      "CSV: the character between cells (default: ',' ';' '|' or tab, whichever yields the most cells)",
    )
    .option("--header <name,…>", "the names of the columns of a file without a header", names)
    .option("--where <condition>", "plan only rows that meet a condition on the file's columns, such as status=active")
    .option(
      "--set <field=value>",
      "a value for every row, such as address_attributes.country=NL; can be repeated",
      pair,
    )
    .option("--date <format>", "how dates are written, such as dd-MM-yyyy (default: yyyy-MM-dd)")
    .option("--date-time <format>", "how the school's local times are written, such as dd-MM-yyyy HH:mm")
    .option("--yes-no <word,word>", "the words for yes and no, such as ja,nee", names)
    .addOption(
      new Option("--decimal <sign>", "the decimal sign of amounts, as in 1.200,50 (default: .)").choices([",", "."]),
    )
    .option("--empty <text,…>", "cells that count as empty, such as NULL,n.v.t.,-", names)
    .option(
      "--words <cell=value>",
      "a cell and the value that it stands for, except in free text, such as Nederland=NL; can be repeated",
      pair,
    )
    .option("--list-separator <text>", "the separator between the texts of a list (default: ;)")
    .option(
      "--find <field=field>",
      "a reference and the field by which its column names records, such as label_ids=name, or account_id=name where account_type=business",
      pair,
    )
    .option(
      "--clear <field,…>",
      "fields that an empty cell clears; elsewhere an empty cell leaves the field alone",
      names,
    )
    .addOption(
      new Option("--duplicates <which>", "if rows have the same key and the same values, plan only the first").choices([
        "first",
      ]),
    )
    .option("--param <name=value>", "path parameters: object_slug=equipment", pair);
}

/** Reads the rows of a file as a workbook if its first bytes are those of one, otherwise as CSV. */
export async function rowsIn(file: string, values: Values, terminal: Terminal): Promise<AsyncIterable<object>> {
  const { encoding, delimiter, header, sheet } = values;
  if (!(await isWorkbook(file))) {
    if (sheet !== undefined) throw new UsageError(`--sheet is for workbooks; ${file} is not one`);
    return readCsv(file, { encoding, delimiter: delimiter === "\\t" ? "\t" : delimiter, header });
  }
  if (encoding ?? delimiter) throw new UsageError(`--encoding and --delimiter are for CSV; ${file} is a workbook`);
  let isShown = false;
  const onSheet = (found: SheetFound) => {
    // Reported once, although a run reads its file several times.
    if (!isShown) terminal.stderr.write(sheetSentence(file, found));
    isShown = true;
  };
  return readSheet(file, { sheet, header, onSheet });
}

export function optionsOf(values: Values): PlanOptions<Resource> {
  const { date, dateTime, yesNo: [yes, no] = [], listSeparator: list, decimal, empty, words } = values;
  const formats = { date, dateTime, yes, no, list, empty, words, decimal };
  const { to, key, column, where, set, allow, find, clear, duplicates, allowAlike, create, update } = values;
  return {
    ...{ to, key, where, set, allow, find, clear, duplicates, allowAlike, create, update },
    ...(column && { columns: { ...Object.fromEntries(key.map((one) => [one, one])), ...column } }),
    ...(Object.values(formats).some((format) => format !== undefined) && { formats }),
    ...{ missing: missingOf(values), params: values.param, do: values.do },
  } as unknown as PlanOptions<Resource>;
}

function missingOf({ missing, missingWhere: where, missingSet: set }: Values) {
  if (where === undefined && (missing ?? set) !== undefined)
    throw new UsageError("--missing needs --missing-where, which names the records that the file is to list");
  return where === undefined ? undefined : { where, do: missing ?? "list", ...(set && { set }) };
}
