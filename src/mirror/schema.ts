import { ConfigurationError } from "../core/errors.js";
import type { Dialect, Sql, SqlReader, SqlValue } from "../sql/dialect.js";
import type { Columns } from "./columns.js";
import type { MirrorDatabase } from "./database.js";
import { awaitDatabase } from "./outage.js";
import { TakenOver } from "./owner.js";
import type { ListPlan } from "./plan.js";
import { renewEpoch } from "./position.js";
import { CREATE_RANGES } from "./seen.js";

const MIRROR_TABLES = [
  `CREATE TABLE {mirror_lists} (
    name TEXT PRIMARY KEY, state TEXT NOT NULL, columns TEXT NOT NULL, owner TEXT NOT NULL, owned_until BIGINT NOT NULL
  )`,
  "CREATE TABLE {mirror_notes} (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
  `CREATE TABLE {mirror_changes} (
    seq BIGINT PRIMARY KEY, list TEXT NOT NULL, id TEXT NOT NULL, parent TEXT NOT NULL, kind TEXT NOT NULL,
    at TEXT NOT NULL, mark TEXT NOT NULL, previous BIGINT, fields TEXT, after TEXT
  )`,
  "CREATE TABLE {mirror_consumers} (name TEXT PRIMARY KEY, bookmark TEXT NOT NULL, lists TEXT NOT NULL)",
  "CREATE INDEX [mirror_changes_of_list] ON {mirror_changes} (list, seq)",
  CREATE_RANGES,
] as const;
/**
 * The version of the tables. A release that changes the tables increments it and adds statements that migrate older
 * tables. Builds before the first release used the numbers 1 to 3.
 */
const RELEASE = 4;
const VERSION = "CREATE TABLE {mirror_version} (version INTEGER NOT NULL, address TEXT NOT NULL)";

/** The statements that create everything the mirror needs for these lists, for users who run migrations themselves. */
export function ddlOf(dialect: Dialect, plans: readonly ListPlan[]): string[] {
  const statements = [
    ...(dialect.schema ? [dialect.schema] : []),
    VERSION,
    ...MIRROR_TABLES,
    `INSERT INTO {mirror_version} VALUES (${RELEASE}, '')`,
    ...plans.flatMap((plan) => listStatements(dialect, plan)),
  ];
  return statements.map((statement) => `${dialect.text(statement)};`);
}

export async function openTables(sql: Sql, dialect: Dialect, address: string): Promise<void> {
  // Create only what is missing: the role may lack the right to create.
  if (dialect.schema && !(await dialect.hasSchema(sql))) await sql.run(dialect.schema);
  if ((await dialect.columnsOf(sql, "mirror_version")).length === 0) {
    for (const name of ["mirror_lists", "mirror_notes", "mirror_changes", "mirror_consumers", "mirror_ranges"])
      await refuseOther(sql, dialect, name);
    for (const statement of [VERSION, ...MIRROR_TABLES]) await sql.run(statement);
    await sql.run("INSERT INTO {mirror_version} VALUES (?, ?)", [RELEASE, address]);
    return renewEpoch(sql);
  }
  const found = await addressOf(sql, dialect);
  // Tables created by the user's own migration have no address yet.
  if (found === "") {
    await sql.run("UPDATE {mirror_version} SET address = ?", [address]);
    await renewEpoch(sql);
  } else if (found !== address) {
    throw new ConfigurationError(
      `Mirror: the database holds a copy of ${found}, not of ${address}; use another database, or ${dialect.apart}`,
    );
  }
}

/**
 * The address of the service whose lists are copied; "" until the first sync if the tables were created by hand.
 * @throws ConfigurationError if the tables have another version.
 */
export async function addressOf(sql: SqlReader, { apart }: Dialect): Promise<string> {
  const [found] = await sql.all<{ version: number; address: string }>("SELECT version, address FROM {mirror_version}");
  if (found && Number(found.version) === RELEASE) return found.address;
  const isLater = Number(found?.version) > RELEASE;
  throw new ConfigurationError(
    isLater
      ? `Mirror: the copy was made by a later version of education-admin-sdk; update this program, or ${apart}`
      : `Mirror: the copy was made by an earlier version of education-admin-sdk; drop its tables and sync again, or ${apart}`,
  );
}

