import { fieldsOf, type Schema } from "../core/schema/traits.js";
import { current, type Field, fieldAt, same, type Values } from "./fields.js";
import type { Fact, PlannedRow } from "./lines.js";
import { recordSchema, type Target } from "./target.js";

/** The field that a path of a row writes; null if the body has none. */
export function fieldOf(rows: Target["rows"], what: PlannedRow["do"], path: string): Field | null {
  const schema = recordSchema(rows);
  if (rows.action) return stateField(schema, path);
  return fieldAt(what === "update" ? rows.update?.body : rows.create?.body, schema, path);
}

/** The fields of a response that differ from what was sent: the service may report success and ignore a field. */
export function differences(
  { rows }: Target,
  send: Values,
  data: Values | undefined,
  method: "create" | "update",
): Pick<Fact, "differs"> {
  if (!data) return {};
  const response = (method === "update" && rows.action ? rows.action : rows[method])?.response;
  const differs: Record<string, readonly [unknown, unknown]> = {};
  for (const [path, value] of Object.entries(send)) {
    const field = rows.action ? stateField(response, path) : fieldAt(rows[method]?.body, response, path);
    if (!field?.read || data[field.read[0] ?? ""] === undefined) continue;
    const got = current(data, field);
    if (!same(field, value, got)) differs[path] = [value, got];
  }
  return Object.keys(differs).length > 0 ? { differs } : {};
}

// The field that shows whether an action was carried out.
function stateField(schema: Schema | undefined, path: string): Field | null {
  const shown = fieldsOf(schema)[path];
  return shown ? { path, schema: shown, read: [path], decimal: false } : null;
}
