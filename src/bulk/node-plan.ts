import type { ApiError } from "../core/errors.js";
import { callObserver } from "../core/events.js";
import { placeholders } from "../core/operation.js";
import type { Resource } from "../core/resource.js";
import { fieldOf } from "../work/fields/path.js";
import { type Files, machineFiles } from "../work/place/node-files.js";
import type { Change } from "./change.js";
import type { Values } from "./fields.js";
import { FieldChanges, type MissingCounts, whyUnlikely } from "./file/last-time.js";
import { CsvRows } from "./file/node-csv.js";
import { FileRows, type GivenRow } from "./file/node-file-rows.js";
import { givenRows, InputDigest } from "./file/node-given-rows.js";
import { SheetFileRows } from "./file/node-sheet.js";
import { DayOrders } from "./file/times.js";
import { type Finder, finderOf } from "./find.js";
import { type Known, keysOf, parentOf } from "./known.js";
import type { Header } from "./lines.js";
import { Missing } from "./missing.js";
import { changedRows, headerOf, refuseCarriedOut } from "./node-change.js";
import { kindsOfCustomFields } from "./node-custom-fields.js";
import { type OpenJournal, openJournal } from "./node-journal.js";
import { Memory } from "./node-memory.js";
import {
  CODE_WORDS,
  checkLikely,
  checkOrder,
  formatsUnusedBy,
  type PlanSettings,
  settingsOf,
  type Words,
  zoneFor,
} from "./node-plan-settings.js";
import { PlanWriter } from "./node-plan-writer.js";
import { keptFields, PlannedLists } from "./node-planned-lists.js";
import { cureFor, type FileProposal, proposalFor } from "./node-proposal.js";
import { repeatsOf, type WhyRepeated } from "./node-repeats.js";
import type { RecordOf } from "./paths.js";
import { type ProblemText, problemText } from "./problem-text.js";
import { type Decision, decide, decideState, problem, type Reading, type ReadRow, readRow, refusal } from "./row.js";
import { SameKeys } from "./same-keys.js";
import { checkSchool, markOf, shownWitness } from "./same-school.js";
import { type BulkRecord, Service } from "./service.js";
import { unreadMessage } from "./step-reasons.js";
import { anyField, stateOf, type Target } from "./target.js";
import type { CellFormats, ChangeOption, PlanOptions, PlanSummary } from "./types.js";

// Up to this many rows, one request per key may cost less than reading the list.
const FEW_ROWS = 200;
/** Number of days on which a value must have been sent before the plan reports that something changes it back. */
const SET_BACK_DAYS = 5;

/**
 * Compares rows with the records of the service and writes the changes to make into a file. Sends only GETs. After an
 * error, an earlier plan stays.
 * @throws InputError if an option, a column or the file is invalid; BulkError, such as `in_use` or `unlikely`; the
 * client's errors.
 * @example
 * const summary = await plan(client.users, [{ email: "jo@example.com", first_name: "Jo", last_name: "Fox" }], {
 *   to: "planned-users.plan",
 *   key: "email",
 * });
 * console.log(summary.create, summary.requests, summary.minutes);
 */
export async function plan<R extends Resource>(
  resource: R,
  change: Change<RecordOf<R>>,
  options: Pick<PlanOptions<R>, ChangeOption>,
): Promise<PlanSummary>;
export async function plan<R extends Resource>(
  resource: R,
  rows: Iterable<object> | AsyncIterable<object>,
  options: PlanOptions<R>,
): Promise<PlanSummary>;
export async function plan(resource: Resource, rows: Rows, options: object): Promise<PlanSummary> {
  return planWith(machineFiles, resource, rows, options as PlanOptions<unknown>);
}

export type Rows = Iterable<object> | AsyncIterable<object> | Change<never>;

export async function planWith(
  files: Files,
  resource: Resource,
  rows: Rows,
  options: PlanOptions<unknown>,
  words: Words = CODE_WORDS,
): Promise<PlanSummary> {
  const settings = settingsOf(resource, rows, options, words);
  const { to, target } = settings;
  return makePlan(files, settings, rows, await Memory.of(typeof to === "string" ? to : null, target, files));
}

