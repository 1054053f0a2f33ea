import { describe, expect, test } from "vitest";
import { NotFoundError, UnprocessableEntityError } from "../../src/index.js";
import { ask, failure, ids, main, small } from "./support.js";

describe("the APIs", () => {
  test("create a record with the sent fields and no others", async () => {
    const sandbox = small();
    const account = await main(sandbox).accounts.create({
      name: "Example Ltd",
      label_ids: [5],
      custom: { sector: "care" },
      address_attributes: { address: "Main Street 1", postal_code: "1000 AA", city: "Exampletown", country: "NL" },
    });
    expect(account).toMatchObject({
      id: 41,
      name: "Example Ltd",
      account_type: "business",
      email: null,
      phone: null,
      label_ids: [5],
      users_count: 0,
      slug: "example-ltd-41",
      custom: { sector: "care" },
      address: {
        addressee: null,
        address: "Main Street 1",
        postal_code: "1000 AA",
        city: "Exampletown",
        country: "NL",
      },
    });
    expect(account.created_at).toMatch(/^2030-06-01T12:00:0/);
    expect(await main(sandbox).accounts.get(41)).toEqual(account);
    expect(sandbox.store.accounts.get(41)).toEqual(account);
  });

  test("change the sent fields in an update, keep the rest, and clear with null", async () => {
    const sandbox = small();
    const before = sandbox.store.accounts.get(1);
    const { updated_at: _, ...after } = await main(sandbox).accounts.update(1, {
      name: "New Ltd",
      phone: null,
      custom: { newsletter: false },
    });
    const { updated_at: __, ...expected } = {
      ...before,
      name: "New Ltd",
      phone: null,
      custom: { ...before?.custom, newsletter: false },
    };
    expect(after).toEqual(expected);
  });

  test("change the sent parts of an address, and clear the whole with null", async () => {
    const sandbox = small();
    const { courseLocations } = main(sandbox);
    const before = {
      addressee: "A",
      address: "Sample Lane 1",
      postal_code: "1000 XX",
      city: "Testhaven",
      country: "NL",
      address_line2: null,
      state_province: null,
    };
    sandbox.store.courseLocations.update(1, { address: before });
    const moved = await courseLocations.update(1, { address_attributes: { city: "Mockburg" } });
    expect(moved.address).toEqual({ ...before, city: "Mockburg" });
    expect((await courseLocations.update(1, { address_attributes: null })).address).toBeNull();
    expect((await courseLocations.update(1, { address_attributes: { city: "Testhaven" } })).address).toEqual({
      addressee: null,
      address: null,
      postal_code: null,
      city: "Testhaven",
      country: null,
      address_line2: null,
      state_province: null,
    });
  });

  test("update a category's counters when courses, products and categories are added and removed", async () => {
    const sandbox = small();
    const { categories, courses, catalogProducts } = main(sandbox);
    const counts = async (id: number) => {
      const { courses_count, products_count, children_count } = await categories.get(id);
      return [courses_count, products_count, children_count];
    };
    const [[courses1, products1, children1], [courses2, products2, children2]] = [await counts(1), await counts(2)] as [
      [number, number, number],
      [number, number, number],
    ];
    const course = await courses.create({ category_id: 1, name: "New", code: "N", cost: "1.00" });
    const child = await categories.create({ name: "Child", parent_id: 1 });
    const product = sandbox.store.catalogProducts.find(({ category_id }) => category_id === 1) as { id: number };
    expect(await counts(1)).toEqual([courses1 + 1, products1, children1 + 1]);
    await courses.update(course.id, { category_id: 2 });
    await categories.update(child.id, { parent_id: 2 });
    await catalogProducts.update(product.id, { category_id: 2 });
    expect(await counts(1)).toEqual([courses1, products1 - 1, children1]);
    expect(await counts(2)).toEqual([courses2 + 1, products2 + 1, children2 + 1]);
    await categories.update(child.id, { parent_id: null });
    expect(await counts(2)).toEqual([courses2 + 1, products2 + 1, children2]);
  });

  test("delete a record: it is gone from its list, returns 404, and nothing else changes", async () => {
    const sandbox = small();
    const { courseLocations } = main(sandbox);
    const before = ids(await courseLocations.list().toArray({ max: 100 }));
    expect(await courseLocations.delete(2)).toBeUndefined();
    await expect(courseLocations.get(2)).rejects.toBeInstanceOf(NotFoundError);
    await expect(courseLocations.delete(2)).rejects.toBeInstanceOf(NotFoundError);
    expect(ids(await courseLocations.list().toArray({ max: 100 }))).toEqual(before.filter((id) => id !== 2));
  });

  test("refuse a body that refers to a missing record, with the field", async () => {
    const error = await failure(main(small()).invoices.create({ account_id: 999 }));
    expect(error).toBeInstanceOf(UnprocessableEntityError);
    expect(error.errors).toEqual({ account_id: ["refers to a record that does not exist"] });
    const nested = await failure(
      main(small()).invoices.create({
        account_id: 1,
        invoice_items_attributes: [{ name: "x", units: 1, unit_price: "1.00", invoice_vat_id: 77 }],
      }),
    );
    expect(nested.errors).toEqual({
      "invoice_items_attributes[0].invoice_vat_id": ["refers to a record that does not exist"],
    });
  });

  test("refuse unknown, missing and wrongly typed fields with 422 and their names", async () => {
    const sandbox = small();
    const send = (body: string) => ask(sandbox, "api/v1/affiliations", { method: "POST", body });
    expect((await send(JSON.stringify({ user_id: 1, account_id: 1, extra: 1 }))).body).toMatchObject({
      code: 422,
      errors: { extra: ["is not a known field"] },
    });
    expect((await send(JSON.stringify({ user_id: "1" }))).body).toMatchObject({
      code: 422,
      errors: { user_id: [expect.any(String)], account_id: [expect.any(String)] },
    });
    expect((await send("{")).body).toMatchObject({ code: 400, message: "The body is not JSON" });
    expect((await send("[]")).status).toBe(422);
    expect((await send("")).status).toBe(422);
  });
});
