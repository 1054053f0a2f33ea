import { expect, test } from "vitest";
import { userSchema } from "../../src/schemas.js";
import { formatTwin, takeTwin } from "../../src/twin/index.js";
import { KEPT } from "../../src/twin/keep.js";
import { roundedCount, shapeOf } from "../../src/twin/shape.js";
import { LEAST } from "../../src/work/kinds.js";
import { withRecords } from "../doctor/support.js";
import { amount } from "../support/amount.js";
import { chance } from "../support/chance.js";
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

// Both versions of a file together show nothing of one person that they do not show of four or nine others: the
// versions are the same, or they stay the same if the newcomer changes places with any other of the batch.
test("no fact of a newcomer follows from two versions of a file, for lists of 20 to 200 people", () => {
  let compared = 0;
  for (let pair = 1; pair <= amount(100, 2_000); pair++) {
    const random = chance(pair);
    const count = 20 + Math.floor(random() * 180);
    const batch = count < 100 ? 5 : 10;
    const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
    const person = (id: number): AnyRecord => ({
      id,
      first_name: pick(["Jo", "Ada", ""]),
      locale: pick([null, "nl", "en", "odd"]),
      wants_newsletter: pick([true, true, true, false]),
      roles: pick([["student"], ["student"], ["teacher"], []]),
      custom: pick([{}, { size: "38" }]),
      ...(random() < 0.1 && { nickname: "x" }),
    });
    const before = Array.from({ length: count }, (_, at) => person(at + 1));
    const newcomer = { ...person(count + 1), ...(random() < 0.5 && { locale: "odd", [`field_${pair}`]: pair }) };
    const shapeTold = (records: readonly AnyRecord[]) =>
      JSON.stringify([roundedCount(records.length), shapeOf(records, userSchema, LEAST, records.length)]);
    const after = shapeTold([...before, newcomer]);
    compared++;
    if (after === shapeTold(before)) continue;
    expect((count + 1) % batch, `pair ${pair}`).toBe(0);
    for (let place = 1; place < batch; place++) {
      const other = before[count - place] as AnyRecord;
      const changed = before.with(count - place, { ...newcomer, id: other.id });
      expect(shapeTold([...changed, { ...other, id: newcomer.id }]), `pair ${pair}`).toBe(after);
    }
  }
  expect(compared).toBeGreaterThan(0);
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
