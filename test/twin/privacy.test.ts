import { expect, test } from "vitest";
import { schoolFile } from "../../src/cli/types/school-file.js";
import { allOperations } from "../../src/operations.js";
import { formatTwin, takeTwin } from "../../src/twin/index.js";
import { KEPT } from "../../src/twin/keep.js";
import { roundedCount } from "../../src/twin/shape.js";
import { refusal, withHeaders, withRecords } from "../doctor/support.js";
import { amount } from "../support/amount.js";
import { chance } from "../support/chance.js";
import { type Deviation, like, school, twinOf } from "./support.js";

// To test a thousand schools, in five minutes: SCHOOLS=1000 TEST_SHARE=1 npx vitest run --project unit test/twin/privacy.test.ts
const SCHOOLS = amount(2, Number(process.env.SCHOOLS ?? 40));

type AnyRecord = Record<string, unknown>;

const LISTS = new Map(
  allOperations.filter(({ id }) => id.endsWith(".list")).map(({ id, path }) => [path, id.replace(/\.list$/, "")]),
);
const listOf = (pathname: string) => LISTS.get(pathname.replace(/^.*\/v1\//, "").replace(/\/\d+$/, "")) ?? "";

/** A school whose records, headers and errors contain private words. Values that the file may keep are not changed. */
function withCanaries(random: () => number): Deviation {
  let count = 0;
  const forms = [
    // A value that many people share, such as a street name.
    () => "Canary Street",
    () => `canary${count++}`,
    () => `canary_${String.fromCharCode(97 + (count++ % 26))}`,
    () => `Canary ${count++} <canary@example.com>`,
    () => `https://canary.example/${count++}?token=canary`,
  ];
  const word = () => (forms[Math.floor(random() * forms.length)] as () => string)();
  const spoilt = (value: unknown): unknown => {
    if (typeof value === "string") return random() < 0.7 ? word() : value;
    if (Array.isArray(value)) return value.map(spoilt);
    if (typeof value !== "object" || value === null) return random() < 0.05 ? word() : value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spoilt(inner)]));
  };
  return {
    options: { size: 12, seed: Math.floor(random() * 1e6) },
    answer: async (response, _, { pathname, searchParams }) => {
      // The twin file keeps the school's definitions, as `types` does.
      if (/signup_questions|custom/.test(pathname)) return undefined;
      // Lists that have already been read are not refused: that would mean a revoked key, which gives no twin.
      if (random() < 0.02 && searchParams.get("per_page") !== "1")
        return refusal(403, { message: word(), errors: { [word()]: [word()] } }, { "x-note": word() });
      const kept = new Set(["id", ...(KEPT[listOf(pathname)] ?? "").split(" ")]);
      const changed = await withRecords(response, (records) =>
        records.map((record: AnyRecord) => ({
          ...Object.fromEntries(
            Object.entries(record).map(([name, value]) => [name, kept.has(name) ? value : spoilt(value)]),
          ),
          [word()]: word(),
          remark: word(),
        })),
      );
      return withHeaders(changed, { "x-served-by": word(), etag: `"${word()}"` });
    },
  };
}

// Many records share a value; one that only a fifth share may still identify a person.
test("the file contains no text of a person, a header or an error", { timeout: 60_000 + 5_000 * SCHOOLS }, async () => {
  for (let seed = 1; seed <= SCHOOLS; seed++) {
    const client = await school(withCanaries(chance(seed)));
    const text = formatTwin(await takeTwin(client, { names: seed % 2 === 0 }));
    expect(/.*canary.*/i.exec(text)?.[0], `seed ${seed}`).toBeUndefined();
    expect(text.includes(String(client.baseUrl)), `seed ${seed}: the address is in the file`).toBe(false);
  }
});

test("without names the file contains no text of the school either", async () => {
  const client = await school({
    answer: (response) =>
      withRecords(response, (records) =>
        records.map((record) => ({
          ...record,
          ...("name" in record && !("custom_object" in record) && { name: "Canary", slug: "canary", code: "canary" }),
          ...("choices" in record && { title: "Canary", choices: ["Canary"] }),
        })),
      ),
  });
  const text = formatTwin(await takeTwin(client, { names: false }));
  expect(/.*canary.*/i.exec(text)?.[0]).toBeUndefined();
});

test("the file contains no address, link or markup of custom fields, and still serves for a sandbox and for types", async () => {
  const client = await school({
    answer: (response, _, { pathname }) =>
      /signup_questions|custom/.test(pathname)
        ? withRecords(response, (records) =>
            records.map((record, at) => ({
              ...record,
              ...("title" in record && {
                title: ["Ask canary@example.com", "See https://canary.example", "<b>Canary</b>"][at % 3],
              }),
              ...(Array.isArray(record.choices) && { choices: ["Yes", "canary@example.com"] }),
              ...(Array.isArray(record.fields) && {
                fields: [
                  { id: 1, slug: "canary@example.com", title: "Seats", field_type: "string" },
                  { id: 2, slug: "seats", title: "<i>Canary</i>", field_type: "string" },
                ],
              }),
            })),
          )
        : undefined,
  });
  const twin = await twinOf(client);
  const text = formatTwin(twin);
  expect(/.*canary.*/i.exec(text)?.[0]).toBeUndefined();
  expect(formatTwin(await twinOf(client))).toBe(text);
  expect(twin.school.objects).toMatchObject({ equipment: { seats: { type: "string" } } });
  expect(twin.school.accounts).toMatchObject({ sector: { type: "select" } });
  expect(schoolFile(twin.school)).toContain("sector");
  const { client: twins } = like(twin);
  expect((await twins.signupQuestions.list().toArray()).map(({ title }) => title)).toContain("Sector");
  // The types also allow any text.
  expect((await twins.accounts.update(1, { name: "Firm", custom: { sector: "Yes" } })).custom).toMatchObject({
    sector: "Yes",
  });
});

test("the file does not reveal which values belong to one person: shuffling all fields does not change it", async () => {
  const mixed: Deviation = {
    answer: (response, _, { pathname }) =>
      /\/(users|accounts|leads|orders|invoices|enrollments)$/.test(pathname)
        ? withRecords(response, (all) => {
            // The twin leaves out the newest records.
            const records = [...all].sort((a, b) => Number(a.id) - Number(b.id)).slice(0, roundedCount(all.length));
            return records.map((record, at) =>
              Object.fromEntries(
                Object.keys(record).map((name, place) => {
                  const { [name]: value } = records[(at + place * 7) % records.length] ?? {};
                  return [name, name === "id" || name === "updated_at" ? record[name] : value];
                }),
              ),
            );
          })
        : undefined,
  };
  const [asItIs, whenMixed] = [await takeTwin(await school()), await takeTwin(await school(mixed))];
  expect(whenMixed).toEqual(asItIs);
});
