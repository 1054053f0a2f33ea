import type { Client } from "../clients/client.js";
import { InputError } from "../core/errors.js";
import { callObserver } from "../core/events.js";
import { transportIn } from "../core/inside-client.js";
import type { ClientHealth } from "../core/line/line.js";
import { checkNames, type Names } from "../core/option-checks.js";
import type { WebhookEvent } from "../webhooks/events.js";
import { keyOf } from "../work/key.js";
import { Pace, shareOf } from "../work/pace.js";
import { isAhead } from "../work/schedule.js";
import { type Applied, applyEvent } from "./apply.js";
import { argumentError, type Change, type ChangesOptions, changesOf, checkReading, recordsAt } from "./changes.js";
import { Claims, type Context, workOf } from "./context.js";
import { checkDatabase, type MirrorDatabase } from "./database.js";
import type { MirroredRecord } from "./decide.js";
import { type Duration, type MirrorOptions, milliseconds, settingsOf } from "./options.js";
import { readState } from "./owner.js";
import { type ListPlan, plansOf, selectPlans } from "./plan.js";
import type { SyncProgress } from "./progress.js";
import { type RepairReport, repairFrom } from "./repair.js";
import type { ListReport, MirrorReport } from "./report.js";
import { runFor } from "./run.js";
import { Tables } from "./schema.js";
import { sweepList } from "./sweep.js";
import { readTail, type TailReport } from "./tail.js";
import { ticksOf } from "./ticks.js";
import type { ListOf } from "./types.js";

/** Options for `sync`. */
export interface SyncOptions<List extends string = string> {
  /** Only these lists. Default: all lists of the mirror. */
  readonly resources?: readonly List[] | undefined;
  /**
   * Lists whose missing rows are marked as gone even if more rows are missing than `holdAbove` allows, the list is
   * empty, or only another key has seen them. Use it after a person has checked a report with `held.reason` `many`,
   * `empty` or `key`. Two requests check each missing row; a record that still exists is not marked.
   */
  readonly accept?: readonly List[] | undefined;
  /** Aborts the run. Stored pages stay, and the next run resumes. */
  readonly signal?: AbortSignal | undefined;
  /** Called after every page and when the run begins to wait for the request budget. */
  readonly onProgress?: ((progress: SyncProgress) => void) | undefined;
}

const SYNC_OPTIONS: Names<SyncOptions> = { resources: 1, accept: 1, signal: 1, onProgress: 1 };

/** The age of a list's copy. */
export interface Freshness {
  /** When the last complete sweep began; the copy holds everything that the service had then. Null before the first. */
  readonly asOf: Date | null;
  /**
   * Milliseconds since `asOf`. `Infinity` before the first sweep, or if `asOf` is more than a minute in the future
   * because a clock was wrong.
   */
  readonly ageMs: number;
  /** True if `ageMs` is finite and at most `atMost`. */
  readonly isFresh: boolean;
}

/** Shows whether a copy keeps up with the service. Contains no values of records. */
export interface MirrorHealth extends ClientHealth {
  /** The age of each list's copy. */
  readonly lists: readonly ({ readonly list: string } & Omit<Freshness, "isFresh">)[];
}

