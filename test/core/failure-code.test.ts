import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { options } from "../support/clients.js";

const KEY = "SECRETKEY-abcDEF-0123456789";
const CHANNEL = "tracing:education-admin-sdk:request:asyncEnd";

// The code of a failed connection, and the code that events and channels report: null if it must not appear there.
test.each([
  ["ECONNREFUSED", "ECONNREFUSED"],
  ["UND_ERR_SOCKET", "UND_ERR_SOCKET"],
  ["ConnectionRefused", "ConnectionRefused"],
  [`PROXY ${KEY}`, null],
  [KEY, null],
  ["econnrefused", null],
  ["E".repeat(41), null],
])("the code %s is reported as %s", async (code, told) => {
  const seen: unknown[] = [];
  const codes: unknown[] = [];
  const onEnd = (message: unknown) => {
    const { call: _, ...others } = message as { call: unknown; code?: unknown };
    codes.push(others.code);
    seen.push(others);
  };
  subscribe(CHANNEL, onEnd);
  const fetch = async () => {
    throw Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("refused"), { code }) });
  };
  const on = {
    failure: (event: { code: unknown }) => {
      codes.push(event.code);
      seen.push(event);
    },
  };
  const client = new MainClient({ ...options(), apiKey: KEY, fetch, on, retry: false });
  const error = await client.users.get(7).catch((thrown: unknown) => thrown);
  unsubscribe(CHANNEL, onEnd);
  expect(codes).toEqual([told, told]);
  expect(inspect([seen, error], { depth: 9 })).not.toContain(KEY);
});
