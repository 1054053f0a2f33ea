import { isDeepStrictEqual } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { isBetaIn, scopesIn } from "../../src/core/operation.js";
import { AdminClient, type DriftEvent, MainClient, OrganizationClient } from "../../src/index.js";
import { allOperations, notesOf } from "../../src/operations.js";
import * as schemas from "../../src/schemas.js";
import { invoke, methodNames, methodOf, recordedClient } from "./support/calls.js";
import {
  betaIn,
  type ContractApi,
  type ContractOperation,
  type ContractRecord,
  enumerations,
  fieldsIn,
  mapPayloads,
  operations,
  payloads,
  records,
  scopesOf,
  unionNames,
  unions,
} from "./support/contract-data.js";
import { acceptedByName, acceptedValues, refusedValues, requiredOf } from "./support/inputs.js";
import { type MakeReader, type Reader, walkAnswer, walkKnownAnswer } from "./support/walk-answer.js";
import { plainCall, sendsPlainCall, walkRequest } from "./support/walk-request.js";

// The walks try only some values and forms, drawn by test/support/amount.ts; the `full` project tries all of them.
const APIS = ["main", "admin", "organization"] as const satisfies readonly ContractApi[];

const clients = {
  main: recordedClient("main"),
  admin: recordedClient("admin"),
  organization: recordedClient("organization"),
};

// The checks below that succeeded, for the report at the end.
const held = { operations: new Set<string>(), methods: new Set<string>(), fields: new Set<string>() };

describe("operations", () => {
  test.each(operations.map((operation) => ({ id: operation.id, operation })))("$id", async ({ operation }) => {
    const rows = allOperations.filter((row) => row.id === operation.id);
    expect(rows.flatMap((row) => row.apis).sort(), "APIs").toEqual([...operation.apis].sort());
    for (const row of rows) {
      for (const api of row.apis) expect(factsOf(row, api), `the row in ${api}`).toEqual(factsIn(operation, api));
      expect(notesOf(row).publicOnly ?? false, "shown by public documents only").toBe(operation.source === "public");
      // The table may mark an operation as shown only in the page-paginated rendering even if the contract does not.
      if (operation.rendering)
        expect(notesOf(row).pageRendering, "shown only in the page-paginated rendering").toBe(true);
    }
    for (const api of APIS) {
      const { client } = clients[api];
      const offered = operation.apis.includes(api);
      const hasResource = operation.resource.startsWith("organization.") === (api === "organization");
      if (hasResource) expect(methodOf(client, operation) !== undefined, `the ${api} client offers it`).toBe(offered);
      if (!offered) continue;
      const row = rows.find(({ apis }) => apis.includes(api));
      // If the row serves two APIs with the same body, both take the same path through the code. The second time, only
      // the address can differ, so a plain call is enough.
      const isWalked = APIS.slice(0, APIS.indexOf(api)).some(
        (other) => row?.apis.includes(other) && isDeepStrictEqual(operation.body(other), operation.body(api)),
      );
      await (isWalked ? sendsPlainCall(operation, api) : walkRequest(operation, api));
      const make = () => readerOf(operation, api);
      const { record } = operation.response ?? {};
      if (record === undefined) await answersNothing(operation, api);
      else {
        // The walk below checks the exported schemas, so here it is enough that the operation uses the right one.
        expect(row?.response === exportedSchema(record, api), "the answer has the exported schema").toBe(true);
        await walkKnownAnswer(make, record, api);
      }
      held.methods.add(`${api} ${operation.id}`);
    }
    held.operations.add(operation.id);
  });

  test("no table has a row that the contract lacks", () => {
    const ids = operations.map((operation) => operation.id);
    expect(allOperations.map((row) => row.id).filter((id) => !ids.includes(id))).toEqual([]);
  });

  test.each([
    ["main", MainClient],
    ["admin", AdminClient],
    ["organization", OrganizationClient],
  ] as const)("the %s client has exactly the contract's methods at run time", (api, Client) => {
    const client = new Client({ baseUrl: "https://school.example", apiKey: "key" });
    const due = operations.filter((operation) => operation.apis.includes(api)).map((operation) => operation.id);
    const ids = methodNames(client).map((name) => (api === "organization" ? `organization.${name}` : name));
    expect(ids).toEqual(due.sort());
    const nested = "organization" in client ? methodNames(client.organization) : undefined;
    if (api !== "organization") expect(nested).toEqual(methodNames(clients.organization.client));
  });
});

describe("records", () => {
  test.each([...records.values()].map((record) => ({ name: record.name, record })))("$name", async ({ record }) => {
    const apis: ContractApi[] = record.adminOnly.length > 0 ? ["main", "admin"] : ["main"];
    for (const api of apis) {
      const shown = fieldsIn(record, api).map((field) => field.name);
      const schema = schemaOf(record, api);
      expect(Object.keys(schema.shape).sort(), "fields").toEqual([...shown].sort());
      await walkAnswer(() => schemaReader(schema, api), record.name, api);
      for (const field of shown) held.fields.add(`${record.name}.${field}`);
    }
  });
});

