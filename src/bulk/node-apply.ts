import type { Client } from "../clients/client.js";
import { inputError } from "../core/call/request.js";
import type { Clock } from "../core/clock.js";
import { isPlainObject } from "../core/json.js";
import { checkNames, type Names } from "../core/option-checks.js";
import type { Resource } from "../core/resource.js";
import { type Files, machineFiles } from "../export/node-files.js";
import { BulkError } from "./errors.js";
import type { PlannedRow } from "./lines.js";
import { sendChanges } from "./node-changes.js";
import { Creates } from "./node-creates.js";
import { nameOf, openJournal } from "./node-journal.js";
import { Run } from "./node-run.js";
import { isFinal, type PlanState, plannedRows, readState, rowOf } from "./node-state.js";
import { DEFAULT_SHARE } from "./pace.js";
import { type Target, targetOf } from "./target.js";
import type { ApplyOptions, BulkJournal, BulkReport, RowOutcome } from "./types.js";

const NAMES: Names<ApplyOptions> = {
  confirm: 1,
  share: 1,
  stopAfter: 1,
  settleMs: 1,
  irreversible: 1,
  signal: 1,
  onProgress: 1,
};

/**
 * Applies a plan, or continues it after any interruption. A create whose response was lost is sent again only if
 * the list shows another record of this plan but not this one; if the service was late, both exist and the row is `doubled`.
 * @throws BulkError if the file is not a plan, was changed, belongs elsewhere, is in use, or cannot go on; InputError for an option.
 * @example
 * await plan(client.users, [{ email: "jo@example.com", first_name: "Jo", last_name: "Fox" }], { to: "users.plan", key: "email" });
 * const report = await apply(client, "users.plan", { share: 0.5 });
 * if (!report.complete) await writeReport("users.plan", "users.result.csv");
 */
export async function apply(client: Client, at: string | BulkJournal, options: ApplyOptions = {}): Promise<BulkReport> {
  return applyWith(machineFiles, client, at, options);
}

/** As `apply`, on a disk of the caller. */
export async function applyWith(
  files: Files,
  client: Client,
  at: string | BulkJournal,
  options: ApplyOptions,
): Promise<BulkReport> {
  checkOptions(options);
  const clock = clockOf(client);
  // A file that is no plan is not even locked.
  await readState(at);
  const journal = await openJournal(at, false, clock, files);
  try {
    const state = await readState(at);
    const name = nameOf(at);
    if (options.confirm !== undefined && options.confirm !== state.end.digest) {
      throw new BulkError("other_plan", `${name} is not the plan that was confirmed. Nothing was sent.`);
    }
    const target = checkedTarget(client, state, name);
    if (state.header.action !== undefined && options.irreversible !== true) {
      throw wrong("irreversible", "must be true for a plan of actions, which cannot be undone");
    }
    const run = new Run(target, at, state, journal, options);
    await carryOut(run, at);
    return await reportOf(run, at);
  } finally {
    await journal.close();
  }
}

async function carryOut(run: Run, at: string | BulkJournal): Promise<void> {
  const creates: PlannedRow[] = [];
  const open: PlannedRow[] = [];
  for await (const row of plannedRows(at, run.state)) {
    run.rows++;
    const known = run.stateOf(row);
    // An earlier run gave it up, or could not send it.
    if (known.done && !isFinal(known.done)) known.done = null;
    if (row.do === "create") creates.push(row);
    if (known.done || row.do === "leave" || row.do === "refuse") run.done++;
    else open.push(row);
  }
  const sender = new Creates(run, creates);
  await sender.send(open.filter((row) => row.do === "create"));
  await sendChanges(
    run,
    open.filter((row) => row.do !== "create"),
  );
  await sender.lookForDoubles();
}

async function reportOf(run: Run, at: string | BulkJournal): Promise<BulkReport> {
  const counts: Record<RowOutcome, number> = {
    created: 0,
    updated: 0,
    deleted: 0,
    unchanged: 0,
    refused: 0,
    stale: 0,
    failed: 0,
    unknown: 0,
    doubled: 0,
  };
  let differing = 0;
  for await (const planned of plannedRows(at, run.state)) {
    const { outcome, differs } = rowOf(planned, run.state);
    if (outcome) counts[outcome]++;
    if (Object.keys(differs).length > 0) differing++;
  }
  const good = counts.created + counts.updated + counts.deleted + counts.unchanged;
  return { ...counts, requests: run.service.requests, differing, complete: good === run.rows && differing === 0 };
}

function clockOf(client: Client): Clock {
  try {
    return (client as unknown as Pick<Target, "transport">).transport.settings.clock;
  } catch {
    throw wrong("client", "must be a client, such as new MainClient()");
  }
}

function checkOptions(options: ApplyOptions): void {
  if (!isPlainObject(options as unknown)) throw wrong("options", "must be a plain object");
  checkNames(options, NAMES, wrong);
  const { share = DEFAULT_SHARE, stopAfter = 1, settleMs = 1 } = options;
  if (!(typeof share === "number" && share > 0 && share <= 1))
    throw wrong("share", "must be a number above 0 and at most 1");
  if (!(Number.isInteger(stopAfter) && stopAfter >= 1)) throw wrong("stopAfter", "must be a whole number from 1");
  if (!(typeof settleMs === "number" && settleMs >= 0 && settleMs < Number.POSITIVE_INFINITY)) {
    throw wrong("settleMs", "must be a number of milliseconds");
  }
}

function wrong(path: string, message: string): Error {
  return inputError("apply", [{ path, message }]);
}

function checkedTarget(client: Client, { header }: PlanState, name: string): Target {
  const otherSchool = (what: string) =>
    new BulkError("other_school", `${name} was made for ${what}. Nothing was sent.`);
  if (header.address !== client.baseUrl) throw otherSchool("another address than the client's");
  const resource = (client as unknown as Readonly<Record<string, Resource | undefined>>)[header.resource];
  if (!resource) throw otherSchool(`${header.resource}, which this client does not have`);
  const target = targetOf(resource, header.params ?? {}, header.action, "apply");
  if (target.api !== header.api) throw otherSchool(`the ${header.api} API`);
  return target;
}
