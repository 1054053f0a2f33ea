import { describe, expect, it, test } from "vitest";
import * as z from "zod/mini";
import { RecordValidator } from "../../src/core/drift/record-validator.js";
import { mismatchesOf } from "../../src/core/drift/response-validator.js";
import { check, formatPath } from "../../src/core/schema/issues.js";
import { enumeration, model } from "../../src/core/schema/model.js";
import { strictSchema } from "../../src/core/schema/strict-schema.js";
import type { DriftEvent, InputError, ResponseValidationError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";

const schema = model(() => ({ id: z.int() }));

test("a record validator finds all differences, or those that strict validation refuses", () => {
  const findKinds = (kind: "report" | "strict", record: object) =>
    mismatchesOf(new RecordValidator(schema, kind), record).map((mismatch) => mismatch.kind);
  expect(findKinds("report", { id: null, added: 1 }).sort()).toEqual(["unexpected_null", "unknown_field"]);
  expect(findKinds("strict", { id: null, added: 1 })).toEqual(["unexpected_null"]);
  expect(findKinds("strict", { id: 1, added: 1 })).toEqual([]);
});

test("a field name of any length is shortened to 100 characters in a path and in events", async () => {
  expect(formatPath(["items", 0, "n".repeat(5_000)])).toBe(`items[0].${"n".repeat(100)}`);
  const { fetch } = recordingFetch(() => jsonResponse({ ...accountRecord(), ["n".repeat(5_000)]: 1 }));
  const events: DriftEvent[] = [];
  await mainClient({ fetch, on: { drift: (event) => events.push(event) } }).accounts.get(7);
  expect(events.map(({ field }) => field)).toEqual(["n".repeat(100)]);
});

describe("values of a record with arbitrary keys", () => {
  const Colour = enumeration(["red", "blue"]);
  const keyed = model(() => ({
    by_slug: z.record(
      z.string(),
      model(() => ({ colour: Colour.open })),
    ),
  }));

  it("are closed as well", () => {
    const { mismatches } = check(strictSchema(keyed, "report"), {
      by_slug: { a: { colour: "green", extra: 1 } },
    });
    expect(mismatches.map(({ path, kind }) => `${path.join(".")} ${kind}`).sort()).toEqual([
      "by_slug.a.colour unknown_value",
      "by_slug.a.extra unknown_field",
    ]);
  });

  it("are closed in an input", () => {
    const { mismatches } = check(strictSchema(keyed, "input"), { by_slug: { a: { colour: "red", extra: 1 } } });
    expect(mismatches.map(({ path, message }) => ({ path: path.join("."), message }))).toEqual([
      { path: "by_slug.a.extra", message: "is not a known field" },
    ]);
  });

  it("are checked in an input before it is sent", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const custom_associations = { a: [1], b: [2, 0] };
    const error = await failure<InputError>(mainClient({ fetch }).courses.update(5, { custom_associations } as never));
    expect(error.issues.map(({ path }) => path)).toEqual(["custom_associations.b[1]"]);
    expect(calls).toEqual([]);
  });
});

describe("the id of a record in a validation error", () => {
  const refusedWith = async (id: unknown): Promise<ResponseValidationError> => {
    const { fetch } = recordingFetch(() => jsonResponse({ ...accountRecord(), id }));
    const client = mainClient({ fetch, apiKey: "a-very-secret-token", validation: "strict" });
    return failure<ResponseValidationError>(client.accounts.get(7));
  };

  it("does not show a token that the service echoes there", async () => {
    const error = await refusedWith("a-very-secret-token");
    expect(error.id).toBe("[redacted]");
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("a-very-secret-token");
  });

  it("is other text as it is, and null for long text", async () => {
    expect((await refusedWith("7b")).id).toBe("7b");
    expect((await refusedWith("x".repeat(101))).id).toBeNull();
  });
});
