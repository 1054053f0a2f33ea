import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { sha256 } from "../../src/core/sha256.js";

it("is the SHA-256 of Node for every length around the block borders, and for text beyond ASCII", () => {
  const texts = [...Array.from({ length: 200 }, (_, length) => "k".repeat(length)), "ключ-é-😀", "x".repeat(100_000)];
  for (const text of texts) expect(sha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
});
