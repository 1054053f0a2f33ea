import { describe, expect, onTestFinished, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { type Change, FeedGapError, type FeedWait } from "../../src/mirror/index.js";
import { type FeedState, Lag, type Position } from "../../src/mirror/position.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { copyOf } from "./support/copies.js";

/** A follower that has received all changes of a copy, the last three of them one by one. */
async function follow(resources: readonly ("accounts" | "users")[]) {
  const sandbox = createSandbox({ size: 30 });
  const clock = new ManualClock();
  const { copy, database } = copyOf(sandbox, new MainClient(sandbox), { resources: ["accounts", "users"], clock });
  const change = async (name: string) => {
    sandbox.store.accounts.update(7, { name });
    await copy.sync({ resources: ["accounts"] } as never);
  };
  await copy.sync();
  const received: Change[] = [];
  const waits: FeedWait[] = [];
  const stop = new AbortController();
  let end: Error | null = null;
  const options = { resources, follow: true, signal: stop.signal, onWait: (wait: FeedWait) => void waits.push(wait) };
  const following = (async () => {
    for await (const one of copy.changes(options)) received.push(one);
  })().catch((error: Error) => {
    end = error;
  });
  onTestFinished(async () => {
    stop.abort();
    await following;
  });
  for (const name of ["one", "two", "three"]) {
    await clock.advance(1_000);
    await change(name);
  }
  await clock.advance(1_000);
  const setBack = (by: number) =>
    database.exec(`DELETE FROM mirror_changes WHERE seq > (SELECT max(seq) FROM mirror_changes) - ${by}`);
  return { clock, change, received, waits, setBack, end: () => end };
}

describe("a follower of a copy that was restored to an earlier state", () => {
  test("gets a lag at once and a gap after a minute", async () => {
    const { clock, waits, setBack, end } = await follow(["accounts"]);
    setBack(2);
    await clock.advance(1_000);
    expect(waits).toMatchObject([{ error: { message: expect.stringContaining("or an older copy was restored") } }]);
    const left = Number(waits[0]?.until) - clock.now();
    expect(left).toBeGreaterThan(58_000);
    await clock.advance(left - 2_000);
    expect(end()).toBeNull();
    await clock.advance(4_000);
    expect(end()).toBeInstanceOf(FeedGapError);
    expect(waits).toHaveLength(1);
  });

  test.each([["accounts"], ["users"]] as const)(
    "gets a gap at once if its numbers are used again: %s",
    async (list) => {
      const { clock, change, waits, setBack, end } = await follow([list]);
      setBack(2);
      await change("after the restore");
      await clock.advance(1_000);
      expect(end()).toBeInstanceOf(FeedGapError);
      expect(waits).toEqual([]);
    },
  );
});

describe("a lag", () => {
  const at: Position = { seq: 9, epoch: "e", mark: "m9" };
  const feed = (seq: number, mark = `m${seq}`): FeedState => ({
    epoch: "e",
    newest: { seq, mark },
    here: null,
    pruned: new Map(),
  });
  const now = (ms: number) => ms as never;

  test("that ends is forgotten, so the next one may last a minute again", () => {
    const lag = new Lag();
    expect(lag.until(at, feed(8), now(0))).toBe(60_000);
    expect(lag.until(at, feed(8), now(59_999))).toBe(60_000);
    expect(lag.until(at, feed(9), now(60_000))).toBeNull();
    expect(lag.until(at, feed(8), now(70_000))).toBe(130_000);
    expect(lag.until(at, feed(8), now(130_000))).toBeNull();
  });

  test("is over if the feed has another change with a number that was passed", () => {
    const lag = new Lag();
    lag.passed({ seq: 8, mark: "m8" });
    expect(lag.until(at, feed(8), now(0))).toBe(60_000);
    expect(lag.until(at, feed(8, "other"), now(0))).toBeNull();
    expect(lag.until(at, feed(7, "not known"), now(0))).toBe(60_000);
  });

  test("is not detected in another copy; a copy without changes may lag", () => {
    expect(new Lag().until(at, { ...feed(8), epoch: "other" }, now(0))).toBeNull();
    expect(new Lag().until(at, { ...feed(8), newest: null }, now(0))).toBe(60_000);
  });

  test("remembers the last 10 000 changes", () => {
    const lag = new Lag();
    for (let seq = 1; seq <= 10_001; seq++) lag.passed({ seq, mark: `m${seq}` });
    const far: Position = { seq: 20_000, epoch: "e", mark: null };
    expect(lag.until(far, feed(1, "other"), now(0))).toBe(60_000);
    expect(lag.until(far, feed(2, "other"), now(0))).toBeNull();
  });
});
