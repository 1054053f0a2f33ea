// Bun's own expect treats a call as a promise.
import { expect, test } from "bun:test";
import { MainClient } from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";

const client = new MainClient(createSandbox({ size: "small" }));

test("a call rejects", async () => {
  await expect(client.accounts.get(9_999_999)).rejects.toThrow("404");
});
test("a call resolves", async () => {
  await expect(client.accounts.get(7)).resolves.toHaveProperty("id", 7);
});
