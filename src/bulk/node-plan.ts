import type { ApiError } from "../core/errors.js";
import { callObserver } from "../core/events.js";
import { hashOf } from "../core/fingerprint.js";
import type { Page } from "../core/lists/pages.js";
import { placeholders } from "../core/operation.js";
import type { Resource } from "../core/resource.js";
import { fieldsOf } from "../core/schema/traits.js";
import { fieldOf } from "../work/fields/path.js";
import { testerOf } from "../work/fields/tester.js";
import { listProgress } from "../work/list-progress.js";
import { type Files, machineFiles } from "../work/place/node-files.js";
import type { Change } from "./change.js";
import { fieldAt, namesOf, timeOf, type Values } from "./fields.js";
import { FieldChanges, type MissingCounts, whyUnlikely } from "./file/last-time.js";
import { CsvRows } from "./file/node-csv.js";
import { FileRows, type GivenRow } from "./file/node-file-rows.js";
import { givenRows, InputDigest } from "./file/node-given-rows.js";
import { SheetFileRows } from "./file/node-sheet.js";
import { DayOrders } from "./file/times.js";
import { type Finder, finderOf } from "./find.js";
import { alikeForm, FirstRows, spellKey, whyNoNewKey } from "./keys.js";
import { askFor, type Known, type Reading as ListReading, parentOf, readKnown, recordsIn } from "./known.js";
import type { Header } from "./lines.js";
import { Missing } from "./missing.js";
import { changedRows, headerOf, refuseCarriedOut } from "./node-change.js";
import { kindsOfCustomFields } from "./node-custom-fields.js";
import { type OpenJournal, openJournal } from "./node-journal.js";
import { Memory } from "./node-memory.js";
import type { UnsettledRow } from "./node-memory-lines.js";
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
import { cureFor, type FileProposal, proposalFor } from "./node-proposal.js";
import { Repeats } from "./node-repeats.js";
import { type ProblemText, problemText, rowValue } from "./problem-text.js";
import { type Decision, decide, problem, type Reading, type ReadRow, readRow, refusal } from "./row.js";
import { checkSchool, markOf, newest, shownWitness } from "./same-school.js";
import { type BulkRecord, Service } from "./service.js";
import { unreadMessage } from "./step-reasons.js";
import { anyField, madeAs, recordSchema, stateOf, type Target } from "./target.js";
import type { CellFormats, ChangeOption, PlanOptions, PlanSummary, RecordOf } from "./types.js";

// Up to this many rows, one request per key may cost less than reading the list.
const FEW_ROWS = 200;
const MOST_UNREAD = 10;
/** Number of days on which a value must have been sent before its row names the field as set back. */
const SET_BACK_DAYS = 5;

/**
 * Compares rows with the service and writes the changes to make into a file. Sends only GETs.
 * @throws InputError if an option, a column or the CSV file is invalid; the client's errors. An earlier plan then
 * stays.
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

/** The rows of a plan, or the change that makes them. */
export type Rows = Iterable<object> | AsyncIterable<object> | Change<never>;

export async function planWith(
  files: Files,
  resource: Resource,
  rows: Rows,
  options: PlanOptions<unknown>,
  words: Words = CODE_WORDS,
  known?: Memory,
): Promise<PlanSummary> {
  const settings = settingsOf(resource, rows, options, words);
  const to = typeof settings.to === "string" ? settings.to : null;
  const memory = known ?? (await Memory.of(to, settings.target, files));
  if (settings.change && !settings.again) refuseCarriedOut(to, memory);
  const journal = await openJournal(settings.to, true, settings.target.transport.settings.clock, files);
  try {
    return await new Planner(resource, settings, journal, options, memory).run(rows);
  } finally {
    await journal.close();
  }
}

type ListRead = ListReading & {
  /** The day on which an earlier run created records in the list, if the list is empty now. */
  readonly createdOn: string | null;
};

// Each row has its own line number, so the reason by which rows are counted leaves it out.
const lineProblem = (message: string): ProblemText => ({ message, reason: message.replace(/(?<=^line )\d+/, "…") });

const setBackText = (days: number) =>
  `was sent to this record on ${days} days: something sets it back, or the service does not store it`;

function unsettledText({ row, plan, id }: UnsettledRow): ProblemText {
  const settle = "Settle it (settle, or bulk settle), then run again";
  return id === undefined
    ? problemText`may have been created by row ${rowValue(row)} of ${plan}, under another key or where the list does not show it. ${settle}`
    : problemText`was created by row ${rowValue(row)} of ${plan} as record ${rowValue(id)}, and the service may store its key in another form: write the key as the service stores it`;
}

