import { describe, expect, test } from "vitest";
import * as z from "zod";
import * as schemas from "../../src/schemas.js";

const exported = Object.entries(schemas as Record<string, unknown>).filter(
  (entry): entry is [string, z.core.$ZodType] => "_zod" in (entry[1] as object),
);

describe("zod's JSON Schema export writes what the wire carries", () => {
  test.each(exported)("%s, with nothing that JSON cannot say", (_, schema) => {
    const written = z.toJSONSchema(schema, { io: "input" });
    expect(written.type).toBe("object");
    expect(JSON.stringify(written)).not.toContain("{}]");
  });

  test("dates, date-times, decimals, identifiers as text and enumerations as text of their form", () => {
    const fields = (schema: z.core.$ZodType) => z.toJSONSchema(schema, { io: "input" }).properties;
    expect(fields(schemas.meetingUpdateSchema)?.start_date_time).toMatchObject({ type: "string", format: "date-time" });
    expect(fields(schemas.courseEditionQuerySchema)?.end_date_from).toMatchObject({ type: "string", format: "date" });
    expect(fields(schemas.accountSchema)?.created_at).toEqual({ type: "string", format: "date-time" });
    expect(fields(schemas.invoiceSchema)?.total_incl).toEqual({ type: "string", format: "decimal" });
    expect(fields(schemas.invoiceVatCreateSchema)?.percentage).toEqual({
      type: "string",
      pattern: "^-?\\d+(\\.\\d+)?$",
    });
    expect(fields(schemas.orderQuerySchema)?.creator_id).toEqual({ type: "string", pattern: "^[1-9]\\d*$" });
    expect(fields(schemas.labelCreateSchema)?.model_type).toEqual({
      type: "string",
      enum: schemas.LabelModelTypeInput.values,
    });
  });
});