export async function makePlan(files: Files, settings: PlanSettings, rows: Rows, memory: Memory): Promise<PlanSummary> {
  if (settings.change && !settings.again) refuseCarriedOut(settings.to, memory);
  const journal = await openJournal(settings.to, true, settings.target.transport.settings.clock, files);
  try {
    return await new Planner(settings, journal, memory).run(rows);
  } finally {
    await journal.close();
  }
}

// Each row has its own line number, so the reason by which rows are counted omits the number.
const lineProblem = (message: string): ProblemText => ({ message, reason: message.replace(/(?<=^line )\d+/, "…") });

const setBackText = (days: number) =>
  `was sent to this record on ${days} days: something sets it back, or the service does not store it`;

class Planner {
  readonly #settings: PlanSettings;
  readonly #writer: PlanWriter;
  readonly #memory: Memory;
  readonly #whyRepeated: WhyRepeated;
  readonly #service: Service;
  readonly #input: InputDigest;
  readonly #sameKeys: SameKeys;
  readonly #lists: PlannedLists;
  readonly #paths = new Set<string>();
  readonly #changes = new FieldChanges();
  readonly #setBack: NonNullable<PlanSummary["setBack"]>[number][] = [];
  #file: CsvRows | null = null;
  #proposal: Promise<FileProposal | null> | null = null;
  #missing: Missing | null = null;
  #done = 0;
  #lastRow = 0;

