import { describe, expect, it } from "vitest";
import type { Clock } from "../../../src/core/clock.js";
import { Keys, type KeyUse } from "../../../src/core/line/keys.js";
import { Line } from "../../../src/core/line/line.js";
import { resolveSettings } from "../../../src/core/settings.js";
import { failure, ManualClock, settle } from "../../support/manual-clock.js";
import { makeTicket } from "../../support/ticket.js";

const USE = { operation: {} };

/** Keys whose function returns `source.key`, and which have already fetched the first key. */
async function keySource(first = "old") {
  const clock = new ManualClock();
  const source: { key: string | Error; asked: number } = { key: first, asked: 0 };
  const keys = new Keys(() => {
    source.asked++;
    if (source.key instanceof Error) throw source.key;
    return source.key;
  }, clock);
  await keys.token(makeTicket());
  const renew = (status: number, use: KeyUse = USE, refused = first) =>
    keys.renewToken(use, refused, status, makeTicket());
  const succeed = (use: KeyUse = USE, isRenewed = false) =>
    keys.noteSuccess(use, keys.current ?? null, Object.assign(makeTicket(), { isRenewed }));
  return { clock, source, keys, renew, succeed };
}

describe("a key function that still returns the refused key", () => {
  it("is called again by a 403 after pauses that double from a second to five minutes", async () => {
    const { clock, source, renew } = await keySource();
    const calledAt: number[] = [];
    for (let second = 0; second <= 1_200; second++) {
      const { asked } = source;
      expect(await renew(403)).toBeNull();
      if (source.asked > asked) calledAt.push(second);
      await clock.advance(1_000);
    }
    const pauses = calledAt.slice(1).map((at, index) => at - (calledAt[index] ?? 0));
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    source.key = "new";
    await clock.advance(300_000);
    expect(await renew(403)).toBe("new");
  });

  it("is called by every 401", async () => {
    const { source, renew } = await keySource();
    for (let call = 0; call < 5; call++) expect(await renew(401)).toBeNull();
    expect(source.asked).toBe(6);
  });

  it("is called once for calls that are refused together", async () => {
    const { clock, source, renew } = await keySource();
    const together = () => Promise.all(Array.from({ length: 50 }, () => renew(403)));
    expect(new Set(await together())).toEqual(new Set([null]));
    expect(source.asked).toBe(2);
    // The fifty refusals count as one: the next pause is a second, not longer.
    await clock.advance(1_000);
    await together();
    expect(source.asked).toBe(3);
  });

  it("pauses by elapsed time, even if the date changes", async () => {
    let now = 0;
    const elapsed = new ManualClock();
    const clock: Clock = {
      now: () => now,
      steady: () => elapsed.now(),
      setTimeout: (callback, ms) => elapsed.setTimeout(callback, ms),
      clearTimeout: (handle) => elapsed.clearTimeout(handle),
    };
    let asked = 0;
    const keys = new Keys(() => {
      asked++;
      return "old";
    }, clock);
    const renew = () => keys.renewToken(USE, "old", 403, makeTicket());
    await renew();
    now += 86_400_000;
    await renew();
    expect(asked).toBe(1);
    now -= 2 * 86_400_000;
    await elapsed.advance(1_000);
    await renew();
    expect(asked).toBe(2);
  });

  it("is called at once again after a repeated call that succeeded, and only then", async () => {
    const { clock, source, renew, succeed } = await keySource();
    for (let call = 0; call < 10; call++) {
      await renew(403);
      await clock.advance(60_000);
    }
    source.key = "new";
    await clock.advance(300_000);
    expect(await renew(403)).toBe("new");
    const { asked } = source;
    source.key = "newer";
    succeed();
    expect(await renew(403, { operation: {} }, "new")).toBeNull();
    succeed(USE, true);
    expect(await renew(403, { operation: {} }, "new")).toBe("newer");
    expect(source.asked).toBe(asked + 1);
  });

  it("is called for a refused operation that worked with the key, even if another operation is always refused", async () => {
    const { clock, source, renew, succeed } = await keySource();
    const forbidden = { operation: {} };
    succeed();
    for (let minute = 0; minute < 60; minute++) {
      await renew(403, forbidden);
      await clock.advance(60_000);
    }
    await renew(403, forbidden);
    source.key = "new";
    expect(await renew(403, forbidden)).toBeNull();
    expect(await renew(403)).toBe("new");
  });
});

