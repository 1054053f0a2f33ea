import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { AdminClient, MainClient, OrganizationClient } from "../../src/index.js";
import { options } from "../support/clients.js";
import { makeFolder, typeCheck } from "../support/type-check.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));

describe("the public types", () => {
  it("are what the type tests say", async () => {
    const files = readdirSync(HERE).filter((name) => name.endsWith(".test-d.ts"));
    expect(files.length).toBeGreaterThanOrEqual(5);
    // One file more that is wrong in two ways, to know that the compiler looks.
    const wrong = join(makeFolder(), "wrong.test-d.ts");
    const text = `import { AdminClient } from "../../src/index.js";
      new AdminClient().invoices;
      // @ts-expect-error nothing is wrong here
      new AdminClient().accounts;`;
    writeFileSync(wrong, text);
    const found = await typeCheck([...files.map((name) => HERE + name), wrong]);
    rmSync(dirname(wrong), { recursive: true });
    expect(found.get(wrong)).toEqual([
      { line: 2, message: expect.stringContaining("Property 'invoices' does not exist") },
      { line: 3, message: expect.stringContaining("Unused '@ts-expect-error' directive") },
    ]);
    found.delete(wrong);
    expect([...found.values()].flat()).toEqual([]);
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
