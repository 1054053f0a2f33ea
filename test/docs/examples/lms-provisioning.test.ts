import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Enrollment } from "../../../src/index.ts";
import type { Fault } from "../../../src/sandbox/index.ts";
import { start } from "../support/example.ts";
import { place } from "../support/place.ts";

describe("lms-provisioning", () => {
  interface Seat {
    readonly planned_course_id: number;
    readonly student_id: number;
  }
  const seat = ({ planned_course_id, student_id }: Seat) => `/courses/${planned_course_id}/members/${student_id}`;

  /** A learning platform that knows its members, and the program that keeps them up to date. */
  async function provisioning({ failures = 0 } = {}) {
    const { sandbox, cwd, env } = await place();
    const { enrollments } = sandbox.store;
    for (const { id } of [...enrollments]) enrollments.update(id, { status: "canceled" });
    const members = new Map<string, unknown>();
    const asked: string[] = [];
    let failing = failures;
    const platform = createServer(async (request, response) => {
      const { method, url = "", headers } = request;
      const body = await text(request);
      asked.push(`${method} ${url}`);
      if (headers.authorization !== "Bearer lms-token") return void response.writeHead(401).end();
      if (failing-- > 0) return void response.writeHead(503).end();
      if (method === "PUT") members.set(url, JSON.parse(body));
      else members.delete(url);
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => platform.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void platform.close());
    const run = (...options: string[]) => {
      const program = start("examples/lms-provisioning/lms-provisioning.ts", ["--port", "0", ...options], {
        cwd,
        env: {
          ...env,
          WEBHOOK_SECRET: "s3cret",
          LMS_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}`,
          LMS_TOKEN: "lms-token",
        },
      });
      onTestFinished(() => void program.process.kill("SIGKILL"));
      return program;
    };
    const running = async () => {
      const program = run();
      const [, url] = await program.printed(/webhooks on (\S+)/);
      await program.printed(/enrollments are up to date/);
      const unsubscribe = sandbox.webhooks.subscribe({ to: url ?? "", secrets: "s3cret" });
      return { program, unsubscribe };
    };
    const seats = () => [...members.keys()].sort();
    return { sandbox, enrollments, members, seats, asked, run, running };
  }

  test("puts students in and takes them out as enrollments change, also after the platform failed", async () => {
    const { sandbox, enrollments, members, seats, asked, running } = await provisioning({ failures: 1 });
    const { program } = await running();
    const one = enrollments.insert({ status: "active" });
    const two = enrollments.insert({ status: "confirmed" });
    const three = enrollments.insert({ status: "canceled" });
    await expect.poll(seats, { timeout: 15_000 }).toEqual([seat(one), seat(two)].sort());
    const student = sandbox.store.users.get(one.student_id);
    const course = sandbox.store.plannedCourses.get(one.planned_course_id);
    expect(members.get(seat(one))).toEqual({
      name: [student?.first_name, student?.middle_name, student?.last_name].filter(Boolean).join(" "),
      email: student?.email,
      starts: course?.start_date ?? one.start_date,
      ends: course?.end_date ?? one.end_date,
    });

    enrollments.update(one.id, { status: "canceled" });
    enrollments.delete(two.id);
    await expect.poll(seats, { timeout: 15_000 }).toEqual([]);
    expect(asked.filter((line) => line.endsWith(seat(three)) && line.startsWith("PUT"))).toEqual([]);
    expect(sandbox.webhooks.deliveries.every(({ status }) => status === 200)).toBe(true);

    program.process.kill("SIGTERM");
    expect((await program.ended).code).toBe(0);
  }, 45_000);

  test("catches up at its start with what it missed, after a kill too, and reads each list once", async () => {
    const { sandbox, enrollments, members, seats, run } = await provisioning();
    const students = sandbox.store.users.count;
    const many = Array.from({ length: 60 }, (_, at) =>
      enrollments.insert({
        status: "active",
        student_id: (at % students) + 1,
        planned_course_id: Math.floor(at / students) + 1,
      }),
    );
    const all = many.map(seat).sort();
    const first = run();
    await expect.poll(() => members.size, { timeout: 15_000 }).toBeGreaterThan(20);
    first.process.kill("SIGKILL");
    await first.ended;

    const before = sandbox.requests.length;
    const second = run();
    await second.printed(/enrollments are up to date/);
    expect(seats()).toEqual(all);
    expect(sandbox.requests.length - before).toBeLessThan(25);
    second.process.kill("SIGTERM");
    await second.ended;

    const [gone, left, kept] = many as unknown as [Enrollment, Enrollment, Enrollment];
    enrollments.delete(gone.id);
    enrollments.update(left.id, { status: "completed" });
    sandbox.store.users.update(kept.student_id, { email: "moved@example.org" });
    await run().printed(/enrollments are up to date/);
    expect(members.get(seat(kept))).toMatchObject({ email: "moved@example.org" });
    expect([members.has(seat(gone)), members.has(seat(left))]).toEqual([false, false]);
  });

  test("keeps a student who is enrolled twice in a course until both enrollments have ended", async () => {
    const { enrollments, seats, asked, running } = await provisioning();
    const { program } = await running();
    const one = enrollments.insert({ status: "active" });
    const { student_id, planned_course_id } = one;
    const two = enrollments.insert({ status: "active", student_id, planned_course_id });
    await program.printed(new RegExp(`enrollment ${two.id}: in`));
    enrollments.update(one.id, { status: "completed" });
    await program.printed(new RegExp(`enrollment ${one.id}: out`));
    expect([seats(), asked.filter((line) => line.startsWith("DELETE"))]).toEqual([[seat(one)], []]);
    enrollments.update(two.id, { status: "completed" });
    await expect.poll(seats, { timeout: 15_000 }).toEqual([]);
  }, 45_000);

  test("removes nobody at its start when too many enrollments have disappeared", async () => {
    const { enrollments, seats, asked, run, running } = await provisioning();
    const many = Array.from({ length: 5 }, () => enrollments.insert({ status: "active" }));
    const { program } = await running();
    program.process.kill("SIGTERM");
    await program.ended;
    for (const { id } of many) enrollments.delete(id);
    await run("--most-gone", "4").printed(/5 enrollments have disappeared: too many/);
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
    "removes no member when %s, stops and says so",
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

      // With the bad key it does not start; with a good one it handles what it had received.
      expect(await run().ended).toEqual({ code: 1, output: expect.stringContaining(`Not started: ${refused}`) });
      sandbox.faults.clear();
      unsubscribe();
      enrollments.delete(gone.id);
      run();
      await expect.poll(seats, { timeout: 30_000 }).toEqual([seat(kept)]);
    },
    60_000,
  );

  test("leaves a member alone whose student cannot be found or whose enrollment has a status it does not know", async () => {
    const { sandbox, enrollments, seats, asked, running } = await provisioning();
    const { program } = await running();
    const one = enrollments.insert({ status: "active" });
    const two = enrollments.insert({ status: "active" });
    await expect.poll(seats, { timeout: 15_000 }).toEqual([seat(one), seat(two)].sort());
    enrollments.update(one.id, { status: "paused" as "active" });
    await program.printed(/unknown status/);
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

  test("names the environment variables it needs and ends", async () => {
    const { cwd, env } = await place();
    const { code, output } = await start("examples/lms-provisioning/lms-provisioning.ts", [], { cwd, env }).ended;
    expect([code, output]).toEqual([1, expect.stringContaining("WEBHOOK_SECRET, LMS_URL, LMS_TOKEN")]);
  });
});
