import { expect, test } from "vitest";
import { ConfigurationError, MainClient } from "../../src/index.js";

test("a platform that lacks a required feature is refused when a client is created, with a message that names both versions", () => {
  const { withResolvers } = Promise;
  try {
    // Node 20 does not have this function.
    Reflect.deleteProperty(Promise, "withResolvers");
    const make = () => new MainClient({ baseUrl: "https://school.example", apiKey: "key" });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(`education-admin-sdk needs Node 22.18 or later; this is ${process.versions.node}. Install`);
  } finally {
    Object.defineProperty(Promise, "withResolvers", { value: withResolvers, configurable: true, writable: true });
  }
});
