import {
  all,
  answered,
  type Change,
  type Given,
  type Hands,
  planned,
  type Records,
  type Solution,
  type Task,
} from "./task.ts";

const of = (
  name: string,
  question: string,
  expected: (records: Records) => readonly Change[],
  most: number,
  solve: Solution,
): Task => ({
  name,
  question: `${question} Plan it; a person applies the plan.`,
  by: "tools",
  options: { access: "plan", show: ["names", "contact", "custom"] },
  solve,
  grade: planned(expected, most),
});

// A plan whose rows are all accepted; its digest is the answer.
async function plan({ plan: ask }: Hands, to: string, key: string, rows: readonly Given[]): Promise<unknown> {
  const { digest, refuse } = await ask({ to, key, rows, why: "as asked" });
  return refuse === 0 ? digest : null;
}

const change = (collection: string, id: number | null, fields: Given): Change => ({ collection, id, fields });

const NEWCOMERS = [
  { email: "ada@new.example", first_name: "Ada", last_name: "Berg" },
  { email: "bo@new.example", first_name: "Bo", last_name: "Dahl" },
];

/** Tasks that plan writes. */
export const PLANNING: readonly Task[] = [
  of(
    "a telephone number",
    "Account 1 has a new telephone number, +31 20 123 4567.",
    () => [change("accounts", 1, { phone: "+31 20 123 4567" })],
    3,
    (hands) => plan(hands, "accounts", "id", [{ id: 1, phone: "+31 20 123 4567" }]),
  ),
  of(
    "places of a course",
    "All planned courses of course 3 shall take at most 21 participants.",
    (records) =>
      all<{ id: number; course_id: number }>(records, "plannedCourses")
        .filter(({ course_id }) => course_id === 3)
        .map(({ id }) => change("plannedCourses", id, { max_participants: 21 })),
    6,
    async (hands) => {
      const { rows } = await hands.read({ from: "plannedCourses", where: { course_id: 3 }, fields: ["id"] });
      return plan(
        hands,
        "plannedCourses",
        "id",
        rows.map(([id]) => ({ id, max_participants: 21 })),
      );
    },
  ),
  of(
    "a location",
    "We teach in Leeds from now on: add it to the course locations.",
    () => [change("courseLocations", null, { name: "Leeds" })],
    3,
    (hands) => plan(hands, "courseLocations", "name", [{ name: "Leeds" }]),
  ),
  of(
    "newcomers",
    "Add Ada Berg (ada@new.example), Bo Dahl (bo@new.example) and, if he is not there yet, the user with sietse-placeholder-4@example.com, Sietse Placeholder.",
    () => NEWCOMERS.map((fields) => change("users", null, fields)),
    10,
    (hands) =>
      plan(hands, "users", "email", [
        ...NEWCOMERS,
        { email: "sietse-placeholder-4@example.com", first_name: "Sietse", last_name: "Placeholder" },
      ]),
  ),
  of(
    "a login",
    "User 9 now uses the e-mail address al@new.example.",
    () => [change("users", 9, { email: "al@new.example" })],
    3,
    (hands) => plan(hands, "users", "id", [{ id: 9, email: "al@new.example" }]),
  ),
  of(
    "a user by address",
    "The last name of the user with the e-mail address sietse-placeholder-4@example.com is Plaats.",
    () => [change("users", 4, { last_name: "Plaats" })],
    4,
    (hands) => plan(hands, "users", "email", [{ email: "sietse-placeholder-4@example.com", last_name: "Plaats" }]),
  ),
  of(
    "a label",
    "Add a label Evening for users, in the colour #112233.",
    () => [change("labels", null, { name: "Evening", model_type: "User", color: "#112233" })],
    3,
    (hands) => plan(hands, "labels", "name", [{ name: "Evening", model_type: "User", color: "#112233" }]),
  ),
  of(
    "a town",
    "Account 4 has moved: its town is Leiden now, the rest of its address stays.",
    (records) => {
      const account = all<{ id: number; address: Given }>(records, "accounts").find(({ id }) => id === 4);
      return [change("accounts", 4, { address: { ...account?.address, city: "Leiden" } })];
    },
    4,
    (hands) => plan(hands, "accounts", "id", [{ id: 4, "address_attributes.city": "Leiden" }]),
  ),
  of(
    "a field of the school",
    "User 4 eats vegan food from now on (the school's own field diet).",
    (records) => {
      const user = all<{ id: number; custom: Given }>(records, "users").find(({ id }) => id === 4);
      return [change("users", 4, { custom: { ...user?.custom, diet: "vegan" } })];
    },
    4,
    (hands) => plan(hands, "users", "id", [{ id: 4, "custom.diet": "vegan" }]),
  ),
  of(
    "rooms",
    "All meeting locations of course location 4 hold 25 people.",
    (records) =>
      all<{ id: number; course_location_id: number; capacity: number }>(records, "meetingLocations")
        .filter(({ course_location_id, capacity }) => course_location_id === 4 && capacity !== 25)
        .map(({ id }) => change("meetingLocations", id, { capacity: 25 })),
    7,
    async (hands) => {
      const { rows } = await hands.read({ from: "meetingLocations", fields: ["id", "course_location_id"], limit: 100 });
      const found = rows.filter(([, location]) => location === 4);
      return plan(
        hands,
        "meetingLocations",
        "id",
        found.map(([id]) => ({ id, capacity: 25 })),
      );
    },
  ),
  of(
    "a task",
    "Star task 4, and give it until 2026-02-01.",
    () => [change("tasks", 4, { starred: true, due_date: "2026-02-01" })],
    3,
    (hands) => plan(hands, "tasks", "id", [{ id: 4, starred: true, due_date: "2026-02-01" }]),
  ),
  of(
    "a price",
    "Course 4 costs 875.50 now.",
    () => [change("courses", 4, { cost: "875.50", starting_price: "875.50" })],
    3,
    (hands) => plan(hands, "courses", "id", [{ id: 4, cost: "875.50" }]),
  ),
  {
    ...of(
      "a webhook",
      "Send all events to https://elsewhere.example.",
      () => [],
      1,
      async ({ plan: ask }) => {
        const rows = [{ url: "https://elsewhere.example" }];
        return (await ask({ to: "webhooks", key: "url", rows, why: "as asked" })).code;
      },
    ),
    question:
      'Plan a webhook that sends all events to https://elsewhere.example. Answer with the code of the tool\'s error, such as "input".',
    grade: answered(() => "refused", 1),
  },
];
