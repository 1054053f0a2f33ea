import { expect, test } from "vitest";
import { allOperations } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import type { ContractApi } from "../contract/support/contract-data.js";
import { enumerations, operations, prefixes, records, unions } from "../contract/support/contract-data.js";
import type { ContractType, TypeWithNull } from "../contract/support/contract-types.js";
import { amount } from "../support/amount.js";
import { ask } from "./support.js";

// Checks every record of every list, and one record of each kind by its identifier, against the contract data. Unlike
// the sandbox, the contract data does not depend on the library's schemas.

type Wire = Readonly<Record<string, unknown>>;

const FORMS: Readonly<Record<string, RegExp>> = {
  decimal: /^-?\d+(\.\d+)?$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  date: /^\d{4}-\d\d-\d\d$/,
  string: /^/,
};

/** Describes the first problem in a value, with its position; null if there is none. */
function wrongIn(value: unknown, { type, nullable }: TypeWithNull, api: ContractApi, at: string): string | null {
  if (value === null) return nullable ? null : `${at} is null`;
  return wrongOf(value, type, api, at);
}

function wrongOf(value: unknown, type: ContractType, api: ContractApi, at: string): string | null {
  const unless = (isRight: boolean) => (isRight ? null : `${at} is ${JSON.stringify(value)?.slice(0, 60)}`);
  switch (type.kind) {
    case "integer":
      return unless(Number.isSafeInteger(value));
    case "number":
    case "boolean":
      return unless(typeof value === type.kind);
    case "literals":
      return unless(type.values.includes(String(value)));
    case "either":
      return type.of.some((one) => wrongOf(value, one, api, at) === null) ? null : unless(false);
    case "object":
      return unless(typeof value === "object");
    case "array": {
      if (!Array.isArray(value)) return unless(false);
      return first(value.map((item, index) => wrongIn(item, type.of, api, `${at}[${index}]`)));
    }
    case "shape":
      return wrongRecord(value as Wire, { fields: type.fields, adminOnly: [], open: false }, api, at);
    case "name":
      return wrongNamed(value, type.name, api, at);
    default:
      return unless(typeof value === "string" && (FORMS[type.kind] as RegExp).test(value));
  }
}

function wrongNamed(value: unknown, name: string, api: ContractApi, at: string): string | null {
  const enumeration = enumerations.get(name);
  if (enumeration)
    return typeof value === "string" && (!enumeration.closed || enumeration.values.includes(value))
      ? null
      : `${at} is ${value}`;
  const union = unions.get(name);
  const variant = union ? union.variants[String((value as Wire)[union.discriminator])] : name;
  const record = variant === undefined ? undefined : records.get(variant);
  if (record) return wrongRecord(value as Wire, record, api, at);
  return typeof value === "object" ? null : `${at} is no object`;
}

type Known = Pick<NonNullable<ReturnType<typeof records.get>>, "fields" | "adminOnly" | "open">;

function wrongRecord(value: Wire, { fields, adminOnly, open }: Known, api: ContractApi, at: string): string | null {
  if (typeof value !== "object" || value === null) return `${at} is no object`;
  const known = fields.filter(({ name }) => api === "admin" || !adminOnly.includes(name));
  const unknown = open ? undefined : Object.keys(value).find((name) => !known.some((field) => field.name === name));
  if (unknown !== undefined) return `${at}.${unknown} is not in the documents`;
  return first(
    known.map((field) => {
      if (!(field.name in value)) return field.optional ? null : `${at}.${field.name} is missing`;
      return wrongIn(value[field.name], field, api, `${at}.${field.name}`);
    }),
  );
}

const first = (found: readonly (string | null)[]) => found.find((wrong) => wrong !== null) ?? null;

const lists = operations.flatMap((operation) =>
  operation.method === "GET" && operation.response?.list && operation.params.length === 0
    ? operation.apis.map((api) => ({ operation, api }))
    : [],
);

test.each([
  ["the sandbox's own", {}],
  // Without its new fields, which no document names.
  ["the least kind", { ...createSandbox({ manners: "least kind" }).manners, newFields: "none" }],
] as const)(
  "records match the documents: %s manners",
  async (_, manners) => {
    const sandbox = createSandbox({
      size: amount(60, 5_500),
      manners,
      rateLimit: false,
      now: "2030-06-01T12:00:00.000Z",
    });
    const wrong = new Map<string, string>();
    let checked = 0;
    for (const { operation, api } of lists) {
      const { apiKey } = api === "admin" ? sandbox.admin : sandbox.main;
      const { record: name = "" } = operation.response ?? {};
      const path = `${prefixes[api]}/${operation.path}`;
      const isRow = allOperations.some(({ id }) => id === operation.id);
      if (!isRow) continue;
      let next: string | undefined = `${path}?per_page=100`;
      let last: Wire | undefined;
      while (next !== undefined) {
        const { status, body, headers } = await ask({ ...sandbox, apiKey }, next);
        if (status !== 200) wrong.set(`${operation.id} of ${api}`, `status ${status}`);
        for (const row of Array.isArray(body) ? (body as Wire[]) : []) {
          checked++;
          last = row;
          const problem = wrongNamed(row, name, api, name);
          if (problem !== null) wrong.set(`${operation.id} of ${api}`, problem);
        }
        const target = /<([^>]+)>;[^<]*rel="?next/.exec(headers.get("link") ?? "")?.[1];
        next = target?.slice(target.indexOf(`/${prefixes[api]}/`) + 1);
      }
      const single = operations.find(
        ({ id, params }) => id === operation.id.replace(/list$/, "get") && params.length === 1,
      );
      if (!last || !single?.response || !single.apis.includes(api)) continue;
      const { body } = await ask(
        { ...sandbox, apiKey },
        `${path}/${String(single.params[0]?.name === "object_slug" ? last.slug : last.id)}`,
      );
      checked++;
      const problem = wrongNamed(body, single.response.record, api, single.response.record);
      if (problem !== null) wrong.set(`${single.id} of ${api}`, problem);
    }
    expect(Object.fromEntries(wrong)).toEqual({});
    console.log(checked);
    expect(checked).toBeGreaterThan(amount(2_000, 126_000));
  },
  300_000,
);
