import { describe, expect, test } from "vitest";
import { CostScheme } from "../../src/schemas.js";
import { issuesOf, wire } from "./support/wire.js";

const program = { name: "First aid", category_id: 1 };
const edition = { program_id: 1, name: "Spring" };

describe("a cost that the scheme requires", () => {
  test.each([
    ["student", { cost_scheme: "student" }],
    ["order", { cost_scheme: "order", cost: null }],
    ["a cast order", { cost_scheme: CostScheme.cast("order") }],
  ] as const)("a new program without one is refused: %s", async (_, given) => {
    const { main, admin, calls } = wire();
    for (const client of [main, admin]) {
      const [issue, ...more] = await issuesOf(client.programs.create({ ...program, ...given }));
      expect(more).toEqual([]);
      expect(issue?.path).toBe("cost");
      expect(issue?.message).toContain(
        `is required when cost_scheme is "${given.cost_scheme}"; give a price such as 450`,
      );
    }
    expect(calls).toEqual([]);
  });

  test.each([
    ["no scheme, which means student", {}, "cost_scheme is left out"],
    ["order", { cost_scheme: "order", cost: null }, 'cost_scheme is "order"'],
  ] as const)("a new edition without one is refused: %s", async (_, given, why) => {
    const { main, admin, calls } = wire();
    for (const client of [main, admin]) {
      const [issue] = await issuesOf(client.programEditions.create({ ...edition, ...given }));
      expect([issue?.path, issue?.message]).toEqual(["cost", expect.stringContaining(why)]);
    }
    expect(calls).toEqual([]);
  });

  test.each(["free", "tbd"] as const)("%s needs no cost", async (cost_scheme) => {
    const { main, body } = wire();
    await main.programs.create({ ...program, cost_scheme });
    expect(JSON.parse(body() ?? "")).toEqual({ ...program, cost_scheme });
    await main.programEditions.create({ ...edition, cost_scheme, cost: null });
    expect(JSON.parse(body() ?? "")).toEqual({ ...edition, cost_scheme, cost: null });
  });

  test("cannot be removed by an update that sets such a scheme", async () => {
    const { main, admin, calls, body } = wire();
    const taken = { cost_scheme: "student", cost: null } as const;
    for (const client of [main, admin]) {
      expect((await issuesOf(client.programs.update(1, taken)))[0]?.message).toContain('give a price such as "450.00"');
      expect((await issuesOf(client.programEditions.update(1, taken)))[0]?.path).toBe("cost");
    }
    expect(calls).toEqual([]);
    await main.programs.update(1, { cost_scheme: "order" });
    expect(body()).toBe('{"cost_scheme":"order"}');
  });
});

describe("the wire type of a cost", () => {
  test("is an integer for a new program, a number for a new edition, text in updates", async () => {
    const { main, body, calls } = wire();
    await main.programs.create({ ...program, cost_scheme: "student", cost: 450 });
    expect(body()).toContain('"cost":450');
    await main.programEditions.create({ ...edition, cost: 449.5 });
    expect(body()).toContain('"cost":449.5');
    await main.programs.update(1, { cost: "475.00" });
    expect(body()).toBe('{"cost":"475.00"}');
    await main.programEditions.update(1, { cost: "475.00" });
    expect(body()).toBe('{"cost":"475.00"}');
    calls.length = 0;
    const refused = [
      main.programs.create({ ...program, cost_scheme: "student", cost: 449.5 }),
      main.programs.create({ ...program, cost_scheme: "student", cost: "450.00" } as never),
      main.programEditions.create({ ...edition, cost: "450.00" } as never),
      main.programs.update(1, { cost: 475 } as never),
      main.programEditions.update(1, { cost: 475 } as never),
    ];
    for (const call of refused) expect((await issuesOf(call)).map(({ path }) => path)).toEqual(["cost"]);
    expect(calls).toEqual([]);
  });
});

describe("fields of only one API", () => {
  test("dates of an edition: Admin only; the program of an existing edition: Main only", async () => {
    const { main, admin, body } = wire();
    const dates = { start_date: "2030-03-01", end_date: new Date("2030-06-30T00:00:00Z") };
    await admin.programEditions.create({ ...edition, cost: 450, ...dates });
    expect(JSON.parse(body() ?? "")).toMatchObject({ start_date: "2030-03-01", end_date: "2030-06-30" });
    await admin.programEditions.update(1, { end_date: null });
    expect(body()).toBe('{"end_date":null}');
    await main.programEditions.update(1, { program_id: 2 });
    expect(body()).toBe('{"program_id":2}');
    const refused = [
      [main.programEditions.create({ ...edition, cost: 450, start_date: "2030-03-01" } as never), "start_date"],
      [main.programEditions.update(1, { end_date: "2030-06-30" } as never), "end_date"],
      [admin.programEditions.update(1, { program_id: 2 } as never), "program_id"],
    ] as const;
    for (const [call, path] of refused) expect((await issuesOf(call)).map((issue) => issue.path)).toEqual([path]);
  });

  test("texts of a program's tabs: by id in Main, by tab in Admin", async () => {
    const { main, admin, body } = wire();
    const byId = { course_tab_contents_attributes: [{ id: 3, content: "New" }] };
    const byTab = { course_tab_contents_attributes: [{ course_tab_id: 1, content: "New" }] };
    await main.programs.update(1, byId);
    expect(JSON.parse(body() ?? "")).toEqual(byId);
    await admin.programs.update(1, byTab);
    expect(JSON.parse(body() ?? "")).toEqual(byTab);
    expect((await issuesOf(main.programs.update(1, byTab as never)))[0]?.path).toBe(
      "course_tab_contents_attributes[0].id",
    );
    expect(await issuesOf(admin.programs.update(1, byId as never))).toHaveLength(2);
  });
});

test("a program element keeps its course", async () => {
  const { main, calls } = wire();
  expect((await issuesOf(main.programElements.update(1, { course_id: 2 } as never)))[0]?.path).toBe("course_id");
  expect(calls).toEqual([]);
});

test.each([
  ["text", "Vegetarian"],
  ["true or false", true],
  ["several texts", ["a", "b"]],
  ["nothing", null],
])("the value of a signup question can be %s", async (_, value) => {
  const { main, body } = wire();
  const answers = { signup_answers_attributes: [{ signup_question_id: 4, value }] };
  await main.programs.update(1, answers);
  expect(JSON.parse(body() ?? "")).toEqual(answers);
});
