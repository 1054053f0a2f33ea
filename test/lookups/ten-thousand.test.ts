import { beforeAll, describe, expect, it, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { amount, drawCases } from "../support/amount.js";
import { collectGarbage } from "../support/garbage.js";
import { timesTheCost } from "../support/processor-time.js";

const [ENROLLMENTS, COURSES, USERS] = [10_000, 400, 6_000];
const READS = amount(200_000, 1_000_000);

// Each order enrolls every student and fills every planned course.
const orders: Record<string, (at: number) => { readonly student: number; readonly course: number }> = {
  "scattered over students and courses": (at) => ({ student: (at * 2_741) % USERS, course: (at * 173) % COURSES }),
  "student by student": (at) => ({ student: Math.floor((at * USERS) / ENROLLMENTS), course: (at * 173) % COURSES }),
  "course by course": (at) => ({ student: (at * 2_741) % USERS, course: Math.floor((at * COURSES) / ENROLLMENTS) }),
};

const LISTS = (ENROLLMENTS + COURSES + USERS) / 100;

type Send = (url?: string) => Promise<Response>;

// The ways in which services treat the deprecated page numbers, each with the most requests that a page of the lists
// then takes.
const services = {
  taken: { most: 1.05, answer: (_request: Request, send: Send) => send() },
  refused: {
    most: 2,
    answer: (request: Request, send: Send) =>
      new URL(request.url).searchParams.has("page")
        ? Response.json({ status: 400, code: "bad_request", message: "unknown parameter: page" }, { status: 400 })
        : send(),
  },
  ignored: {
    most: 2,
    answer: (request: Request, send: Send) => {
      const url = new URL(request.url);
      url.searchParams.delete("page");
      return send(url.href);
    },
  },
};

describe("10,000 enrollments with their 6,000 students and 400 planned courses", () => {
  let sandbox: Sandbox;

  beforeAll(() => {
    sandbox = createSandbox({ empty: true, rateLimit: false });
    const { enrollments, plannedCourses, users } = sandbox.store;
    for (let id = 1; id <= USERS; id++) users.insert({ id });
    for (let id = 1; id <= COURSES; id++) plannedCourses.insert({ id });
    for (let id = 1; id <= ENROLLMENTS; id++) enrollments.insert({ id });
  });

  it("would take 20,100 requests row by row, while their lists take 164", () => {
    expect([LISTS, ENROLLMENTS / 100 + 2 * ENROLLMENTS]).toEqual([164, 20_100]);
  });

  describe.each(drawCases(Object.entries(orders), 1))("%s", (_, of) => {
    beforeAll(() => {
      for (let at = 0; at < ENROLLMENTS; at++) {
        const { student, course } = of(at);
        sandbox.store.enrollments.update(at + 1, { student_id: student + 1, planned_course_id: course + 1 });
      }
    });

    it.each(Object.entries(services))(
      "need at most a fixed number of requests per page of one of the lists, where `page` is %s",
      async (_, { most, answer }) => {
        let requests = 0;
        const fetch: typeof globalThis.fetch = async (input, init) => {
          requests++;
          const request = new Request(input, init);
          return answer(request, (url = request.url) => sandbox.fetch(new Request(url, request)));
        };
        const client = new MainClient({ ...sandbox, fetch });
        let right = 0;
        for await (const each of client.enrollments.list().with({ planned_course: true, student: true })) {
          if (each.student?.id === each.student_id && each.planned_course?.id === each.planned_course_id) right++;
        }
        expect(right).toBe(ENROLLMENTS);
        expect(requests).toBeLessThanOrEqual(most * LISTS);
      },
      60_000,
    );
  });
});

test(`${READS} records joined with their references leave nothing in memory`, async () => {
  const SIZE = 100;
  const sandbox = createSandbox({ size: "small", rateLimit: false });
  const page = JSON.stringify(Array.from({ length: SIZE }, (_, at) => ({ id: at + 1, student_id: 1 })));
  const fetch: typeof globalThis.fetch = async (input) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!url.pathname.endsWith("/enrollments")) return Response.json({ id: 1 });
    const next = `<${url.origin}${url.pathname}?cursor=${Number(url.searchParams.get("cursor")) + 1}>; rel="next"`;
    return new Response(page, { headers: { "content-type": "application/json", link: next } });
  };
  const client = new MainClient({ ...sandbox, fetch, rateLimit: false, validation: "off" });
  const heap: number[] = [];
  let read = 0;
  for await (const { records } of client.enrollments.list().with({ student: true }).byPage()) {
    expect(records.filter(({ student }) => student?.id === 1)).toHaveLength(SIZE);
    read += SIZE;
    if (read % (READS / 2) === 0) {
      await collectGarbage();
      heap.push(process.memoryUsage().heapUsed / (READS / 2));
    }
    if (read === READS) break;
  }
  const [half = 0, whole = 0] = heap;
  expect(whole - half, "bytes for each record").toBeLessThan(2);
}, 300_000);

// The factor is two on an idle machine; work that is not linear takes hundreds of times as much.
test("80,000 records by identifier take about the processor time of their list", async () => {
  const [RECORDS, SIZE] = [80_000, 100];
  const sandbox = createSandbox({ size: "small", rateLimit: false });
  const user = sandbox.store.users.get(1);
  const bodies = Array.from({ length: RECORDS / SIZE }, (_, page) =>
    JSON.stringify(Array.from({ length: SIZE }, (_, at) => ({ ...user, id: page * SIZE + at + 1 }))),
  );
  const fetch: typeof globalThis.fetch = async (input) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const page = Number(url.searchParams.get("page") ?? url.searchParams.get("cursor") ?? 1);
    const rel = (name: string, to: number) => `<${url.origin}${url.pathname}?page=${to}>; rel="${name}"`;
    const link = [...(page < bodies.length ? [rel("next", page + 1)] : []), rel("last", bodies.length)].join(", ");
    return new Response(bodies[page - 1], { headers: { "content-type": "application/json", link } });
  };
  const client = () => new MainClient({ ...sandbox, fetch, rateLimit: false });
  const ids = Array.from({ length: RECORDS }, (_, at) => RECORDS - at);
  const byId = async () => expect((await client().users.getMany(ids)).at(-1)).toMatchObject({ id: 1 });
  const list = async () => expect(await client().users.list().toArray()).toHaveLength(RECORDS);
  const times = await timesTheCost(byId, list, 2);
  console.info(`80,000 records by identifier took ${times.toFixed(2)} of their list`);
  expect(times).toBeLessThanOrEqual(4);
}, 300_000);
