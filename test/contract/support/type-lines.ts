import {
  type ContractApi,
  type ContractOperation,
  type ContractRecord,
  enumerations,
  fieldsIn,
  operations,
  payloads,
  records,
  unionNames,
  unions,
} from "./contract-data.js";
import type { ContractType, Field, TypeWithNull } from "./contract-types.js";

/** A line of TypeScript that compiles only if the types agree with a fact in the contract. */
export interface TypeLine {
  /** The subject of the line: an operation's identifier, a record's name, or a client. */
  readonly subject: string;
  readonly code: string;
}

const CLIENTS: Record<ContractApi, string> = {
  main: "MainClient",
  admin: "AdminClient",
  organization: "OrganizationClient",
};

/** Helper types that every line may use; `holds` compiles only for `true`. */
export const PRELUDE = [
  'import type { AdminClient, Call, ListOptions, MainClient, OrganizationClient, Pages, RequestOptions } from "../../src/index.js";',
  'import type * as S from "../../src/schemas.js";',
  // `any` would equal every type, so it is treated as equal to none.
  "type Same<A, B> = 0 extends 1 & A ? false : [A] extends [B] ? ([B] extends [A] ? true : false) : false;",
  "type Given<T> = Exclude<T, undefined>;",
  // Removes the fields that an input type forbids because only records have them.
  "type Taken<T> = { [K in keyof T as [Exclude<T[K], undefined>] extends [never] ? never : K]: T[K] };",
  // Removes the members of resources that are not operations of the service.
  'type Operations<T> = Exclude<keyof T, "lookup" | "getMany">;',
  "type Takes<T, V> = [V] extends [T] ? true : false;",
  "type MayLack<T, K extends keyof T> = {} extends Pick<T, K> ? true : false;",
  "declare function holds<Fact extends true>(): void;",
];

/** The lines that check the clients' types against the contract. */
export function typeLines(): TypeLine[] {
  return [
    ...(Object.keys(CLIENTS) as ContractApi[]).flatMap(clientLines),
    ...operations.flatMap((operation) => operation.apis.flatMap((api) => operationLines(operation, api))),
    ...[...records.values()].flatMap(recordLines),
    ...unionNames.read.map(unionLine),
  ];
}

// Checks that each client has exactly the contract's resources, and each resource exactly the contract's methods.
function clientLines(api: ContractApi): TypeLine[] {
  const client = CLIENTS[api];
  const offered = operations.filter((operation) => operation.apis.includes(api));
  const groups = Map.groupBy(offered, (operation) => operation.resource.replace(/^organization\./, ""));
  const general = [
    "baseUrl",
    "health",
    "rateLimit",
    "request",
    "requestPages",
    "toJSON",
    ...(api === "organization" ? [] : ["organization"]),
  ];
  const line = (fact: string): TypeLine => ({ subject: client, code: `holds<${fact}>();` });
  return [
    line(`Same<Extract<keyof ${client}, string>, ${union([...groups.keys(), ...general])}>`),
    ...[...groups].map(([resource, members]) =>
      line(`Same<Operations<${client}["${resource}"]>, ${union(members.map((member) => member.method_name))}>`),
    ),
    ...(api === "organization" ? [] : [line(`Same<${client}["organization"], OrganizationClient>`)]),
  ];
}

function operationLines(operation: ContractOperation, api: ContractApi): TypeLine[] {
  const { id, params, query, response } = operation;
  const body = operation.body(api);
  const method = `${CLIENTS[api]}["${operation.resource.replace(/^organization\./, "")}"]["${operation.method_name}"]`;
  const facts: string[] = [];
  const argument = (index: number) => `Parameters<${method}>[${index}]`;
  let index = 0;
  const [only] = params;
  if (params.length === 1 && only)
    facts.push(`Same<${argument(index++)}, ${only.type.kind === "string" ? "string" : inputType(only, only.name)}>`);
  else if (params.length > 1) facts.push(...objectFacts(argument(index++), params, id));
  if (query.length > 0) {
    facts.push(
      `Takes<${argument(index)}, undefined>`,
      ...objectFacts(`Given<${argument(index++)}>`, query, id, filterType),
    );
  }
  if (body) facts.push(...objectFacts(`Taken<${argument(index++)}>`, body, id));
  facts.push(`Same<Given<${argument(index)}>, ${response?.list ? "ListOptions" : "RequestOptions"}>`);
  facts.push(`Same<Parameters<${method}>["length"], ${union(lengths(operation, index + 1), false)}>`);
  facts.push(`Same<ReturnType<${method}>, ${answerType(operation, api)}>`);
  return facts.map((fact) => ({ subject: id, code: `holds<${fact}>();` }));
}

// How many arguments a call may have: the options are optional, and so is the query before them.
function lengths({ query }: ContractOperation, most: number): string[] {
  const least = most - 1 - (query.length > 0 ? 1 : 0);
  return Array.from({ length: most - least + 1 }, (_, more) => String(least + more));
}

function answerType({ response }: ContractOperation, api: ContractApi): string {
  if (response === null) return "Call<void>";
  const record = records.get(response.record);
  const name = `S.${record && api === "admin" && record.adminOnly.length > 0 ? "Admin" : ""}${response.record}`;
  return `${response.list ? "Pages" : "Call"}<${name}${response.array ? "[]" : ""}>`;
}

