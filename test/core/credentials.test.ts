import { describe, expect, it } from "vitest";
import { checkToken } from "../../src/core/credentials.js";
import { ConfigurationError } from "../../src/index.js";
import { failure } from "../support/manual-clock.js";

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
