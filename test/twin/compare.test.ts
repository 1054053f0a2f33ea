import { expect, test } from "vitest";
import { compareTwins, type FieldShape, type Twin } from "../../src/twin/index.js";
import { drawCases } from "../support/amount.js";
import { type Deviation, field, headers, records, school, twinOf } from "./support.js";

const lists = ["users", "accounts", "orders", "invoices", "leads", "affiliations", "enrollments"];
const manners = (values: object): Deviation => ({ options: { manners: values } as Deviation["options"] & object });
const questions = (change: (record: Record<string, unknown>) => Record<string, unknown> | undefined): Deviation =>
  records("signup_questions", (record) =>
    record.slug === "diet" || record.slug === "sector" ? change(record) : record,
  );

// Each change of a school, with a part of the path that the comparison must name.
const MUTATIONS: readonly (readonly [string, Deviation])[] = [
  ...lists.map((list) => [`shape.${list}.mood`, field(list, "mood", "Text")] as const),
  ...lists.map((list) => [`shape.${list}.updated_at`, field(list, "updated_at", undefined)] as const),
  ...lists.map((list) => [`shape.${list}.created_at: null`, field(list, "created_at", null, 2)] as const),
  ...["orders.status", "invoices.status", "leads.status", "enrollments.status", "users.locale"].map((path) => {
    const [list = "", name = ""] = path.split(".");
    return [`shape.${path}: =in_dispute`, field(list, name, "in_dispute", list === "leads" ? 1 : 3)] as const;
  }),
  ["shape.users.first_name: number", field("users", "first_name", 7, 2)],
  [
    "shape.invoices.status: =paid",
    records("invoices", (each) => ({ ...each, ...(each.status === "paid" && { status: "open" }) })),
  ],
  ["shape.users.address", records("users", ({ address: _, ...user }) => user)],
  [
    "shape.users.custom.shoe_size",
    records("users", (user) => ({ ...user, custom: { ...(user.custom as object), shoe_size: "42" } })),
  ],
  ["headers.x-served-by", headers({ "x-served-by": "a" })],
  ["manners.total", manners({ total: "absent" })],
  ["manners.links", manners({ links: "relative" })],
  ["manners.order", manners({ order: "newest first" })],
  ["manners.times", manners({ times: "whole seconds" })],
  ["manners.decimals", manners({ decimals: "four places" })],
  ["manners.withoutKey", manners({ withoutKey: "401" })],
  ["manners.unknownKey", manners({ unknownKey: "401" })],
  ["manners.errors", manners({ errors: "an empty list" })],
  ["manners.unknownFilters", manners({ unknownFilters: "ignored" })],
  ["manners.arrays", manners({ arrays: "repeated" })],
  ["manners.lastPage", manners({ lastPage: "has an empty next" })],
  ["disabledFeatures.Programs", { options: { disabledFeatures: ["Programs"] } }],
  ["unread.customObjects", { options: { disabledFeatures: ["Custom objects"] } }],
  ["school.users.diet: field removed", questions((each) => (each.slug === "diet" ? undefined : each))],
  ["school.users.diet: field required", questions((each) => ({ ...each, required: true }))],
  ["school.users.diet: field title", questions((each) => ({ ...each, title: "Another" }))],
  ["school.users.diet: field type", questions((each) => ({ ...each, field_type: "string" }))],
  ["school.users.diet: option removed", questions((each) => ({ ...each, choices: ["none"] }))],
  [
    "school.users.allergy: field added",
    questions((each) => (each.slug === "diet" ? { ...each, slug: "allergy" } : each)),
  ],
  ["school.objects.equipment", records("custom/objects", (each) => (each.slug === "equipment" ? undefined : each))],
  ...(
    [
      ["categories", "categories"],
      ["courses", "courses"],
      ["labels", "labels"],
      ["program/programs", "programs"],
      ["course_locations", "courseLocations"],
    ] as const
  ).flatMap(
    ([path, list]) =>
      [
        [`data.${list}.2: went`, records(path, (each) => (each.id === 2 ? undefined : each))],
        [`data.${list}.2.name`, records(path, (each) => (each.id === 2 ? { ...each, name: "Another" } : each))],
        [`data.${list}.9002: came`, records(path, (each) => (each.id === 2 ? { ...each, id: 9_002 } : each))],
      ] as const,
  ),
];

let asItWas: Promise<Twin> | undefined;
const paths = async (deviation: Deviation): Promise<string[]> => {
  asItWas ??= twinOf(await school());
  const changes = compareTwins(await asItWas, await twinOf(await school(deviation)));
  return changes.map(({ path, change }) => `${path}: ${change}`);
};

test("there are sixty mutations", () => expect(MUTATIONS.length).toBeGreaterThanOrEqual(60));

test.each(drawCases(MUTATIONS, 4))("names the change: %s", async (path, deviation) => {
  expect((await paths(deviation)).filter((each) => each.startsWith(path)).length).toBeGreaterThan(0);
});

test.each([61, 66, 75, 120])("reports nothing for a school that grew to %d people", async (size) => {
  asItWas ??= twinOf(await school());
  const [before, now] = [await asItWas, await twinOf(await school({ options: { size } }))];
  // In the sandbox, a larger school also has more courses.
  expect(compareTwins(before, now).filter(({ path }) => !path.startsWith("data."))).toEqual([]);
});

test.each([
  ["30 records, of which three are to be expected", 30, []],
  ["400 records, of which none can have been missed by chance", 400, ["shape.users.email: null"]],
] as const)("a value that every tenth record now has is new if no record of %s had it", async (_, users, paths) => {
  asItWas ??= twinOf(await school());
  const twin = await asItWas;
  const withEmail = (email: FieldShape): Twin => ({ ...twin, counts: { users }, shape: { users: { email } } });
  const changes = compareTwins(withEmail({ most: "text" }), withEmail({ most: "text", null: 10 }));
  expect(changes.map(({ path }) => path)).toEqual(paths);
});
