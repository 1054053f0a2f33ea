import { describe, expect, test } from "vitest";
import type { Fault } from "../../../../src/sandbox/index.ts";
import { start } from "../../../support/program.ts";
import { provisioning, seat } from "../../support/lms.ts";
import { place } from "../../support/place.ts";

describe("lms-provisioning", () => {
  test("keeps a student who has two enrollments in a course until both have ended", async () => {
    const { enrollments, seats, asked, running } = await provisioning();
    const { program } = await running();
    const one = enrollments.insert({ status: "active" });
    const { student_id, planned_course_id } = one;
    const two = enrollments.insert({ status: "active", student_id, planned_course_id });
    await program.waitForOutput(new RegExp(`enrollment ${two.id}: in`));
    enrollments.update(one.id, { status: "completed" });
    await program.waitForOutput(new RegExp(`enrollment ${one.id}: out`));
    expect([seats(), asked.filter((line) => line.startsWith("DELETE"))]).toEqual([[seat(one)], []]);
    enrollments.update(two.id, { status: "completed" });
    await expect.poll(seats, { timeout: 15_000 }).toEqual([]);
  }, 45_000);

  test("removes no member at its start if too many enrollments have disappeared", async () => {
    const { enrollments, seats, asked, run, running } = await provisioning();
    const many = Array.from({ length: 5 }, () => enrollments.insert({ status: "active" }));
    const { program } = await running();
    program.process.kill("SIGTERM");
    await program.ended;
    for (const { id } of many) enrollments.delete(id);
    await run("--most-gone", "4").waitForOutput(/5 enrollments have disappeared: too many/);
    expect(seats()).toEqual([...new Set(many.map(seat))].sort());
    expect(asked.filter((line) => line.startsWith("DELETE"))).toEqual([]);
  }, 45_000);

  const forever = { count: Number.POSITIVE_INFINITY };
  test.each<[string, Fault[], RegExp, string]>([
    ["the key is answered 404", [{ status: 404, ...forever }], /can no longer read enrollments/, "enrollments.list"],
    ["the key is answered 403", [{ status: 403, ...forever }], /can no longer read enrollments/, "enrollments.list"],
    [
      "the key lost the scope of enrollments",
      [
        { operation: "enrollments.get", status: 404, ...forever },
        { operation: "enrollments.list", status: 403, ...forever },
      ],
      /can no longer read enrollments/,
      "enrollments.list",
    ],
    [
      "the key lost the scope of users",
      [
        { operation: "users.get", status: 404, ...forever },
        { operation: "users.list", status: 403, ...forever },
      ],
      /can no longer read users/,
      "users.list",
    ],
  ])(
    "removes no member, stops and reports it when %s",
    async (_, faults, message, refused) => {
      const { sandbox, enrollments, seats, asked, run, running } = await provisioning();
      const { program, unsubscribe } = await running();
      const kept = enrollments.insert({ status: "active" });
      const gone = enrollments.insert({ status: "active" });
      await expect.poll(seats, { timeout: 15_000 }).toEqual([seat(kept), seat(gone)].sort());

      for (const fault of faults) sandbox.faults.next(fault);
      enrollments.update(kept.id, { end_date: "2031-01-01" });
      enrollments.update(gone.id, { end_date: "2031-01-01" });
      const ended = await program.ended;
      expect([ended.code, ended.output]).toEqual([1, expect.stringMatching(message)]);
      expect(seats()).toEqual([seat(kept), seat(gone)].sort());
      expect(asked.filter((line) => line.startsWith("DELETE"))).toEqual([]);

      // With the bad key the program does not start. With a good one, it handles the deliveries received so far.
      expect(await run().ended).toEqual({ code: 1, output: expect.stringContaining(`Not started: ${refused}`) });
      sandbox.faults.clear();
      unsubscribe();
      enrollments.delete(gone.id);
      run();
      await expect.poll(seats, { timeout: 30_000 }).toEqual([seat(kept)]);
    },
    60_000,
  );

  test("keeps a member whose student cannot be found or whose enrollment has an unknown status", async () => {
    const { sandbox, enrollments, seats, asked, running } = await provisioning();
    const { program } = await running();
    const one = enrollments.insert({ status: "active" });
    const two = enrollments.insert({ status: "active" });
    await expect.poll(seats, { timeout: 15_000 }).toEqual([seat(one), seat(two)].sort());
    enrollments.update(one.id, { status: "paused" as "active" });
    await program.waitForOutput(/unknown status/);
    sandbox.faults.next({ operation: "users.get", status: 404, ...forever });
    enrollments.update(two.id, { end_date: "2031-01-01" });
    await expect
      .poll(
        () => sandbox.requests.filter(({ operation, status }) => operation === "users.get" && status === 404).length,
      )
      .toBeGreaterThan(0);
    expect(seats()).toEqual([seat(one), seat(two)].sort());
    expect(asked.filter((line) => line.startsWith("DELETE"))).toEqual([]);
  }, 45_000);

  test("names the missing environment variables and ends", async () => {
    const { cwd, env } = await place();
    const { code, output } = await start("examples/lms-provisioning/lms-provisioning.ts", [], { cwd, env }).ended;
    expect([code, output]).toEqual([1, expect.stringContaining("WEBHOOK_SECRET, LMS_URL, LMS_TOKEN")]);
  });
});