/** Creates the table and the view of a list, or adds new columns. @returns the columns of the table. */
export async function openList(sql: Sql, dialect: Dialect, plan: ListPlan): Promise<Columns> {
  const columns = await knownColumns(sql, plan);
  if (!columns) {
    for (const name of [plan.table, viewOf(plan)]) await refuseOther(sql, dialect, name);
    for (const statement of listStatements(dialect, plan)) await sql.run(statement);
    return plan.columns;
  }
  const added = Object.entries(plan.columns).filter(([field]) => !(field in columns));
  return added.length > 0 ? addColumns(sql, dialect, plan, columns, Object.fromEntries(added)) : columns;
}

async function knownColumns(sql: SqlReader, { name }: ListPlan): Promise<Columns | null> {
  const [found] = await sql.all<{ columns: string }>("SELECT columns FROM {mirror_lists} WHERE name = ?", [name]);
  return found ? (JSON.parse(found.columns) as Columns) : null;
}

async function refuseOther(sql: Sql, dialect: Dialect, name: string): Promise<void> {
  if ((await dialect.columnsOf(sql, name)).length === 0) return;
  throw new ConfigurationError(
    `Mirror: the database has a table or view ${dialect.text(`{${name}}`)} that the mirror did not create; ${dialect.apart}`,
  );
}

function viewOf({ table }: ListPlan): string {
  return `current_${table}`;
}

function listStatements({ types }: Dialect, plan: ListPlan): string[] {
  const { name, table, parent, columns } = plan;
  const fields = Object.entries(columns).filter(([field]) => field !== "id");
  const mirrorColumns = [
    `record ${types.json} NOT NULL`,
    `gone_at ${types.time}`,
    ...(parent ? [`mirror_parent ${types.text} NOT NULL`] : []),
    "mirror_seen BIGINT NOT NULL",
    "mirror_confirmed BIGINT NOT NULL",
    "mirror_missed INTEGER NOT NULL",
    "mirror_unlisted INTEGER NOT NULL",
    "mirror_change BIGINT",
    `PRIMARY KEY (${parent ? "mirror_parent, id" : "id"})`,
  ];
  const id = `id ${plan.hasTextId ? types.text : types.integer} NOT NULL`;
  const shown = ["id", ...fields.map(([field]) => field), "record", ...(parent ? ["mirror_parent"] : [])];
  return [
    `CREATE TABLE {${table}} (${[id, ...fields.map(([field, type]) => `"${field}" ${types[type]}`), ...mirrorColumns].join(", ")})`,
    `CREATE VIEW {${viewOf(plan)}} AS ${currentOf(plan, shown)}`,
    `INSERT INTO {mirror_lists} VALUES ('${name}', '{}', '${JSON.stringify(columns)}', '', 0)`,
  ];
}

function currentOf({ table }: ListPlan, columns: readonly string[]): string {
  return `SELECT ${columns.map((name) => `"${name}"`).join(", ")} FROM {${table}} WHERE gone_at IS NULL`;
}

/**
 * Matches the query of `currentOf` as databases print it:
 * `SELECT a.id, a.name FROM school.a WHERE (a.gone_at IS NULL);`
 */
const CURRENT = /SELECT\s+[\w".]+(?:,\s*[\w".]+)*\s+FROM\s+[\w".]+\s+WHERE\s+\(?[\w".]*gone_at"?\s+IS\s+NULL\)?;?\s*$/i;

/**
 * Adds columns to the table of a list, and to its view after the existing ones, so that objects that depend on the view
 * keep working. If the role lacks the right, or another query keeps the table locked, the fields stay in `record` only.
 * @returns all columns of the table.
 */
async function addColumns(
  sql: Sql,
  dialect: Dialect,
  plan: ListPlan,
  columns: Columns,
  added: Columns,
): Promise<Columns> {
  const done = await dialect.attempt(sql, async () => {
    const existing = new Set(await dialect.columnsOf(sql, plan.table));
    for (const [field, type] of Object.entries(added)) {
      if (existing.has(field)) continue;
      await sql.run(`ALTER TABLE {${plan.table}} ADD COLUMN "${field}" ${dialect.types[type]}`);
      existing.add(field);
      // Existing rows may have the field in `record` only, so copy its value to the new column.
      if (type !== "json") continue;
      await sql.run(
        `UPDATE {${plan.table}} SET "${field}" = record -> '${field}' WHERE record ->> '${field}' IS NOT NULL`,
      );
    }
    const view = await dialect.viewOf(sql, viewOf(plan));
    const shown = await dialect.columnsOf(sql, viewOf(plan));
    // A view with other columns or conditions is not the mirror's own and stays unchanged.
    if (view && CURRENT.test(view.definition) && shown.every((field) => existing.has(field))) {
      const all = [...shown, ...Object.keys(added).filter((field) => !shown.includes(field))];
      for (const statement of dialect.replaceView(viewOf(plan), currentOf(plan, all), view.options))
        await sql.run(statement);
    }
    return { ...columns, ...added };
  });
  if (done) await sql.run("UPDATE {mirror_lists} SET columns = ? WHERE name = ?", [JSON.stringify(done), plan.name]);
  return done ?? columns;
}

