import { describe, expect, it } from "vitest";
import { Accounts, AdminClient, InputError, MainClient, PermissionDeniedError } from "../../src/index.js";
import { Transport } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";

const world = (size: number | "small" = "small") => {
  const sandbox = createSandbox({ size, rateLimit: false });
  return { sandbox, client: new MainClient(sandbox) };
};

describe("with", () => {
  it("adds the records that fields refer to, null where there is none", async () => {
    const { sandbox, client } = world();
    sandbox.store.invoices.update(2, { order_id: null });
    sandbox.store.orders.delete(3);
    const invoices = await client.invoices.list().with({ account: true, order: true }).toArray();
    expect(invoices).toHaveLength(sandbox.store.invoices.count);
    for (const invoice of invoices) {
      const { account, order, ...own } = invoice;
      expect(own).toEqual(await client.invoices.get(invoice.id));
      expect(account).toEqual(await client.accounts.get(invoice.account_id));
      if (invoice.order_id === null || invoice.order_id === 3) expect(order).toBeNull();
      else expect(order?.id).toBe(invoice.order_id);
    }
  });

  it("knows users and organizations by each name that fields have for them", async () => {
    const { sandbox } = world();
    const admin = new AdminClient(sandbox);
    const [enrollment] = await admin.enrollments.list().with({ student: true }).toArray({ max: 1 });
    expect(enrollment?.student?.id).toBe(enrollment?.student_id);
    expect(enrollment?.student?.roles).toContain("student");
    for (const { assignee, assignee_id, creator, creator_id } of await admin.tasks
      .list()
      .with({ assignee: true, creator: true })
      .toArray({ max: 100 })) {
      expect([assignee?.id ?? null, creator?.id]).toEqual([assignee_id, creator_id]);
    }
    const [member] = await admin.organizationAffiliations.list().with({ organization: true, user: true }).toArray();
    expect([member?.organization?.id, member?.user?.id]).toEqual([member?.organization_id, member?.user_id]);
    const [organization] = await admin.organizations.list().with({ primary_account: true }).toArray();
    expect(organization?.primary_account?.name).toBe(organization?.name);
  });

  it("keeps pages, checkpoints and the list as they are", async () => {
    const { client } = world(500);
    const joined = client.invoices.list({ per_page: 50 }).with({ account: true });
    const first = await joined.first();
    expect(first.records.every(({ account, account_id }) => account?.id === account_id)).toBe(true);
    const rest = await client.invoices
      .list({ per_page: 50 }, { resume: first.checkpoint })
      .with({ account: true })
      .toArray();
    expect(rest).toHaveLength(450);
    expect(rest.every(({ account, account_id }) => account?.id === account_id)).toBe(true);
  });

  it("uses what another list of the client has read, until it is older than maxAge", async () => {
    const { sandbox, client } = world();
    const read = async () => {
      const before = sandbox.requests.length;
      await client.invoices.list().with({ account: true }, { maxAge: 60_000 }).toArray();
      return sandbox.requests.length - before;
    };
    const first = await read();
    expect(await read()).toBe(1);
    await sandbox.clock.advance(60_001);
    expect(await read()).toBe(first);
  });

  it("refuses references that the records do not have, and options it does not know", async () => {
    const { sandbox, client } = world();
    const joined = (references: unknown, options?: unknown): Promise<unknown> =>
      (client.invoices.list() as unknown as { with(...parts: unknown[]): Promise<unknown> }).with(references, options);
    await expect(joined({ acount: true })).rejects.toThrow('did you mean "with.account"');
    await expect(joined({ student: true })).rejects.toBeInstanceOf(InputError);
    await expect(joined({ account: false })).rejects.toThrow("must be true");
    await expect(joined("account")).rejects.toBeInstanceOf(InputError);
    await expect(joined({ account: true }, { maxage: 1 })).rejects.toThrow("maxAge");
    expect(sandbox.requests).toEqual([]);
  });

  it("fails when the key may not read what is referred to", async () => {
    const { sandbox } = world();
    const apiKey = sandbox.createKey({ scopes: ["invoices:read"] });
    const client = new MainClient({ ...sandbox, apiKey });
    await expect(client.invoices.list().with({ account: true })).rejects.toBeInstanceOf(PermissionDeniedError);
  });

  it("says what is missing where a resource has no client", async () => {
    const { sandbox } = world();
    const accounts = new Accounts(new Transport(sandbox)).list() as unknown as {
      with(references: object): Promise<unknown>;
    };
    await expect(accounts.with({ personal_user: true })).rejects.toThrow("personal_user");
  });
});