  constructor(settings: PlanSettings, journal: OpenJournal, memory: Memory) {
    this.#settings = settings;
    this.#writer = new PlanWriter(journal);
    this.#memory = memory;
    this.#whyRepeated = repeatsOf(memory, settings.target);
    this.#service = new Service(settings.target, { pace: null, signal: settings.options.signal, journal });
    this.#input = new InputDigest(settings, settings.options);
    this.#sameKeys = new SameKeys(settings, this.#writer);
    this.#lists = new PlannedLists(settings, this.#service, memory, (records, percent, endsAt) => {
      this.#missing?.list(records, keptFields(settings));
      this.#report(percent, endsAt);
    });
  }

  async run(rows: Rows): Promise<PlanSummary> {
    const { change, where, missing, options } = this.#settings;
    if (rows instanceof CsvRows) this.#file = rows;
    await this.#checkSchool();
    const needsZone = (change && change.to.length > 1) || (change && where?.needsZone) || missing?.condition.needsZone;
    const zone = needsZone ? await this.#zone() : "UTC";
    if (missing) this.#missing = new Missing(this.#settings, missing, zone);
    const given = change
      ? changedRows(this.#settings, change, this.#service, zone)
      : givenRows(rows as Iterable<object>, this.#settings, this.#zone, options.signal);
    const few: GivenRow[] = [];
    let next = await given.next();
    for (; !next.done && few.length < FEW_ROWS; next = await given.next()) few.push(next.value);
    const finders = new Map<string, Finder>();
    for (const [field, by] of Object.entries(options.find ?? {})) {
      finders.set(field, await finderOf(this.#service, field, String(by), this.#zone));
    }
    const count = next.done ? few.length : null;
    const { target, columns, set } = this.#settings;
    const paths = columns ?? Object.assign({}, ...few.map(({ cells }) => cells));
    const names = Object.keys({ ...paths, ...set });
    const isTyped = rows instanceof SheetFileRows;
    const kinds = await kindsOfCustomFields(
      this.#service,
      this.#settings,
      [...names, ...Object.keys(missing?.set ?? {})],
      isTyped,
    );
    const hasTimes = isTyped && names.some((path) => isTime(target, path));
    const formats = await this.#formats(hasTimes);
    const orders = new DayOrders();
    const reading: Reading = { ...this.#settings, formats, finders, kinds, orders };
    const isOne = !target.rows.list || placeholders(target.rows.list).every((name) => name in target.params);
    if (isOne) await this.#lists.read(target.params, count);
    await this.#writer.begin({
      ...this.#header(rows),
      ...headerOf(this.#settings, options.where, zone),
      ...(missing && { zone }),
    });
    for (const row of few.splice(0)) await this.#plan(reading, row, count);
    for (; !next.done; next = await given.next()) await this.#plan(reading, next.value, count);
    const ofRows = { ...this.#writer.counts };
    const absent = await this.#planMissing(reading);
    for (const [parent, list] of this.#lists.lists) await this.#writer.list(JSON.parse(parent) as Values, list);
    checkOrder(this.#settings, orders);
    const last = this.#memory.last?.counts;
    const fields = this.#changes.counts(last);
    checkLikely(this.#settings, whyUnlikely({ ...ofRows, fields }, last, this.#changes.shuffled));
    const { rateLimit } = target.transport.settings;
    const unusedFormats = this.#done === 0 ? [] : formatsUnusedBy(this.#settings, this.#paths, kinds);
    return this.#writer.end(target, rateLimit, this.#service.requests, {
      fields,
      unusedFormats,
      setBack: this.#setBack,
      ...(absent && { missing: absent }),
      input: this.#input.text,
    });
  }

  async #checkSchool(): Promise<void> {
    const { target, keys, to } = this.#settings;
    const { last, latest } = this.#memory;
    if (last === null) return;
    const keyOf = keysOf(target, keys);
    const keyIn = (record: BulkRecord) => {
      const key = keyOf(record);
      return key === null ? null : this.#memory.keyIn(keys, parentOf(target, record), key);
    };
    const known = latest.map(([key, id]) => ({
      id,
      fits: (record: BulkRecord) => keyIn(record) === key,
      otherwise: `and this key does not show record ${id} as it was`,
    }));
    const next = "Nothing was sent: use another name for the file of another school's plans";
    await checkSchool(this.#service, last.keyMark, [...shownWitness(last.shown), ...known], `${to}.memory`, next);
  }

  async #planMissing(reading: Reading): Promise<MissingCounts | null> {
    if (this.#missing === null) return null;
    const { target, allowed } = this.#settings;
    const { short } = await this.#lists.read(target.params, null);
    const last = await this.#memory.lastRun();
    const rows = this.#missing.rows(reading, this.#sameKeys.first, last, short !== null, allowed.has("many_missing"));
    for (const row of rows) await this.#writer.add({ row: ++this.#lastRow, ...row });
    return this.#missing.counts(rows);
  }

  async #formats(hasTimes: boolean): Promise<CellFormats> {
    const { formats } = this.#settings;
    return formats.dateTime === undefined && !hasTimes ? formats : { ...formats, timeZone: await this.#zone() };
  }

  #zone = () => zoneFor(this.#settings, this.#service);

  async #plan(reading: Reading, given: GivenRow, count: number | null): Promise<void> {
    this.#input.add(given);
    const { problem } = given;
    this.#lastRow = given.row;
    for (const path of Object.keys(given.cells)) this.#paths.add(path);
    const row =
      problem === null
        ? readRow(reading, given.cells)
        : { key: null, values: {}, cells: {}, given: {}, problems: [lineProblem(problem)] };
    const known = row.key === null ? undefined : await this.#lists.find(row, count);
    this.#noteMissing(given.row, row, known);
    const wanted =
      known instanceof Error
        ? refusal({ message: unreadMessage(Number(row.key), known.status) })
        : this.#settings.options.do
          ? this.#decideAction(row, known)
          : await this.#decide(reading, row, known);
    const why = wanted.do === "create" ? await this.#lists.whyNoCreate(row, count) : null;
    const decision = why === null ? wanted : refusal(why);
    const once = row.key === null ? decision : await this.#sameKeys.decide(row.key, row, given.row, decision);
    const final = once.do === "refuse" ? await this.#withCures(once, given) : once;
    if (final.id !== undefined) {
      const paths = Object.keys(row.values).filter((path) => !this.#settings.keys.includes(path));
      this.#changes.note(paths, final.send ?? {}, final.before ?? {});
    }
    await this.#writer.add({ row: given.row, ...final, in: given.in });
    this.#done++;
    this.#report(null, null);
  }

  // Adds to each problem the option with which cells of that column could be parsed.
  async #withCures(decision: Decision, { cells }: GivenRow): Promise<Decision> {
    if (!this.#file) return decision;
    const { resource, options, target, words } = this.#settings;
    this.#proposal ??= proposalFor(resource, this.#file, options);
    const proposal = await this.#proposal;
    const why = decision.why?.map((one) => {
      const path = one.field ?? "";
      const cure = proposal && cureFor(proposal, { target, path, cell: cells[path] }, words);
      return cure ? { ...one, ...problemText`${{ reason: one.message, ...one }}; ${cure}` } : one;
    });
    return { ...decision, ...(why && { why }) };
  }

  // A record that had the key of this row in an earlier run is not missing.
  #noteMissing(at: number, row: ReadRow, known: Known | ApiError | undefined): void {
    if (!this.#missing) return;
    if (known && !(known instanceof Error)) {
      this.#missing.name(known.ids, true);
      return;
    }
    this.#missing.unmatched(at, row);
    const { target, keys } = this.#settings;
    const key = row.key === null ? null : this.#memory.keyIn(keys, parentOf(target, row.values), row.key);
    const earlier = key === null ? undefined : this.#memory.idOf(key);
    if (earlier !== undefined) this.#missing.name([earlier]);
  }

  async #decide(reading: Reading, row: ReadRow, known: Known | undefined): Promise<Decision> {
    const decision = decide(reading, row, known, this.#memory.isStored.bind(this.#memory));
    const { do: what, id, send = {}, before = {} } = decision;
    const { again, change } = this.#settings;
    if (what !== "update" || id === undefined) return decision;
    const why = again || change ? null : await this.#whyRepeated(id, send, before);
    if (why !== null) return refusal(problem(reading, why.field, why.message));
    const setBack = Object.entries(send).flatMap(([field, value]) => {
      const days = this.#memory.daysSent(this.#settings.target, id, field, value);
      return days < SET_BACK_DAYS ? [] : [{ id, field, days }];
    });
    this.#setBack.push(...setBack);
    const told = setBack.map(({ field, days }) => problem(reading, field, setBackText(days)));
    return told.length > 0 ? { ...decision, why: told } : decision;
  }

  #report(percent: number | null, endsAt: Date | null): void {
    const { requests } = this.#service;
    const waits = { waitingUntil: null, waitingFor: null };
    callObserver(this.#settings.options.onProgress, {
      rows: this.#done,
      total: null,
      requests,
      ...waits,
      percent,
      endsAt,
    });
  }

  #decideAction({ problems, values }: ReadRow, known: Known | undefined): Decision {
    if (problems.length > 0) return refusal(...problems);
    const decision = known && decideState(stateOf(this.#settings.target.rows), known.record, Number(values.id));
    return decision ?? refusal({ message: "no record has this identifier" });
  }

  #header(rows: unknown): Header {
    const { target, keys, columns, missing } = this.#settings;
    const { transport, name, api, params } = target;
    return {
      bulk: 1,
      resource: name,
      api,
      address: transport.baseUrl,
      keyMark: markOf(transport) ?? undefined,
      shown: this.#lists.shown,
      params: Object.keys(params).length > 0 ? params : undefined,
      key: keys,
      columns: columns ?? undefined,
      action: this.#settings.options.do,
      ...(missing && { missing: { where: missing.where, do: missing.do } }),
      made: new Date(transport.settings.clock.now()).toISOString(),
      input: (rows instanceof FileRows && rows.format) || undefined,
    };
  }
}

function isTime(target: Target, path: string): boolean {
  const field = anyField(target, path);
  return field !== null && fieldOf(path, path.split("."), field.schema).kind === "instant";
}
