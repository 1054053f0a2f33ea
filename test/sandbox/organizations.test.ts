import { describe, expect, test } from "vitest";
import { ConflictError, PermissionDeniedError, UnprocessableEntityError } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { admin, ask, ids } from "./support.js";

const all = { max: 10_000 };
const small = (): Sandbox => createSandbox({ size: 53, now: "2030-06-01T12:00:00.000Z" });

describe("organizations", () => {
  test.each([1, 4, 10, 53, 240])("of a sandbox of %i people are consistent with accounts and affiliations", (size) => {
    const { store } = createSandbox({ size, seed: 6 });
    const businesses = store.accounts.filter(({ account_type }) => account_type === "business");
    expect([...store.organizationAccounts].map(({ account_id }) => account_id)).toEqual(ids(businesses));
    const organizationOf = new Map(
      [...store.organizationAccounts].map((link) => [link.account_id, link.organization_id]),
    );
    expect(new Set(organizationOf.values())).toEqual(new Set(ids([...store.organizations])));
    for (const { id, name, primary_account_id } of store.organizations) {
      expect(organizationOf.get(primary_account_id)).toBe(id);
      expect(store.accounts.get(primary_account_id)?.name).toBe(name);
    }
    const members = [...store.organizationAffiliations].map((each) => [
      each.organization_id,
      each.user_id,
      each.key_contact,
    ]);
    const expected = store.affiliations
      .filter(({ account_id }) => organizationOf.has(account_id))
      .map((each) => [organizationOf.get(each.account_id), each.user_id, each.key_contact]);
    expect(members.map(String).sort()).toEqual(expected.map(String).sort());
    expect(new Set(members.map(([organization, user]) => `${organization} ${user}`)).size).toBe(members.length);
  });

  test("are listed and read, page by page", async () => {
    const { organizations } = admin(small());
    const every = await organizations.list({ per_page: 2 }).toArray(all);
    expect(ids(every)).toEqual(Array.from({ length: every.length }, (_, at) => at + 1));
    expect(every.length).toBeGreaterThan(5);
    expect(await organizations.get(3)).toEqual(every[2]);
  });

  test("have the invoices and orders of their accounts, including later ones; links have no identifier", async () => {
    const sandbox = small();
    const { store } = sandbox;
    const { organizationAccounts, organizationInvoices, organizationOrders } = admin(sandbox);
    const accounts = await organizationAccounts.list({ per_page: 5 }).toArray(all);
    expect(Object.keys(accounts[0] ?? {}).sort()).toEqual(["account_id", "organization_id"]);
    const organizationOf = new Map(accounts.map((link) => [link.account_id, link.organization_id]));
    const ofAccounts = (records: Iterable<{ id: number; account_id: number }>) =>
      [...records].flatMap(({ id, account_id }) => {
        const organization = organizationOf.get(account_id);
        return organization === undefined ? [] : [[organization, id]];
      });
    const { id } = store.invoices.insert({ account_id: accounts[0]?.account_id as number });
    const invoices = await organizationInvoices.list({ per_page: 5 }).toArray(all);
    expect(invoices.map((link) => [link.organization_id, link.invoice_id])).toEqual(ofAccounts(store.invoices));
    expect(invoices.at(-1)).toEqual({ invoice_id: id, organization_id: 1 });
    expect(invoices.length).toBeLessThan(store.invoices.count);
    const orders = await organizationOrders.list({ per_page: 5 }).toArray(all);
    expect(orders.length).toBeGreaterThan(10);
    expect(orders.map((link) => [link.organization_id, link.order_id])).toEqual(
      ofAccounts(store.orders as Iterable<{ id: number; account_id: number }>),
    );
    store.organizationAccounts.delete(1);
    expect(await organizationInvoices.list().toArray(all)).not.toContainEqual({ invoice_id: id, organization_id: 1 });
  });

  test("are refused without their feature flag, and exist only in the Admin API", async () => {
    const without = createSandbox({ size: 10, disabledFeatures: ["Organizations"] });
    await expect(admin(without).organizations.get(1)).rejects.toBeInstanceOf(PermissionDeniedError);
    const { baseUrl, fetch, apiKey } = small().main;
    expect((await ask({ baseUrl, fetch, apiKey }, "api/v1/organizations")).status).toBe(404);
  });
});

describe("affiliations with organizations", () => {
  test("are created, filtered by user, changed and deleted", async () => {
    const sandbox = small();
    const { organizationAffiliations: affiliations } = admin(sandbox);
    const created = await affiliations.create({ organization_id: 2, user_id: 1 });
    expect(created).toEqual({
      id: sandbox.store.organizationAffiliations.count,
      organization_id: 2,
      user_id: 1,
      key_contact: false,
    });
    const mine = await affiliations.list({ user_id: 1 }).toArray(all);
    expect(mine.map(({ organization_id }) => organization_id)).toEqual([1, 2]);
    expect(await affiliations.update(created.id, { key_contact: true })).toEqual({ ...created, key_contact: true });
    expect(await affiliations.delete(created.id)).toBeUndefined();
    expect(await affiliations.list({ user_id: 1 }).toArray(all)).toHaveLength(1);
  });

  test("are refused for a user who already belongs to the organization, and for unknown records", async () => {
    const sandbox = small();
    const { organizationAffiliations: affiliations } = admin(sandbox);
    const { count } = sandbox.store.organizationAffiliations;
    await expect(affiliations.create({ organization_id: 1, user_id: 1 })).rejects.toBeInstanceOf(ConflictError);
    for (const body of [
      { organization_id: 999, user_id: 1 },
      { organization_id: 2, user_id: 999 },
    ]) {
      await expect(affiliations.create(body)).rejects.toBeInstanceOf(UnprocessableEntityError);
    }
    expect(sandbox.store.organizationAffiliations.count).toBe(count);
  });
});
