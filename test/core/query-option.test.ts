import { describe, expect, it } from "vitest";
import {
  BadRequestError,
  CheckpointError,
  InputError,
  MainClient,
  type QueryOption,
  type RequestOptions,
} from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";

/** A service whose lists have two pages. */
const service = () =>
  recordingFetch(({ url }) => {
    const [id] = /\d+$/.exec(url.pathname) ?? [];
    if (id !== undefined) return jsonResponse({ id: Number(id) });
    const isLast = url.searchParams.has("cursor");
    return jsonResponse([{ id: 1 }], 200, isLast ? {} : { link: `<${url.origin}/?cursor=two>; rel="next"` });
  });
const include = ["course_tab_contents.course_tab", "teachers"];

describe("the option query", () => {
  it.each([
    ["repeat", "include=course_tab_contents.course_tab&include=teachers&deep=true&depth=2"],
    ["brackets", "include%5B%5D=course_tab_contents.course_tab&include%5B%5D=teachers&deep=true&depth=2"],
    ["comma", "include=course_tab_contents.course_tab%2Cteachers&deep=true&depth=2"],
  ] as const)(
    "is sent by calls, lists and raw requests, with arrays in the client's format: %s",
    async (arrayFormat, sent) => {
      const { fetch, calls } = service();
      const client = mainClient({ fetch, arrayFormat, validation: "off" });
      const query = { include, deep: true, depth: 2 };
      await client.courses.get(7, { query });
      await client.accounts.update(7, { name: "x" }, { query });
      await client.request({ method: "GET", path: "api/v1/rooms/7", query: { a: 1 } }, { query });
      expect(calls.map(({ url }) => url.search)).toEqual([`?${sent}`, `?${sent}`, `?a=1&${sent}`]);
      await client.accounts.list({ search: "x" }, { query }).toArray();
      await client.requestPages({ path: "api/v1/rooms" }, { query }).toArray();
      const pages = calls.slice(3).map(({ url }) => url.search);
      expect(pages).toHaveLength(4);
      for (const search of pages) expect(search).toContain(sent);
      await client.courses.getMany([1], { query });
      expect(calls.at(-1)?.url.search).toContain(sent);
    },
  );

  it.each<[query: QueryOption, path: string]>([
    [{ search: "x" }, "query.search"],
    [{ "search[]": ["x"] }, "query.search[]"],
    [{ cursor: "x" }, "query.cursor"],
    [{ per_page: 3 }, "query.per_page"],
    [{ page: 3 }, "query.page"],
    [{ include: { course: true } } as never, "query.include"],
    [{ include: [Number.NaN] }, "query.include"],
    [["include"] as never, "query"],
    ["include=x" as never, "query"],
    [null as never, "query"],
  ])("%j is refused before anything is sent", async (query, path) => {
    const { fetch, calls } = service();
    const error = await failure(mainClient({ fetch }).accounts.list({}, { query }).first());
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).issues.map((issue) => issue.path)).toEqual([path]);
    expect(calls).toEqual([]);
  });

  it("cannot repeat a parameter of the path or of a raw request", async () => {
    const client = mainClient({ fetch: service().fetch });
    expect(await failure(client.courses.get(7, { query: { id: 8 } }))).toBeInstanceOf(InputError);
    const byHand = client.request({ method: "GET", path: "api/v1/rooms", query: { a: 1 } }, { query: { a: 2 } });
    expect(await failure(byHand)).toBeInstanceOf(InputError);
  });

  it("belongs to the list that a checkpoint continues", async () => {
    const client = mainClient({ fetch: service().fetch, validation: "off" });
    const { checkpoint } = await client.courses.list({}, { query: { include } });
    const resume = (query?: QueryOption) => client.courses.list({}, { query, resume: checkpoint }).toArray();
    expect(await resume({ include })).toHaveLength(1);
    expect(await failure(resume({ include: ["teachers"] }))).toBeInstanceOf(CheckpointError);
    expect(await failure(resume())).toBeInstanceOf(CheckpointError);
  });

  it("stays with the list if its records are joined with others", async () => {
    const { fetch, calls } = recordingFetch(({ url }) =>
      jsonResponse(/\d$/.test(url.pathname) ? { id: 9 } : [{ id: 1, student_id: 9 }]),
    );
    const client = mainClient({ fetch, validation: "off" });
    await client.enrollments.list({}, { include }).with({ student: true }).toArray();
    const withQuery = calls.filter(({ url }) => url.searchParams.has("include")).map(({ url }) => url.pathname);
    expect(withQuery).toEqual(["/api/v1/enrollments"]);
    expect(calls.length).toBeGreaterThan(1);
  });
});

