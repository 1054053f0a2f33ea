import { givenCounts } from "../../bulk/file/last-time.js";
import type { Words } from "../../bulk/node-plan-settings.js";
import type { BulkProgress, BulkReport, BulkRow, PlanSummary, RowOutcome } from "../../bulk/types.js";
import { pluralize } from "../../work/pluralize.js";
import { quoteForTerminal } from "../../work/shell.js";
import type { SheetFound } from "../../workbook/sheet.js";
import { kebab } from "../operations.js";
import { minuteOf, percentText } from "./progress-line.js";
import { plainText } from "./table.js";
import type { Wait } from "./wait-lines.js";

// Command line options whose names differ from the options of `plan`.
const OPTIONS: Readonly<Record<string, string>> = {
  columns: "column",
  params: "param",
  yes: "yes-no",
  no: "yes-no",
  list: "list-separator",
};

export const SHELL_WORDS: Words = {
  option(name) {
    const [option = "", ...rest] = name.replace(/^formats\./, "").split(".");
    return [`--${OPTIONS[option] ?? kebab(option)}`, rest.join(".")].filter(Boolean).join(" ");
  },
  column: (field, column) => `add --column ${quoteForTerminal(`${field}=${column}`)}`,
  off: (name) => `--no-${name} was given`,
};

/** Reports hidden rows, hidden columns and merged cells, which a person may overlook; "" if there are none. */
export function sheetSentence(file: string, { sheet, hiddenRows, hiddenColumns, merged }: SheetFound): string {
  const hidden = [
    hiddenRows > 0 && pluralize(hiddenRows, "row"),
    hiddenColumns > 0 && pluralize(hiddenColumns, "column"),
  ];
  const [first, more] = [merged.slice(0, MERGED_SHOWN), merged.length - MERGED_SHOWN];
  const parts = [
    hidden.some(Boolean) && `hides ${hidden.filter(Boolean).join(" and ")}, and hidden cells are read too`,
    merged.length > 0 &&
      `has merged cells, of which only the first has the value: ${first.join(", ")}${more > 0 ? ` and ${more} more` : ""}`,
  ].filter(Boolean);
  return parts.length === 0 ? "" : `${plainText(`${file}: the sheet ${sheet} ${parts.join("; it ")}`)}.\n`;
}

const MERGED_SHOWN = 5;
const REASONS_SHOWN = 5;

/**
 * Lists the formats that no column needed, the fields that something changes back after each run, and each reason for
 * a refusal once.
 */
export function reasonLines({
  reasons,
  unusedFormats = [],
  setBack = [],
}: Pick<PlanSummary, "reasons" | "unusedFormats" | "setBack">): string {
  const unused = [...new Set(unusedFormats.map((name) => SHELL_WORDS.option(`formats.${name}`)))];
  const back = setBack.slice(0, REASONS_SHOWN).map(({ id, field, days }) => {
    return `  ${field} of record ${id}: this value was sent on ${days} days\n`;
  });
  if (setBack.length > back.length) back.push(`  and ${pluralize(setBack.length - back.length, "other field")}\n`);
  const told = [
    unused.length === 0 ? "" : `Not used: ${unused.join(", ")}. No column holds such values.\n`,
    back.length === 0
      ? ""
      : `Something changes these values back, or the service does not store them:\n${back.join("")}`,
  ].join("");
  const lines = reasons.slice(0, REASONS_SHOWN).map(({ message, column, count }) => {
    return `  ${pluralize(count, "row")}: ${plainText(column === undefined ? message : `${column} ${message}`)}\n`;
  });
  const more = reasons.length - lines.length;
  if (more > 0) lines.push(`  and ${pluralize(more, "other reason")}\n`);
  return lines.length === 0 ? told : `${told}Refused:\n${lines.join("")}`;
}

/** The command that updates a report, because `bulk apply` does not; "" without a report. */
export function reportLine(name: string, report: string | undefined): string {
  return report === undefined
    ? ""
    : `Then, for the outcomes: npx education-admin-sdk bulk report ${quoteForTerminal(name)} --to ${quoteForTerminal(report)}\n`;
}

/**
 * Describes what a plan would do, why it refuses rows, and the next commands.
 * @param report the file of a report that `bulk apply` does not update.
 */
export function planSentence(summary: PlanSummary, name: string, report?: string): string {
  const { requests, minutes, digest } = summary;
  const { create, update, delete: gone = 0, leave, refuse } = givenCounts(summary);
  const counts = [
    [create, "to create"],
    [update, "to change"],
    [gone, "to delete"],
    [leave, leave === 1 ? "stays as it is" : "stay as they are"],
    [refuse, "refused"],
  ] as const;
  const parts = counts.flatMap(([count, what]) => (count > 0 ? `${count} ${what}` : []));
  const first = `${parts.join(", ") || "No rows"}.${missingSentence(summary)}`;
  if (writesOf(summary) === 0) return `${first} Nothing to send.\n${reasonLines(summary)}`;
  const changes = fieldLines(summary.fields);
  const time = minutes < 1 ? "under a minute" : `about ${pluralize(Math.ceil(minutes), "minute")}`;
  return `${first} Applying sends ${pluralize(requests, "request")} and takes ${time}.\n${changes}${reasonLines(summary)}To apply it: ${applyCommand(name)} --confirm ${digest}\n${reportLine(name, report)}`;
}

export function writesOf({ create, update, delete: gone = 0 }: PlanSummary): number {
  return create + update + gone;
}

