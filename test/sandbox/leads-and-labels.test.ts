import { describe, expect, test } from "vitest";
import { NotFoundError } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { admin, ask, eventsOf, main } from "./support.js";

const small = (): Sandbox => createSandbox({ size: 60, now: "2030-06-01T12:00:00.000Z" });

describe("leads", () => {
  test("are read and deleted in both APIs, and their status changes in the Admin API", async () => {
    const sandbox = small();
    const events = eventsOf(sandbox, ["lead.*"]);
    const { leads } = main(sandbox);
    const lead = await leads.create({ title: "Team course", quality: 3 });
    expect(await leads.get(lead.id)).toEqual(lead);
    const won = await admin(sandbox).leads.update(lead.id, { status: "won" });
    expect(won).toEqual({ ...lead, status: "won", updated_at: won.updated_at });
    const put = { method: "PUT", body: '{"status":"lost"}' };
    expect((await ask(sandbox.main, `api/v1/leads/${lead.id}`, put)).status).toBe(404);
    expect(await leads.delete(lead.id)).toBeUndefined();
    await expect(leads.get(lead.id)).rejects.toBeInstanceOf(NotFoundError);
    expect(await admin(sandbox).leads.delete(1)).toBeUndefined();
    await sandbox.webhooks.settled();
    expect(events).toEqual([
      `lead.created ${lead.id}`,
      `lead.updated ${lead.id}`,
      `lead.deleted ${lead.id}`,
      "lead.deleted 1",
    ]);
  });
});

describe("labels", () => {
  test("are read, and removed from every record when they are deleted", async () => {
    const sandbox = small();
    const { store } = sandbox;
    const client = main(sandbox);
    const label = await client.labels.create({ name: "Returning", model_type: "User" });
    expect(await client.labels.get(label.id)).toEqual(label);
    const label_ids = [4, label.id];
    store.accounts.update(2, { label_ids });
    store.catalogProducts.update(2, { label_ids });
    store.leads.update(2, { label_ids });
    store.orders.update(2, { label_ids });
    store.tasks.update(2, { label_ids });
    await client.users.update(2, { label_ids });
    const untouched = store.users.get(3);
    const events = eventsOf(sandbox, ["label.*", "user.*"]);
    expect(await client.labels.delete(label.id)).toBeUndefined();
    await expect(client.labels.get(label.id)).rejects.toBeInstanceOf(NotFoundError);
    for (const name of ["accounts", "catalogProducts", "leads", "orders", "tasks", "users"] as const) {
      expect([name, store[name].get(2)?.label_ids]).toEqual([name, [4]]);
    }
    expect(store.users.get(3)).toEqual(untouched);
    await sandbox.webhooks.settled();
    expect(events).toEqual([`label.deleted ${label.id}`, "user.updated 2"]);
  });
});
