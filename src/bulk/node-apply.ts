import type { Client } from "../clients/client.js";
import { inputError } from "../core/call/request.js";
import type { Clock } from "../core/clock.js";
import { transportIn } from "../core/inside-client.js";
import { acceptAny, must, type OptionTable, readOptions, whole } from "../core/option-checks.js";
import type { Resource } from "../core/resource.js";
import { Pace, shareOf } from "../work/pace.js";
import { type Files, machineFiles } from "../work/place/node-files.js";
import { joinedSince, stillWanted } from "./change.js";
import { comparisonsFor } from "./compare.js";
import { BulkError } from "./errors.js";
import { type History, isOver, isWritten, reopen } from "./history.js";
import type { Header } from "./lines.js";
import { nameOf, openJournal, RENEW_MS } from "./node-journal.js";
import { DEFAULT_SHARE } from "./node-plan-writer.js";
import { factLine, historyOf, type PlanState, plannedRows, readState, rowsOf } from "./node-state.js";
import { type Progress, progressOf } from "./progress.js";
import { RunService } from "./run-service.js";
import { Runner } from "./runner.js";
import { checkSchool, SENT, UNSENT, witnessesOf } from "./same-school.js";
import { type Target, targetOf } from "./target.js";
import type { ApplyOptions, BulkJournal, BulkReport, PlanSummary, RowOutcome, RunReport } from "./types.js";

const APPLY_OPTIONS = {
  confirm: [acceptAny<string>],
  share: [
    /* @__PURE__ */ must<number>(
      (value) => typeof value === "number" && value > 0 && value <= 1,
      "must be a number above 0 and at most 1",
    ),
    DEFAULT_SHARE,
  ],
  stopAfter: [/* @__PURE__ */ whole(1), 10],
  settleMs: [
    /* @__PURE__ */ must<number>(
      (value) => typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY,
      "must be a number of milliseconds",
    ),
  ],
  irreversible: [acceptAny<boolean>, false],
  sideEffects: [
    /* @__PURE__ */ must<readonly string[]>(
      (value) => Array.isArray(value) && value.every((path) => typeof path === "string"),
      "must be a list of fields",
    ),
    [],
  ],
  signal: [acceptAny<AbortSignal>],
  onProgress: [acceptAny<NonNullable<ApplyOptions["onProgress"]>>],
} satisfies OptionTable<ApplyOptions>;

/**
 * Applies a plan, or continues it after any interruption. A create whose response was lost is sent again only if the
 * list shows another record of this plan, but nothing that could be this row's. If the service carries out the first
 * request after all, two records exist and the row is `doubled`.
 * @throws BulkError if the file is not a plan, was changed, belongs to another school, is in use, or cannot be
 * continued; InputError if an option is invalid.
 * @example
 * await plan(client.users, [{ email: "jo@example.com", first_name: "Jo", last_name: "Fox" }], { to: "users.plan", key: "email" });
 * const report = await apply(client, "users.plan", { share: 0.5 });
 * if (!report.complete) await writeReport("users.plan", "users.result.csv");
 */
export async function apply(client: Client, at: string | BulkJournal, options: ApplyOptions = {}): Promise<BulkReport> {
  return applyWith(machineFiles, client, at, options);
}

export async function applyWith(
  files: Files,
  client: Client,
  at: string | BulkJournal,
  given: ApplyOptions,
): Promise<BulkReport> {
  const options = readOptions(given, APPLY_OPTIONS, optionError);
  const clock = clockOf(client);
  // A clock that skips waiting times must not skip ahead while the disk is busy.
  const disk = <T>(work: () => Promise<T>) => clock.during?.(work) ?? work();
  // Checks that the file is a plan before it is locked.
  await disk(() => readState(at));
  const journal = await disk(() => openJournal(at, false, clock, files));
  try {
    const state = await disk(() => readState(at));
    const name = nameOf(at);
    if (options.confirm !== undefined && options.confirm !== state.end.digest) {
      throw new BulkError("other_plan", `${name} is not the plan that was confirmed. Nothing was sent.`);
    }
    const target = targetFor(client, state.header, name);
    checkReversible({ do: state.header.action, missing: state.header.missing }, options.irreversible, optionError);
    const { rateLimit, timeout } = target.transport.settings as Settings;
    const budget = shareOf(rateLimit, options.share);
    const progress = progressOf(clock, target, state.end as unknown as PlanSummary, budget, options.onProgress);
    const waits = (until: Date | null) => {
      progress.waits(until, "share");
      // If the renewal fails, writing the next line reports it.
      if (until) void journal.renew().catch(() => undefined);
    };
    const pace = new Pace(clock, budget, waits, RENEW_MS);
    const settleMs = options.settleMs ?? 2 * timeout;
    // A write that would wait longer than this for the rate limiter is not sent. So if the outcome of a write is
    // unknown, it was sent at most this long after its journal line was written.
    const timeoutMs = Math.max(timeout, settleMs / 2);
    const { signal } = options;
    const manners = { pace, signal, journal, onPause: progress.waits };
    const { key, shown } = state.header;
    const since = shown && Date.parse(shown.created_at);
    const run = { key, lists: state.lists, since, name, budget: budget.requests, timeoutMs };
    const service = new RunService(target, manners, run);
    const planned = new Set<number>();
    const histories = await disk(() => openRows(at, state, service.clock.now(), progress, planned));
    const witnesses = witnessesOf(state.header, histories, service.keyOf.bind(service));
    await checkSchool(service, state.header.keyMark, witnesses, name, state.trails.size > 0 ? SENT : UNSENT);
    const [begun] = [...state.trails].filter(([, { attempts }]) => attempts.length > 0);
    if (begun && histories.some((history) => !isOver(history))) {
      const fact = { row: begun[0], resumed: service.clock.now() };
      await disk(() => journal.append(factLine(fact, state.end.digest)));
    }
    // If the budget is small, or a list that must be read whole takes a large part of it, the run checks only once for
    // records created by others: more checks would use up the budget.
    const pages = state.lists.map((list) => ((list.tail ?? list.filter) === undefined ? list.pages : 0));
    const isCostly = budget.requests < Math.max(SMALL_BUDGET, 4 * Math.max(0, ...pages));
    const runner = new Runner(histories, {
      append: (fact) => disk(() => journal.append(factLine(fact, state.end.digest))),
      clock: service.clock,
      service,
      settings: {
        settleMs,
        // With one request per rate-limit window, a read must stay valid until the write in the next window.
        freshMs: budget.requests > 1 ? FRESH_MS : 2 * budget.windowMs,
        lookMs: isCostly ? Number.POSITIVE_INFINITY : budget.windowMs / 2 || LOOK_MS,
        most: MOST_ATTEMPTS,
        ...comparisonsFor(target, state.header.key),
        stillWanted: stillWanted(state.header, target),
        keys: state.header.key,
      },
      sideEffects: new Set(options.sideEffects),
      sides: [...state.trails].flatMap(([row, { done }]) => (done?.side ? [[row, done.side] as const] : [])),
      timeoutMs,
      stopAfter: options.stopAfter,
      name,
      onNote: (fact) => progress.note(fact, service.requests),
    });
    await runner.run();
    const { open: _, ...report } = await reportOf(at, options.sideEffects);
    const joined = await joinedSince(state.header, service, planned);
    return { ...report, ...(state.header.where !== undefined && { joined }), requests: service.requests };
  } finally {
    await journal.close();
  }
}

