import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { AdminClient, MainClient, OrganizationClient } from "../../src/index.js";
import { options } from "../support/clients.js";
import { complaints } from "../support/compile.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));

describe("the public types", () => {
  it("are what the type tests say", () => {
    const files = readdirSync(HERE).filter((name) => name.endsWith(".test-d.ts"));
    expect(files.length).toBeGreaterThanOrEqual(5);
    // One file more that is wrong in two ways, to know that the compiler looks.
    const wrong = `${HERE}wrong.test-d.ts`;
    const text = `import { AdminClient } from "../../src/index.js";
      new AdminClient().invoices;
      // @ts-expect-error nothing is wrong here
      new AdminClient().accounts;`;
    const found = complaints([...files.map((name) => HERE + name), wrong], new Map([[wrong, text]]));
    expect(found).toEqual([
      expect.stringContaining("wrong.test-d.ts:2 Property 'invoices' does not exist"),
      expect.stringContaining("wrong.test-d.ts:3 Unused '@ts-expect-error' directive"),
    ]);
  });
});

describe("what an API does not offer", () => {
  const main = new MainClient(options());
  const admin = new AdminClient(options());
  const organization = new OrganizationClient(options());

  it("does not exist at run time either", () => {
    for (const [client, there, missing] of [
      [main, ["invoices", "invoiceVats", "accounts"], ["certificates", "departments", "emails", "contacts"]],
      [admin, ["certificates", "departments", "emails", "accounts"], ["invoices", "invoiceVats", "contacts"]],
      [organization, ["contacts"], ["accounts", "invoices", "organization"]],
    ] as const) {
      for (const name of there) expect(name in client, name).toBe(true);
      for (const name of missing) expect(name in client, name).toBe(false);
    }
    expect("listForOrders" in admin.comments).toBe(true);
    expect("listForOrders" in main.comments).toBe(false);
    expect("get" in organization.contacts).toBe(false);
    expect(main.organization).toBeInstanceOf(OrganizationClient);
  });
});
