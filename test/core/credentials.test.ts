import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import { Credentials, checkToken, type KeyUse } from "../../src/core/credentials.js";
import { ConfigurationError } from "../../src/index.js";
import { failure, ManualClock } from "../support/manual-clock.js";

const PATIENCE = { clock: new ManualClock(), ms: 30_000, signal: undefined };
const USE = { operation: {} };

/** Credentials whose key function returns these keys in turn, with a count of its calls. */
function keys(...values: unknown[]) {
  const asked = { times: 0 };
  const credentials = new Credentials(async () => {
    const value = values[asked.times++];
    if (value instanceof Error) throw value;
    return value as string;
  });
  return { credentials, asked };
}

/** Credentials whose key function resolves when the test says so. */
function slowKeys() {
  const clock = new ManualClock();
  const answers: ((key: string) => void)[] = [];
  const credentials = new Credentials(() => new Promise<string>((resolve) => answers.push(resolve)));
  return { credentials, clock, answers, patience: { ...PATIENCE, clock } };
}

/** Credentials whose key function returns `source.key`, and which have already fetched the first key. */
async function keySource(first = "old") {
  const clock = new ManualClock();
  const source: { key: string | Error; asked: number } = { key: first, asked: 0 };
  const credentials = new Credentials(() => {
    source.asked++;
    if (source.key instanceof Error) throw source.key;
    return source.key;
  });
  const patience = { clock, ms: 30_000, signal: undefined };
  await credentials.token(patience);
  const renew = (status: number, use: KeyUse = USE, refused = first) =>
    credentials.renewToken(use, refused, status, patience);
  const succeed = (use: KeyUse = USE, isRepeated = false) =>
    credentials.noteSuccess(use, credentials.current ?? null, clock.now(), isRepeated);
  return { clock, source, credentials, patience, renew, succeed };
}

describe("a token", () => {
  it.each([
    ["abc", "abc"],
    ["  abc\n", "abc"],
    ["!~", "!~"],
    ["a.b-c_d=/+", "a.b-c_d=/+"],
  ])("is trimmed: %j", (token, trimmed) => {
    expect(checkToken(token, "It has")).toBe(trimmed);
  });

  it.each([undefined, null, 7, {}, ["abc"], "", " \n"])("is missing: %j", async (token) => {
    const error = await failure(() => checkToken(token, "It has"));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toBe("It has no API key");
    expect((await failure(() => checkToken(token))).message).toBe(
      "No API key: pass the option apiKey or, in Node, set the environment variable EDUCATION_ADMIN_API_KEY",
    );
  });

  it.each(["secret\nkey", "secret key", "secret\u007f", "secretö", "secret\u0000", "ö secret"])(
    "is not allowed in a header, and the error does not contain it: %j",
    async (token) => {
      const error = await failure(() => checkToken(token, "It has"));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toMatch(/^It has an API key with whitespace or characters .* not allowed in a header/);
      expect(error.message).not.toContain("secret");
    },
  );
});

describe("a fixed key", () => {
  it("is the token from the start, and there is no other", async () => {
    const credentials = new Credentials("fixed");
    expect(credentials.current).toBe("fixed");
    expect(credentials.token(PATIENCE)).toBe("fixed");
    expect(await credentials.renewToken(USE, "fixed", 401, PATIENCE)).toBeNull();
    expect(await credentials.renewToken(USE, "another", 401, PATIENCE)).toBeNull();
  });

  it("may be null: then there is no token, and no other", async () => {
    const credentials = new Credentials(null);
    expect([
      credentials.current,
      credentials.token(PATIENCE),
      await credentials.renewToken(USE, null, 401, PATIENCE),
    ]).toEqual([null, null, null]);
  });
});

