import { describe, expect, test } from "vitest";
import * as z from "zod";
import * as schemas from "../../src/schemas.js";

const exported = Object.entries(schemas as Record<string, unknown>).filter(
  (entry): entry is [string, z.core.$ZodType] => "_zod" in (entry[1] as object),
);

// Records for which the service description does not show every field: `openModel()`.
const OPEN = new Set(["departmentSchema", "orderCommentSchema", "relatedRecordSchema"]);

// The schemas of each form of a record.
function formsOf(written: z.core.JSONSchema.BaseSchema): z.core.JSONSchema.BaseSchema[] {
  return (written.anyOf ?? written.oneOf)?.flatMap(formsOf) ?? [written];
}

describe("zod's JSON Schema export describes the data on the wire", () => {
  test.each(exported)("%s, with nothing that JSON cannot represent", (_, schema) => {
    const written = z.toJSONSchema(schema, { io: "input" });
    for (const form of formsOf(written)) expect(form.type).toBe("object");
    expect(JSON.stringify(written)).not.toContain("{}]");
  });

  test("dates, date-times, decimals, text identifiers and enumerations have a format or a list of values", () => {
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
    expect(fields(schemas.accountUpdateSchema)?.email).toMatchObject({
      anyOf: [{ type: "string", format: "email" }, { type: "null" }],
    });
    expect(fields(schemas.webhookCreateSchema)?.url).toMatchObject({ type: "string", format: "uri" });
    expect(fields(schemas.labelCreateSchema)?.model_type).toEqual({
      type: "string",
      enum: schemas.LabelModelTypeInput.values,
    });
  });
});

describe("closed()", () => {
  /** The objects that name fields, as opposed to those with arbitrary keys. */
  const objectsOf = (written: unknown): Record<string, unknown>[] => {
    if (typeof written !== "object" || written === null) return [];
    const { properties } = written as { properties?: object };
    const isObject = "type" in written && Object.keys(properties ?? {}).length > 0;
    return [...(isObject ? [written as Record<string, unknown>] : []), ...Object.values(written).flatMap(objectsOf)];
  };

  test.each(exported.filter(([name]) => !OPEN.has(name)))(
    "%s refuses unknown fields in JSON Schema",
    (name, schema) => {
      const objects = objectsOf(z.toJSONSchema(schemas.closed(schema), { io: "input" }));
      if (name !== "customAssociationsPayloadSchema") expect(objects).not.toEqual([]);
      // Only the identifier of a record within a planned course is known.
      const isRelated = ({ properties }: Record<string, unknown>) => Object.keys(properties as object).join() === "id";
      for (const object of objects) if (!isRelated(object)) expect(object.additionalProperties).toBe(false);
    },
  );

  test.each([...OPEN])("%s stays open, because not all of its fields are known", (name) => {
    const schema = (schemas as unknown as Record<string, z.core.$ZodType>)[name] as z.core.$ZodType;
    expect(z.toJSONSchema(schemas.closed(schema)).additionalProperties).toEqual({});
  });

  test("refuses unknown fields on every level and unknown values even of incomplete enumerations", () => {
    const address = { address: "Example Street 1", postal_code: "1000 AA", city: "Utrecht", country: "NL" };
    const body = { name: "Example Ltd", address_attributes: address };
    const account = schemas.closed(schemas.accountCreateSchema);
    expect(account.parse(body)).toEqual(body);
    expect(account.safeParse({ ...body, nmae: "typo" }).success).toBe(false);
    expect(account.safeParse({ ...body, address_attributes: { ...address, town: "Utrecht" } }).success).toBe(false);
    expect(schemas.accountCreateSchema.safeParse({ ...body, nmae: "typo" })).toMatchObject({ success: true });

    const courseLead = { id: 1, course_id: 2, lead_id: 3, planned_course_id: null };
    expect(schemas.closed(schemas.courseLeadSchema).parse(courseLead)).toEqual(courseLead);
    const written = z.toJSONSchema(schemas.closed(schemas.orderSchema)).properties?.status;
    expect(written).toEqual({ type: "string", enum: [...schemas.OrderStatus.values] });
  });
});
