import { describe, expect, it, onTestFinished, vi } from "vitest";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { collectGarbage } from "../support/garbage.js";
import { accountRecord } from "../support/records.js";

describe("a record that the caller has dropped", () => {
  it("is garbage collected even while the platform still holds the request", async () => {
    // Node keeps a request's signal, and everything its listeners reference, until the next full garbage collection.
    const held: Request[] = [];
    class HeldRequest extends Request {
      constructor(input: RequestInfo | URL, init?: RequestInit) {
        super(input, init);
        held.push(this);
        if (init) options.push(init);
      }
    }
    const options: RequestInit[] = [];
    vi.stubGlobal("Request", HeldRequest);
    onTestFinished(() => void vi.unstubAllGlobals());
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord(7)));
    const client = mainClient({ fetch });
    const record = new WeakRef(await client.accounts.get(7));
    expect(held.length).toBeGreaterThan(0);
    await collectGarbage();
    expect(record.deref()).toBeUndefined();
    expect(options.length).toBeGreaterThan(0);
  });
});