/** @throws InputError for a plan that undo cannot reverse, unless the caller accepts this. */
export function checkReversible(
  plan: { readonly do?: string | undefined; readonly missing?: { readonly do: string } | undefined },
  irreversible: unknown,
  fail: (path: string, message: string) => Error,
): void {
  const isReversible = plan.do === undefined && ["list", "update", undefined].includes(plan.missing?.do);
  if (!isReversible && irreversible !== true)
    throw fail("irreversible", "must be true for a plan with actions or deletions, which undo does not reverse");
}

type Settings = Target["transport"]["settings"] & { readonly timeout: number };

/** Maximum number of times that one run sends a row whose responses are lost. */
const MOST_ATTEMPTS = 3;
const FRESH_MS = 1_000;
const SMALL_BUDGET = 20;
// How long a search for new records stays valid without a rate limit.
const LOOK_MS = 150_000;

async function openRows(
  at: string | BulkJournal,
  state: PlanState,
  now: number,
  progress: Progress,
  planned: Set<number>,
): Promise<readonly History[]> {
  const histories: History[] = [];
  for await (const row of plannedRows(at, state)) {
    if (state.header.where !== undefined) planned.add(row.id ?? idIn(row.in));
    const history = reopen(historyOf(row, state), now);
    progress.starts(history);
    // Includes finished creates as evidence about other creates.
    if (row.do === "create" || !isOver(history)) histories.push(history);
  }
  return histories;
}

const idIn = (given: unknown) => Number((given as { readonly id?: unknown } | undefined)?.id);

/**
 * Counts the rows of a plan by outcome, and those still to be sent. @param accepted fields that may change although
 * they are not sent.
 */
export async function reportOf(
  at: string | BulkJournal,
  accepted: readonly string[] = [],
): Promise<BulkReport & Pick<RunReport, "open">> {
  const counts: Record<RowOutcome, number> = {
    created: 0,
    updated: 0,
    deleted: 0,
    unchanged: 0,
    refused: 0,
    stale: 0,
    failed: 0,
    unknown: 0,
    ignored: 0,
    doubled: 0,
  };
  let [rows, open, differing, unconfirmed, sideEffects, unaccepted] = [0, 0, 0, 0, 0, 0];
  for await (const { outcome, differs, confirmed, side } of rowsOf(at)) {
    rows++;
    if (outcome) counts[outcome]++;
    else open++;
    if (Object.keys(differs).length > 0) differing++;
    if (isWritten(outcome) && confirmed !== true) unconfirmed++;
    if (Object.keys(side).length > 0) sideEffects++;
    if (Object.keys(side).some((path) => !accepted.includes(path))) unaccepted++;
  }
  const good = counts.created + counts.updated + counts.deleted + counts.unchanged;
  const complete = good === rows && differing + unconfirmed + unaccepted === 0;
  return { ...counts, requests: 0, differing, sideEffects, unconfirmed, complete, open };
}

function clockOf(client: Client): Clock {
  try {
    return transportIn(client).settings.clock;
  } catch {
    throw optionError("client", "must be a client, such as new MainClient()");
  }
}

function optionError(path: string, message: string): Error {
  return inputError("apply", [{ path, message }]);
}

/** @throws BulkError `other_school` if a plan or .memory file was made for another school, resource or API. */
export function targetFor(
  client: Client,
  header: Pick<Header, "address" | "resource" | "api" | "params" | "action" | "missing">,
  name: string,
): Target {
  const otherSchool = (what: string) =>
    new BulkError("other_school", `${name} was made for ${what}. Nothing was sent.`);
  if (header.address !== client.baseUrl) throw otherSchool("an address other than the client's");
  const resource = (client as unknown as Readonly<Record<string, Resource | undefined>>)[header.resource];
  if (!resource) throw otherSchool(`${header.resource}, which this client does not have`);
  const target = targetOf(resource, header.params ?? {}, header.action, "apply", header.missing?.do);
  if (target.api !== header.api) throw otherSchool(`the ${header.api} API`);
  return target;
}
