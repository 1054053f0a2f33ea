import { afterEach, expect, it } from "vitest";
import * as zod from "zod";
import type { InputError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { failure } from "../support/manual-clock.js";

// Importing the full zod sets a locale for every copy of the same version, and hosts may set another.
const before = { ...zod.config() };
afterEach(() => void zod.config(before));

const UNKNOWN = { name: 5, account_type: null, address_attributes: [] } as never;

it("messages are the library's own, whatever zod's global configuration contains", async () => {
  const client = mainClient();
  const words = async () => (await failure<InputError>(client.accounts.create(UNKNOWN))).message;
  const expected = [
    "accounts.create: name must be text; address_attributes must be an object; account_type is read-only here; leave it out",
    "Nothing was sent.",
  ].join(". ");
  expect(await words()).toBe(expected);
  zod.config(zod.locales.de());
  expect(await words()).toBe(expected);
  zod.config({ customError: () => "the host's words" });
  expect(await words()).toBe(expected);
});
