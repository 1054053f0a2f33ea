import { readFileSync } from "node:fs";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.js";

/** The APIs, each with its document in `openapi` and the start of its paths. */
export const APIS = { main: "api/v1", admin: "api/v1", organization: "api/organization" } as const;
export type ApiName = keyof typeof APIS;

type Schema = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: boolean;
  readonly schema: Schema;
}

/** One request that the sandbox answers with success, as plain HTTP sends it. */
export interface Input {
  /** The operation's identifier, and the name of the query parameter if the request has one. */
  readonly name: string;
  readonly operation: string;
  readonly api: ApiName;
  readonly method: string;
  readonly path: string;
  /** In the order of the path. */
  readonly params: Values;
  readonly query: Values;
  readonly body?: unknown;
  /** True if the operation has query parameters. */
  readonly hasQuery: boolean;
  /** The call that the sandbox recorded for it, with the answer. */
  readonly right: unknown;
}

export const sandbox: Sandbox = createSandbox({ size: 40, now: "2030-06-01T12:00:00.000Z", apiKey: "generated" });
// A program and an edition that nothing hinders from being deleted.
sandbox.store.programEditions.insert({ program_id: sandbox.store.programs.insert({}).id });
sandbox.store.programs.insert({});
const fresh = sandbox.snapshot();

/** Resets the sandbox, does the work and returns the call that the sandbox recorded. */
export async function recordCall(work: () => Promise<unknown>): Promise<unknown> {
  sandbox.restore(fresh);
  const before = sandbox.requests.length;
  await work();
  const sent = sandbox.requests.length - before;
  const { at: _, ...call } = sandbox.calls().at(-1) ?? {};
  return JSON.parse(JSON.stringify(sent === 1 ? call : { sent, call }));
}

/** The inputs of an API's operations, and the operations for which no candidate succeeds. */
export async function inputsOf(api: ApiName): Promise<{ inputs: Input[]; without: string[] }> {
  const document = JSON.parse(readFileSync(new URL(`../../../openapi/${api}.json`, import.meta.url), "utf8"));
  const write = new Writer(document.components);
  const inputs: Input[] = [];
  const without: string[] = [];
  for (const [path, methods] of Object.entries<Record<string, Item>>(document.paths)) {
    for (const [method, item] of Object.entries(methods)) {
      const parameters = (item.parameters ?? []).map((entry) => write.resolve(entry) as unknown as Parameter);
      const of = { api, operation: item.operationId, method: method.toUpperCase(), path };
      const plain = await firstRight(of, write, parameters, item);
      if (plain === null) {
        without.push(item.operationId);
        continue;
      }
      inputs.push(plain);
      for (const { name, schema, ...parameter } of parameters) {
        if (parameter.in === "path" || parameter.required || name === "cursor") continue;
        const query = { ...plain.query, [name]: write.value(name, schema, "all") };
        const right = await answer({ ...plain, query });
        if (right !== null) inputs.push({ ...plain, name: `${plain.name}?${name}`, query, right });
        else without.push(`${item.operationId}?${name}`);
      }
    }
  }
  return { inputs, without };
}

interface Item {
  readonly operationId: string;
  readonly parameters?: readonly Schema[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Schema } } };
}

async function firstRight(
  of: Pick<Input, "api" | "operation" | "method" | "path">,
  write: Writer,
  parameters: readonly Parameter[],
  item: Item,
): Promise<Input | null> {
  const query = Object.fromEntries(
    parameters
      .filter((parameter) => parameter.in === "query" && parameter.required)
      .map(({ name, schema }) => [name, write.value(name, schema, "all")]),
  );
  const hasQuery = parameters.some((parameter) => parameter.in === "query");
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const schema = item.requestBody?.content["application/json"].schema;
  for (const body of schema ? write.bodies(schema) : [undefined]) {
    for (const params of combinations(inPath.map((parameter) => [parameter.name, candidates(write, parameter)]))) {
      const input = { ...of, name: of.operation, params, query, hasQuery, ...(schema && { body }) };
      const right = await answer(input);
      if (right !== null) return { ...input, right };
    }
  }
  return null;
}

