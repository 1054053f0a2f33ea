import type { DoctorFinding, DoctorReport } from "./doctor.js";

const ORDER = ["differs", "new", "not_seen", "as_assumed"] as const;
const WORDS = { differs: "DIFFERS", new: "NEW", not_seen: "not seen", as_assumed: "as assumed" } as const;

/** Options of {@link formatReport}. */
export interface FormatReportOptions {
  /** True to also list the checks that confirmed the assumption. Default false: only their number is shown. */
  readonly verbose?: boolean | undefined;
}

/** Formats a report as text for reading or for an issue: differences first, then new behavior. */
export function formatReport(report: DoctorReport, { verbose = false }: FormatReportOptions = {}): string {
  const { api, requests, findings, unread } = report;
  const of = (status: DoctorFinding["status"]) => findings.filter((finding) => finding.status === status);
  const counts = ORDER.map((status) => `${of(status).length} ${WORDS[status].toLowerCase()}`).join(", ");
  const lines = [`doctor, ${api} API: ${requests} requests, ${findings.length} checks: ${counts}`];
  for (const finding of ORDER.flatMap(of)) {
    const { status, todo } = finding;
    if (verbose || status === "differs" || status === "new") lines.push("", ...linesOf(finding));
    else if (todo !== null) lines.push("", ...linesOf(finding).filter((line) => !line.startsWith("  Touches: ")));
  }
  const open = verbose ? [] : of("not_seen").filter(({ todo }) => todo === null);
  const notes = open.map(({ check, seen }) => `not seen  ${check}: ${seen}`);
  if (unread.length > 0) notes.push(`not read  ${unread.join(", ")}`);
  if (notes.length > 0) lines.push("", ...notes);
  return `${lines.join("\n")}\n`;
}

function linesOf({ check, question, status, seen, touches, todo }: DoctorFinding): string[] {
  const lines = [`${WORDS[status]}  ${check}: ${question}`, `  Seen: ${seen}`];
  if (status !== "as_assumed") lines.push(`  Touches: ${touches}`);
  if (todo !== null) lines.push(`  To do: ${todo}`);
  return lines;
}
