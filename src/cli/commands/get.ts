import type { Field } from "../../work/fields/path.js";
import { sentencesOf } from "../../work/fields/tester.js";
import { writeWhole } from "../../work/place/node-whole.js";
import type { DescribeCommand } from "../arguments.js";
import { absentIn, argumentsFor, clientFor, methodIn } from "../connection.js";
import { fileOf } from "../files.js";
import { type Asked, columnsOption, operationCommand } from "../operation-command.js";
import { RECORDS } from "../operations.js";
import { size } from "../tell/progress-line.js";
import { pickPaths } from "../tell/table.js";
import { checkMark, jsonText, type Terminal, UsageError } from "../terminal.js";

interface Values {
  readonly out?: string;
  readonly columns?: readonly Field[];
}

/** Operations whose record holds a file as base64 text in `data`. */
const FILES: readonly string[] = ["invoices.getPdf"];

/** `education-admin-sdk get accounts 7` */
export const getCommand: DescribeCommand = /* @__PURE__ */ operationCommand<Values>({
  description: "Prints one record as JSON.",
  choice: RECORDS,
  options: (row, operation) =>
    FILES.includes(operation.id)
      ? row.option("-o, --out <file>", "write the file itself instead of JSON; required on a terminal")
      : row
          .option("--json", "no effect: the output is always JSON")
          .option("-o, --out <file>", "the file to write (default: the standard output)")
          .addOption(columnsOption(operation, "fields to print, nested ones with dots", false)),
  run: printRecord,
});

async function printRecord(asked: Asked<Values>, terminal: Terminal): Promise<void> {
  const { out, columns } = asked.values;
  const isFile = FILES.includes(asked.operation.id);
  if (isFile && out === undefined && terminal.stdout.isTTY) {
    throw new UsageError("The record is a file, which a terminal cannot show; write it to disk: --out invoice.pdf");
  }
  const target = out === undefined ? null : await fileOf(out, "get");
  const client = clientFor(terminal, { ...asked.values, api: asked.api });
  const record = await methodIn(client, asked.operation)(...argumentsFor(asked));
  const text = `${jsonText(columns ? pickPaths(record, columns) : record)}\n`;
  const absent = sentencesOf({ absent_field: absentIn([record], columns) });
  if (absent.length > 0) terminal.stderr.write(`${absent.join("\n")}\n`);
  if (!target) {
    terminal.stdout.write(text);
    return;
  }
  const bytes = isFile ? bytesOf(record) : Buffer.from(text);
  await writeWhole(target.path, bytes);
  terminal.stderr.write(`${checkMark(terminal)}${out}: ${size(bytes.length)}\n`);
}

// Node ignores characters that are not base64, so an empty or broken file could replace a good one without this check.
function bytesOf(record: unknown): Uint8Array {
  const { data } = record as { readonly data: unknown };
  const text = typeof data === "string" ? data.replace(/\s/g, "") : "";
  const bytes = Buffer.from(text, "base64");
  if (text !== "" && bytes.toString("base64").replace(/=+$/, "") === text.replace(/=+$/, "")) return bytes;
  throw new Error("The service sent no file: its response is not base64. No file was written.");
}
