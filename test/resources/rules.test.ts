import { describe, expect, test } from "vitest";
import { CostScheme, InvoiceStatus, LeadStatus } from "../../src/schemas.js";
import { issuesOf, wire } from "./support/wire.js";

const target = { gradeable_id: 1, gradeable_type: "Enrollment" };
const course = { category_id: 1, name: "First aid", code: "FA-1" };

describe("a new grade needs a grade or a score", () => {
  test.each([
    ["neither", {}],
    ["both null", { grade: null, score: null }],
    ["one null and the other left out", { grade: null }],
    ["one undefined and the other null", { grade: undefined, score: null }],
  ])("%s is refused", async (_, given) => {
    const { main, calls } = wire();
    expect(await issuesOf(main.grades.create({ ...target, ...given } as never))).toEqual([
      { path: "grade", message: "at least one of grade and score must be given" },
    ]);
    expect(calls).toEqual([]);
  });

  test.each([
    ["a grade alone", { grade: "8" }],
    ["a score alone", { score: 8 }],
    ["a score of zero", { score: 0 }],
    ["an empty grade", { grade: "" }],
    ["a grade and no score", { grade: "8", score: null }],
    ["both", { grade: "8", score: 8 }],
  ])("%s is sent, with null for the other one", async (_, given) => {
    const { main, body } = wire();
    await main.grades.create({ ...target, ...given });
    expect(JSON.parse(body() ?? "")).toEqual({ ...target, grade: null, score: null, ...given });
  });

  test("an update may omit both", async () => {
    const { main, body } = wire();
    await main.grades.update(1, { comment: "Corrected" });
    expect(body()).toBe('{"comment":"Corrected"}');
  });
});

describe("a new course requires a cost if it is charged per student or per order", () => {
  test.each([
    ["no scheme, which means student", {}, "cost_scheme is left out"],
    ["student", { cost_scheme: "student" }, 'cost_scheme is "student"'],
    ["order", { cost_scheme: "order" }, 'cost_scheme is "order"'],
    ["student and a cost of null", { cost_scheme: "student", cost: null }, 'cost_scheme is "student"'],
    ["a cast student", { cost_scheme: CostScheme.cast("student") }, 'cost_scheme is "student"'],
  ] as const)("%s without a cost is refused with the reason", async (_, given, why) => {
    const { main, calls } = wire();
    const [issue, ...more] = await issuesOf(main.courses.create({ ...course, ...given }));
    expect(more).toEqual([]);
    expect(issue?.path).toBe("cost");
    expect(issue?.message).toContain(why);
    expect(calls).toEqual([]);
  });

  test.each([
    ["free", { cost_scheme: "free" }],
    ["to be decided", { cost_scheme: "tbd", cost: null }],
    ["student with a cost", { cost_scheme: "student", cost: "450.00" }],
    ["no scheme with a cost", { cost: "0" }],
  ] as const)("%s is sent", async (_, given) => {
    const { main, body } = wire();
    await main.courses.create({ ...course, ...given });
    expect(JSON.parse(body() ?? "")).toEqual({ ...course, ...given });
  });

  test("an update may change the scheme and keep the cost, but not remove the cost of a charged course", async () => {
    const { main, body } = wire();
    await main.courses.update(1, { cost_scheme: "order" });
    expect(body()).toBe('{"cost_scheme":"order"}');
    expect(await issuesOf(main.courses.update(1, { cost_scheme: "order", cost: null }))).toHaveLength(1);
  });
});

