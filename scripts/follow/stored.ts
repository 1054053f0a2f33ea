// Writes facts into the contract data, which the tests compare with the tables, so that no test is edited by hand.
import { readFileSync, writeFileSync } from "node:fs";
import { ROOT } from "../lib/generated.ts";
import type { Fact } from "./compare.ts";
import { APIS, type Json, type OperationFacts, type Spec, type Specs } from "./contract.ts";

export const DATA: string = `${ROOT}test/contract/data`;

type Group = Record<string, Json & { fields?: Record<string, Spec>; values?: string[] }>;

/** Writes facts into the contract data. */
export function storeFacts(facts: readonly Fact[]): void {
  const operations = readData("operations") as { operations: Row[]; scopes: Record<string, readonly string[]> } & Json;
  const records = readData("records") as Record<"records" | "payloads" | "enumerations", Group> & Json;
  for (const fact of facts) {
    const row = operations.operations.find(({ id }) => id === fact.of);
    const shape = records.records[fact.of] ?? records.payloads[fact.of];
    if (fact.kind.startsWith("value") || fact.kind === "enumeration new") storeValue(records.enumerations, fact);
    else if (fact.kind === "record new")
      records.records[fact.of] = { fields: fact.all as Record<string, Spec>, source: "seed" };
    else if (fact.kind === "input new") records.payloads[fact.of] = fact.all as Json;
    else if (/^(record|input) gone$/.test(fact.kind))
      delete (records.records[fact.of] ? records.records : records.payloads)[fact.of];
    else if (fact.kind === "operation new" && fact.row && !row) {
      operations.operations.push(rowOf(fact.row, fact.apis));
      operations.scopes[fact.of] = fact.row.scopes;
    } else if (fact.kind === "operation gone")
      operations.operations = operations.operations.filter((one) => one !== row);
    else if (fact.kind.startsWith("api ") && row && fact.row) {
      const isNew = fact.kind === "api new";
      row.apis = APIS.filter((api) => (fact.apis.includes(api) ? isNew : row.apis.includes(api)));
    } else if (fact.kind === "scopes" && fact.row) operations.scopes[fact.of] = fact.row.scopes;
    else if (row && fact.row) Object.assign(row, changedIn(fact.row, fact));
    else if (row) {
      const part = fact.where.includes(" query.") ? "query" : "body";
      const isOfAdmin = part === "body" && fact.apis.join() === "admin" && row.apis.length > 1;
      if (isOfAdmin) row.body_admin = { ...(row.body_admin ?? row.body) };
      storeField((isOfAdmin ? row.body_admin : row[part]) as Record<string, Spec>, fact);
    } else if (shape)
      storeField((records.records[fact.of] ? (shape.fields ?? {}) : shape) as Record<string, Spec>, fact);
  }
  writeData("operations", operations);
  writeData("records", records);
}

type Row = Json & { id: string; apis: readonly string[]; query: Specs; body: Specs | null; body_admin?: Specs | null };

function storeField(fields: Record<string, Spec>, { name, spec }: Fact): void {
  if (!spec) delete fields[name];
  else {
    // Facts that the documents do not state, such as a constant value, stay.
    const { optional: _, required: __, deprecated: ___, ...rest } = fields[name] ?? {};
    const { text, ...facts } = spec;
    fields[name] = { ...rest, ...facts };
  }
}

function storeValue(enumerations: Group, { kind, of, name, all }: Fact): void {
  const list = enumerations[of];
  if (!list) enumerations[of] = { values: all as string[], closed: false };
  else if (kind === "value gone") list.values = list.values?.filter((one) => one !== name) ?? [];
  else list.values = [...new Set([...(list.values ?? []), name])];
}

function changedIn(row: OperationFacts, { kind, apis }: Fact): Json {
  const { method, path, response, status, beta, feature, deprecated, body } = row;
  if (kind === "path") return { method, path };
  if (kind === "status") return { success_status: status };
  if (kind === "beta") return { beta, beta_in: beta ? apis : undefined };
  if (kind === "deprecation") return { deprecated_in: deprecated ? apis : undefined };
  return kind === "feature" ? { feature: feature ?? undefined } : kind === "body" ? { body } : { response };
}

function rowOf(row: OperationFacts, apis: readonly string[]): Row {
  const { id, method, path, response, status, beta, feature, query, body, paged } = row;
  const holes = [...path.matchAll(/\{(\w+)\}/g)].map(([, hole = ""]) => [hole, { required: true, type: "integer" }]);
  const paging = {
    cursor: { type: "string" },
    per_page: { type: "integer(1..100)" },
    page: { type: "integer(>=1)", deprecated: true },
  };
  const { page: _, ...byCursor } = paging;
  const pages = paged === "cursor+page" ? paging : paged === "cursor" ? byCursor : {};
  return {
    ...{ id, resource: id.slice(0, id.lastIndexOf(".")), method_name: id.split(".").at(-1), method, path, apis },
    ...{ path_params: Object.fromEntries(holes), query: { ...query, ...pages }, body, response },
    ...{ paginated: Object.keys(pages).length > 0, path_source: "public", source: "seed" },
    ...(status === 200 ? {} : { success_status: status }),
    ...(beta && { beta }),
    ...(feature && { feature }),
  };
}

function readData(name: string): Json {
  return JSON.parse(readFileSync(`${DATA}/${name}.json`, "utf8")) as Json;
}

// One entry per line, for readable diffs.
function writeData(name: string, data: Json): void {
  const lines = Object.entries(data).map(([key, value]) => {
    const entries = Array.isArray(value)
      ? value.map((item) => `    ${JSON.stringify(item)}`)
      : Object.entries(value as Json).map(([item, inner]) => `    ${JSON.stringify(item)}: ${JSON.stringify(inner)}`);
    const [open, close] = Array.isArray(value) ? "[]" : "{}";
    return `  ${JSON.stringify(key)}: ${open}\n${entries.join(",\n")}\n  ${close}`;
  });
  writeFileSync(`${DATA}/${name}.json`, `{\n${lines.join(",\n")}\n}\n`);
}
