import { describe, expect, it } from "vitest";
import { wait } from "../../src/core/clock.js";
import type { TakenDelivery, WebhookStore } from "../../src/webhooks/store.js";
import { Pump, type PumpOptions } from "../../src/webhooks/work/pump.js";
import { RequestClock } from "./support.js";

const takenDelivery = (id: string) => ({ id, event: "a.b", payload: "{}", receivedAt: 0, sentAt: null, attempt: 1 });

interface TestedPump extends Partial<Omit<PumpOptions, "handle">> {
  readonly handle?: (taken: TakenDelivery) => Promise<number | null>;
  readonly pollMs?: number;
  readonly take?: WebhookStore["take"];
}

/** A pump over a list of deliveries, and a log of its actions in milliseconds since the start. */
function pumpOf(more: TestedPump = {}) {
  const clock = new RequestClock(0);
  const waiting: TakenDelivery[] = [];
  const log: string[] = [];
  const { pollMs = 0, take, ...options } = more;
  const store = {
    pollMs,
    take: (request: Parameters<WebhookStore["take"]>[0]) => {
      log.push(`${clock.now()} take ${request.limit}`);
      return take?.(request) ?? Promise.resolve(waiting.splice(0, request.limit));
    },
  } as unknown as WebhookStore;
  const pump = new Pump({
    store,
    clock,
    concurrency: 10,
    leaseMs: 60_000,
    dates: clock,
    longestWaitMs: 300_000,
    onePerRecord: false,
    handle: async () => null,
    limitMs: () => 100_000,
    onLost: ({ id }) => void log.push(`${clock.now()} lost ${id}`),
    onError: (error) => void log.push(`${clock.now()} ${error}`),
    onRecovery: () => undefined,
    ...(options as Partial<PumpOptions>),
  });
  /** Returns the actions since the last call. */
  const takeLog = () => log.splice(0);
  const isOver = async (work: Promise<unknown>) => {
    let over = false;
    void work.then(() => {
      over = true;
    });
    await clock.advance(0);
    return over;
  };
  return { pump, clock, waiting, log, takeLog, isOver };
}

describe("looking for deliveries", () => {
  it("takes once when woken, after the caller has finished, and leaves no timer with a store of one process", async () => {
    const { pump, clock, takeLog } = pumpOf();
    pump.wake();
    expect(takeLog()).toEqual([]);
    await clock.advance(0);
    expect(takeLog()).toEqual(["0 take 10"]);
    expect(clock.pending).toBe(0);
  });

  it("takes again every pollMs, with the configured lease and order", async () => {
    const requests: unknown[] = [];
    const { pump, clock, takeLog } = pumpOf({
      pollMs: 300,
      onePerRecord: true,
      take: async (request) => {
        requests.push(request);
        return [];
      },
    });
    pump.wake();
    await clock.advance(700);
    expect(takeLog()).toEqual(["0 take 10", "300 take 10", "600 take 10"]);
    expect(requests[1]).toEqual({
      limit: 10,
      now: 300,
      leaseUntil: 60_300,
      longestWaitMs: 300_000,
      onePerRecord: true,
    });
    await pump.close();
    expect(clock.pending).toBe(0);
    await clock.advance(1_000);
    expect(takeLog()).toEqual([]);
  });

  it("takes once more if it was woken during a take, but never twice at a time", async () => {
    const { pump, clock, takeLog } = pumpOf({ take: () => wait(clock, 50, undefined).then(() => []) });
    pump.wake();
    await clock.advance(10);
    pump.wake();
    pump.wake();
    await clock.advance(10_000);
    expect(takeLog()).toEqual(["0 take 10", "50 take 10"]);
  });

  it.each([
    [0, 1_000],
    [300, 1_000],
    [5_000, 5_000],
  ])("with pollMs %d takes again %d ms after a failure of the store", async (pollMs, pause) => {
    let failures = 1;
    const { pump, clock, takeLog } = pumpOf({
      pollMs,
      take: async () => {
        if (failures-- > 0) throw new Error("away");
        return [];
      },
    });
    pump.wake();
    await clock.advance(pause - 1);
    expect(takeLog()).toEqual(["0 take 10", "0 Error: away"]);
    await clock.advance(1);
    expect(takeLog()).toEqual([`${pause} take 10`]);
    await pump.close();
  });

  it("treats a store that does not respond within ten seconds as failed", async () => {
    const { pump, clock, takeLog } = pumpOf({ take: () => new Promise(() => undefined) });
    pump.wake();
    await clock.advance(11_000);
    expect(takeLog()).toEqual([
      "0 take 10",
      "10000 Error: The store did not respond to take within 10000 ms",
      "11000 take 10",
    ]);
    await clock.run(pump.close());
    await clock.advance(20_000);
    expect(takeLog().at(-1)).toMatch(/^21000 Error/);
  });
});

