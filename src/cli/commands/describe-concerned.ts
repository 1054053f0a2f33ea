import type { AdminClient } from "../../clients/admin.js";
import type { MainClient } from "../../clients/main.js";
import { isPlainObject } from "../../core/json.js";
import { placeholders, resourceNameOf } from "../../core/operation.js";
import { resourceOf } from "../../resources/references.js";
import { argumentsFor, methodIn } from "../connection.js";
import type { Asked } from "../operation-command.js";
import { kebab, RECORDS } from "../operations.js";
import { columnsOf } from "../tell/list-columns.js";
import { pickPaths, plainText } from "../tell/table.js";

const PEOPLE = ["student", "user", "contact", "account", "teacher"];

/**
 * Describes the people and companies that a write affects: the record to write and the records to which it refers.
 * Reads up to three records.
 */
export async function describeConcerned(client: MainClient | AdminClient, asked: Asked): Promise<string> {
  const { operation, api, parameters } = asked;
  const resource = resourceNameOf(operation.id);
  const record = await read(client, resource, api, parameters);
  if (!isPlainObject(record)) return "";
  const columns = columnsOf(`${resource}.list`) ?? Object.keys(record).slice(0, 6);
  const lines = Object.entries(pickPaths(record, columns)).filter(([, value]) => value !== null);
  for (const name of PEOPLE) {
    const id = record[`${name}_id`];
    const person = typeof id === "number" ? await read(client, resourceOf(name, resource) ?? "", api, [id]) : null;
    if (isPlainObject(person)) lines.push([name, nameOf(person)]);
  }
  return lines.map(([name, value]) => `  ${name}: ${plainText(value)}\n`).join("");
}

// Omits a record that cannot be read: the write itself will report the reason.
async function read(
  client: MainClient | AdminClient,
  resource: string,
  api: Asked["api"],
  parameters: readonly unknown[],
): Promise<unknown> {
  if (!RECORDS.has(kebab(resource), api)) return null;
  const found = RECORDS.find(kebab(resource), api);
  if (placeholders(found.operation).length !== parameters.length || parameters.length === 0) return null;
  const call = methodIn(
    client,
    found.operation,
  )(...argumentsFor({ ...found, parameters, query: {}, rest: [], values: {} }));
  return await (call as Promise<unknown>).catch(() => null);
}

function nameOf({ first_name, middle_name, last_name, name, email }: Readonly<Record<string, unknown>>): string {
  const parts = [first_name, middle_name, last_name].filter(
    (part) => part !== null && part !== undefined && part !== "",
  );
  return `${parts.join(" ") || plainText(name)}${email ? `, ${email}` : ""}`;
}