describe("a key function", () => {
  it("is asked when the token is needed first, once for all that wait, and not again", async () => {
    const { credentials, asked } = keys("one", "two");
    expect(credentials.current).toBeUndefined();
    expect(asked.times).toBe(0);
    expect(await Promise.all([credentials.token(PATIENCE), credentials.token(PATIENCE)])).toEqual(["one", "one"]);
    expect(credentials.token(PATIENCE)).toBe("one");
    expect(credentials.current).toBe("one");
    expect(asked.times).toBe(1);
  });

  it("gives another key once for all requests that were refused with the same one", async () => {
    const { credentials, asked } = keys("one", "two", "three");
    await credentials.token(PATIENCE);
    expect(
      await Promise.all([
        credentials.renewToken(USE, "one", 401, PATIENCE),
        credentials.renewToken(USE, "one", 401, PATIENCE),
      ]),
    ).toEqual(["two", "two"]);
    // The refusal of a request that was sent with the old key arrives only now.
    expect(await credentials.renewToken(USE, "one", 401, PATIENCE)).toBe("two");
    expect(asked.times).toBe(2);
    expect(await credentials.renewToken(USE, "two", 401, PATIENCE)).toBe("three");
  });

  it("that gives the refused key again has no other", async () => {
    const { credentials } = keys("one", "one");
    await credentials.token(PATIENCE);
    expect(await credentials.renewToken(USE, "one", 401, PATIENCE)).toBeNull();
  });

  it("is asked for a refused request even if no token is known", async () => {
    expect(await keys("one").credentials.renewToken(USE, "another", 401, PATIENCE)).toBe("one");
  });

  it("that fails is the cause of the error, and is asked again by the next call", async () => {
    const cause = new Error("vault is down");
    const { credentials, asked } = keys(cause, "one");
    const error = await failure(Promise.resolve(credentials.token(PATIENCE)));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toBe("The apiKey function failed; see the cause");
    expect(error.cause).toBe(cause);
    expect(await credentials.token(PATIENCE)).toBe("one");
    expect(asked.times).toBe(2);
  });

  it("that was given up and returns late does not replace a newer key", async () => {
    const { credentials, patience, clock, answers } = slowKeys();
    const first = failure(Promise.resolve(credentials.token(patience)));
    await clock.advance(30_000);
    expect((await first).message).toContain("did not settle within timeout");
    const second = Promise.resolve(credentials.token(patience));
    answers[1]?.("second");
    expect(await second).toBe("second");
    answers[0]?.("first");
    await clock.advance(0);
    expect(credentials.current).toBe("second");
  });

  it("that was given up and returns late still gives the key when no newer one came", async () => {
    const { credentials, patience, clock, answers } = slowKeys();
    const first = failure(Promise.resolve(credentials.token(patience)));
    await clock.advance(30_000);
    await first;
    const second = failure(Promise.resolve(credentials.token(patience)));
    answers[0]?.("first");
    await clock.advance(0);
    expect(credentials.token(patience)).toBe("first");
    await clock.advance(30_000);
    await second;
  });

  it("that gives no key is named in the error", async () => {
    const error = await failure(Promise.resolve(keys(undefined).credentials.token(PATIENCE)));
    expect(error.message).toMatch(/^The apiKey function returned no API key/);
  });
});

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

  it("pauses by elapsed time, however the date is set", async () => {
    let now = 0;
    const elapsed = new ManualClock();
    const clock: Clock = {
      now: () => now,
      steady: () => elapsed.now(),
      setTimeout: (callback, ms) => elapsed.setTimeout(callback, ms),
      clearTimeout: (handle) => elapsed.clearTimeout(handle),
    };
    let asked = 0;
    const credentials = new Credentials(() => {
      asked++;
      return "old";
    });
    const renew = () => credentials.renewToken(USE, "old", 403, { ...PATIENCE, clock });
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

  it("is called by a refused operation that worked with the key, although one without the right is refused all the time", async () => {
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
    const credentials = new Credentials(() => `key-${++number}`);
    let token: string | null = await credentials.token(PATIENCE);
    for (let call = 0; call < 20; call++) {
      token = (await credentials.renewToken({ operation: {}, raw: true }, token, 403, PATIENCE)) ?? token;
    }
    expect(number).toBe(2);
  });
});

describe("a 404", () => {
  it("is about the record when the operation never worked with the key", async () => {
    const { source, renew, succeed } = await keySource();
    source.key = "new";
    expect(await renew(404)).toBeNull();
    succeed({ operation: {} });
    expect(await renew(404)).toBeNull();
    expect(source.asked).toBe(1);
  });

  it("may be about the key when the operation worked with it, and calls the key function by time", async () => {
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

  it("does not delay the call of the key function by a 403", async () => {
    const { source, renew, succeed } = await keySource();
    succeed();
    await renew(404);
    source.key = "new";
    expect(await renew(403)).toBe("new");
  });

  it("of a request by hand may be about the key when another request by hand worked with it", async () => {
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

  it("has no pause because of a call that was aborted while it waited", async () => {
    const { credentials, patience, answers } = slowKeys();
    const first = Promise.resolve(credentials.token(patience));
    answers[0]?.("old");
    await first;
    const stop = new AbortController();
    const aborted = failure(credentials.renewToken(USE, "old", 403, { ...patience, signal: stop.signal }));
    stop.abort(new Error("enough"));
    await aborted;
    const renewed = credentials.renewToken(USE, "old", 403, patience);
    answers[1]?.("new");
    expect(await renewed).toBe("new");
  });
});
