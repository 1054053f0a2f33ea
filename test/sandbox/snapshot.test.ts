import { describe, expect, test, vi } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox, type SandboxSnapshot } from "../../src/sandbox/index.js";
import { timesTheCost } from "../support/processor-time.js";
import { ask } from "./support.js";

const now = "2030-06-01T12:00:00.000Z";

/** All records of a sandbox as one text. */
function everything({ store }: Sandbox): string {
  const { organization: _, ...collections } = store;
  return JSON.stringify(Object.entries(collections).map(([name, records]) => [name, records.nextId, [...records]]));
}

async function change(sandbox: Sandbox): Promise<void> {
  const client = new MainClient(sandbox.main);
  await client.accounts.create({ name: "Changed" });
  await client.invoices.create({ account_id: 2 });
  await client.payments.createForInvoice(3, { amount: "0.01" });
  sandbox.store.users.delete(4);
  sandbox.store.leads.update(1, { status: "won" });
}

describe("a snapshot", () => {
  test("restores the records any number of times, and the next identifiers", async () => {
    const sandbox = createSandbox({ size: 12, now });
    sandbox.store.invoices.update(3, { status: "open", total_open: "50.00" });
    await change(sandbox);
    const before = everything(sandbox);
    const snapshot = sandbox.snapshot();
    for (let round = 0; round < 3; round++) {
      await change(sandbox).catch(() => undefined);
      expect(everything(sandbox)).not.toBe(before);
      sandbox.restore(snapshot);
      expect(everything(sandbox)).toBe(before);
    }
    sandbox.reset();
    expect(everything(sandbox)).toBe(everything(createSandbox({ size: 12, now })));
  });

  test("does not change with later writes", () => {
    const sandbox = createSandbox({ size: 5, now });
    const id = sandbox.store.accounts.insert({ name: "Kept" }).id;
    const snapshot = sandbox.snapshot();
    const text = JSON.stringify(snapshot);
    sandbox.store.accounts.update(id, { name: "Changed", label_ids: [1] });
    sandbox.store.accounts.get(id)?.label_ids.push(9);
    expect(JSON.stringify(snapshot)).toBe(text);
    sandbox.restore(snapshot);
    sandbox.store.accounts.update(id, { name: "Changed again" });
    sandbox.restore(snapshot);
    expect(sandbox.store.accounts.get(id)?.name).toBe("Kept");
  });

  test("survives JSON, for the same sandbox or one with the same options", () => {
    const options = { size: 12, now, data: { accounts: [{ name: "Example Ltd" }] } };
    const sandbox = createSandbox(options);
    sandbox.store.invoices.insert({ status: "paid" });
    const snapshot = JSON.parse(JSON.stringify(sandbox.snapshot())) as SandboxSnapshot;
    const other = createSandbox(options);
    other.restore(snapshot);
    expect(everything(other)).toBe(everything(sandbox));
    for (const different of [
      { ...options, size: 13 },
      { ...options, seed: 2 },
      { ...options, empty: true },
    ]) {
      expect(() => createSandbox(different).restore(snapshot)).toThrow(RangeError);
    }
    expect(() => sandbox.restore({} as SandboxSnapshot)).toThrow(RangeError);
    expect(() => sandbox.restore(undefined as unknown as SandboxSnapshot)).toThrow(RangeError);
  });

  test("keeps keys and the time, but not requests, faults and the used budget", async () => {
    const sandbox = createSandbox({ size: 5, now });
    const client = new MainClient(sandbox);
    const kept = sandbox.createKey();
    await sandbox.clock.advance(60_000);
    const snapshot = sandbox.snapshot();
    const later = sandbox.createKey();
    sandbox.revokeKey(kept);
    sandbox.revokeKey(sandbox.apiKey);
    await sandbox.clock.advance(60_000);
    sandbox.faults.next({ status: 503 });
    await ask({ ...sandbox, apiKey: kept }, "api/v1/accounts/1");
    sandbox.restore(snapshot);
    expect(sandbox.requests).toEqual([]);
    expect(sandbox.clock.now()).toBe(Date.parse(now) + 60_000);
    expect(client.rateLimit.used).toBe(0);
    const status = async (apiKey: string) => (await ask({ ...sandbox, apiKey }, "api/v1/accounts/1")).status;
    expect([await status(kept), await status(sandbox.apiKey), await status(later)]).toEqual([200, 200, 403]);
  });

  test("lets a running clock continue with the same offset", async () => {
    const sandbox = createSandbox({ size: 5 });
    const machine = vi.spyOn(Date, "now").mockReturnValue(1_000_000);
    await sandbox.clock.advance(3_600_000);
    const snapshot = sandbox.snapshot();
    await sandbox.clock.advance(3_600_000);
    machine.mockReturnValue(1_000_500);
    sandbox.restore(snapshot);
    expect(sandbox.clock.now()).toBe(1_000_500 + 3_600_000);
  });

  test("keeps subscriptions, even those that ended later, and the numbers of deliveries", async () => {
    const sandbox = createSandbox({ size: 5, now });
    const seen: string[] = [];
    const to = async (request: Request) => {
      seen.push(((await request.json()) as { event: string }).event);
      return new Response();
    };
    const end = sandbox.webhooks.subscribe({ to, events: ["lead.*"] });
    sandbox.store.leads.update(1, { status: "won" });
    await sandbox.webhooks.settled();
    const snapshot = sandbox.snapshot();
    sandbox.store.leads.update(1, { status: "lost" });
    await sandbox.webhooks.settled();
    const [, second] = sandbox.webhooks.deliveries;
    end();
    sandbox.webhooks.subscribe({ to, events: ["account.*"] });
    for (let round = 0; round < 2; round++) {
      sandbox.restore(JSON.parse(JSON.stringify(snapshot)) as SandboxSnapshot);
      expect(sandbox.webhooks.deliveries).toEqual([]);
      sandbox.store.accounts.update(1, { name: "x" });
      sandbox.store.leads.update(1, { status: "lost" });
      await sandbox.webhooks.settled();
      expect(sandbox.webhooks.deliveries.map(({ id, event }) => [id, event])).toEqual([["delivery-3", "lead.updated"]]);
    }
    expect(second?.id).toBe("delivery-2");
    const other = createSandbox({ size: 5, now });
    other.restore(snapshot);
    other.store.leads.update(1, { status: "lost" });
    await other.webhooks.settled();
    expect(other.webhooks.deliveries).toEqual([]);
    expect(seen).toHaveLength(4);
  });

  test("and reset are as small and fast with a million people as with 25", async () => {
    const restoreAndReset = (size: number) => {
      const sandbox = createSandbox({ size, now });
      sandbox.store.accounts.insert({ name: "Example Ltd" });
      const snapshot = sandbox.snapshot();
      expect(JSON.stringify(snapshot).length).toBeLessThan(10_000);
      return () => {
        for (let round = 0; round < 20; round++) {
          sandbox.store.accounts.update(size / 2, { name: "Changed" });
          sandbox.restore(snapshot);
          expect(sandbox.store.accounts.get(size / 2)?.name).not.toBe("Changed");
          sandbox.reset();
          expect(sandbox.store.accounts.count).toBe(size);
        }
      };
    };
    // One step per person would cost many thousand times as much.
    expect(await timesTheCost(restoreAndReset(1_000_000), restoreAndReset(26))).toBeLessThan(100);
  });
});
