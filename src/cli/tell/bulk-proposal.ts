import { showNames } from "../../bulk/file/header.js";
import type { FileProposal } from "../../bulk/node-proposal.js";
import { quoteForTerminal } from "../../work/shell.js";
import type { Command } from "../commander.js";
import type { Values } from "../commands/bulk-options.js";
import { plainText } from "./table.js";

/** Adds the options that a file probably needs to those given; null if there are none to add. */
export function withProposal(values: Values, proposal: FileProposal | null): Values | null {
  if (!proposal) return null;
  const { columns, find, encoding, delimiter, header, duplicates } = proposal;
  const { date, dateTime, yes, no, decimal, empty, words } = proposal.formats;
  // A name that contains a comma cannot be passed on the command line.
  const isOption = !header?.some((name) => name.includes(","));
  const more = {
    ...{ column: columns, encoding, delimiter, date, dateTime, decimal, empty, words, duplicates },
    header: isOption ? header : undefined,
    yesNo: yes !== undefined && no !== undefined ? [yes, no] : undefined,
    find: Object.keys(find).length > 0 ? { ...values.find, ...find } : undefined,
  };
  const added = Object.entries(more).filter(([, value]) => value !== undefined);
  return added.length === 0 ? null : { ...values, ...Object.fromEntries(added) };
}

export function unreadLine(proposal: FileProposal | null): string {
  const names = proposal?.unread ?? [];
  return names.length === 0 ? "" : `No field was found for: ${plainText(showNames(names))}.\n`;
}

export function commandLine(command: Command, words: readonly string[], values: object): string {
  const flags = command.options.flatMap((option) => {
    const value = (values as Readonly<Record<string, unknown>>)[option.attributeName()];
    const long = option.long ?? "";
    if (value === undefined || (option.negate && value === true)) return [];
    if (typeof value === "boolean") return [long];
    const texts = Array.isArray(value)
      ? [value.join(",")]
      : typeof value === "object" && value !== null
        ? Object.entries(value).map(([name, text]) => `${name}=${text}`)
        : [String(value)];
    return texts.flatMap((text) => (text.startsWith("-") ? [`${long}=${text}`] : [long, text]));
  });
  return ["npx", "education-admin-sdk", "bulk", ...words, ...flags].map(quoteForTerminal).join(" ");
}