describe("handling deliveries", () => {
  it("takes as many as it has room for, and more when there is room again", async () => {
    const handle = () => wait(clock, 10, undefined).then(() => null);
    const { pump, clock, waiting, takeLog, isOver } = pumpOf({ concurrency: 2, handle });
    waiting.push(...["a", "b", "c"].map(takenDelivery));
    pump.wake();
    await clock.advance(0);
    const drained = pump.drain();
    await clock.advance(10);
    expect([await isOver(drained), takeLog()]).toEqual([false, ["0 take 2", "10 take 2"]]);
    await clock.advance(10);
    expect([await isOver(drained), waiting]).toEqual([true, []]);
  });

  it("handles a delivery once if it is handed out again meanwhile", async () => {
    const handled: string[] = [];
    const { pump, clock, waiting } = pumpOf({
      handle: ({ id }) => {
        handled.push(id);
        return new Promise(() => undefined);
      },
    });
    for (let time = 0; time < 2; time++) {
      waiting.push(takenDelivery("a"));
      pump.wake();
      await clock.advance(10);
    }
    expect(handled).toEqual(["a"]);
  });

  it("takes again after a delivery only if the next of its record may have waited for it", async () => {
    for (const onePerRecord of [true, false]) {
      const handle = () => wait(clock, 10, undefined).then(() => null);
      const { pump, clock, waiting, takeLog } = pumpOf({ onePerRecord, handle });
      waiting.push(takenDelivery("a"));
      pump.wake();
      await clock.advance(1_000);
      expect(takeLog()).toEqual(onePerRecord ? ["0 take 10", "10 take 10"] : ["0 take 10"]);
    }
  });

  it("reuses the slot of a delivery that was not settled within its limit", async () => {
    const { pump, clock, waiting, takeLog, isOver } = pumpOf({
      concurrency: 1,
      pollMs: 40,
      limitMs: ({ id }) => (id === "a" ? 100 : 1_000),
      handle: ({ id }) => (id === "a" ? new Promise(() => undefined) : Promise.resolve(null)),
    });
    waiting.push(takenDelivery("a"), takenDelivery("b"));
    pump.wake();
    await clock.advance(99);
    expect([takeLog(), waiting.length]).toEqual([["0 take 1"], 1]);
    await clock.advance(30);
    expect([takeLog().slice(0, 2), waiting]).toEqual([["120 lost a", "120 take 1"], []]);
    expect(await isOver(pump.close())).toBe(true);
  });
});

