// open-amount.test.ts
import { expect, test } from "@jest/globals";
import { MainClient } from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";
import { openAmount } from "./open-amount.mjs";

test("nothing is open when everything is paid", async () => {
  const sandbox = createSandbox({ size: 20 });
  for (const { id } of sandbox.store.invoices) sandbox.store.invoices.update(id, { status: "paid" });

  expect(await openAmount(new MainClient(sandbox))).toBe(0);
});