describe("unions", () => {
  test.each(unionNames.read)("%s", async (name) => {
    const schema = lookUp(`${lowerFirst(name)}Schema`) as z.ZodMiniType;
    const make: MakeReader = () => schemaReader(schema, "main");
    await walkAnswer(make, name, "main");
    const { discriminator = "" } = unions.get(name) ?? {};
    // This schema is open, as the schema of an enumeration is: it accepts a new variant and leaves it unchanged.
    const unknown = { [discriminator]: "a_variant_nobody_knows", more: 1 };
    expect(z.safeParse(schema, unknown)).toEqual({ success: true, data: unknown });
    expect(z.safeParse(schema, { [discriminator]: 7 }).success).toBe(false);
  });

  test.each(unionNames.sent)("%s", (name) => {
    const schema = lookUp(`${lowerFirst(name)}Schema`) as z.ZodMiniType;
    for (const { give, wire } of acceptedByName(name)) expect(z.parse(schema, give)).toEqual(wire);
    const { discriminator = "" } = unions.get(name) ?? {};
    const { error } = z.safeParse(schema, { [discriminator]: "a_variant_nobody_knows" });
    expect(error?.issues[0]?.path).toEqual([discriminator]);
  });
});

describe("enumerations", () => {
  test.each([...enumerations.values()])("$name", async ({ name, values, closed }) => {
    const found = lookUp(name) as schemas.Enumeration<string>;
    expect(found.values, "values").toEqual(values);
    expect(found.complete, "whether the list is complete").toBe(closed);
    for (const value of values) {
      expect(found.is(value), value).toBe(true);
      expect(z.safeParse(found.schema, value).success, `${value} can be sent`).toBe(true);
    }
    expect(found.is("no_such_value")).toBe(false);
    // If the list of values is incomplete, any text can be sent.
    expect(z.safeParse(found.schema, "no_such_value").success, "an unknown value is sent").toBe(!closed);
    expect(z.safeParse(found.schema, 7).success, "a number is not sent").toBe(false);
    // The text is unique to this test, because enumerations with the same values share their cast values, and other
    // tests expect a refusal.
    const cast = found.cast("a_cast_value");
    expect(z.safeParse(found.schema, cast).success, "a cast value is sent").toBe(true);
    expect(`${JSON.stringify({ cast })} ${String(cast)}`).toBe('{"cast":"a_cast_value"} a_cast_value');
    expect(z.safeParse(found.open, "no_such_value").success, "an unknown value is read").toBe(true);
    expect(z.safeParse(found.open, 7).success, "a number is not read").toBe(false);
  });
});

describe("scopes", () => {
  test.each(operations.flatMap(({ id, apis }) => apis.map((api) => ({ id, api }))))("$api $id", ({ id, api }) => {
    const row = allOperations.find((candidate) => candidate.id === id && candidate.apis.includes(api));
    const found = row && scopesIn(row, api);
    expect(found && { scopes: found, any: row.anyScope ?? false }).toEqual(scopesOf(id, api));
  });
});

describe("payloads", () => {
  test.each(mapPayloads)("%s is exported as a type and a schema", (name) => {
    const schema = lookUp(`${lowerFirst(name)}Schema`) as z.ZodMiniType;
    expect(z.safeParse(schema, { rooms: [1] })).toMatchObject({ success: true });
    expect(z.safeParse(schema, { rooms: ["x"] }).success).toBe(false);
  });

  test.each([...payloads])("%s accepts what the contract accepts", (name, fields) => {
    const schema = lookUp(`${lowerFirst(name)}Schema`) as z.ZodMiniObject;
    expect(Object.keys(schema.shape).sort()).toEqual(fields.map((field) => field.name).sort());
    const needed = requiredOf(fields);
    expect(z.parse(schema, needed.give)).toEqual(needed.wire);
    for (const field of fields) {
      if (field.required) {
        const { error } = z.safeParse(schema, { ...needed.give, [field.name]: undefined });
        expect(error?.issues[0]?.path, `${field.name} left out`).toEqual([field.name]);
      }
      for (const { give, wire } of acceptedValues(field)) {
        const written = { ...needed.wire, [field.name]: wire };
        // Compares JSON, because a cast value becomes text only there.
        const sent = JSON.stringify(z.parse(schema, { ...needed.give, [field.name]: give }));
        expect(JSON.parse(sent), field.name).toEqual(written);
      }
      for (const { give } of refusedValues(field)) {
        // Checks the value as an operation does, because payloads must not have unknown fields.
        const { error } = z.safeParse(schemas.closed(schema), { ...needed.give, [field.name]: give });
        expect(error?.issues[0]?.path[0], `${field.name} given ${JSON.stringify(give)}`).toBe(field.name);
      }
    }
  });
});