class Planner {
  readonly #settings: PlanSettings;
  readonly #writer: PlanWriter;
  readonly #options: PlanOptions<unknown>;
  readonly #memory: Memory;
  readonly #repeats: Repeats;
  readonly #service: Service;
  readonly #input: InputDigest;
  readonly #first = new FirstRows();
  /** The first row with a key and values, by their hash; filled only if `duplicates` is `first`. */
  readonly #same = new Map<number, number>();
  readonly #lists = new Map<string, ListRead>();
  readonly #paths = new Set<string>();
  readonly #changes = new FieldChanges();
  readonly #setBack: NonNullable<PlanSummary["setBack"]>[number][] = [];
  readonly #resource: Resource;
  #file: CsvRows | null = null;
  #proposal: Promise<FileProposal | null> | null = null;
  #missing: Missing | null = null;
  #done = 0;
  #lastRow = 0;
  /** Number of records in a row that could not be read. */
  #unread = 0;
  #shown: Header["shown"];

  constructor(
    resource: Resource,
    settings: PlanSettings,
    journal: OpenJournal,
    options: PlanOptions<unknown>,
    memory: Memory,
  ) {
    this.#resource = resource;
    this.#settings = settings;
    this.#writer = new PlanWriter(journal);
    this.#options = options;
    this.#memory = memory;
    this.#repeats = new Repeats(memory, settings.target);
    this.#service = new Service(settings.target, { pace: null, signal: options.signal, journal });
    this.#input = new InputDigest(settings, options);
  }