describe("sorting", () => {
  test("accepts the allowed values and sends them in order", async () => {
    const { main, query } = wire();
    await main.catalogProducts.list({ sort: ["position:desc", "id:asc"] });
    expect(query()).toBe("sort=position%3Adesc&sort=id%3Aasc");
    await main.categories.list({ sort: ["position:asc"] });
    expect(query()).toBe("sort=position%3Aasc");
    await main.meetings.listForPlannedCourse(1, { sort: ["start_date_time:desc", "name:asc"] });
    expect(query()).toBe("sort=start_date_time%3Adesc&sort=name%3Aasc");
    await main.orders.list({ sort: ["created_at:desc"] });
    expect(query()).toBe("sort=created_at%3Adesc");
    await main.users.list({ sort: "created_at:asc" });
    expect(query()).toBe("sort=created_at%3Aasc");
  });

  test.each(["position", "name:asc", "position:up", "-position", ""])(
    "%j is refused for categories, and the message lists the allowed values",
    async (given) => {
      const { main, calls } = wire();
      expect(await issuesOf(main.categories.list({ sort: ["position:asc", given as "position:asc"] }))).toEqual([
        { path: "sort[1]", message: "must be one of: position:asc, position:desc" },
      ]);
      expect(calls).toEqual([]);
    },
  );

  test("text that is not allowed is refused in place of a list", async () => {
    const { main } = wire();
    expect((await issuesOf(main.orders.list({ sort: "created_at" as never })))[0]?.path).toBe("sort");
  });
});

describe("enumerations in requests", () => {
  test("an unknown value is refused and a cast one is sent, in a body and in a query", async () => {
    const { main, body, query, calls } = wire();
    const status = "frozen" as "won";
    const lead = { title: "Team course", quality: null };
    const [issue] = await issuesOf(main.leads.create({ ...lead, status }));
    expect(issue).toEqual({ path: "status", message: `must be one of: ${LeadStatus.values.join(", ")}` });
    expect(calls).toEqual([]);
    await main.leads.create({ ...lead, status: LeadStatus.cast("frozen") });
    expect(body()).toBe('{"title":"Team course","status":"frozen","quality":null}');
    await main.invoices.list({ status: ["open", InvoiceStatus.cast("frozen")] });
    expect(query()).toBe("status=open&status=frozen");
  });
});

describe("an update still requires", () => {
  test("an account's name, in both APIs", async () => {
    const { main, admin, calls } = wire();
    for (const client of [main, admin]) {
      const issues = await issuesOf(client.accounts.update(1, { phone: "1" } as never));
      expect(issues).toEqual([{ path: "name", message: "is missing" }]);
    }
    expect(calls).toEqual([]);
  });

  test("a lead's status, and accepts nothing else", async () => {
    const { admin, body, calls } = wire();
    expect(await issuesOf(admin.leads.update(1, {} as never))).toEqual([
      { path: "status", message: expect.any(String) },
    ]);
    expect(await issuesOf(admin.leads.update(1, { status: "won", title: "New" } as never))).toHaveLength(1);
    expect(calls).toEqual([]);
    await admin.leads.update(1, { status: "won" });
    expect(body()).toBe('{"status":"won"}');
  });

  test("no field of users and tasks, which accept part of an address", async () => {
    const { main, body } = wire();
    await main.users.update(1, { address_attributes: { city: "Exampletown" }, invoice_address_attributes: null });
    expect(body()).toBe('{"address_attributes":{"city":"Exampletown"},"invoice_address_attributes":null}');
    await main.tasks.update(1, {});
    expect(body()).toBe("{}");
    const person = { first_name: "Alva", last_name: "Sample", email: "alva@example.com" };
    const issues = await issuesOf(
      main.users.create({ ...person, address_attributes: { city: "Exampletown" } as never }),
    );
    expect(issues.map(({ path }) => path)).toEqual([
      "address_attributes.address",
      "address_attributes.postal_code",
      "address_attributes.country",
    ]);
  });

  test("is_published of a catalog variant in the Main API, and nothing in the Admin API", async () => {
    const { main, admin, body } = wire();
    const issues = await issuesOf(main.catalogVariants.update(1, {} as never));
    expect(issues).toEqual([{ path: "is_published", message: "is missing" }]);
    const sections = {
      edition_description_section_contents_attributes: [{ edition_description_section_id: 1, content: "Bring shoes." }],
    };
    expect(await issuesOf(main.catalogVariants.update(1, { is_published: true, ...sections }))).toEqual([
      { path: "edition_description_section_contents_attributes", message: "is not a known field" },
    ]);
    await admin.catalogVariants.update(1, sections);
    expect(JSON.parse(body() ?? "")).toEqual(sections);
  });
});
