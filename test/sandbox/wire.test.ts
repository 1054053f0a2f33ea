import { describe, expect, test } from "vitest";
import { allOperations } from "../../src/operations.js";
import { readBody } from "../../src/sandbox/engine/input.js";
import { Refusal } from "../../src/sandbox/engine/refusal.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { type ContractApi, type ContractOperation, operations } from "../contract/support/contract-data.js";
import type { Field } from "../contract/support/contract-types.js";
import { acceptedValues, refusedValues, requiredOf } from "../contract/support/inputs.js";
import { ask } from "./support.js";

/**
 * The status and the fields with which the sandbox refuses a body from another program; null if it accepts the body.
 */
function problemOf({ id }: ContractOperation, api: ContractApi, body: unknown): string | null {
  const rows = allOperations.filter((row) => row.id === id && row.apis.includes(api));
  const [row] = rows;
  if (!row) throw new Error(`${id} is missing`);
  try {
    readBody(row, JSON.stringify(body));
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${error.status} ${Object.keys(error.errors).join()}`;
  }
}

const bodies = operations.flatMap((operation) =>
  operation.apis.flatMap((api) => {
    const fields = operation.body(api);
    return fields ? [{ name: `${operation.id} of ${api}`, operation, api, fields }] : [];
  }),
);

/** The other values that a body with this field needs. They include a price, unless the field is the price itself. */
function requiredCompanions(fields: readonly Field[], { name }: Pick<Field, "name">): Record<string, unknown> {
  const { wire } = requiredOf(fields);
  const cost = fields.find((field) => field.name === "cost");
  if (!cost) return wire;
  return name === "cost" ? { ...wire, cost_scheme: "free" } : { ...wire, cost: acceptedValues(cost)[0]?.wire };
}

// Only the client sends cast values: other programs know only the values of the description.
const isCast = (wire: unknown) => JSON.stringify(wire).includes("a_value_of_tomorrow");
// JSON has no NaN, Infinity or invalid Date: JSON.stringify writes null for them.
const isJson = (value: unknown): boolean => {
  if (typeof value === "number") return Number.isFinite(value);
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  return typeof value !== "object" || value === null || Object.values(value).every(isJson);
};

describe.each(bodies)("$name, sent by another program", ({ operation, api, fields }) => {
  test("accepts all input that the contract allows", () => {
    for (const field of fields) {
      for (const { wire } of acceptedValues(field).filter((value) => !isCast(value.wire))) {
        const body = { ...requiredCompanions(fields, field), [field.name]: wire };
        expect(problemOf(operation, api, body), JSON.stringify(body)).toBeNull();
      }
    }
  });

  test("refuses all other input, including values that only the client's methods accept", () => {
    for (const field of fields) {
      const converted = acceptedValues(field).filter(({ give, wire }) => JSON.stringify(give) !== JSON.stringify(wire));
      const wrong = [...converted.map(({ give }) => give), ...refusedValues(field).map(({ give }) => give)];
      for (const value of wrong.filter(isJson)) {
        const body = { ...requiredCompanions(fields, field), [field.name]: value };
        expect(`${problemOf(operation, api, body)} for ${JSON.stringify(body)}`).toMatch(`422 ${field.name}`);
      }
    }
    for (const name of Object.keys(requiredOf(fields).wire)) {
      const { [name]: _, ...rest } = requiredCompanions(fields, { name: "" });
      expect(`${problemOf(operation, api, rest)} without ${name}`).toMatch(`422 ${name}`);
    }
    expect(problemOf(operation, api, { ...requiredCompanions(fields, { name: "" }), no_such_field: 1 })).toBe(
      "422 no_such_field",
    );
  });
});

test("a grade needs both keys, as the client sends them", async () => {
  const sandbox = createSandbox({ size: 10 });
  const grade = (fields: object) =>
    ask(sandbox, "api/v1/grades", {
      method: "POST",
      body: JSON.stringify({ gradeable_id: 1, gradeable_type: "Enrollment", ...fields }),
    });
  expect(await grade({ grade: "8" })).toMatchObject({ status: 422, body: { errors: { score: ["is missing"] } } });
  expect(await grade({ score: 8 })).toMatchObject({ status: 422, body: { errors: { grade: ["is missing"] } } });
  expect(await grade({ grade: null, score: null })).toMatchObject({ status: 422 });
  expect(await grade({ grade: "8", score: null })).toMatchObject({ status: 201, body: { grade: "8", score: null } });
});

test("a capacity is a whole number, as in locations", async () => {
  const sandbox = createSandbox({ size: 10 });
  const update = (capacity: unknown) =>
    ask(sandbox, "api/v1/meeting_locations/1", { method: "PUT", body: JSON.stringify({ capacity }) });
  expect(await update(8.5)).toMatchObject({ status: 422, body: { errors: { capacity: ["must be a whole number"] } } });
  expect(await update(8)).toMatchObject({ status: 200, body: { capacity: 8 } });
});
