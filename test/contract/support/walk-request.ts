import { expect } from "vitest";
import { InputError } from "../../../src/index.js";
import type { FetchCall } from "../../support/fetch.js";
import { BASE_URL, type Given, invoke, type RecordedClient, recordedClient } from "./calls.js";
import { type ContractApi, type ContractOperation, prefixes } from "./contract-data.js";
import type { Field } from "./contract-types.js";
import { acceptedFilter, acceptedValues, refusedFilter, refusedValues, requiredOf } from "./inputs.js";

type Values = Record<string, unknown>;

/**
 * Sends an operation with every allowed value of every parameter and checks each value in the request. Then passes
 * every kind of value that the contract forbids and checks that each is refused, with the parameter's name, before
 * anything is sent.
 */
export async function walkRequest(operation: ContractOperation, api: ContractApi): Promise<void> {
  const walk = new RequestWalk(operation, api);
  await walk.params();
  if (operation.query.length > 0) await walk.query();
  if (operation.body(api)) await walk.body();
}

/** Sends an operation with only its required parameters and checks the request. */
export async function sendsPlainCall(operation: ContractOperation, api: ContractApi): Promise<void> {
  await new RequestWalk(operation, api).plain();
}

/** The smallest set of arguments with which the operation can be called. */
export function plainCall(operation: ContractOperation, api: ContractApi): Given {
  return {
    params: Object.fromEntries(operation.params.map((field) => [field.name, first(field)])),
    query: {},
    ...(operation.body(api) && { body: plainBody(operation, api) }),
  };
}

// One client for all operations of an API, because creating a client takes longer than a call. It does not validate
// responses, because other tests check them.
const CLIENTS = {
  main: recordedClient("main", { validation: "off" }),
  admin: recordedClient("admin", { validation: "off" }),
  organization: recordedClient("organization", { validation: "off" }),
};

class RequestWalk {
  readonly #operation: ContractOperation;
  readonly #api: ContractApi;
  readonly #recorded: RecordedClient;
  readonly #plain: Given;

  constructor(operation: ContractOperation, api: ContractApi) {
    this.#operation = operation;
    this.#api = api;
    this.#recorded = CLIENTS[api];
    this.#recorded.answer = answerTo(operation);
    this.#plain = plainCall(operation, api);
  }

  async plain(): Promise<void> {
    await this.#sends(this.#plain, {});
  }

  async params(): Promise<void> {
    const { params } = this.#operation;
    const { params: plain } = this.#plain;
    await this.plain();
    for (const field of params) {
      for (const { give } of acceptedValues(field)) {
        if (isPathSafe(give)) await this.#sends({ ...this.#plain, params: { ...plain, [field.name]: give } }, {});
      }
      const unsafe = field.type.kind === "string" ? ["", ".", "..", "a/b", "%2e%2e"] : [];
      for (const give of [...refusedValues(field).map((value) => value.give), ...unsafe, undefined, null]) {
        await this.#refuses({ ...this.#plain, params: { ...plain, [field.name]: give } }, field.name);
      }
    }
  }

  async query(): Promise<void> {
    const { query } = this.#operation;
    for (const { name, give, wire } of valuesOf(query, acceptedFilter)) {
      if (name === "cursor" && give === "") continue;
      await this.#sends({ ...this.#plain, query: { [name]: give } }, { query: { [name]: wire } });
    }
    for (const { name, give, at } of valuesOf(query, refusedFilter)) {
      await this.#refuses({ ...this.#plain, query: { [name]: give } }, name + at);
    }
    for (const { name, required } of query)
      if (required) await this.#refuses({ ...this.#plain, query: { [name]: undefined } }, name);
    await this.#refuses({ ...this.#plain, query: { no_such_parameter: "x" } }, "no_such_parameter");
    if (!this.#operation.query.some((field) => field.name === "page")) {
      await this.#refuses({ ...this.#plain, query: { page: 1 } }, "page");
    }
  }

  async body(): Promise<void> {
    const fields = this.#operation.body(this.#api) ?? [];
    const plain = this.#plain.body as Values;
    for (const { name, give, wire } of valuesOf(fields, acceptedValues)) {
      const beside = companions(this.#operation, name, give);
      await this.#sendsBody({ ...plain, ...beside, [name]: give }, { ...plain, ...beside, [name]: wire });
    }
    for (const { name, give, at } of valuesOf(fields, refusedValues)) {
      await this.#refusesBody({ ...plain, [name]: give }, name + at);
    }
    for (const field of fields) {
      const { name } = field;
      const left = Object.fromEntries(Object.entries(plain).filter(([key]) => key !== name));
      if (field.required && !mayBeLeftOut(this.#operation, name)) {
        await this.#refusesBody(left, name);
        await this.#refusesBody({ ...plain, [name]: undefined }, name);
      } else if (name in plain === false || mayBeLeftOut(this.#operation, name)) {
        await this.#sendsBody({ ...left, [name]: undefined }, left);
      }
    }
    const everything = fields.map((field) => [field.name, acceptedValues(field)[0]] as const);
    await this.#sendsBody(
      Object.fromEntries(everything.map(([name, value]) => [name, value?.give])),
      Object.fromEntries(everything.map(([name, value]) => [name, value?.wire])),
    );
    await this.#refusesBody({ ...plain, no_such_field: "x" }, "no_such_field");
    for (const body of [undefined, null, "text", [plain]]) await this.#refusesBody(body, "");
  }

  async #sendsBody(body: Values, wire: Values): Promise<void> {
    await this.#sends({ ...this.#plain, body }, { body: wire });
  }

  async #refusesBody(body: unknown, path: string): Promise<void> {
    await this.#refuses({ ...this.#plain, body }, path);
  }

