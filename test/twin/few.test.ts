import { expect, test } from "vitest";
import { formatTwin, takeTwin } from "../../src/twin/index.js";
import { KEPT } from "../../src/twin/keep.js";
import { withRecords } from "../doctor/support.js";
import { type Deviation, school } from "./support.js";

type AnyRecord = Record<string, unknown>;

const PEOPLE = /\/(leads|users|invoices|enrollments|orders)$/;

/** A school whose lists of people have this many records. */
const withPeople = (
  count: number,
  change: (record: AnyRecord, at: number) => AnyRecord = (record) => record,
): Deviation => ({
  options: { size: 250 },
  answer: async (response, _, { pathname, searchParams }) => {
    if (!PEOPLE.test(pathname) || response.status !== 200) return undefined;
    const page = Number(searchParams.get("page") ?? 1);
    const all = (await response.json()) as AnyRecord[];
    const some = all.slice(0, Math.max(0, count - (page - 1) * 100)).map(change);
    return Response.json(some, { headers: { total: String(count) } });
  },
});

test.each([1, 4])("a twin keeps no value from a list of %i records", async (count) => {
  const { shape, counts } = await takeTwin(await school(withPeople(count)));
  for (const list of ["leads", "users", "invoices", "enrollments", "orders"]) {
    expect(counts[list]).toBe("few");
    const kinds = Object.values(shape[list] ?? {}).flatMap(({ most, ...others }) => [most, ...Object.keys(others)]);
    expect(kinds.length, list).toBeGreaterThan(0);
    expect(
      kinds.filter((kind) => kind.startsWith("=")),
      list,
    ).toEqual([]);
  }
});

test.each([
  [21, 20],
  [57, 55],
  [98, 95],
])("two twins do not reveal who was added between them: %i and one more, reported as %i", async (count, told) => {
  const odd = (record: AnyRecord, at: number) =>
    at < count ? record : { ...record, locale: "odd", wants_newsletter: true };
  const [before, after] = [
    await takeTwin(await school(withPeople(count))),
    await takeTwin(await school(withPeople(count + 1, odd))),
  ];
  expect(before.counts.users).toBe(told);
  expect(formatTwin(after)).toBe(formatTwin(before));
  const shares = Object.values(before.shape.users ?? {}).flatMap((field) => Object.values(field));
  expect(shares.filter((share) => typeof share === "number" && share % 5 !== 0)).toEqual([]);
});

test.each([true, false])("the file contains no long number from a name, with names %s", async (names) => {
  const lists = new RegExp(
    `/(${Object.keys(KEPT)
      .map((list) => list.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`))
      .join("|")})$`,
  );
  const client = await school({
    answer: (response, _, { pathname }) =>
      lists.test(pathname)
        ? withRecords(response, (records) =>
            records.map((record, at) => ({ ...record, name: at % 2 ? `06${77_000_000 + at}` : "4711", code: "4711" })),
          )
        : undefined,
  });
  const text = formatTwin(await takeTwin(client, { names }));
  expect(text).not.toContain("0677");
  expect(text.includes('"4711"')).toBe(names);
});
