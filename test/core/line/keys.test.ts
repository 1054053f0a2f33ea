import { describe, expect, it } from "vitest";
import { Keys } from "../../../src/core/line/keys.js";
import { ConfigurationError } from "../../../src/index.js";
import { failure, ManualClock } from "../../support/manual-clock.js";
import { makeTicket } from "../../support/ticket.js";

const CLOCK = new ManualClock();
const USE = { operation: {} };

/** Keys whose function returns these values in turn, with a count of its calls. */
function keysInTurn(...values: unknown[]) {
  const asked = { times: 0 };
  const keys = new Keys(async () => {
    const value = values[asked.times++];
    if (value instanceof Error) throw value;
    return value as string;
  }, CLOCK);
  return { keys, asked };
}

/** Keys whose function resolves when the test lets it. */
function slowKeys() {
  const clock = new ManualClock();
  const answers: ((key: string) => void)[] = [];
  const keys = new Keys(() => new Promise<string>((resolve) => answers.push(resolve)), clock);
  return { keys, clock, answers };
}

describe("a fixed key", () => {
  it("is the token from the start and has no successor", async () => {
    const keys = new Keys("fixed", CLOCK);
    expect(keys.current).toBe("fixed");
    expect(keys.token(makeTicket())).toBe("fixed");
    expect(await keys.renewToken(USE, "fixed", 401, makeTicket())).toBeNull();
    expect(await keys.renewToken(USE, "another", 401, makeTicket())).toBeNull();
  });

  it("may be null: then there is no token and no successor", async () => {
    const keys = new Keys(null, CLOCK);
    expect([keys.current, keys.token(makeTicket()), await keys.renewToken(USE, null, 401, makeTicket())]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe("a key function", () => {
  it("is called when a token is first needed, once for all waiting calls, and not again", async () => {
    const { keys, asked } = keysInTurn("one", "two");
    expect(keys.current).toBeUndefined();
    expect(asked.times).toBe(0);
    expect(await Promise.all([keys.token(makeTicket()), keys.token(makeTicket())])).toEqual(["one", "one"]);
    expect(keys.token(makeTicket())).toBe("one");
    expect(keys.current).toBe("one");
    expect(asked.times).toBe(1);
  });

  it("returns one new key for all requests that were refused with the same key", async () => {
    const { keys, asked } = keysInTurn("one", "two", "three");
    await keys.token(makeTicket());
    expect(
      await Promise.all([
        keys.renewToken(USE, "one", 401, makeTicket()),
        keys.renewToken(USE, "one", 401, makeTicket()),
      ]),
    ).toEqual(["two", "two"]);
    // The refusal of a request that was sent with the old key arrives only now.
    expect(await keys.renewToken(USE, "one", 401, makeTicket())).toBe("two");
    expect(asked.times).toBe(2);
    expect(await keys.renewToken(USE, "two", 401, makeTicket())).toBe("three");
  });

  it("that returns the refused key again has no other key", async () => {
    const { keys } = keysInTurn("one", "one");
    await keys.token(makeTicket());
    expect(await keys.renewToken(USE, "one", 401, makeTicket())).toBeNull();
  });

  it("is called for a refused request even if no token is known", async () => {
    expect(await keysInTurn("one").keys.renewToken(USE, "another", 401, makeTicket())).toBe("one");
  });

  it("that fails is the cause of the error, and is called again by the next call", async () => {
    const cause = new Error("vault is down");
    const { keys, asked } = keysInTurn(cause, "one");
    const error = await failure(Promise.resolve(keys.token(makeTicket())));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toBe("The apiKey function failed; see the cause");
    expect(error.cause).toBe(cause);
    expect(await keys.token(makeTicket())).toBe("one");
    expect(asked.times).toBe(2);
  });

  it("that timed out and returns late does not replace a newer key", async () => {
    const { keys, clock, answers } = slowKeys();
    const first = failure(Promise.resolve(keys.token(makeTicket())));
    await clock.advance(30_000);
    expect((await first).message).toContain("did not settle within timeout");
    const second = Promise.resolve(keys.token(makeTicket()));
    answers[1]?.("second");
    expect(await second).toBe("second");
    answers[0]?.("first");
    await clock.advance(0);
    expect(keys.current).toBe("second");
  });

  it("that timed out and returns late still provides the key if there is no newer one", async () => {
    const { keys, clock, answers } = slowKeys();
    const first = failure(Promise.resolve(keys.token(makeTicket())));
    await clock.advance(30_000);
    await first;
    const second = failure(Promise.resolve(keys.token(makeTicket())));
    answers[0]?.("first");
    await clock.advance(0);
    expect(keys.token(makeTicket())).toBe("first");
    await clock.advance(30_000);
    await second;
  });

  it("that returns no key is named in the error", async () => {
    const error = await failure(Promise.resolve(keysInTurn(undefined).keys.token(makeTicket())));
    expect(error.message).toMatch(/^The apiKey function returned no API key/);
  });
});
