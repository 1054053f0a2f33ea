import { AdminClient, type ClientOptions, MainClient, OrganizationClient } from "education-admin-sdk";
import { Resource } from "education-admin-sdk/operations";
// The tables of operations from which every client is built. The package does not export them.
import { allOperations } from "../../../dist/operations.js";
import type { RecordedRequest } from "./recording-fetch.ts";

export type Row = (typeof allOperations)[number];

type Schema = NonNullable<Row["body"]>;

/** A method of a client, with the operation that it calls. */
export interface Method {
  readonly client: string;
  /** The name of the method, such as `accounts.get` or `organization.contacts.list`. */
  readonly id: string;
  readonly row: Row;
  call(values: readonly unknown[]): unknown;
}

/** Every method of every resource of the three clients, and the rows that no method uses. */
export function methodsOf(options: ClientOptions): { methods: Method[]; unreached: string[] } {
  const clients = [
    { client: new MainClient(options), api: "main" },
    { client: new AdminClient(options), api: "admin" },
    { client: new OrganizationClient(options), api: "organization" },
  ] as const;
  const methods: Method[] = [];
  const reached = new Set<Row>();
  for (const { client, api } of clients) {
    for (const { resource, prefix } of resourcesOf(client, api === "organization" ? "organization." : "")) {
      for (const name of methodNames(resource)) {
        const id = `${prefix}${name}`;
        // These methods send the requests of lists and single reads, which are tested separately.
        if (name === "lookup" || name === "getMany") continue;
        const row = allOperations.find(
          (row) =>
            row.id === id && row.apis.some((of) => of === (id.startsWith("organization.") ? "organization" : api)),
        );
        if (!row) throw new Error(`${client.constructor.name} has ${id}, which no table has`);
        reached.add(row);
        const method = (resource as unknown as Record<string, (...values: unknown[]) => unknown>)[name];
        if (!method) throw new Error(`${id} is no method`);
        methods.push({
          client: client.constructor.name,
          id,
          row,
          call: (values) => method.apply(resource, [...values]),
        });
      }
    }
  }
  return { methods, unreached: allOperations.filter((row) => !reached.has(row)).map(({ id }) => id) };
}

function resourcesOf(client: object, prefix: string): { resource: Resource; prefix: string }[] {
  return Object.entries(client).flatMap(([name, value]) => {
    if (value instanceof Resource) return [{ resource: value, prefix: `${prefix}${name}.` }];
    return value instanceof OrganizationClient ? resourcesOf(value, "organization.") : [];
  });
}

function methodNames(resource: Resource): string[] {
  const names = new Set<string>();
  for (let at = Object.getPrototypeOf(resource); at !== Resource.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) if (name !== "constructor") names.add(name);
  }
  return [...names];
}

/** Valid arguments for a method, in the order of its parameters. */
export function fittingArguments(row: Row): unknown[] {
  const values: unknown[] = [];
  if (row.params) {
    const params = fitting(row.params) as Record<string, unknown>;
    const single = Object.values(params);
    values.push(single.length === 1 ? single[0] : params);
  }
  if (row.body) values.push(fitting(row.body));
  else if (row.query || row.paged) values.push({ ...(fittingOrNothing(row.query) as object) });
  return values;
}

interface Definition {
  readonly type: string;
  readonly shape?: Record<string, Schema>;
  readonly element?: Schema;
  readonly innerType?: Schema;
  readonly options?: readonly Schema[];
  readonly in?: Schema;
  readonly valueType?: Schema;
  /** The allowed values, if the schema is a literal. */
  readonly values?: readonly unknown[];
}

const LEAVES = [
  1,
  "text",
  "1.00",
  "2026-01-01",
  "2026-01-01T00:00:00.000Z",
  "#ffffff",
  "a@example.com",
  true,
  null,
  [],
  {},
  // A value for fields that must be a URL.
  "https://hooks.example/events",
];

function fittingOrNothing(schema: Schema | undefined): unknown {
  return schema ? fitting(schema) : {};
}

/** Returns a value that the schema accepts, with every known field. */
function fitting(schema: Schema): unknown {
  const definition = schema._zod.def as unknown as Definition;
  if (definition.shape) {
    return Object.fromEntries(Object.entries(definition.shape).map(([name, field]) => [name, fitting(field)]));
  }
  if (definition.element) return [fitting(definition.element)];
  if (definition.innerType) return fitting(definition.innerType);
  if (definition.in) return fitting(definition.in);
  if (definition.type === "enum") return (schema as unknown as { options: readonly unknown[] }).options[0];
  if (definition.values) return definition.values[0];
  if (definition.options) return fitting(definition.options[0] as Schema);
  const parse = (schema as unknown as { safeParse(value: unknown): { success: boolean } }).safeParse;
  return LEAVES.find((value) => parse.call(schema, value).success);
}

const POSITION = {
  "cursor+page": ["cursor", "per_page", "page"],
  cursor: ["cursor", "per_page"],
  none: [],
} as const;

/** Explains why the contract does not allow this request for a row; null if the contract allows it. */
export function complaint(
  row: Row,
  prefix: string,
  { method, url, body, authorization }: RecordedRequest,
): string | null {
  if (method !== row.method) return `method ${method}`;
  if (!url.pathname.startsWith(prefix)) return `path ${url.pathname} outside ${prefix}`;
  const found = url.pathname.slice(prefix.length).split("/");
  const template = row.path.split("/");
  if (found.length !== template.length) return `path ${url.pathname}`;
  for (const [index, part] of template.entries()) {
    const segment = decodeURIComponent(found[index] as string);
    const plain = segment !== "" && !/^\.{1,2}$|[/\\]/.test(segment);
    if (part.startsWith("{") ? !plain : segment !== part) return `path ${url.pathname}`;
  }
  const names = [...keysOf(row.query), ...(row.paged ? POSITION[row.paged] : [])];
  for (const name of url.searchParams.keys()) if (!names.includes(name)) return `query ${name}`;
  if (authorization === null) return "no token or another one";
  if (body === null) return row.body ? "no body" : null;
  const sent: unknown = JSON.parse(body);
  if (!row.body || typeof sent !== "object" || sent === null || Array.isArray(sent)) return `body ${body}`;
  const unknown = Object.keys(sent).find((key) => !keysOf(row.body).includes(key));
  return unknown === undefined ? null : `body field ${unknown}`;
}

function keysOf(schema: Schema | undefined): string[] {
  return Object.keys((schema?._zod.def as unknown as Definition | undefined)?.shape ?? {});
}
