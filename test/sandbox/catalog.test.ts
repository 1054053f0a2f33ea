import { describe, expect, test } from "vitest";
import { InputError } from "../../src/index.js";
import { admin, ask, failure, main, small } from "./support.js";

describe("single resources behave as the service description says", () => {
  test("courses: cost_scheme defaults to student for a new course, which then requires cost", async () => {
    const sandbox = small();
    const { courses } = main(sandbox);
    const base = { category_id: 1, name: "First Aid", code: "FA" };
    expect(await courses.create({ ...base, cost: "10.00" })).toMatchObject({
      cost_scheme: "student",
      cost: "10.00",
      starting_price: "10.00",
    });
    expect(await courses.create({ ...base, cost_scheme: "free" })).toMatchObject({ cost_scheme: "free", cost: null });
    for (const body of [base, { ...base, cost: null }, { ...base, cost_scheme: "order" as const }]) {
      await expect(courses.create(body)).rejects.toBeInstanceOf(InputError);
      const { status } = await ask(sandbox, "api/v1/courses", { method: "POST", body: JSON.stringify(body) });
      expect(status).toBe(422);
    }
  });

  test("courses: an update cannot leave a charged course without a cost", async () => {
    const sandbox = small();
    sandbox.store.courses.update(1, { cost: null, cost_scheme: "free" });
    const { courses } = main(sandbox);
    expect((await failure(courses.update(1, { cost_scheme: "order" }))).errors).toEqual({
      cost: ["is required when cost_scheme is order"],
    });
    expect(await courses.update(1, { cost_scheme: "order", cost: "5.00" })).toMatchObject({ cost: "5.00" });
  });

  test("is_published takes the sent value, on courses, products, variants and categories", async () => {
    const sandbox = small();
    const client = main(sandbox);
    for (const value of [false, true]) {
      for (const resource of [client.courses, client.catalogProducts, client.catalogVariants, client.categories]) {
        expect((await resource.update(1, { is_published: value })).is_published).toBe(value);
        expect((await resource.get(1)).is_published).toBe(value);
      }
    }
  });

  test("contents of course tabs: a known content id changes the content, any other adds one", async () => {
    const { catalogProducts } = main(small());
    const updated = await catalogProducts.update(2, {
      course_tab_contents_attributes: [
        { id: 3, course_tab_id: 1, content: "Changed" },
        { id: 99, course_tab_id: 4, content: "Added" },
      ],
    });
    expect(updated.course_tab_contents).toEqual([
      { id: 3, course_tab_id: 1, content: "Changed" },
      { id: 4, course_tab_id: 2, content: "Bring a notebook." },
      { id: 5, course_tab_id: 4, content: "Added" },
    ]);
  });

  test("catalog variants: Main requires is_published, Admin does not and returns the section contents", async () => {
    const sandbox = small();
    const contents = [{ edition_description_section_id: 1, content: "New" }];
    const updated = await admin(sandbox).catalogVariants.update(1, {
      edition_description_section_contents_attributes: contents,
    });
    expect(updated.edition_description_section_contents).toEqual(contents);
    expect(await main(sandbox).catalogVariants.get(1)).not.toHaveProperty("edition_description_section_contents");
    const { status } = await ask({ ...sandbox, apiKey: sandbox.main.apiKey }, "api/v1/catalog/variants/1", {
      method: "PUT",
      body: "{}",
    });
    expect(status).toBe(422);
  });
});
