import { describe, expect, it, test } from "vitest";
import { ConfigurationError } from "../../src/core/errors.js";
import { memoryStore, type ReceivedDelivery } from "../../src/webhooks/index.js";
import { deliveryOf, takeAt } from "./support.js";

describe("memoryStore", () => {
  it("hands out deliveries in the order of arrival, each once, and again when it is due", async () => {
    const store = memoryStore();
    for (const id of ["a", "b", "c"]) await store.put(deliveryOf("x.y", {}, id));
    const take = async (now: number) => (await store.take(takeAt(now, 2))).map(({ id, attempt }) => `${id}${attempt}`);
    expect([await take(0), await take(0), await take(0)]).toEqual([["a1", "b1"], ["c1"], []]);
    await store.retry("b", 100, 1);
    expect([await take(99), await take(100)]).toEqual([[], ["b2"]]);
  });

  it("recognizes a delivery while it waits, is handled or waits again, and after it is done or dead", async () => {
    const store = memoryStore();
    const again = () => store.put(deliveryOf("x.y", {}, "a"));
    expect(await again()).toBe("stored");
    expect(await again()).toBe("duplicate");
    await store.take(takeAt(0, 1));
    expect(await again()).toBe("duplicate");
    await store.retry("a", 0, 1);
    expect(await again()).toBe("duplicate");
    await store.take(takeAt(0, 1));
    await store.dead("a", 2);
    expect(await again()).toBe("duplicate");
  });

  it("limits waiting and remembered deliveries", async () => {
    const store = memoryStore({ maxPending: 1, maxRemembered: 2 });
    for (const id of ["a", "b", "c"]) {
      await store.put(deliveryOf("x.y", {}, id));
      await expect(store.put(deliveryOf("x.y"))).rejects.toThrow(/full/);
      await store.take(takeAt(0, 1));
      await store.done(id, null);
    }
    expect(await store.put(deliveryOf("x.y", {}, "c"))).toBe("duplicate");
    expect(await store.put(deliveryOf("x.y", {}, "a"))).toBe("stored");
  });

  it("remembers the delivery that was settled last the longest", async () => {
    const store = memoryStore({ maxRemembered: 1 });
    await store.done("a", null);
    await store.done("b", null);
    expect(await store.put(deliveryOf("x.y", {}, "b"))).toBe("duplicate");
    expect(await store.put(deliveryOf("x.y", {}, "a"))).toBe("stored");
  });

  it("counts two bytes for each character that waits or is being handled, and frees them at the end", async () => {
    const delivery = deliveryOf("x.y", {}, "a");
    const maxBytes = 2 * delivery.payload.length;
    const store = memoryStore({ maxBytes });
    await store.put(delivery);
    const next = deliveryOf("x.y", {}, "b");
    await expect(store.put(next)).rejects.toThrow(`its deliveries take up ${maxBytes} of ${maxBytes} bytes`);
    await store.take(takeAt(0));
    await expect(store.put(next)).rejects.toThrow(/full/);
    await store.done("a", null);
    expect(await store.put(next)).toBe("stored");
    await expect(memoryStore({ maxBytes: maxBytes - 1 }).put(delivery)).rejects.toThrow(/full/);
  });

  test.each(["maxPending", "maxBytes", "maxRemembered"])("refuses a %s below 1, and names it", (name) => {
    expect(() => memoryStore({ [name]: 0 })).toThrow(ConfigurationError);
    expect(() => memoryStore({ [name]: 0 })).toThrow(name);
  });

  it("hands a delivery out again after its lease has ended, and not before", async () => {
    const store = memoryStore();
    await store.put(deliveryOf("x.y", {}, "a"));
    const attempts = async (now: number) => (await store.take(takeAt(now))).map(({ attempt }) => attempt);
    expect([await attempts(0), await attempts(29_999), await attempts(30_000)]).toEqual([[1], [], [2]]);
    await store.extend("a", 70_000, 2);
    expect([await attempts(69_999), await attempts(70_000)]).toEqual([[], [3]]);
  });

  it("does not hand out a delivery again whose listener succeeded after the lease had ended", async () => {
    for (const settle of ["done", "dead"] as const) {
      const store = memoryStore();
      await store.put(deliveryOf("x.y", {}, "a"));
      await store.put(deliveryOf("x.y", {}, "b"));
      await store.take(takeAt(0));
      await store.retry("b", 50_000, 1);
      // The lease of one delivery has ended, but the limit of 0 allows no delivery, so it stays ready.
      await store.take(takeAt(30_000, 0));
      for (const id of ["a", "b"]) await (settle === "done" ? store.done(id, null) : store.dead(id, 1));
      expect(await store.take(takeAt(100_000))).toEqual([]);
    }
  });

  it("ignores a delivery that is not handed out", async () => {
    const store = memoryStore();
    await store.put(deliveryOf("x.y", {}, "a"));
    for (const id of ["a", "unknown"]) {
      await store.extend(id, 99, 1);
      await store.retry(id, 99, 1);
    }
    expect((await store.take(takeAt(0))).map(({ id }) => id)).toEqual(["a"]);
  });

  it("shows listeners neither the record nor the key of a delivery", async () => {
    const store = memoryStore();
    await store.put({ ...deliveryOf("x.y", {}, "a"), foldKey: "k" });
    const [taken] = await store.take(takeAt(0));
    expect(Object.keys(taken ?? {}).sort()).toEqual(["attempt", "event", "id", "payload", "receivedAt", "sentAt"]);
  });

  it("forgets copies of records when the limit is reached, but never a change", async () => {
    const store = memoryStore({ maxRemembered: 1 });
    const put = (id: string, record: string) => store.put({ ...deliveryOf("x.y", {}, id), record, foldKey: record });
    const results = [await put("a", "r"), await put("b", "r"), await put("c", "s"), await put("d", "r")];
    expect(results).toEqual(["stored", "duplicate", "stored", "stored"]);
  });

  describe("with one delivery per record at a time", () => {
    const of = (record: string | null, id: string): ReceivedDelivery => ({ ...deliveryOf("x.y", {}, id), record });
    const filledStore = async (...deliveries: ReceivedDelivery[]) => {
      const store = memoryStore();
      for (const one of deliveries) await store.put(one);
      const take = async (now = 0, limit = 10) => (await store.take(takeAt(now, limit, true))).map(({ id }) => id);
      return { store, take };
    };

    it("hands out the oldest of each record, and the next after that is settled", async () => {
      const { store, take } = await filledStore(
        of("r", "r1"),
        of("r", "r2"),
        of("s", "s1"),
        of("r", "r3"),
        of(null, "n1"),
      );
      await store.put(of(null, "n2"));
      expect(await take()).toEqual(["r1", "s1", "n1", "n2"]);
      expect(await take()).toEqual([]);
      await store.put(of("r", "r4"));
      await store.done("r1", null);
      expect(await take()).toEqual(["r2"]);
      await store.dead("r2", 1);
      expect(await take()).toEqual(["r3"]);
      await store.done("r3", null);
      expect(await take()).toEqual(["r4"]);
      await store.done("r4", null);
      await store.put(of("r", "r5"));
      expect(await take()).toEqual(["r5"]);
    });

    it("does not delay the record while one waits for another attempt", async () => {
      const { store, take } = await filledStore(of("r", "r1"), of("r", "r2"));
      expect(await take()).toEqual(["r1"]);
      await store.retry("r1", 100, 1);
      expect(await take()).toEqual(["r2"]);
      expect(await take(100)).toEqual([]);
      await store.done("r2", null);
      expect(await take(100)).toEqual(["r1"]);
    });

    it("skips a settled delivery that waited behind another one", async () => {
      const { store, take } = await filledStore(of("r", "r1"), of("r", "r2"), of("r", "r3"));
      expect(await take()).toEqual(["r1"]);
      await store.done("r2", null);
      await store.done("r1", null);
      expect(await take()).toEqual(["r3"]);
    });

    it("frees a record when the lease of its delivery ends", async () => {
      const { take } = await filledStore(of("r", "r1"), of("r", "r2"));
      expect(await take(0)).toEqual(["r1"]);
      expect(await take(29_999)).toEqual([]);
      expect(await take(30_000)).toHaveLength(1);
      expect(await take(30_000)).toEqual([]);
    });

    it("takes no more than the limit, and all of a record if the order does not matter", async () => {
      const { store, take } = await filledStore(of("r", "r1"), of("s", "s1"), of("t", "t1"), of("r", "r2"));
      expect(await take(0, 2)).toEqual(["r1", "s1"]);
      expect((await store.take(takeAt(0, 10, false))).map(({ id }) => id)).toEqual(["t1", "r2"]);
    });
  });
});
