import { describe, expect, it } from "vitest";
import { Credentials, checkToken } from "../../src/core/credentials.js";
import { ConfigurationError } from "../../src/index.js";
import { failure, ManualClock } from "../support/manual-clock.js";

const PATIENCE = { clock: new ManualClock(), ms: 30_000, signal: undefined };
const OPERATION = {};

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
    expect(await credentials.renewToken(OPERATION, "fixed", 401, PATIENCE)).toBeNull();
    expect(await credentials.renewToken(OPERATION, "another", 401, PATIENCE)).toBeNull();
  });

  it("may be null: then there is no token, and no other", async () => {
    const credentials = new Credentials(null);
    expect([
      credentials.current,
      credentials.token(PATIENCE),
      await credentials.renewToken(OPERATION, null, 401, PATIENCE),
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
        credentials.renewToken(OPERATION, "one", 401, PATIENCE),
        credentials.renewToken(OPERATION, "one", 401, PATIENCE),
      ]),
    ).toEqual(["two", "two"]);
    // A request sent with the old key is refused only now.
    expect(await credentials.renewToken(OPERATION, "one", 401, PATIENCE)).toBe("two");
    expect(asked.times).toBe(2);
    expect(await credentials.renewToken(OPERATION, "two", 401, PATIENCE)).toBe("three");
  });

  it("that gives the refused key again has no other", async () => {
    const { credentials } = keys("one", "one");
    await credentials.token(PATIENCE);
    expect(await credentials.renewToken(OPERATION, "one", 401, PATIENCE)).toBeNull();
  });

  it("is asked for a refused request even if no token is known", async () => {
    expect(await keys("one").credentials.renewToken(OPERATION, "another", 401, PATIENCE)).toBe("one");
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

  it("that gives no key is named in the error", async () => {
    const error = await failure(Promise.resolve(keys(undefined).credentials.token(PATIENCE)));
    expect(error.message).toMatch(/^The apiKey function returned no API key/);
  });
});
