import { expect, test } from "vitest";
import { fingerprint } from "../../src/core/fingerprint.js";

test("a fingerprint is the same in every process and version, because stored checkpoints contain it", () => {
  expect(fingerprint("")).toBe("811c9dc5050c5d1f");
  expect(["a", "ab", "ba", "Zoë & co", "\u{1f393}"].map(fingerprint)).toEqual([
    "e40c292c70772d5a",
    "4d2505ca449c30bb",
    "3c2ba6cc1f99b7e5",
    "d448edb53194665b",
    "5e2e9eb8b762c5d1",
  ]);
});

test("two texts of the same letters have different fingerprints, of 16 digits each", () => {
  const texts = Array.from({ length: 2_000 }, (_, at) => at.toString(2).padStart(11, "0"));
  const all = texts.map(fingerprint);
  expect(new Set(all).size).toBe(texts.length);
  expect(all.filter((each) => !/^[0-9a-f]{16}$/.test(each))).toEqual([]);
});

test("every character counts in a text longer than 256 characters", () => {
  const long = "x".repeat(300);
  expect(fingerprint(`${long}a`)).not.toBe(fingerprint(`${long}b`));
});