describe("a key function that returns another key each time", () => {
  it("is called once for an operation that is forbidden with all of them", async () => {
    let number = 0;
    const keys = new Keys(() => `key-${++number}`, new ManualClock());
    let token: string | null = await keys.token(makeTicket());
    for (let call = 0; call < 20; call++) {
      token = (await keys.renewToken({ operation: {}, raw: true }, token, 403, makeTicket())) ?? token;
    }
    expect(number).toBe(2);
  });
});

describe("a 404", () => {
  it("concerns the record if the operation never worked with the key", async () => {
    const { source, renew, succeed } = await keySource();
    source.key = "new";
    expect(await renew(404)).toBeNull();
    succeed({ operation: {} });
    expect(await renew(404)).toBeNull();
    expect(source.asked).toBe(1);
  });

  it("may concern the key if the operation worked with it, and then calls the key function after a pause", async () => {
    const { clock, source, renew, succeed } = await keySource();
    succeed();
    expect([await renew(404), await renew(404)]).toEqual([null, null]);
    expect(source.asked).toBe(2);
    source.key = "new";
    await clock.advance(1_000);
    expect(await renew(404)).toBe("new");
    // The operation has never succeeded with the new key.
    await clock.advance(300_000);
    expect(await renew(404, USE, "new")).toBeNull();
    expect(source.asked).toBe(3);
  });

  it("does not delay the call of the key function after a 403", async () => {
    const { source, renew, succeed } = await keySource();
    succeed();
    await renew(404);
    source.key = "new";
    expect(await renew(403)).toBe("new");
  });

  it("of a raw request may concern the key if another raw request worked with it", async () => {
    const { source, renew, succeed } = await keySource();
    succeed();
    source.key = "new";
    const byHand = () => ({ operation: {}, raw: true });
    expect(await renew(404, byHand())).toBeNull();
    succeed(byHand());
    expect(await renew(404, byHand())).toBe("new");
  });
});

describe("a key function that fails after a 403", () => {
  it("fails that call, and is called again after a pause", async () => {
    const { clock, source, renew } = await keySource();
    source.key = new Error("vault is down");
    expect((await failure(renew(403))).message).toContain("The apiKey function failed");
    expect(await renew(403)).toBeNull();
    await clock.advance(1_000);
    source.key = "new";
    expect(await renew(403)).toBe("new");
  });

  it("causes no pause if its call was aborted while it waited", async () => {
    const answers: ((key: string) => void)[] = [];
    const keys = new Keys(() => new Promise<string>((resolve) => answers.push(resolve)), new ManualClock());
    const first = Promise.resolve(keys.token(makeTicket()));
    answers[0]?.("old");
    await first;
    const stop = new AbortController();
    const aborted = failure(keys.renewToken(USE, "old", 403, makeTicket({ signal: stop.signal })));
    stop.abort(new Error("enough"));
    await aborted;
    const renewed = keys.renewToken(USE, "old", 403, makeTicket());
    answers[1]?.("new");
    expect(await renewed).toBe("new");
  });
});

it("a call that waits out its pause calls the key function for the first key only afterwards", async () => {
  const clock = new ManualClock(0);
  const asked: number[] = [];
  const apiKey = () => {
    asked.push(clock.now());
    return "key";
  };
  const line = new Line(resolveSettings({ baseUrl: "https://school.example", apiKey, clock }));
  const ticket = makeTicket();
  line.pause(ticket, 5_000);
  const turn = line.turn(ticket);
  await settle();
  await clock.advance(4_999);
  expect(asked).toEqual([]);
  await clock.advance(1);
  expect(await turn).toMatchObject({ token: "key" });
  expect(asked).toEqual([5_000]);
});
