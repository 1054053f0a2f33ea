import { describe, expect, it, test, vi } from "vitest";
import * as z from "zod/mini";
import { check } from "../../src/core/schema/issues.js";
import { enumeration } from "../../src/core/schema/model.js";
import { strictSchema } from "../../src/core/schema/strict-schema.js";
import { type ApiError, InputError, MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { CostScheme, InvoiceStatus, invoiceQuerySchema } from "../../src/schemas.js";
import { failure } from "../support/manual-clock.js";

describe("a cast value", () => {
  it("is the text itself, so that comparisons, copies and JSON agree", () => {
    const cast: string = CostScheme.cast("per_seat");
    expect(cast).toBe("per_seat");
    expect(CostScheme.is(cast)).toBe(false);
    expect(structuredClone({ cast })).toEqual({ cast: "per_seat" });
    expect(JSON.stringify([cast])).toBe('["per_seat"]');
  });

  it("is accepted only by its own enumeration, and other unknown texts are still refused", () => {
    const Size = enumeration(["small", "large"]);
    const Colour = enumeration(["red", "blue"]);
    Size.cast("medium");
    expect(z.safeParse(Size.schema, "medium")).toMatchObject({ success: true });
    expect(z.safeParse(Size.schema, "tiny").success).toBe(false);
    expect(z.safeParse(Colour.schema, "medium").success).toBe(false);
  });

  it("of one copy of the library is accepted by another", async () => {
    const cast = InvoiceStatus.cast("disputed");
    vi.resetModules();
    const other = await import("../../src/schemas.js");
    expect(other.InvoiceStatus).not.toBe(InvoiceStatus);
    expect(z.safeParse(other.InvoiceStatus.schema, cast)).toMatchObject({ success: true });
  });

  it("is sent, and refused by a server that does not know it", async () => {
    const client = new MainClient(createSandbox({ size: 10 }));
    const cost_scheme = CostScheme.cast("per_person");
    const error = await failure<ApiError>(client.courses.update(1, { cost_scheme }));
    expect(error).toMatchObject({ code: "api", status: 422 });
    const strict = strictSchema(CostScheme.schema, "received");
    expect(check(strict, cost_scheme).mismatches.map(({ kind }) => kind)).toEqual(["unknown_value"]);
    expect(check(strict, "free").mismatches).toEqual([]);
  });

  it("is refused by a server in a filter of several values too, alone and in an array", () => {
    const status = InvoiceStatus.cast("contested");
    const strict = strictSchema(invoiceQuerySchema, "received");
    expect(check(strict, { status: ["open"] })).toEqual({ value: { status: ["open"] }, mismatches: [] });
    expect(check(strict, { status: "open" }).value).toEqual({ status: ["open"] });
    for (const given of [status, [status]]) {
      expect(check(strict, { status: given }).mismatches.map(({ path }) => path[0])).toEqual(["status"]);
    }
  });

  it("is remembered among the last 1,000 of its enumeration", () => {
    const Letter = enumeration(["a", "b"]);
    for (let at = 0; at < 1_000; at++) Letter.cast(`c${at}`);
    Letter.cast("c0");
    Letter.cast("a");
    Letter.cast("c1000");
    const accepts = (text: string) => z.safeParse(Letter.schema, text).success;
    expect(["c0", "c1", "c2", "c1000", "a"].map(accepts)).toEqual([true, false, true, true, true]);
  });
});

test.each([
  ["a symbol", Symbol("x")],
  ["a number", 7],
  ["empty text", ""],
  ["nothing", undefined],
  ["a text object", new String("x")],
  ["201 characters", "x".repeat(201)],
])("casting %s throws InputError", (_, value) => {
  expect(() => CostScheme.cast(value as never)).toThrow(InputError);
  expect(() => CostScheme.cast(value as never)).toThrow("must be text of 1 to 200 characters");
});