interface Known {
  readonly columns: Map<string, Columns>;
  /** Lists whose missing columns could not be added; the next sweep tries again. */
  readonly refused: Set<string>;
  readonly failures: WeakSet<object>;
}

const newKnown = (): Known => ({ columns: new Map(), refused: new Set(), failures: new WeakSet() });

interface TableParts {
  readonly database: MirrorDatabase;
  readonly client: { readonly baseUrl: string };
  readonly signal?: AbortSignal | undefined;
  readonly onSilence?: (error: Error) => void;
}

/** The tables of a copy, created when they are first needed. */
export class Tables {
  readonly #parts: TableParts;
  readonly #known: Known;

  constructor(parts: TableParts, known: Known = newKnown()) {
    this.#parts = parts;
    this.#known = known;
  }

  /** The same tables for work that stops waiting for the database when a signal aborts. */
  until(signal: AbortSignal | undefined): Tables {
    return new Tables({ ...this.#parts, signal }, this.#known);
  }

  /** The same tables with a callback for a database that does not answer. */
  telling(onSilence: (error: Error) => void): Tables {
    return new Tables({ ...this.#parts, onSilence }, this.#known);
  }

  hasThrown(problem: unknown): boolean {
    return typeof problem === "object" && problem !== null && this.#known.failures.has(problem);
  }

  get dialect(): Dialect {
    return this.#parts.database.dialect;
  }

  async write<Value>(plans: readonly ListPlan[], work: (sql: Sql) => Promise<Value>): Promise<Value> {
    await this.open(plans);
    try {
      return await this.#answer(this.#parts.database.write(work, this.#parts.signal));
    } catch (error) {
      // Columns may have been added and rolled back with the transaction, so look them up again.
      this.#known.columns.clear();
      throw error;
    }
  }

  async read<Row>(plans: readonly ListPlan[], sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]> {
    await this.open(plans);
    return this.#answer(this.#parts.database.read<Row>(sql, values, this.#parts.signal));
  }

  readerOf(plans: readonly ListPlan[]): SqlReader {
    return { all: (sql, values) => this.read(plans, sql, values) };
  }

  async open(plans: readonly ListPlan[]): Promise<void> {
    if (plans.every(({ name }) => this.#known.columns.has(name))) return;
    const opening = this.#parts.database.write(async (sql) => {
      await openTables(sql, this.dialect, this.#parts.client.baseUrl);
      const columns: (readonly [string, Columns])[] = [];
      for (const plan of plans) columns.push([plan.name, await openList(sql, this.dialect, plan)]);
      return columns;
    }, this.#parts.signal);
    for (const [name, columns] of await this.#answer(opening)) this.#known.columns.set(name, columns);
  }

  async #answer<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await awaitDatabase(work, this.#parts.onSilence);
    } catch (problem) {
      const isOurs = problem instanceof TakenOver || problem instanceof ConfigurationError;
      if (!isOurs && typeof problem === "object" && problem !== null) this.#known.failures.add(problem);
      throw problem;
    }
  }

  columns({ name }: ListPlan): Columns {
    return this.#known.columns.get(name) ?? {};
  }

  /** Adds columns for new fields of the service; another process may have added them first. */
  async add(sql: Sql, plan: ListPlan, added: Columns): Promise<Columns> {
    if (this.#known.refused.has(plan.name)) return this.columns(plan);
    const all = await addColumns(sql, this.dialect, plan, (await knownColumns(sql, plan)) ?? {}, added);
    if (Object.keys(added).some((field) => !(field in all))) this.#known.refused.add(plan.name);
    this.#known.columns.set(plan.name, all);
    return all;
  }

  retryColumns({ name }: ListPlan): void {
    this.#known.refused.delete(name);
  }
}
