import type { AdminClient } from "../clients/admin.js";
import type { MainClient } from "../clients/main.js";
import { inputError } from "../core/call/request.js";
import type { Observers } from "../core/events.js";
import { operationsIn, settingsIn } from "../core/inside-client.js";
import { type Operation, resourceNameOf } from "../core/operation.js";
import { acceptAny, flag, type OptionTable, positive, readOptions } from "../core/option-checks.js";
import type { Check, DoctorStatus } from "./check.js";
import { PAGE_SIZE, readByIds, readEmails } from "./clues.js";
import { type Evidence, gather, readSamples } from "./evidence.js";
import { FILTER_CHECKS } from "./filter-checks.js";
import { KEY_CHECKS } from "./key-checks.js";
import { LIST_CHECKS } from "./list-checks.js";
import { MODEL_CHECKS } from "./model-checks.js";
import { Reader } from "./reader.js";
import { RECORD_CHECKS } from "./record-checks.js";
import { RESPONSE_CHECKS } from "./response-checks.js";

/** Options of {@link doctor}. */
export interface DoctorOptions {
  /**
   * Maximum milliseconds for all reads together. A check whose requests were not sent by then is `not_seen`. Default
   * 180,000.
   */
  readonly totalTimeout?: number | undefined;
  /** True to read the first page of every list: up to one more request per list. Default false. */
  readonly all?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The result of one check. */
export interface DoctorFinding {
  /** The name of the check, such as `ascending_ids`. */
  readonly check: string;
  readonly question: string;
  readonly status: DoctorStatus;
  /** The observed behavior: field names, counts and statuses, never a value from a record. */
  readonly seen: string;
  /** The promise that depends on this behavior, with the guide that makes it. */
  readonly touches: string;
  /** The action to take; null if there is nothing to do. */
  readonly todo: string | null;
}

/** Report on the service's behavior wherever the library relies on it. */
export interface DoctorReport {
  readonly api: "main" | "admin";
  /** Number of requests sent. */
  readonly requests: number;
  readonly findings: readonly DoctorFinding[];
  /** The lists that were not read, by operation, such as `tasks.list`: no finding concerns their records. */
  readonly unread: readonly string[];
}

const OPTIONS = {
  signal: [acceptAny<AbortSignal>],
  totalTimeout: [positive, 180_000],
  all: [flag, false],
} satisfies OptionTable<DoctorOptions>;

/** Silences a client's deprecation warnings, because the report lists deprecated operations. */
export const QUIET: Observers = { deprecated: () => undefined };

const CHECKS: readonly Check[] = [
  ...LIST_CHECKS,
  ...FILTER_CHECKS,
  ...RECORD_CHECKS,
  ...MODEL_CHECKS,
  ...RESPONSE_CHECKS,
  ...KEY_CHECKS,
];

/**
 * Compares the service's behavior with the library's assumptions. Sends at most 90 GETs, one after another, or 180
 * with `all`, and repeats a GET only after a status of 500 or above. The report contains no value from a record.
 * @throws InputError if an option is invalid; nothing was sent.
 * @throws the client's error if no list can be read at all; the signal's reason if it aborts.
 * @example
 * import { doctor, formatReport } from "education-admin-sdk/doctor";
 *
 * console.log(formatReport(await doctor(client)));
 */
export async function doctor(client: MainClient | AdminClient, options: DoctorOptions = {}): Promise<DoctorReport> {
  const { clock } = settingsIn(client);
  const { signal, totalTimeout, all } = readOptions(options, OPTIONS, (path, message) =>
    inputError("doctor", [{ path, message }]),
  );
  const limits = { requests: all ? 180 : 90, ms: totalTimeout };
  const reader = new Reader(client, clock, limits, signal);
  const samples = await readSamples(reader);
  const emails = await readEmails(reader, samples);
  const hundred = await readByIds(reader, samples, PAGE_SIZE, 1);
  const behavior = await gather(reader, samples, client, QUIET);
  const lists = operationsIn(client).filter(isWhole);
  const unread = () =>
    lists.flatMap(({ id }) => (reader.readings.some(({ called, page }) => page && called === id) ? [] : [id]));
  if (all) for (const id of unread()) await reader.list(resourceNameOf(id), { per_page: PAGE_SIZE });
  return {
    api: behavior.api,
    unread: unread(),
    requests: reader.requests,
    findings: CHECKS.map((check) => findingOf(check, { ...behavior, emails, hundred })),
  };
}

// True for a list that can be read without the identifier of another record.
function isWhole({ id, path, paged }: Operation): boolean {
  return paged !== undefined && id.endsWith(".list") && !path.includes("{");
}

function findingOf({ id, question, guide, promise, todo, judge }: Check, evidence: Evidence): DoctorFinding {
  const { status, seen, todo: verdictTodo } = judge(evidence);
  const touches = `docs/${guide === "options" ? guide : `guides/${guide}`}.md: ${promise}`;
  return {
    check: id,
    question,
    status,
    seen,
    touches,
    todo: verdictTodo ?? (status === "differs" || status === "new" ? todo : null),
  };
}
