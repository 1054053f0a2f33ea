import { describe, expect, test } from "vitest";
import { NotFoundError } from "../../src/index.js";
import { main, small } from "./support.js";

describe("single resources behave as the service description says", () => {
  test("custom records are active by default, have no response body for updates and deletions, and belong to one object", async () => {
    const sandbox = small();
    const { customRecords } = main(sandbox);
    const record = await customRecords.create("equipment", { display_name: "Crane", properties: { weight: "9 t" } });
    expect(record).toEqual({ id: record.id, active: true, display_name: "Crane", properties: { weight: "9 t" } });
    expect(
      await customRecords.update(
        { object_slug: "equipment", record_id: record.id },
        { active: false, properties: { supplier: "Sample" } },
      ),
    ).toBeUndefined();
    expect(await customRecords.get({ object_slug: "equipment", record_id: record.id })).toMatchObject({
      active: false,
      properties: { weight: "9 t", supplier: "Sample" },
    });
    await expect(customRecords.get({ object_slug: "partners", record_id: record.id })).rejects.toBeInstanceOf(
      NotFoundError,
    );
    await expect(customRecords.list("nothing").toArray({ max: 1 })).rejects.toBeInstanceOf(NotFoundError);
    expect(await customRecords.delete({ object_slug: "equipment", record_id: record.id })).toBeUndefined();
    expect(sandbox.store.customRecords.get(record.id)).toBeUndefined();
  });

  test("options of custom fields belong to the field in the path only", async () => {
    const sandbox = small();
    const { customFieldOptions } = main(sandbox);
    const field = { object_type: "accounts", field_slug: "sector" } as const;
    const option = await customFieldOptions.create(field, { value: "retail", enabled: true });
    const values = (await customFieldOptions.list(field).toArray({ max: 10 })).map(({ value }) => value);
    expect(values).toEqual(["industry", "care", "education", "retail"]);
    expect(await customFieldOptions.update({ ...field, option_id: option.id }, { enabled: false })).toBeUndefined();
    expect(await customFieldOptions.get({ ...field, option_id: option.id })).toEqual({
      id: option.id,
      value: "retail",
      enabled: false,
    });
    await expect(
      customFieldOptions.get({ object_type: "users", field_slug: "diet", option_id: option.id }),
    ).rejects.toBeInstanceOf(NotFoundError);
    await expect(
      customFieldOptions.list({ object_type: "users", field_slug: "nothing" }).toArray({ max: 1 }),
    ).rejects.toBeInstanceOf(NotFoundError);
  });
});
