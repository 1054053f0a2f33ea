import { expect, test } from "vitest";
import { fieldsOf } from "../../src/core/schema/traits.js";
import { allFacts } from "../../src/sandbox/collections.js";
import { referencesIn } from "../../src/sandbox/data/references.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { REFERENCES } from "./contradictions.js";
import { small } from "./support.js";

const names = [...allFacts().keys()];

test.each([small(), createSandbox({ size: 1 })])(
  "every collection has its facts, and every field of its records is in its schema",
  ({ store }) => {
    const { organization: _, ...collections } = store;
    expect([...names].sort()).toEqual(Object.keys(collections).sort());
    for (const [name, records] of Object.entries(collections)) {
      const schema = allFacts().get(name as keyof typeof collections)?.schema;
      const fields = Object.keys(records.draft());
      expect(Object.keys(fieldsOf(schema)), name).toEqual(expect.arrayContaining(fields));
    }
  },
);

test.each([
  ["customObjects", "customAssociations"],
  ["customObjects", "customRecords"],
  ["educators", "invoices"],
  ["users", "accounts"],
  ["users", "teachers"],
  ["plannedCourses", "catalogVariants"],
  ["programEditions", "catalogVariants"],
  ["catalogVariants", "orders"],
  ["orders", "invoices"],
  ["invoices", "payments"],
  ["enrollments", "certificates"],
  ["programEnrollments", "grades"],
  ["tasks", "comments"],
])("own data: %s are inserted before %s, which refer to them", (first, second) => {
  expect(names.indexOf(first as never)).toBeGreaterThanOrEqual(0);
  expect(names.indexOf(first as never)).toBeLessThan(names.indexOf(second as never));
});

test("own data may come in any order", () => {
  const data = {
    comments: [{ commentable_type: "Lead", commentable_id: 4 }],
    leads: [{ id: 4, user_id: 3 }],
    users: [{ id: 3, last_name: "Example" }],
  };
  const { store } = createSandbox({ empty: true, data });
  expect([store.leads.count, store.users.count, store.leads.get(4)?.last_name]).toEqual([1, 1, "Example"]);
});

test("a record passed to a filter is a plain object, and a copy of it has its fields", () => {
  const { store } = small();
  const copies = store.invoices.filter((row) => ({ ...row }).status === "paid" && JSON.stringify(row).includes("paid"));
  expect(copies.length).toBeGreaterThan(0);
  expect(copies).toHaveLength(store.invoices.filter(({ status }) => status === "paid").length);
  const users: object[] = [];
  store.organization.contacts.filter((row) => users.push({ ...row }) > 0);
  expect(users[0]).toEqual(store.organization.contacts.at(0));
});

test("a record that was read belongs to the caller, and changing it changes nothing", () => {
  const { store } = small();
  const name = store.accounts.get(1)?.name;
  for (const read of [
    store.accounts.get(1),
    store.accounts.at(0),
    store.accounts.find(() => true),
    [...store.accounts][0],
  ]) {
    if (read) Object.assign(read, { name: "Changed" }).address = null as never;
  }
  expect(store.accounts.get(1)).toMatchObject({ name, address: { country: expect.any(String) } });
});

test.each(Object.entries({ ...REFERENCES, custom_record_ids: "customRecords", referral_id: "referrals" }))(
  "%s refer to records of %s",
  (field, collection) => {
    expect(referencesIn("users")[field]).toBe(collection);
  },
);

test("a field may refer to different records in different resources, and no field refers to views of the Organization API", () => {
  expect(referencesIn("personalProgramElements").enrollment_id).toBe("programEnrollments");
  expect(referencesIn("users").contact_id).toBeUndefined();
});