  async #sends(given: Given, wire: { query?: Values; body?: Values }): Promise<void> {
    const { client, calls } = this.#recorded;
    const operation = this.#operation;
    calls.length = 0;
    await invoke(client, operation, given);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(given.params[name])),
    );
    const pageSize = operation.query.some((field) => field.name === "per_page") ? { per_page: 100 } : {};
    const body = operation.body(this.#api) === null ? null : bodyOnWire(operation, wire.body ?? (given.body as Values));
    // Makes a single comparison, because there are thousands of requests.
    expect(calls.map(onTheWire)).toEqual([
      {
        request: `${operation.method} ${BASE_URL}/${prefixes[this.#api]}/${path}`,
        query: pairsOf({ ...pageSize, ...requiredOf(operation.query).wire, ...wire.query }).sort(),
        body,
        contentType: body === null ? undefined : "application/json",
      },
    ]);
  }

  async #refuses(given: Given, path: string): Promise<void> {
    const { client, calls } = this.#recorded;
    calls.length = 0;
    const what = `${path} given ${describe(given, path)}`;
    const error = await Promise.resolve(invoke(client, this.#operation, given)).then(
      () => expect.fail(`${what} was not refused`),
      (reason: unknown) => reason,
    );
    if (!(error instanceof InputError)) return expect.fail(`${what}: ${String(error)} instead of an InputError`);
    const { issues, operation } = error;
    expect({ sent: calls.length, operation, paths: issues.map((issue) => issue.path) }, what).toEqual({
      sent: 0,
      operation: this.#operation.id,
      paths: expect.arrayContaining([path]),
    });
  }
}

function valuesOf<Value>(fields: readonly Field[], of: (field: Field) => Value[]): (Value & { name: string })[] {
  return fields.flatMap((field) => of(field).map((value) => ({ ...value, name: field.name })));
}

function onTheWire({ url, init, headers, body }: FetchCall) {
  return {
    request: `${init.method} ${url.href.split("?")[0]}`,
    query: [...url.searchParams].sort(),
    body: JSON.parse(body ?? "null"),
    contentType: headers["content-type"],
  };
}

/** A body with only the required fields. */
function plainBody(operation: ContractOperation, api: ContractApi): Values {
  const required = (operation.body(api) ?? []).filter((field) => field.required);
  const body = Object.fromEntries(required.map((field) => [field.name, first(field)]));
  const cost = COSTS[operation.id];
  return cost === undefined ? body : { ...body, cost };
}

// By the contract's notes on these operations, the cost schemes "student" (the default) and "order" require a cost.
const COSTS: Readonly<Record<string, unknown>> = {
  "courses.create": "450.00",
  "plannedCourses.create": 450,
  "programEditions.create": 450,
  "programs.create": 450,
};

// By the same notes, the cost may be null only with a scheme that needs none.
function companions({ id }: ContractOperation, name: string, give: unknown): Values {
  return id in COSTS && name === "cost" && give === null ? { cost_scheme: "free" } : {};
}

// By the contract's note on grades.create, either grade or score is enough, although both are marked as required.
function mayBeLeftOut({ id }: ContractOperation, name: string): boolean {
  return id === "grades.create" && (name === "grade" || name === "score");
}

// By the same note, the library always sends both.
function bodyOnWire({ id }: ContractOperation, body: Values): Values {
  return id === "grades.create" ? { grade: null, score: null, ...body } : body;
}

function answerTo({ response }: ContractOperation): unknown {
  if (response === null) return undefined;
  return response.list || response.array ? [] : {};
}

function first(field: Field): unknown {
  return acceptedValues(field)[0]?.give;
}

function isPathSafe(value: unknown): boolean {
  return typeof value !== "string" || !/[/\\]/.test(value);
}

function pairsOf(query: Values): [string, string][] {
  return Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item): [string, string] => [name, String(item)]),
  );
}

function describe(given: Given, path: string): string {
  const [name = ""] = path.split(/[.[]/);
  const source = { ...given.params, ...given.query, ...(given.body as Values | undefined) };
  return JSON.stringify(source[name]) ?? "undefined";
}
