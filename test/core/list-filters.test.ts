import { describe, expect, it, onTestFinished, vi } from "vitest";
import { CheckpointError, type ClientOptions, type DriftEvent } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { invoiceRecord } from "../support/records.js";

describe("the filters of a list", () => {
  it("are copied when the list is created, even if it is read again", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse([]));
    const client = mainClient({ fetch });
    const filters: { account_type?: "business" | "personal"; sort?: "created_at"[] } = {};
    const lists = (["business", "personal"] as const).map((type) => {
      filters.account_type = type;
      return client.accounts.list(filters);
    });
    await Promise.all(lists);
    filters.account_type = "business";
    await lists[1]?.toArray();
    await lists[1]?.toArray();
    const asked = calls.map(({ url }) => new URL(url).searchParams.get("account_type"));
    expect(asked).toEqual(["business", "personal", "personal"]);
  });

  it("cannot be replaced by a modified checkpoint", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse([], 200, { link: '<?cursor=b>; rel="next"' }));
    const client = mainClient({ fetch });
    const { checkpoint } = await client.invoices.list({ account_id: 1 });
    for (const name of ["account_id", "account_id[]"]) {
      const changed = JSON.stringify({ ...JSON.parse(checkpoint), next: [[name, "999"]] });
      const error = await failure(client.invoices.list({ account_id: 1 }, { resume: changed }).first());
      expect(error).toBeInstanceOf(CheckpointError);
      expect(error.message).toContain("other than cursor, page and per_page");
    }
    expect(calls).toHaveLength(1);
  });
});

describe("a filter that records of the list contradict", () => {
  const records = [invoiceRecord(1, { account_id: 7 }), invoiceRecord(2, { account_id: 8 })];
  const answering = (on: ClientOptions["on"]) =>
    mainClient({ fetch: recordingFetch(() => jsonResponse(records)).fetch, ...(on && { on }) });

  it("is reported once per operation and filter; one that matches or is not an equality is not reported", async () => {
    const events: DriftEvent[] = [];
    const client = answering({ drift: (event) => void events.push(event) });
    for (const account_id of [7, 9]) await client.invoices.list({ account_id });
    expect(events.map(({ operation, field, kind }) => [operation, field, kind])).toEqual([
      ["invoices.list", "account_id", "filter"],
    ]);
    await client.requestPages({ path: "api/v1/invoices", query: { account_id: [7, 8], id: 3 } });
    await client.invoices.list({ account_id: 9 }, { validation: "off" });
    expect(events).toHaveLength(1);
    await client.requestPages({ path: "api/v1/invoices", query: { account_id: [7] } });
    expect(events.map(({ operation }) => operation)).toEqual(["invoices.list", "GET api/v1/invoices"]);
  });

  it("causes one warning if there is no observer", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    const client = answering(undefined);
    for (const account_id of [9, 10]) await client.invoices.list({ account_id });
    await client.requestPages({ path: "api/v1/invoices", query: { account_id: 9 } });
    // Polls, because the warning's text is loaded only when the first warning is due.
    await expect
      .poll(() => warn.mock.calls.map(([text]) => text))
      .toEqual([expect.stringContaining("invoices.list returned records that its filter account_id excludes")]);
  });
});
