import { counted } from "./check.js";
import type { DoctorFinding, DoctorReport } from "./doctor.js";

const ORDER = ["differs", "not_seen", "as_assumed"] as const;
const WORDS = { differs: "DIFFERS", not_seen: "not seen", as_assumed: "as assumed" } as const;

/** Writes a report as text to read, or to paste into an issue: first what differs. */
export function formatReport({ api, requests, created, findings }: DoctorReport): string {
  const of = (status: DoctorFinding["status"]) => findings.filter((finding) => finding.status === status);
  const counts = ORDER.map((status) => `${of(status).length} ${WORDS[status].toLowerCase()}`).join(", ");
  const lines = [`doctor, ${api} API: ${requests} requests, ${findings.length} checks: ${counts}`];
  if (created > 0) lines.push(`Left behind: ${counted(created, "user")} whose e-mail address begins with doctor-`);
  for (const finding of ORDER.flatMap(of)) lines.push("", ...linesOf(finding));
  return `${lines.join("\n")}\n`;
}

function linesOf({ check, question, status, seen, touches, todo }: DoctorFinding): string[] {
  const lines = [`${WORDS[status]}  ${check}: ${question}`, `  Seen: ${seen}`];
  if (status !== "as_assumed") lines.push(`  Touches: ${touches}`);
  if (todo !== null) lines.push(`  To do: ${todo}`);
  return lines;
}