describe("a delivery to retry", () => {
  const later = (times: Record<string, number>) => ({ handle: async ({ id }: TakenDelivery) => times[id] ?? null });

  it("is taken when it is due, the earliest first", async () => {
    const { pump, clock, waiting, takeLog } = pumpOf(later({ a: 500, b: 200, c: 900 }));
    waiting.push(...["a", "b", "c", "d"].map(takenDelivery));
    pump.wake();
    await clock.advance(199);
    expect(takeLog()).toEqual(["0 take 10"]);
    await clock.advance(1_000);
    expect(takeLog()).toEqual(["200 take 10", "500 take 10", "900 take 10"]);
    expect(clock.pending).toBe(0);
  });

  it("is taken at once if it is overdue", async () => {
    const { pump, clock, waiting, takeLog } = pumpOf(later({ a: 0 }));
    waiting.push(takenDelivery("a"));
    pump.wake();
    await clock.advance(100);
    expect(takeLog()).toEqual(["0 take 10", "0 take 10"]);
  });

  it("is taken when it is due even if it failed between two polls", async () => {
    const handle = ({ id }: TakenDelivery) => wait(clock, 10, undefined).then(() => (id === "a" ? 50 : 40));
    const { pump, clock, waiting, takeLog } = pumpOf({ pollMs: 1_000, handle });
    waiting.push(takenDelivery("a"), takenDelivery("b"));
    pump.wake();
    await clock.advance(1_100);
    expect(takeLog()).toEqual(["0 take 10", "40 take 10", "50 take 10", "1050 take 10"]);
    await pump.close();
  });

  it("does not postpone the next poll if it is due later", async () => {
    const handle = () => wait(clock, 10, undefined).then(() => 900);
    const { pump, clock, waiting, takeLog } = pumpOf({ pollMs: 400, handle });
    waiting.push(takenDelivery("a"));
    pump.wake();
    await clock.advance(1_000);
    expect(takeLog()).toEqual(["0 take 10", "400 take 10", "800 take 10", "900 take 10"]);
    await pump.close();
  });

  it.each([400, 401, 5_000])(
    "is taken when it is due if its time and the next poll, stopped with its request, differ by %d ms",
    async (time) => {
      let fail = (_: number) => {};
      const handle = () =>
        new Promise<number>((resolve) => {
          fail = resolve;
        });
      const { pump, clock, waiting, takeLog } = pumpOf({ pollMs: 400, handle });
      waiting.push(takenDelivery("a"));
      pump.wake();
      await clock.advance(0);
      clock.endRequests();
      await clock.advance(time);
      expect(takeLog()).toEqual(["0 take 10"]);
      fail(6_000);
      await clock.advance(6_000 - time);
      expect(takeLog()).toEqual(["6000 take 10"]);
      await pump.close();
    },
  );

  it("keeps drain waiting until it is taken again and settled", async () => {
    const times: Record<string, number> = { a: 300 };
    const { pump, clock, waiting, isOver } = pumpOf(later(times));
    waiting.push(takenDelivery("a"));
    pump.wake();
    const drained = pump.drain();
    await clock.advance(299);
    expect(await isOver(drained)).toBe(false);
    delete times.a;
    waiting.push(takenDelivery("a"));
    await clock.advance(1);
    expect(await isOver(drained)).toBe(true);
  });

  it("stops keeping drain waiting if another process has taken it", async () => {
    const { pump, clock, waiting, isOver } = pumpOf(later({ a: 300 }));
    waiting.push(takenDelivery("a"));
    pump.wake();
    await clock.advance(299);
    const drained = pump.drain();
    expect(await isOver(drained)).toBe(false);
    await clock.advance(1);
    expect(await isOver(drained)).toBe(true);
  });
});

describe("closing", () => {
  it("waits for its deliveries, takes no more, and leaves no timer", async () => {
    const handle = () => wait(clock, 100, undefined).then(() => 5_000);
    const { pump, clock, waiting, takeLog, isOver } = pumpOf({ pollMs: 50, concurrency: 1, handle });
    waiting.push(takenDelivery("a"), takenDelivery("b"));
    pump.wake();
    await clock.advance(10);
    const closed = pump.close();
    const drained = pump.drain();
    pump.wake();
    await clock.advance(89);
    expect([await isOver(closed), await isOver(drained)]).toEqual([false, false]);
    await clock.advance(1);
    expect([await isOver(closed), await isOver(drained)]).toEqual([true, true]);
    expect([takeLog(), clock.pending, waiting.length]).toEqual([["0 take 1"], 0, 1]);
  });

  it("waits for the store to respond, and takes no more", async () => {
    const { pump, clock, takeLog, isOver } = pumpOf({
      pollMs: 10,
      take: () => wait(clock, 50, undefined).then(() => []),
    });
    pump.wake();
    await clock.advance(20);
    const closed = pump.close();
    expect(await isOver(closed)).toBe(false);
    await clock.advance(30);
    expect([await isOver(closed), takeLog(), clock.pending]).toEqual([true, ["0 take 10"], 0]);
  });

  it("ends at once if nothing has begun; an earlier wake then has no effect", async () => {
    const { pump, clock, takeLog, isOver } = pumpOf();
    pump.wake();
    expect(await isOver(pump.drain().then(() => pump.close()))).toBe(true);
    await clock.advance(100);
    const other = pumpOf();
    other.pump.wake();
    expect(await other.isOver(other.pump.close())).toBe(true);
    expect([takeLog(), other.takeLog()]).toEqual([["0 take 10"], []]);
  });
});
