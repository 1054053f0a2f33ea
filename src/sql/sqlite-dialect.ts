import { type ColumnType, type Dialect, type TableNames, type ViewInDatabase, withNames } from "./dialect.js";

const TYPES: Readonly<Record<ColumnType, string>> = {
  integer: "INTEGER",
  number: "REAL",
  boolean: "INTEGER",
  text: "TEXT",
  decimal: "TEXT",
  date: "TEXT",
  time: "TEXT",
  json: "TEXT",
};

export function sqliteDialect(names: TableNames): Dialect {
  const { prefix = "" } = names;
  return {
    types: TYPES,
    apart: 'give the mirror a prefix of its own: sqlite(database, { prefix: "school_" })',
    schema: null,
    hasSchema: async () => true,
    valuesOf: () => "SELECT value FROM json_each(?)",
    toColumn: (_, value) => (typeof value === "boolean" ? Number(value) : value),
    text: (sql) => withNames(sql, names),
    async columnsOf(sql, name) {
      const found = await sql.all<{ name: string }>("SELECT name FROM pragma_table_info(?)", [`${prefix}${name}`]);
      return found.map((column) => column.name);
    },
    async viewOf(sql, name) {
      const query = "SELECT sql AS definition, NULL AS options FROM sqlite_master WHERE type = 'view' AND name = ?";
      return (await sql.all<ViewInDatabase>(query, [`${prefix}${name}`]))[0] ?? null;
    },
    // A view refers to another one only by name, so replacing a view does not break the views built on it.
    replaceView: (name, query) => [`DROP VIEW {${name}}`, `CREATE VIEW {${name}} AS ${query}`],
    attempt: (_, work) => work(),
  };
}