/** A copy of the service's lists in a database, and the feed of its changes. */
export interface Mirror<List extends string = string> {
  /**
   * Reads every list to its end and updates the copy, parent lists first. An interrupted run resumes after its last
   * page. If a list fails, its report contains the error and the other lists are still read.
   * @throws InputError for lists that the mirror does not copy; the signal's reason; the database's errors if it cannot
   * be opened.
   * @example
   * const report = await copy.sync();
   * if (!report.complete) console.log(report.lists.filter(({ complete }) => !complete));
   */
  sync(options?: SyncOptions<List>): Promise<MirrorReport>;
  /**
   * Reads the record of a webhook event with one request and writes it into the copy, unless the copy has a newer
   * version. The event's own content is not used, so events may arrive late, twice or out of order.
   * @throws InputError if the argument is not an event.
   * @throws the client's errors; the event was then not applied. Deliver it again, or wait for the next sweep.
   * @example
   * handler.on("account.*", async (event) => void (await copy.apply(event)));
   */
  apply(event: Pick<WebhookEvent<string>, "event" | "event_data">, options?: ApplyOptions): Promise<Applied>;
  /**
   * Applies, once each, the events that the service has stopped trying to deliver. If a record cannot be read, its
   * notification is reported as pending and the others are still applied.
   * @throws the client's errors if the notifications cannot be listed.
   */
  repair(options?: { readonly signal?: AbortSignal | undefined }): Promise<RepairReport>;
  /**
   * Reads the records added at the end of each list since the last sweep: one request per list, or several if many
   * records were added. Skips lists whose identifiers did not ascend throughout that sweep.
   * @throws the client's errors.
   */
  tail(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly TailReport[]>;
  /**
   * Runs sweeps, `tail` and `repair` at the intervals set in the options, until the signal aborts. If several processes
   * share a database, only one sweeps a list at a time. Outages of the database are reported, and the work is retried.
   * @throws the signal's reason; ConfigurationError if the database has a copy of another school, or tables with the
   * mirror's names that the mirror did not create.
   */
  run(options: { readonly signal: AbortSignal }): Promise<never>;
  /**
   * Iterates over the changes of the copy, in the order in which the mirror noticed them.
   * @throws FeedGapError if changes after `after` were removed, or the copy was restored or recreated; InputError if an
   * option is invalid.
   * @example
   * for await (const change of copy.changes({ after: 0 })) console.log(change.seq, change.kind, change.list, change.id);
   */
  changes(options?: ChangesOptions<List>): AsyncGenerator<Change, void, undefined>;
  /**
   * Iterates over the records of a list as the copy had them at a given time, reconstructed from the feed of changes.
   * @throws InputError if the list is not copied, the mirror keeps no history, or the feed begins after that time.
   * @example
   * await copy.sync();
   * for await (const account of copy.at(new Date(), "accounts")) console.log(account.id);
   */
  at(time: Date, list: List): AsyncGenerator<MirroredRecord, void, undefined>;
  /**
   * Returns the age of a list's copy.
   * @throws InputError for a list that the mirror does not copy.
   * @example
   * const { isFresh } = await copy.freshness("accounts", { atMost: "10m" });
   */
  freshness(list: List, options?: { readonly atMost?: Duration | undefined }): Promise<Freshness>;
  /**
   * Returns the age of each list's copy and the client's health: which of its operations are refused, and since when.
   * @throws errors of the database if it cannot be read.
   * @example
   * const { lists, refused } = await copy.health();
   * console.log(refused, lists.filter(({ ageMs }) => ageMs > 7_200_000));
   */
  health(): Promise<MirrorHealth>;
}

/** Options for `apply`. */
export interface ApplyOptions {
  /** Aborts the request; the event is then not applied. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Creates a mirror: a copy of the client's lists in a database. Nothing is sent or written until a method is called.
 * @param database created by `sqlite` or `postgres`.
 * @throws ConfigurationError if `database` is a bare connection or an option is invalid.
 * @example
 * import { DatabaseSync } from "node:sqlite";
 * import { mirror, sqlite } from "education-admin-sdk/mirror";
 *
 * const copy = mirror(client, sqlite(new DatabaseSync(":memory:")), { resources: ["accounts", "users"] });
 * const { complete, requests } = await copy.sync();
 */
export function mirror<C extends Client>(
  client: C,
  database: MirrorDatabase,
  options: MirrorOptions<ListOf<C>> = {},
): Mirror<ListOf<C>> {
  checkDatabase(database);
  const available = plansOf(client);
  const transport = transportIn(client);
  const settings = settingsOf(options as MirrorOptions, transport.settings.clock);
  const plans = selectPlans(available, options.resources);
  const { clock } = settings;
  const { rateLimit } = transport.settings;
  const budget = shareOf(rateLimit && { requests: rateLimit.requests, windowMs: rateLimit.windowMs }, settings.share);
  const session = crypto.randomUUID();
  const context: Context = {
    transport,
    tables: new Tables({ database, client }),
    clock,
    ticks: ticksOf(clock),
    budget,
    pace: new Pace(clock, budget, (until) => until && settings.onWait(until)),
    // A getter, so that a build can create a mirror without the environment variable that holds the key.
    get key() {
      return keyOf(transport.settings.apiKey, client.baseUrl, settings.keyName, session);
    },
    history: settings.history,
    holdAbove: settings.holdAbove,
    claims: new Claims(session),
  };
  const choosePlans = (names: readonly string[] | undefined, what: string): readonly ListPlan[] => {
    const unknown = names?.find((name) => !plans.some((plan) => plan.name === name));
    if (unknown === undefined) return names ? plans.filter(({ name }) => names.includes(name)) : plans;
    const message = `${JSON.stringify(unknown)} is not a list of this mirror`;
    throw new InputError(`${what}: ${message}`, [{ path: "resources", message }]);
  };

  const ageOf = async (plan: ListPlan): Promise<Omit<Freshness, "isFresh">> => {
    const { asOf } = await readState(context.tables.readerOf([plan]), plan);
    const isKnown = asOf !== null && !isAhead(asOf, clock.now());
    const ageMs = isKnown ? Math.max(0, clock.now() - asOf) : Number.POSITIVE_INFINITY;
    return { asOf: asOf === null ? null : new Date(asOf), ageMs };
  };

  const requireHistory = (what: string) => {
    if (!settings.history) throw new InputError(`${what}: this mirror keeps no history`, []);
  };

  return {
    async sync(given = {}) {
      checkNames(given, SYNC_OPTIONS, (path, message) => argumentError("sync", path, message));
      const { resources, accept, signal, onProgress } = given;
      const wanted = choosePlans(resources, "sync");
      const accepted = choosePlans(accept ?? [], "sync");
      signal?.throwIfAborted();
      await context.tables.until(signal).open(wanted);
      const lists: ListReport[] = [];
      for (const plan of wanted) {
        signal?.throwIfAborted();
        const report = await sweepList(context, plan, {
          signal,
          accepted: accepted.includes(plan),
          polite: false,
          onProgress: (progress, { read, requests }, waitingUntil) =>
            callObserver(onProgress, { list: plan.name, read, requests, ...progress, waitingUntil }),
        });
        if (report !== "paused") lists.push(report);
        signal?.throwIfAborted();
      }
      return {
        lists,
        complete: lists.every(({ complete }) => complete),
        requests: lists.reduce((sum, { requests }) => sum + requests, 0),
      };
    },
    apply: (event, { signal } = {}) => applyEvent(workOf(context, signal), plans, event),
    repair: ({ signal } = {}) => repairFrom(context, plans, signal),
    async tail({ signal } = {}) {
      const reports: TailReport[] = [];
      for (const plan of plans) {
        const report = await readTail(context, plan, signal);
        if (report) reports.push(report);
      }
      return reports;
    },
    run: ({ signal }) => runFor(context, plans, settings, signal),
    changes(given = {}) {
      requireHistory("changes");
      return changesOf(database, clock, given, () => context.tables.until(given.signal).open(plans));
    },
    at(time, list) {
      requireHistory("at");
      choosePlans([list], "at");
      return recordsAt(database, time, list, () => context.tables.open(plans));
    },
    async freshness(list, options = {}) {
      checkReading("freshness", options, { atMost: 1 });
      const { atMost } = options;
      const [plan] = choosePlans([list], "freshness");
      const most = atMost === undefined ? Number.POSITIVE_INFINITY : milliseconds("atMost", atMost);
      const age = plan ? await ageOf(plan) : { asOf: null, ageMs: Number.POSITIVE_INFINITY };
      return { ...age, isFresh: Number.isFinite(age.ageMs) && age.ageMs <= most };
    },
    async health() {
      const lists = [];
      for (const plan of plans) lists.push({ list: plan.name, ...(await ageOf(plan)) });
      return { ...transport.health, lists };
    },
  };
}