function objectFacts(
  object: string,
  fields: readonly Field[],
  id: string,
  typeOf: (field: Field) => string = (field) => inputType(field, field.name),
): string[] {
  return [
    `Same<keyof ${object}, ${union(fields.map((field) => field.name))}>`,
    ...fields.flatMap((field) => {
      const type = `Given<${object}["${field.name}"]>`;
      // If the contract says no more than "object", any object type must be accepted.
      const open = field.type.kind === "array" && field.type.of.type.kind === "object";
      const fits = open ? `Takes<${type}, { anything: number }[]>` : `Same<${type}, ${typeOf(field)}>`;
      // By the contract's note on grades.create, either grade or score is enough.
      const required = field.required && !(id === "grades.create" && ["grade", "score"].includes(field.name));
      return [fits, ...suggestions(type, field), `Same<MayLack<${object}, "${field.name}">, ${!required}>`];
    }),
  ];
}

function recordLines(record: ContractRecord): TypeLine[] {
  const apis: ContractApi[] = record.adminOnly.length > 0 ? ["main", "admin"] : ["main"];
  return apis.flatMap((api) => {
    const type = `S.${api === "admin" ? "Admin" : ""}${record.name}`;
    const fields = fieldsIn(record, api);
    const keys = union(fields.map((field) => field.name));
    const facts = [
      record.open ? `Same<${type}["a_field_nobody_knows"], unknown>` : `Same<keyof ${type}, ${keys}>`,
      ...fields.flatMap((field) => [
        ...fieldFacts(`Given<${type}["${field.name}"]>`, field, record.name),
        `Same<MayLack<${type}, "${field.name}">, ${field.optional}>`,
      ]),
    ];
    return facts.map((fact) => ({ subject: record.name, code: `holds<${fact}>();` }));
  });
}

function unionLine(name: string): TypeLine {
  const variants = Object.values(unions.get(name)?.variants ?? {}).map((variant) => `S.${variant}`);
  return { subject: name, code: `holds<Same<S.${name}, ${union(variants, false)}>>();` };
}

function fieldFacts(type: string, field: Field, record: string): string[] {
  // A field with a constant value narrows a union when it is compared, so its type must be this literal.
  if (field.constant !== null) return [`Same<${type}, "${field.constant}">`];
  // By the contract's note on credits, the field is a number, but text is accepted as well.
  const more = record === "Credit" && field.name === "credits" ? " | string" : "";
  return [`Same<${type}, ${outputType(field)}${more}>`, ...suggestions(type, field)];
}

// Checks that editors can complete the known values, although any text is allowed.
function suggestions(type: string, { type: declared }: Field): string[] {
  const known = declared.kind === "name" ? enumerations.get(declared.name) : undefined;
  return known ? [`Same<Extract<${type}, ${union(known.values)}>, ${union(known.values)}>`] : [];
}

function inputType({ type, nullable, constant }: TypeWithNull & { constant?: string | null }, name: string): string {
  if (constant) return `"${constant}"`;
  return inputTypeOf(type, name) + (nullable ? " | null" : "");
}

// A filter that accepts several values also accepts a single one.
function filterType(field: Field): string {
  const { type } = field;
  if (type.kind !== "array") return inputType(field, field.name);
  const one = inputType(type.of, field.name);
  return `${one} | readonly (${one})[]`;
}

function inputTypeOf(type: ContractType, name: string): string {
  switch (type.kind) {
    case "string":
      // The contract gives no format for this text, but the field holds a date.
      if (/^(date_from|(start|end)_date(_from|_until)?)$/.test(name)) return "string | Date | S.DayLike";
      return /(^|_)ids?$/.test(name) ? "string | number" : "string";
    case "datetime":
      return "string | Date | S.InstantLike";
    case "date":
      return "string | Date | S.DayLike";
    case "array":
      return `readonly (${inputType(type.of, name)})[]`;
    case "shape":
      return objectType(type.fields, inputType);
    case "either":
      return union(
        type.of.map((option) => inputTypeOf(option, name)),
        false,
      );
    case "name": {
      const known = enumerations.get(type.name);
      if (known) return known.closed ? union(known.values) : `${union(known.values)} | (string & {})`;
      const variants = unions.get(type.name)?.variants;
      if (variants) {
        const types = Object.values(variants).map((variant) => inputTypeOf({ kind: "name", name: variant }, name));
        return union(types, false);
      }
      const fields = payloads.get(type.name);
      return fields ? objectType(fields, inputType) : `S.${type.name}`;
    }
    default:
      return plainType(type);
  }
}

function outputType({ type, nullable }: TypeWithNull): string {
  return outputTypeOf(type) + (nullable ? " | null" : "");
}

function outputTypeOf(type: ContractType): string {
  switch (type.kind) {
    case "array":
      return `(${outputType(type.of)})[]`;
    case "either":
      return union(type.of.map(outputTypeOf), false);
    case "shape":
      return `{ ${type.fields.map((field) => `${field.name}: ${outputType(field)}`).join("; ")} }`;
    case "name":
      if (enumerations.has(type.name)) return "string";
      return type.name === "CustomAssociations" ? "S.CustomAssociationValues" : `S.${type.name}`;
    default:
      return plainType(type);
  }
}

function plainType(type: ContractType): string {
  switch (type.kind) {
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "object":
      return "Record<string, unknown>";
    case "literals":
      return union(type.values);
    case "either":
      return type.of.map(plainType).join(" | ");
    default:
      return "string";
  }
}

function objectType(fields: readonly Field[], typeOf: (field: Field, name: string) => string): string {
  const written = fields.map((field) =>
    field.required
      ? `${field.name}: ${typeOf(field, field.name)}`
      : `${field.name}?: ${typeOf(field, field.name)} | undefined`,
  );
  return `{ ${written.join("; ")} }`;
}

function union(members: readonly string[], quoted = true): string {
  return members.length === 0 ? "never" : members.map((member) => (quoted ? `"${member}"` : member)).join(" | ");
}