function missingSentence({ missing }: PlanSummary): string {
  if (!missing) return "";
  const { do: what, of, update, delete: gone, leave, refuse } = missing;
  const all = update + gone + leave + refuse;
  const parts = [
    [update, what === "update" ? "to change" : `to ${what} (undo does not reverse it)`],
    [gone, "to delete (undo does not reverse it)"],
    [leave, "only listed"],
    [refuse, "refused"],
  ] as const;
  const counts = parts.flatMap(([count, text]) => (count > 0 ? `${count} ${text}` : [])).join(", ");
  return ` In no row: ${all} of ${pluralize(of, "record")}${counts && `: ${counts}`}.`;
}

function fieldLines(fields: PlanSummary["fields"] = {}): string {
  const changed = Object.entries(fields).filter(([, counts]) => counts.changed > 0);
  const lines = changed
    .sort(([, one], [, other]) => other.changed - one.changed)
    .map(([path, { rows, changed: count, cleared, last }]) => {
      const emptied = cleared > 0 ? `, empty in ${cleared}` : "";
      const before = last === undefined ? "" : `; last time in ${last}`;
      return `  ${path} changes in ${count} of ${pluralize(rows, "row")}${emptied}${before}\n`;
    });
  return lines.length === 0 ? "" : `Changes:\n${lines.join("")}`;
}

export interface Outcomes {
  readonly counts: Readonly<Partial<Record<RowOutcome, number>>>;
  readonly open: number;
  readonly differing: number;
  /** Number of rows whose effect no read has confirmed yet. */
  readonly unconfirmed: number;
}

export function outcomesOf(report: BulkReport, open: number): Outcomes {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, report[outcome]]));
  return { counts, open, differing: report.differing, unconfirmed: report.unconfirmed };
}

export async function outcomesIn(rows: AsyncIterable<BulkRow>): Promise<Outcomes> {
  const counts: Partial<Record<RowOutcome, number>> = {};
  let [open, differing, unconfirmed] = [0, 0, 0];
  for await (const { outcome, differs, confirmed } of rows) {
    if (outcome === null) open++;
    else counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (Object.keys(differs).length > 0) differing++;
    if (confirmed === false || (outcome === "created" && confirmed !== true)) unconfirmed++;
  }
  return { counts, open, differing, unconfirmed };
}

export const OUTCOMES: readonly RowOutcome[] = [
  "created",
  "updated",
  "deleted",
  "unchanged",
  "refused",
  "stale",
  "failed",
  "unknown",
  "ignored",
  "doubled",
];

// The worst outcomes come first: only the first advice that applies is printed.
const NEXT: readonly (readonly [RowOutcome, string])[] = [
  ["doubled", "Two records exist for each doubled row: remove one of them"],
  ["unknown", "Look for the records of the unknown rows, then apply the plan again"],
  [
    "ignored",
    "The service reported success for these rows but did not carry them out: apply the plan again, or ask the service's support",
  ],
  ["failed", "Correct the cause of the failures, then plan the rows again"],
  ["stale", "Others have changed the records of the stale rows: look at them, then plan the rows again"],
  ["refused", "Correct the refused rows, then plan the rows again"],
];

/** The command that shows a plan's rows. @param only the action or outcome to filter by. */
export function showCommand(name: string, only?: string): string {
  return `npx education-admin-sdk bulk show ${quoteForTerminal(name)}${only ? ` --only ${only}` : ""}`;
}

function applyCommand(name: string): string {
  return `npx education-admin-sdk bulk apply ${quoteForTerminal(name)}`;
}

export function outcomeSentence({ counts, open, differing, unconfirmed }: Outcomes, name: string): string {
  const parts = OUTCOMES.flatMap((outcome) => ((counts[outcome] ?? 0) > 0 ? `${counts[outcome]} ${outcome}` : []));
  if (open > 0) parts.push(`${open} still to be sent`);
  const first = `${parts.join(", ") || "No rows"}.`;
  const [worst, advice] = NEXT.find(([outcome]) => (counts[outcome] ?? 0) > 0) ?? [];
  if (open > 0) return `${first} To continue: ${applyCommand(name)}\n`;
  if (worst) return `${first} ${advice}. To see them: ${showCommand(name, worst)}\n`;
  if (unconfirmed > 0)
    return `${first} No read has confirmed ${pluralize(unconfirmed, "row")} yet. To look again: ${applyCommand(name)}\n`;
  if (differing > 0)
    return `${first} The service stored ${pluralize(differing, "row")} differently from what was sent. To see how: ${showCommand(name)}\n`;
  return `${first} Nothing left to do.\n`;
}

const WAITS: Readonly<Record<NonNullable<BulkProgress["waitingFor"]>, string>> = {
  share: "the run's share of the rate limit is used up",
  retry: "the service asked to wait or did not answer",
  proof: "the run then looks for the effects of requests that no read has confirmed yet",
};

export function waitOf({ waitingUntil: until, waitingFor }: BulkProgress): Wait | null {
  return until && waitingFor && { until, why: WAITS[waitingFor] };
}

export function progressOf({ rows, total, percent, waitingUntil, endsAt }: BulkProgress): string {
  if (total === null && percent !== null) return percentText(percent, endsAt).replace("%", "% of the list read");
  if (total === null) return `${pluralize(rows, "row")} planned`;
  const waiting = waitingUntil ? `, waiting until ${minuteOf(waitingUntil)}` : "";
  return `${rows} of ${pluralize(total, "row")}${waiting}${endsAt ? `, ends at about ${minuteOf(endsAt)}` : ""}`;
}
