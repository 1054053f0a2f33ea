import { expect, test } from "vitest";
import { ResponseFormatError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";

/** A service whose enrollments refer to students; `answer` returns each student. */
function service(students: readonly unknown[], answer: (id: number) => object) {
  const { fetch, calls } = recordingFetch(({ url }) => {
    const [, id] = /users\/(\d+)$/.exec(url.pathname) ?? [];
    if (id !== undefined) return jsonResponse(answer(Number(id)));
    return jsonResponse(students.map((student_id, at) => ({ id: at + 1, student_id })));
  });
  return { client: mainClient({ fetch, validation: "off", retry: false }), calls };
}

test("a response with another record is an error, not a missing record", async () => {
  for (const answer of [{ id: 999, last_name: "Fox" }, { id: null }, {}]) {
    const { client } = service([1], () => answer);
    for (const read of [client.enrollments.list().with({ student: true }).toArray(), client.users.getMany([1])]) {
      const error = await failure(Promise.resolve(read));
      expect(error).toBeInstanceOf(ResponseFormatError);
      expect(error.message).toMatch(/^users\.get: the response to the request for 1/);
    }
  }
});

test("a lookup finds no record that contradicts the filter of its list, even if the service ignores the filter", async () => {
  const records = [
    { id: 1, planned_course_id: 8, student_id: 1 },
    { id: 2, planned_course_id: 7, student_id: 2 },
  ];
  const { fetch } = recordingFetch(() => jsonResponse(records));
  const client = mainClient({ fetch, validation: "off" });
  const byStudent = client.enrollments.lookup("student_id", { query: { planned_course_id: 7 } });
  expect(await byStudent.getMany([1, 2])).toEqual([null, records[1]]);
});

test("an error body with 200 is an error", async () => {
  const { client } = service([1], () => ({ errors: ["not today"] }));
  expect(await failure(client.enrollments.list().with({ student: true }).toArray())).toMatchObject({ code: "api" });
});

test("identifiers sent as texts are accepted as identifiers", async () => {
  const { client } = service(["7"], (id) => ({ id: String(id), last_name: "Fox" }));
  const [enrollment] = await client.enrollments.list().with({ student: true }).toArray();
  expect(enrollment?.student).toEqual({ id: "7", last_name: "Fox" });
  expect(await client.users.getMany([7])).toEqual([{ id: "7", last_name: "Fox" }]);
});

test("an invalid identifier refers to no record, and the other records of the page are read", async () => {
  const { client, calls } = service([-1, 0, 1.5, 2 ** 53, "", "x", true, null, 7], (id) => ({ id }));
  const records = await client.enrollments.list().with({ student: true }).toArray();
  expect(records.map(({ student }) => student?.id ?? null)).toEqual([...Array(8).fill(null), 7]);
  expect(calls).toHaveLength(2);
});

test("a list ignores later changes to the options and references that were passed to it", async () => {
  const { client } = service([7], (id) => ({ id }));
  const options: { maxPages?: number; resume?: string } = {};
  const references: Record<string, true> = { student: true };
  const join = { maxAge: 1_000 };
  const list = client.enrollments.list({}, options).with(references as { student: true }, join);
  options.resume = "no checkpoint";
  options.maxPages = -1;
  delete references.student;
  references.nonsense = true;
  join.maxAge = -1;
  expect((await list.toArray())[0]?.student?.id).toBe(7);
});
