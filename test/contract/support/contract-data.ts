import { readFileSync } from "node:fs";
import { type Field, type FieldSource, parseFields, parseType, type TypeWithNull } from "./contract-types.js";

/** The service's three APIs, by their names in the contract data. */
export type ContractApi = "main" | "admin" | "organization";

interface OperationSource {
  id: string;
  resource: string;
  method_name: string;
  method: string;
  path: string;
  apis: ContractApi[];
  path_params: Record<string, FieldSource>;
  query: Record<string, FieldSource>;
  body: Record<string, FieldSource> | null;
  body_admin?: Record<string, FieldSource>;
  response: string | null;
  paginated: boolean;
  source: "seed" | "public";
  path_source: "seed" | "public" | "guess";
  success_status?: number;
  rendering?: string;
  beta?: boolean;
  /** The APIs in which the operation is in beta. If absent: every API that has the operation. */
  beta_in?: ContractApi[];
  feature?: string;
  deprecated_in?: ContractApi[];
}

interface RecordSource {
  fields: Record<string, FieldSource>;
  admin_only?: string[];
  note?: string;
}

/** The response of an operation. */
export interface ContractResponse {
  /** The name of the record that the response contains. */
  record: string;
  /** True if the response is a list of records, which may have several pages. */
  list: boolean;
  /** True if a single response contains an array of records, and the operation is not a list. */
  array: boolean;
}

/** One operation of the contract, with parsed types. */
export interface ContractOperation
  extends Omit<OperationSource, "path_params" | "query" | "body" | "body_admin" | "response"> {
  params: Field[];
  query: Field[];
  /** The fields of the body in an API; null if the operation has no body. */
  body: (api: ContractApi) => Field[] | null;
  /** Null if the response has no body. */
  response: ContractResponse | null;
}

export interface ContractRecord {
  name: string;
  fields: Field[];
  /** Fields that only the Admin API returns. */
  adminOnly: readonly string[];
  /** True if the service's description shows no fields, so that any are accepted. */
  open: boolean;
}

export interface ContractEnumeration {
  name: string;
  values: string[];
  /** False if the service's description shows only some of the values. */
  closed: boolean;
}

/** A record or payload that has several forms. */
export interface ContractUnion {
  /** The field that distinguishes the forms. */
  discriminator: string;
  /** The name of the record or payload for each value of the discriminator. */
  variants: Record<string, string>;
}

const operationsFile = read<{
  prefix: Record<ContractApi, string>;
  scopes: Record<string, string[]>;
  scopes_main: Record<string, string[]>;
  scopes_rule: Record<string, string>;
  operations: OperationSource[];
}>("operations.json");
const recordsFile = read<{
  records: Record<string, RecordSource | { union: ContractUnion }>;
  payloads: Record<
    string,
    Record<string, FieldSource> | { map: { key: string; value: string } } | { union: ContractUnion }
  >;
  enumerations: Record<string, { values: string[]; closed: boolean }>;
}>("records.json");

// Fields that the contract does not mark as required, although its README says that they are required in fact.
const REQUIRED_IN_FACT: Readonly<Record<string, readonly string[]>> = {
  "orders.create": ["student_ids"],
  "teachers.create": ["user_id"],
};
// By the contract's note on orders.create, this list must not be empty.
const NOT_EMPTY: Readonly<Record<string, readonly string[]>> = { "orders.create": ["student_ids"] };

/** The path prefix of each API. */
export const prefixes: Record<ContractApi, string> = operationsFile.prefix;

export const operations: readonly ContractOperation[] = operationsFile.operations.map(
  ({ path_params, query, body, body_admin, response, ...facts }) => {
    const bodyFields = (source: Record<string, FieldSource>) =>
      parseFields(source).map((field) => ({
        ...field,
        required: field.required || (REQUIRED_IN_FACT[facts.id]?.includes(field.name) ?? false),
        notEmpty: NOT_EMPTY[facts.id]?.includes(field.name) ?? false,
      }));
    const fields = body && bodyFields(body);
    const adminFields = body_admin ? bodyFields(body_admin) : fields;
    return {
      ...facts,
      params: parseFields(path_params, true),
      query: parseFields(query),
      body: (api) => (api === "admin" ? adminFields : fields),
      response: response === null ? null : parseResponse(response, facts.method),
    };
  },
);

/** All records of the contract, by name. */
export const records: ReadonlyMap<string, ContractRecord> = new Map(
  Object.entries(recordsFile.records).flatMap(([name, source]) => {
    if ("union" in source) return [];
    const { fields, admin_only: adminOnly = [], note = "" } = source;
    return [[name, { name, fields: parseFields(fields), adminOnly, open: note.includes("not shown") }]];
  }),
);

/** All payloads that have fields, by name. */
export const payloads: ReadonlyMap<string, Field[]> = new Map(
  Object.entries(recordsFile.payloads).flatMap(([name, fields]) =>
    "map" in fields || "union" in fields ? [] : [[name, parseFields(fields as Record<string, FieldSource>)] as const],
  ),
);

/** The names of the payloads that map arbitrary keys to values. */
export const mapPayloads: readonly string[] = Object.entries(recordsFile.payloads).flatMap(([name, source]) =>
  "map" in source ? [name] : [],
);

/** All records and payloads with several forms, by name. */
export const unions: ReadonlyMap<string, ContractUnion> = new Map(
  Object.entries({ ...recordsFile.records, ...recordsFile.payloads }).flatMap(([name, source]) =>
    "union" in source ? [[name, source.union as ContractUnion] as const] : [],
  ),
);

/** The names of the unions that clients read as records, and of those that they send as payloads. */
export const unionNames: { readonly read: readonly string[]; readonly sent: readonly string[] } = {
  read: [...unions.keys()].filter((name) => name in recordsFile.records),
  sent: [...unions.keys()].filter((name) => name in recordsFile.payloads),
};

/** The scopes that the contract lists for an operation in an API; undefined if it lists none. */
export function scopesOf(id: string, api: ContractApi): { scopes: readonly string[]; any: boolean } | undefined {
  const { scopes, scopes_main, scopes_rule } = operationsFile;
  const found = (api === "main" ? scopes_main[id] : undefined) ?? scopes[id];
  return found && { scopes: found, any: scopes_rule[id] === "any" };
}

/** True if the contract marks an operation as beta in this API. */
export function betaIn(
  { beta, beta_in: apis }: Pick<ContractOperation, "beta" | "beta_in">,
  api: ContractApi,
): boolean {
  return (beta ?? false) && (apis?.includes(api) ?? true);
}

/** All enumerations of the contract, by name. */
export const enumerations: ReadonlyMap<string, ContractEnumeration> = new Map(
  Object.entries(recordsFile.enumerations).map(([name, { values, closed }]) => [name, { name, values, closed }]),
);

/** The fields that a record has in one API. */
export function fieldsIn(record: ContractRecord, api: ContractApi): Field[] {
  return api === "admin" ? record.fields : record.fields.filter((field) => !record.adminOnly.includes(field.name));
}

function parseResponse(text: string, method: string): ContractResponse {
  const parsed: TypeWithNull = parseType(text);
  const several = parsed.type.kind === "array";
  const list = several && method === "GET";
  const of = parsed.type.kind === "array" ? parsed.type.of.type : parsed.type;
  if (of.kind !== "name") throw new Error(`the contract answers something without a name: ${text}`);
  return { record: of.name, list, array: several && !list };
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(`../data/${file}`, import.meta.url), "utf8")) as T;
}