  async run(rows: Rows): Promise<PlanSummary> {
    const { change, where, missing } = this.#settings;
    if (rows instanceof CsvRows) this.#file = rows;
    await this.#checkSchool();
    const needsZone = change?.needsZone || (change && where?.needsZone) || missing?.condition.needsZone;
    const zone = needsZone ? await this.#zone() : "UTC";
    if (missing) {
      const now = this.#settings.target.transport.settings.clock.now();
      this.#missing = new Missing(this.#settings, missing, testerOf(missing.condition, { now, zone }));
    }
    const given = change
      ? changedRows(this.#settings, change, this.#service, zone)
      : givenRows(rows as Iterable<object>, this.#settings, this.#zone, this.#options.signal);
    const few: GivenRow[] = [];
    let next = await given.next();
    for (; !next.done && few.length < FEW_ROWS; next = await given.next()) few.push(next.value);
    const finders = new Map<string, Finder>();
    for (const [field, by] of Object.entries(this.#options.find ?? {})) {
      finders.set(field, await finderOf(this.#service, field, String(by), this.#zone));
    }
    const count = next.done ? few.length : null;
    const { target, columns, set } = this.#settings;
    const paths = columns ?? Object.assign({}, ...few.map(({ cells }) => cells));
    const kinds = await kindsOfCustomFields(this.#service, this.#settings, Object.keys({ ...paths, ...set }));
    const hasTimes =
      rows instanceof SheetFileRows && Object.keys({ ...paths, ...set }).some((path) => isTime(target, path));
    const formats = await this.#formats(hasTimes);
    const orders = new DayOrders();
    const reading: Reading = { ...this.#settings, formats, finders, kinds, orders };
    const isOne = !target.rows.list || placeholders(target.rows.list).every((name) => name in target.params);
    if (isOne) await this.#list(target.params, count);
    await this.#writer.begin({
      ...this.#header(rows),
      ...headerOf(this.#settings, this.#options.where, zone),
      ...(missing && { zone }),
    });
    for (const row of few.splice(0)) await this.#plan(reading, row, count);
    for (; !next.done; next = await given.next()) await this.#plan(reading, next.value, count);
    const ofRows = { ...this.#writer.counts };
    const absent = await this.#planMissing(reading);
    for (const [parent, list] of this.#lists) await this.#writer.list(JSON.parse(parent) as Values, list);
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
    const records = recordsIn({ service: this.#service, params: {}, paths: keys }, []);
    const keyIn = (record: BulkRecord) => {
      const key = records.keyOf(record);
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
    const { short } = await this.#list(target.params, null);
    const last = await this.#memory.lastRun();
    const rows = this.#missing.rows(reading, this.#first, last, short !== null, allowed.has("many_missing"));
    for (const row of rows) await this.#writer.add({ row: ++this.#lastRow, ...row });
    return this.#missing.counts(rows);
  }

  // Local times refer to the school's time zone.
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
    const known = row.key === null ? undefined : await this.#findKnown(row, count);
    this.#noteMissing(given.row, row, known);
    const wanted =
      known instanceof Error
        ? refusal({ message: unreadMessage(Number(row.key), known.status) })
        : this.#options.do
          ? this.#decideAction(row, known)
          : await this.#decide(reading, row, known);
    const why = wanted.do === "create" ? await this.#whyNoCreate(row, count) : null;
    const decision = why === null ? wanted : refusal(why);
    const once = row.key === null ? decision : await this.#oncePerKey(row.key, row, given.row, decision);
    const final = once.do === "refuse" ? await this.#withCures(once, given) : once;
    if (final.id !== undefined) {
      const paths = Object.keys(row.values).filter((path) => !this.#settings.keys.includes(path));
      this.#changes.note(paths, final.send ?? {}, final.before ?? {});
    }
    await this.#writer.add({ row: given.row, ...final, in: given.in });
    this.#done++;
    this.#report(null, null);
  }

  // Names the option by which the file's other cells in the column could be read.
  async #withCures(decision: Decision, { cells }: GivenRow): Promise<Decision> {
    if (!this.#file) return decision;
    const { target, words } = this.#settings;
    this.#proposal ??= proposalFor(this.#resource, this.#file, this.#options);
    const proposal = await this.#proposal;
    const why = decision.why?.map((one) => {
      const path = one.field ?? "";
      const cure = proposal && cureFor(proposal, { target, path, cell: cells[path] }, words);
      return cure ? { ...one, ...problemText`${{ reason: one.message, ...one }}; ${cure}` } : one;
    });
    return { ...decision, ...(why && { why }) };
  }

  // A record that a row named by another key in an earlier run is not missing.
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
    const why = again || change ? null : await this.#repeats.why(id, send, before);
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
    callObserver(this.#options.onProgress, { rows: this.#done, total: null, requests, ...waits, percent, endsAt });
  }

  // If the list does not show all records, the row's record may be a hidden one, or have another spelling of its key.
  async #whyNoCreate({ key, values }: ReadRow, count: number | null): Promise<ProblemText | null> {
    const { target, allowAlike, keys, words } = this.#settings;
    const parent = parentOf(target, values);
    const list = await this.#list(parent, count);
    if (list.short) {
      const { total, read } = list.short;
      return problemText`the service counts ${rowValue(total)} records, but its list shows ${rowValue(read)}: the record may be among the others. Use a key that can read all of them`;
    }
    if (list.createdOn !== null && !this.#settings.allowed.has("empty_list")) {
      return problemText`the list of ${target.name} is empty, although a run of ${list.createdOn} created records in it. Use a key that can read these records; if they have all been deleted, pass ${words.option("allow")} empty_list`;
    }
    if (key === null) return null;
    const unsettled = this.#memory.unsettledOf(this.#memory.keyIn(keys, parent, key));
    if (unsettled) return unsettledText(unsettled);
    return allowAlike ? null : this.#whyAlike(key, parent, list);
  }

  async #whyAlike(key: string, params: Values, { records, filter }: ListRead): Promise<ProblemText | null> {
    const option = this.#settings.words.option("allowAlike");
    const unless = `Correct the row; if both are right, pass ${option}`;
    const why = whyNoNewKey(key);
    if (why !== null) return problemText`the key ${why}. ${unless}`;
    const { keys, target } = this.#settings;
    const form = alikeForm(key);
    const keyed = { service: this.#service, params, paths: keys };
    const asked = filter !== null && form !== key ? recordsIn(keyed, await askFor(keyed, form)) : records;
    const [alike] = asked.alikeTo(key);
    if (alike)
      return problemText`record ${rowValue(alike.ids.join(", "))} has the key ${rowValue(spellKey(alike.key))}, the row ${rowValue(spellKey(key))}. ${unless}`;
    const id = this.#memory.idOf(this.#memory.keyIn(keys, params, key));
    if (id === undefined) return null;
    if (!records.ids.has(id) && (!target.rows.get || !(await this.#service.one(id)))) return null;
    return problemText`record ${rowValue(id)} had the key ${rowValue(spellKey(key))} or nearly the same in an earlier run, and has another one now. ${unless}`;
  }

  // Refuses both of two rows with the same key, unless the option `duplicates` prefers the first.
  async #oncePerKey(key: string, read: ReadRow, row: number, decision: Decision): Promise<Decision> {
    const isFirst = this.#options.duplicates === "first";
    const before = this.#first.note(key, row, decision.do);
    const others = Object.entries(read.values).filter(([path]) => !this.#settings.keys.includes(path));
    const values = hashOf(JSON.stringify([key, others]));
    const same = this.#same.get(values);
    if (isFirst && same === undefined) this.#same.set(values, row);
    if (!before) return decision;
    const { kind, isEqual } = before;
    if (!isEqual) {
      // Each of the rows already matches its own record, or the option accepts nearly equal keys.
      if (this.#settings.allowAlike || (decision.do !== "create" && kind !== "create")) return decision;
      if (kind === "create" && !isFirst)
        await this.#refuse(
          before.row,
          kind,
          problemText`row ${rowValue(row)} has nearly the same key: ${rowValue(spellKey(key))}`,
        );
      return decision.do === "create"
        ? refusal(
            problemText`row ${rowValue(before.row)} has nearly the same key as this one: ${rowValue(spellKey(key))}`,
          )
        : decision;
    }
    const isSame = same === before.row;
    if (isSame && kind !== "refuse" && decision.do !== "refuse") {
      return { do: "leave", why: [{ message: `row ${before.row} has the same values` }] };
    }
    if (!isFirst && kind !== "refuse")
      await this.#refuse(before.row, kind, problemText`row ${rowValue(row)} has the same key`);
    const other = !isFirst ? "" : isSame && kind === "refuse" ? " and was refused" : " and other values";
    return refusal(problemText`row ${rowValue(before.row)} has the same key${other}`);
  }

  async #refuse(row: number, kind: Decision["do"], why: ProblemText): Promise<void> {
    this.#first.refuse(row);
    await this.#writer.refuse(row, kind, [why]);
  }

  async #findKnown(row: ReadRow, count: number | null): Promise<Known | ApiError | undefined> {
    const { target, keys } = this.#settings;
    const parent = parentOf(target, row.values);
    const { records, filter } = await this.#list(parent, count);
    if (filter === null) return records.get(row.key ?? "");
    if (filter !== "id") {
      const keyed = { service: this.#service, params: parent, paths: keys };
      return recordsIn(keyed, await askFor(keyed, row.values[filter])).get(row.key ?? "");
    }
    const id = Number(row.values.id);
    const record = await this.#service.oneOr(id);
    this.#unread = record instanceof Error ? this.#unread + 1 : 0;
    // After so many failures in a row, the key can probably read none.
    if (record instanceof Error) return this.#unread < MOST_UNREAD ? record : Promise.reject(record);
    return record ? { ids: [id], record } : undefined;
  }

  async #list(parent: Values, count: number | null): Promise<ListRead> {
    const name = JSON.stringify(parent);
    const known = this.#lists.get(name);
    if (known) return known;
    const { keys, target } = this.#settings;
    const { clock, rateLimit: limit } = target.transport.settings;
    const [began, sent] = [clock.now(), this.#service.requests];
    const onPage = ({ records, total, hasNext }: Page<BulkRecord>, done: number) => {
      this.#shown = newest(this.#shown, records);
      this.#missing?.list(records, keptFields(this.#settings));
      const now = clock.now();
      const requests = this.#service.requests - sent;
      const { percent, leftMs } = listProgress({ done, total, hasNext, elapsedMs: now - began, requests, limit });
      this.#report(percent, leftMs === null ? null : new Date(now + leftMs));
    };
    const keyed = { service: this.#service, params: parent, paths: keys };
    const read = await readKnown(keyed, {
      kept: keptFields(this.#settings),
      rows: this.#missing ? null : count,
      onPage,
    });
    const isEmpty = read.filter === null && read.records.ids.size === 0;
    const list = { ...read, createdOn: isEmpty ? this.#memory.createdIn(parent) : null };
    this.#lists.set(name, list);
    return list;
  }

  // Leaves a record that already has the state that the action sets.
  #decideAction({ problems, values }: ReadRow, known: Known | undefined): Decision {
    const state = stateOf(this.#settings.target.rows);
    if (problems.length > 0) return refusal(...problems);
    if (!known || !state) return refusal({ message: "no record has this identifier" });
    const id = Number(values.id);
    const now = known.record[state.field] ?? null;
    if (now === state.value) return { do: "leave", id };
    const created = timeOf(known.record.created_at);
    const send = { [state.field]: state.value };
    return { do: "update", id, created, send, before: { [state.field]: now } };
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
      shown: this.#shown,
      params: Object.keys(params).length > 0 ? params : undefined,
      key: keys,
      columns: columns ?? undefined,
      action: this.#options.do,
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

// Keeps only these fields of the records in memory while the rows are compared.
function keptFields({ target, keys }: Pick<Reading, "target" | "keys">): string[] {
  const { create, update } = target.rows;
  const schema = recordSchema(target.rows);
  const written = [create?.body, update?.body].flatMap((body) =>
    Object.keys(fieldsOf(body)).map((name) => fieldAt(body, schema, name)?.read?.[0]),
  );
  const told = [...keys.map((path) => namesOf(path)[0]), ...Object.keys(madeAs(target))];
  const all = [...written, ...told, stateOf((target.missing ?? target).rows)?.field, "created_at"];
  return [...new Set(all.filter((name) => name !== undefined))];
}