async function answer({ api, method, path, params, query, body }: Omit<Input, "right">): Promise<unknown> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(params[name])));
  const url = new URL(`${sandbox.baseUrl}/${APIS[api]}${filled}`);
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) url.searchParams.append(name, String(one));
  }
  const headers = { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" };
  let ok = false;
  const call = await recordCall(async () => {
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    ({ ok } = await sandbox.fetch(url, init));
  });
  return ok ? call : null;
}

const SLUGS: Readonly<Record<string, readonly string[]>> = {
  object_slug: ["equipment", "partner"],
  field_slug: ["diet", "sector"],
  webhook_id: ["webhook-1"],
  id: ["webhook-1", "notification-1"],
};

function candidates(write: Writer, { name, schema }: Parameter): readonly unknown[] {
  const { type, enum: values, anyOf } = write.resolve(schema);
  if (values) return values as unknown[];
  if (type === "integer" || anyOf) return Array.from({ length: 40 }, (_, at) => at + 1);
  return SLUGS[name] ?? [];
}

function combinations(all: readonly (readonly [string, readonly unknown[]])[]): Values[] {
  return all.reduce<Values[]>(
    (before, [name, values]) => before.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
}

const FORMATS: Readonly<Record<string, string>> = {
  date: "2030-06-03",
  "date-time": "2030-06-03T09:00:00.000Z",
  decimal: "12.50",
  email: "someone@school.example",
  uri: "https://school.example/",
};

const ENDS: Readonly<Record<string, string>> = { "date-time": "2030-06-03T12:00:00.000Z" };

/** Writes values that a document's schemas describe. */
class Writer {
  readonly #components: Record<string, Record<string, Schema>>;
  #id = 1;

  constructor(components: Record<string, Record<string, Schema>>) {
    this.#components = components;
  }

  resolve(schema: Schema): Schema {
    const ref = (schema.$ref ?? (schema.allOf as Schema[] | undefined)?.[0]?.$ref) as string | undefined;
    const [kind = "", name = ""] = ref?.split("/").slice(-2) ?? [];
    return ref === undefined ? schema : (this.#components[kind]?.[name] as Schema);
  }

  /** Bodies with all fields, with the required ones, and with one more than those; then the same of other records. */
  *bodies(schema: Schema): Iterable<unknown> {
    for (this.#id = 1; this.#id < 20; this.#id++) {
      const all = this.value("", schema, "all") as Values;
      const required = this.value("", schema, "required") as Values;
      yield all;
      yield required;
      for (const [name, value] of Object.entries(all)) yield { ...required, [name]: value };
    }
    this.#id = 1;
  }

  value(name: string, given: Schema, fields: "all" | "required"): unknown {
    const schema = this.resolve(given);
    const values = (schema.enum ?? schema["x-extensible-enum"]) as unknown[] | undefined;
    if (values) return values[0];
    const [option] = (schema.anyOf ?? schema.oneOf ?? []) as Schema[];
    if (option) return this.value(name, option, fields);
    switch (schema.type) {
      case "integer":
      case "number":
        return /(^|_)ids?$/.test(name) ? this.#id : (schema.minimum ?? 1);
      case "boolean":
        return true;
      case "array":
        return [this.value(name, schema.items as Schema, fields)];
      case "object": {
        const required = (schema.required ?? []) as string[];
        const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
        return Object.fromEntries(
          properties
            .filter(([field]) => fields === "all" || required.includes(field))
            .map(([field, inner]) => [field, this.value(field, inner, fields)]),
        );
      }
      default:
        if (/(^|_)id$/.test(name)) return "1";
        if (name === "gradeable_type") return "Enrollment";
        return (name.startsWith("end_") && ENDS[String(schema.format)]) || (FORMATS[String(schema.format)] ?? "text");
    }
  }
}
