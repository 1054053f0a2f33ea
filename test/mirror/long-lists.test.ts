import { expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { drawCases } from "../support/amount.js";
import { withCursorLifetime } from "../support/cursor-lifetime.js";
import { copyOf, recordsOf } from "./support/copies.js";

const WINDOW = 300_000;

const SHARES = [
  ["the default share", undefined],
  ["a small share", 0.05],
] as const;

test.each(drawCases(SHARES, 1))(
  "a list of several windows is copied in one run even if cursors expire after two minutes: %s",
  async (_, share) => {
    const sandbox = createSandbox({ size: 300, skipWaits: true, rateLimit: false });
    const { fetch, sent } = withCursorLifetime(sandbox, 120_000);
    const client = new MainClient({ ...sandbox, fetch, pageSize: 2, rateLimit: { requests: 500, windowMs: WINDOW } });
    const waits: number[] = [];
    const options = { resources: ["accounts"] as const, onWait: (until: Date) => void waits.push(until.getTime()) };
    const { copy, records } = copyOf(sandbox, client, { ...options, share: share ?? 0.2 });
    const { complete, requests } = await copy.sync();
    expect({ complete, requests }).toEqual({ complete: true, requests: 150 });
    expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
    const windows = Math.ceil(150 / (500 * (share ?? 0.2)));
    expect(sent().at(-1)).toBeLessThan(windows * WINDOW);
    expect(waits.length).toBeGreaterThan(0);
  },
);
