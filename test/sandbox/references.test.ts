import { expect, test } from "vitest";
import { referencesIn } from "../../src/sandbox/data/references.js";
import type { Store } from "../../src/sandbox/data/store.js";
import { REFERENCES } from "./contradictions.js";

// Stands for a store: each collection is its name.
const names = new Proxy({}, { get: (_, name) => name }) as Store;

test.each(Object.entries({ ...REFERENCES, custom_record_ids: "customRecords", referral_id: "referrals" }))(
  "%s names records of %s",
  (field, collection) => {
    expect(referencesIn("users")[field]?.(names)).toBe(collection);
  },
);

test("a field of one resource may name other records than elsewhere, and views of the Organization API are named by none", () => {
  expect(referencesIn("personalProgramElements").enrollment_id?.(names)).toBe("programEnrollments");
  expect(referencesIn("users").contact_id).toBeUndefined();
});
