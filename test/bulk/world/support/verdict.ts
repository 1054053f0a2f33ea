import type { BulkRow } from "../../../../src/bulk/node.js";
import type { Done } from "./job.js";
import type { CarriedOut } from "./odd-world.js";

/** The verdict on a job: the broken promises, and the cases of the documented remainder that occurred. */
export interface Verdict {
  readonly broken: readonly string[];
  readonly remainder: readonly string[];
}

// Outcomes that promise that the plan wrote nothing to the row's record.
const WROTE_NOTHING: readonly unknown[] = ["stale", "failed", "unchanged", "refused"];

/** False if no list showed the row's record, or if a second record cannot be ruled out. */
const isConfirmed = (row: BulkRow) => (row as { readonly confirmed?: boolean }).confirmed;

/** Judges a job by what the service carried out, not by what the client reports. */
export function judge(done: Done): Verdict {
  const broken: string[] = [];
  const remainder: string[] = [];
  const isCertain = done.trouble.lost === 0 && done.trouble.kills === 0;
  const { rows, log, kind, keys } = done;
  const isComplete = done.reports.at(-1)?.complete === true;
  for (const row of rows) {
    const at = `${done.name}: row ${row.row} is ${row.outcome}`;
    const key = keys.get(row.row) ?? null;
    const creates =
      row.do === "create" ? log.carriedOut.filter((made) => made.what === "create" && made.key === key) : [];
    if (row.outcome === null)
      broken.push(`${at}: it has no outcome after ${done.reports.length} reports, ${done.errors.at(-1)}`);
    if (creates.length > 1 && isSilent(row)) {
      const why = excuse(done, key, creates);
      if (why === null)
        broken.push(`${at}, silent double: ${creates.map(({ id }) => id).join(", ")} (complete: ${isComplete})`);
      else remainder.push(`${why} silent`);
    }
    if (row.outcome === "created" && !creates.some(({ id }) => id === row.id))
      broken.push(`${at} with ${row.id}, not its own`);
    if (row.outcome === "doubled" && creates.length < 2) {
      if (kind.stores) remainder.push("R7 doubled without need");
      else broken.push(`${at}, of which there is ${creates.length}`);
    }
    if (WROTE_NOTHING.includes(row.outcome) && (creates.length > 0 || changes(done, row).length > 0)) {
      broken.push(`${at}, and this plan wrote it`);
    }
    if (row.do === "update" && row.outcome === "updated" && changes(done, row).length === 0) {
      broken.push(`${at}, and nothing was written`);
    }
    const isAsWanted = row.outcome === "created" || (row.outcome === "doubled" && creates.length > 1);
    if (isCertain && row.do === "create" && !isAsWanted) broken.push(`${at} though nothing was in doubt`);
    if (isCertain && row.do === "update" && row.outcome !== "updated") broken.push(`${at} though nothing was in doubt`);
    if (isComplete && (isConfirmed(row) === false || row.outcome === "unknown" || row.outcome === "doubled")) {
      broken.push(`${at} in a report that says complete`);
    }
    if (isComplete && row.do === "create" && creates.length === 0) broken.push(`${at} and was lost, though complete`);
    if (row.outcome === "unknown") remainder.push(`unknown, ${creates.length} made`);
    if (isConfirmed(row) === false) remainder.push(`not confirmed, ${creates.length} made`);
  }
  const most = Math.max(...rows.map(({ row }) => row));
  if (log.requests.length > 40 * most) broken.push(`${done.name}: ${log.requests.length} requests for ${most} rows`);
  return { broken, remainder };
}

/** True if the row's outcome does not suggest a second record. */
function isSilent(row: BulkRow): boolean {
  return (row.outcome === "created" || row.outcome === "updated") && isConfirmed(row) !== false;
}

const changes = ({ log }: Done, { id, do: what }: BulkRow) =>
  what === "create" ? [] : log.carriedOut.filter((change) => change.what !== "create" && change.id === id);

/**
 * The case of the documented remainder that excuses an unreported duplicate; null if none does, so that the run should
 * have found it. R1: carried out or shown later than 3 × settleMs after the row was last sent. R2: a copy made by the
 * service that no list showed before the run's last look. R3: a record that no list ever shows.
 */
function excuse({ log, settleMs }: Done, key: string | null, creates: readonly CarriedOut[]): string | null {
  const sent = log.requests.filter(({ method, body }) => method === "POST" && (body.title ?? body.name) === key);
  const last = Math.max(...sent.map(({ at }) => at));
  const lastLook = Math.max(
    ...log.requests.filter(({ method, id }) => method === "GET" && id === null).map(({ at }) => at),
  );
  // A report needs only the second record to show the duplicate. Records that are never shown sort last.
  const shown = creates.map(({ shownFrom, isCopy }) => ({ from: shownFrom ?? Number.POSITIVE_INFINITY, isCopy }));
  shown.sort((a, b) => a.from - b.from);
  const second = shown[1];
  if (!second) return null;
  if (second.from === Number.POSITIVE_INFINITY) return "R3";
  if (second.from > last + 3 * settleMs) return "R1";
  return second.isCopy && sent.length === 1 && second.from > lastLook ? "R2" : null;
}
