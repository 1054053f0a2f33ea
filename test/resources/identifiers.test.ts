import { describe, expect, test } from "vitest";
import { issuesOf, wire } from "./support/wire.js";

describe("identifiers sent as text", () => {
  test("numbers and text are both sent as text in the queries of meetings, orders, labels and users", async () => {
    const { main, query } = wire();
    await main.meetings.list({ planned_course_id: 7, for_student_id: "8" });
    expect(query()).toBe("planned_course_id=7&for_student_id=8");
    await main.meetings.listForPlannedCourse(7, { for_student_id: 8 });
    expect(query()).toBe("for_student_id=8");
    await main.orders.list({ creator_id: "7", course_id: [8, "9"] });
    expect(query()).toBe("creator_id=7&course_id=8&course_id=9");
    await main.labels.list({ id: [7, "8"] });
    expect(query()).toBe("id=7&id=8");
    await main.users.list({ label_id: [7, "8"] });
    expect(query()).toBe("label_id=7&label_id=8");
    await main.users.list({ label_id: 9 });
    expect(query()).toBe("label_id=9");
  });

  test.each(["", "seven", "7.5", "-7", "0", "07", " 7", "7 ", "7e3", 0, -7, 7.5, Number.NaN])(
    "%j is refused",
    async (given) => {
      const { main, calls } = wire();
      const message = expect.stringContaining("must be an identifier: a positive whole number");
      expect(await issuesOf(main.meetings.list({ planned_course_id: given }))).toEqual([
        { path: "planned_course_id", message },
      ]);
      expect(await issuesOf(main.labels.list({ id: [1, given] }))).toEqual([{ path: "id[1]", message }]);
      expect(await issuesOf(main.users.list({ label_id: [1, given] }))).toEqual([{ path: "label_id[1]", message }]);
      expect(calls).toEqual([]);
    },
  );

  test("an identifier beyond the safe integers is accepted as text and refused as a number", async () => {
    const { main, query } = wire();
    await main.orders.list({ creator_id: "9007199254740993" });
    expect(query()).toBe("creator_id=9007199254740993");
    expect(await issuesOf(main.orders.list({ creator_id: 2 ** 53 }))).toHaveLength(1);
  });
});

describe("identifiers everywhere else", () => {
  test.each(["7", 0, -1, 1.5, Number.NaN, null, undefined, 7n, [7], { id: 7 }])(
    "%s is refused in a path and in a body",
    async (given) => {
      const { main, calls } = wire();
      const id = given as unknown as number;
      expect((await issuesOf(main.accounts.get(id))).map((issue) => issue.path)).toEqual(["id"]);
      const issues = await issuesOf(main.materials.create({ name: "Projector", material_group_id: id }));
      expect(issues.map((issue) => issue.path)).toEqual(["material_group_id"]);
      expect(calls).toEqual([]);
    },
  );

  test("a whole number is sent as a number, in a list too", async () => {
    const { main, body } = wire();
    await main.accounts.update(7, { name: "Example Ltd", label_ids: [1, 9_007_199_254_740_991] });
    expect(body()).toBe('{"name":"Example Ltd","label_ids":[1,9007199254740991]}');
  });
});
