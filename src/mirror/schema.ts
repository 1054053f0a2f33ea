import { ConfigurationError } from "../core/errors.js";
import type { Columns, SqlValue } from "./columns.js";
import type { Dialect, MirrorDatabase, Sql } from "./database.js";
import type { ListPlan } from "./plan.js";

// Each step changes what the one before left; the version row says how many were made.
const STEPS = [
  [
    `CREATE TABLE mirror_lists (
      name TEXT PRIMARY KEY, state TEXT NOT NULL, columns TEXT NOT NULL, owner TEXT NOT NULL, owned_until BIGINT NOT NULL
    )`,
    "CREATE TABLE mirror_notes (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    `CREATE TABLE mirror_changes (
      seq BIGINT PRIMARY KEY, list TEXT NOT NULL, id TEXT NOT NULL, parent TEXT NOT NULL, kind TEXT NOT NULL,
      at TEXT NOT NULL, previous BIGINT, fields TEXT, after TEXT
    )`,
  ],
] as const;

/** Creates the mirror's own tables, or brings those of an earlier release up to date. */
export async function openTables(sql: Sql, address: string): Promise<void> {
  await sql.run("CREATE TABLE IF NOT EXISTS mirror_version (version INTEGER NOT NULL, address TEXT NOT NULL)");
  const [found] = await sql.all<{ version: number; address: string }>("SELECT version, address FROM mirror_version");
  const version = Number(found?.version ?? 0);
  if (found && found.address !== address) {
    throw new ConfigurationError(
      `Mirror: the database holds a copy of ${found.address}, not of ${address}; use another one`,
    );
  }
  if (version > STEPS.length)
    throw new ConfigurationError("Mirror: the database belongs to a newer education-admin-sdk");
  for (const step of STEPS.slice(version)) for (const statement of step) await sql.run(statement);
  if (!found) await sql.run("INSERT INTO mirror_version VALUES (?, ?)", [STEPS.length, address]);
  else if (version < STEPS.length) await sql.run("UPDATE mirror_version SET version = ?", [STEPS.length]);
}

/** Creates the table and the view of a list, or adds the columns that are new. @returns the columns of the table. */
export async function openList(sql: Sql, { types, addColumn }: Dialect, plan: ListPlan): Promise<Columns> {
  const { name, table, parent } = plan;
  const [found] = await sql.all<{ columns: string }>("SELECT columns FROM mirror_lists WHERE name = ?", [name]);
  if (!found) {
    const id = `id ${plan.hasTextId ? types.text : types.integer} NOT NULL`;
    const fields = Object.entries(plan.columns).flatMap(([field, type]) =>
      field === "id" ? [] : [`"${field}" ${types[type]}`],
    );
    const own = [
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
    await sql.run(`CREATE TABLE "${table}" (${[id, ...fields, ...own].join(", ")})`);
    await sql.run("INSERT INTO mirror_lists VALUES (?, ?, ?, '', 0)", [name, "{}", JSON.stringify(plan.columns)]);
    await showCurrent(sql, table, plan.columns, parent !== null);
    return plan.columns;
  }
  const columns = JSON.parse(found.columns) as Columns;
  const added = Object.fromEntries(Object.entries(plan.columns).filter(([field]) => !(field in columns)));
  return Object.keys(added).length > 0 ? addColumns(sql, { types, addColumn }, plan, columns, added) : columns;
}

/** Adds columns to the table of a list. @returns all its columns. */
export async function addColumns(
  sql: Sql,
  { addColumn }: Pick<Dialect, "types" | "addColumn">,
  { name, table, parent }: ListPlan,
  columns: Columns,
  added: Columns,
): Promise<Columns> {
  for (const [field, type] of Object.entries(added)) await addColumn(sql, table, field, type);
  const all = { ...columns, ...added };
  await sql.run("UPDATE mirror_lists SET columns = ? WHERE name = ?", [JSON.stringify(all), name]);
  await showCurrent(sql, table, all, parent !== null);
  return all;
}

// The rows that are not gone, without what only the mirror needs.
async function showCurrent(sql: Sql, table: string, columns: Columns, isBelow: boolean): Promise<void> {
  const names = ["id", ...Object.keys(columns).filter((name) => name !== "id"), "record"].map((name) => `"${name}"`);
  if (isBelow) names.push("mirror_parent");
  await sql.run(`DROP VIEW IF EXISTS "current_${table}"`);
  await sql.run(`CREATE VIEW "current_${table}" AS SELECT ${names.join(", ")} FROM "${table}" WHERE gone_at IS NULL`);
}

/** The tables of a copy, which are created when they are first needed. */
export class Tables {
  readonly #database: MirrorDatabase;
  readonly #address: string;
  readonly #columns = new Map<string, Columns>();

  constructor(database: MirrorDatabase, address: string) {
    this.#database = database;
    this.#address = address;
  }

  /** What SQL of the database writes differently. */
  get dialect(): Dialect {
    return this.#database.dialect;
  }

  /** Runs work as one transaction, once the tables of these lists exist. */
  async write<Value>(plans: readonly ListPlan[], work: (sql: Sql) => Promise<Value>): Promise<Value> {
    await this.open(plans);
    try {
      return await this.#database.write(work);
    } catch (error) {
      // Columns that were added are gone again with the transaction.
      this.#columns.clear();
      throw error;
    }
  }

  /** Reads, once the tables of these lists exist. */
  async read<Row>(plans: readonly ListPlan[], sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]> {
    await this.open(plans);
    return this.#database.read(sql, values);
  }

  /** Makes sure that the tables of these lists exist. */
  async open(plans: readonly ListPlan[]): Promise<void> {
    if (plans.every(({ name }) => this.#columns.has(name))) return;
    const opened = await this.#database.write(async (sql) => {
      await openTables(sql, this.#address);
      const columns: (readonly [string, Columns])[] = [];
      for (const plan of plans) columns.push([plan.name, await openList(sql, this.dialect, plan)]);
      return columns;
    });
    for (const [name, columns] of opened) this.#columns.set(name, columns);
  }

  /** The columns of a list's table. */
  columns({ name }: ListPlan): Columns {
    return this.#columns.get(name) ?? {};
  }

  /** Adds columns for fields that the service has added; another process may have been first. */
  async add(sql: Sql, plan: ListPlan, added: Columns): Promise<Columns> {
    const [found] = await sql.all<{ columns: string }>("SELECT columns FROM mirror_lists WHERE name = ?", [plan.name]);
    const now = JSON.parse(found?.columns ?? "{}") as Columns;
    const all = await addColumns(sql, this.dialect, plan, now, added);
    this.#columns.set(plan.name, all);
    return all;
  }
}