describe("the option include", () => {
  it("goes with a record, every page of a list and getMany, in the client's format of arrays", async () => {
    const { fetch, calls } = service();
    const client = mainClient({ fetch, arrayFormat: "comma", validation: "off" });
    await client.courses.get(7, { include });
    await client.courses.list({}, { include, query: { deep: true } }).toArray();
    await client.courses.getMany([1], { include });
    const sent = calls.map(({ url }) => url.searchParams.get("include"));
    expect(sent).toEqual(Array.from({ length: 4 }, () => include.join()));
  });

  it("adds the records that it names, and belongs to the list that a checkpoint continues", async () => {
    const { plannedCourses } = new MainClient(createSandbox());
    expect(await plannedCourses.get(1)).not.toHaveProperty("meetings");
    expect(await plannedCourses.get(1, { include: ["meetings"] })).toHaveProperty("meetings");
    const { checkpoint } = await plannedCourses.list({ per_page: 1 }, { include: ["meetings"] });
    const resume = (names: string[]) =>
      plannedCourses.list({ per_page: 1 }, { include: names, resume: checkpoint }).first();
    expect((await resume(["meetings"])).records[0]).toHaveProperty("meetings");
    expect(await failure(resume(["teachers"]))).toBeInstanceOf(CheckpointError);
    expect(await failure(plannedCourses.get(1, { include: ["name"] }))).toBeInstanceOf(BadRequestError);
  });

  it.each<[options: RequestOptions, path: string]>([
    [{ include: [] }, "include"],
    [{ include: "meetings" as never }, "include"],
    [{ include: ["meetings,teachers"] }, "include"],
    [{ include: ["meetings."] }, "include"],
    // biome-ignore lint/suspicious/noSparseArray: such an array is what the option must refuse.
    [{ include: ["meetings", ,] as never }, "query.include"],
    [{ include, query: { "include[]": include } }, "query.include[]"],
  ])("%j is refused before anything is sent", async (options, path) => {
    const { fetch, calls } = service();
    const error = await failure(mainClient({ fetch }).courses.get(7, options));
    expect((error as InputError).issues.map((issue) => issue.path)).toEqual([path]);
    expect(calls).toEqual([]);
  });

  it("is refused for a write, and beside the include of a raw request", async () => {
    const { fetch, calls } = service();
    const client = mainClient({ fetch });
    const update = client.accounts.update(7, { name: "x" }, { include });
    expect((await failure(update)).message).toContain("include cannot be sent with a PUT");
    const byHand = client.request({ method: "GET", path: "api/v1/courses", query: { include } }, { include });
    expect(await failure(byHand)).toBeInstanceOf(InputError);
    expect(calls).toEqual([]);
  });
});

describe("the option body", () => {
  it("adds fields to the body of an operation, or creates the body if it has none", async () => {
    const { fetch, calls } = service();
    const client = mainClient({ fetch, validation: "off" });
    await client.accounts.update(7, { name: "x" }, { body: { mood: { of: ["day"] } } });
    await client.request({ method: "POST", path: "api/v1/rooms/7" }, { body: { mood: null } });
    await client.request({ method: "PUT", path: "api/v1/rooms/7", body: { a: 1 } }, { body: { b: 2 } });
    const sent = ['{"name":"x","mood":{"of":["day"]}}', '{"mood":null}', '{"a":1,"b":2}'];
    expect(calls.map(({ body }) => body)).toEqual(sent);
  });

  it.each([
    ["a field of the operation", { email: "a@school.example" }, "body.email is a field of the operation"],
    ["a value that JSON cannot represent", { mood: [1n] }, "body.mood[0] cannot be sent as JSON"],
    ["anything but an object", ["mood"], "body must be a plain object"],
  ])("is refused before anything is sent: %s", async (_, body, message) => {
    const { fetch, calls } = service();
    const error = await failure(() =>
      mainClient({ fetch }).accounts.update(7, { name: "x" }, { body: body as Record<string, unknown> }),
    );
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toContain(message);
    expect(calls).toEqual([]);
  });
});