describe("the report", () => {
  const due = {
    operations: operations.length,
    methods: operations.flatMap((operation) => operation.apis).length,
    fields: [...records.values()].flatMap((record) => record.fields).length,
  };

  test("every operation, client method and record field was checked", () => {
    expect({
      operations: held.operations.size,
      methods: held.methods.size,
      fields: held.fields.size,
    }).toEqual(due);
  });

  afterAll(() => {
    console.log(
      `Contract: ${held.operations.size} of ${due.operations} operations, ` +
        `${held.methods.size} of ${due.methods} client methods, ${held.fields.size} of ${due.fields} record fields`,
    );
  });
});

type Row = (typeof allOperations)[number];

// The facts of a row that the contract states as well, in a comparable form.
function factsOf(row: Row, api: ContractApi) {
  return {
    method: row.method as string,
    path: row.path,
    params: namesIn(row.params),
    query: namesIn(row.query),
    body: row.body ? namesIn(row.body) : null,
    paged: row.paged ?? null,
    answers: row.response !== undefined,
    array: row.array ?? false,
    status: (row.status ?? 200) as number,
    beta: isBetaIn(row, api),
    feature: (row.feature ?? null) as string | null,
    deprecated: Object.keys(notesOf(row).deprecated ?? {}),
    pathConfirmed: row.pathConfirmed ?? true,
  };
}

const PAGINATION = ["cursor", "per_page", "page"];

function factsIn(operation: ContractOperation, api: ContractApi): ReturnType<typeof factsOf> {
  const query = operation.query.map((field) => field.name);
  const pages = query.includes("page") ? "cursor+page" : query.includes("cursor") ? "cursor" : "none";
  const body = operation.body(api);
  return {
    method: operation.method,
    path: operation.path,
    params: operation.params.map((field) => field.name).sort(),
    query: query.filter((name) => !PAGINATION.includes(name)).sort(),
    body: body?.map((field) => field.name).sort() ?? null,
    paged: operation.response?.list ? pages : null,
    answers: operation.response !== null,
    array: operation.response?.array ?? false,
    status: operation.success_status ?? 200,
    beta: betaIn(operation, api),
    feature: operation.feature ?? null,
    deprecated: operation.deprecated_in ?? [],
    pathConfirmed: operation.path_source !== "guess",
  };
}

function namesIn(schema: Row["body"]): string[] {
  return schema ? Object.keys((schema as z.ZodMiniObject).shape).sort() : [];
}

// Returns a reader that reads records through the operation, as a caller does.
function readerOf(operation: ContractOperation, api: ContractApi): Reader {
  const drift: DriftEvent[] = [];
  const recorded = recordedClient(api, { on: { drift: (event) => drift.push(event) } });
  const given = plainCall(operation, api);
  const { list = false, array = false } = operation.response ?? {};
  const read = async (wire: unknown, validation: string): Promise<unknown> => {
    recorded.answer = list || array ? [wire] : wire;
    const { id } = (wire ?? {}) as { id?: unknown };
    const isAsked =
      id !== undefined && typeof id === typeof given.params.id && (typeof id !== "number" || Number.isSafeInteger(id));
    const params = isAsked ? { ...given.params, id } : given.params;
    const answer = await invoke(recorded.client, operation, { ...given, params }, { validation });
    if (array) return (answer as readonly unknown[])[0];
    return list ? (answer as { records: readonly unknown[] }).records[0] : answer;
  };
  return readerWith(read, drift);
}

// Returns a reader that reads records through a raw request with this schema.
function schemaReader(schema: z.ZodMiniType, api: ContractApi): Reader {
  const drift: DriftEvent[] = [];
  const recorded = recordedClient(api, { on: { drift: (event) => drift.push(event) } });
  const read = async (wire: unknown, validation: "strict" | "report"): Promise<unknown> => {
    recorded.answer = wire;
    return recorded.client.request({ method: "GET", path: "api/v1/anything", response: schema }, { validation });
  };
  return readerWith(read, drift);
}

function readerWith(
  read: (wire: unknown, validation: "strict" | "report") => Promise<unknown>,
  drift: DriftEvent[],
): Reader {
  return {
    strict: (wire) => read(wire, "strict"),
    report: async (wire) => ({ value: await read(wire, "report"), drift: drift.splice(0) }),
  };
}

async function answersNothing(operation: ContractOperation, api: ContractApi): Promise<void> {
  const recorded = clients[api];
  for (const answer of [undefined, { anything: 1 }]) {
    recorded.answer = answer;
    expect(await invoke(recorded.client, operation, plainCall(operation, api)), "the answer").toBeUndefined();
  }
}

function exportedSchema(name: string, api: ContractApi): unknown {
  const record = records.get(name);
  return record ? schemaOf(record, api) : lookUp(`${lowerFirst(name)}Schema`);
}

function schemaOf(record: ContractRecord, api: ContractApi): z.ZodMiniObject {
  const name = api === "admin" && record.adminOnly.length > 0 ? `admin${record.name}` : lowerFirst(record.name);
  return lookUp(`${name}Schema`) as z.ZodMiniObject;
}

function lookUp(name: string): unknown {
  const found = (schemas as Record<string, unknown>)[name];
  expect(found, `./schemas exports ${name}`).toBeDefined();
  return found;
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
