import { afterEach, describe, expect, it, vi } from "vitest";
import type { DeprecatedEvent } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

afterEach(() => vi.restoreAllMocks());

const announcing = (headers: Record<string, string>) =>
  recordingFetch(({ url }) => jsonResponse(/\d$/.test(url.pathname) ? accountRecord() : [], 200, headers)).fetch;

async function announce(headers: Record<string, string>, key = "the-secret-key"): Promise<DeprecatedEvent | undefined> {
  const events: DeprecatedEvent[] = [];
  const client = mainClient({
    fetch: announcing(headers),
    apiKey: key,
    on: { deprecated: (event) => void events.push(event) },
  });
  await client.accounts.list({ search: "Ada Lovelace" });
  return events[0];
}

describe("on.deprecated", () => {
  const none = { since: null, sunset: null, link: null };
  const day = new Date("2027-01-01T00:00:00Z");

  it.each<[headers: Record<string, string>, event: object]>([
    [{ deprecation: `@${day.getTime() / 1_000}` }, { ...none, since: day }],
    [{ deprecation: "Fri, 01 Jan 2027 00:00:00 GMT" }, { ...none, since: day }],
    [{ deprecation: "true" }, none],
    [{ sunset: "Fri, 01 Jan 2027 00:00:00 GMT" }, { ...none, sunset: day }],
    [{ sunset: "soon" }, none],
    [{ deprecation: "@99999999999999999999" }, none],
    [
      { deprecation: "true", link: '</docs/end>; rel="sunset", <https://docs.example/v2>; rel="deprecation"' },
      { ...none, link: "https://docs.example/v2" },
    ],
    [
      { sunset: "x", link: '</docs/end>; rel="sunset"' },
      { ...none, link: "https://school.example/docs/end" },
    ],
    [{ sunset: "x", link: '<javascript:alert(1)>; rel="sunset"' }, none],
    [
      { sunset: "x", link: '<https://docs.example/?for=Ada%20Lovelace&key=the-secret-key>; rel="sunset"' },
      { ...none, link: "https://docs.example/?for=[redacted]&key=[redacted]" },
    ],
  ])("%j", async (headers, event) => {
    expect(await announce(headers)).toEqual({ operation: "accounts.list", method: "GET", path: "accounts", ...event });
  });

  it("receives nothing if the service announces no deprecation", async () => {
    expect(await announce({ link: '<https://docs.example>; rel="deprecation"' })).toBeUndefined();
  });

  it("receives each operation once, even if it fails, before the call ends", async () => {
    const told: string[] = [];
    const { fetch } = recordingFetch(() => jsonResponse(errorBody(410), 410, { sunset: "x" }));
    const client = mainClient({ fetch, on: { deprecated: ({ operation }) => void told.push(operation) } });
    await failure(client.accounts.get(7));
    expect(told).toEqual(["accounts.get"]);
    await Promise.all([
      failure(client.accounts.get(8)),
      failure(client.invoices.get(8)),
      failure(client.invoices.get(9)),
    ]);
    expect(told).toEqual(["accounts.get", "invoices.get"]);
  });

  it("is replaced by one warning per client if there is no observer", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const client = mainClient({ fetch: announcing({ sunset: "Fri, 01 Jan 2027 00:00:00 GMT" }) });
    await client.accounts.get(7);
    await client.accounts.list();
    expect(warn.mock.calls).toEqual([
      [
        expect.stringContaining(
          "announces that accounts.get is deprecated and will stop working on 2027-01-01. Set the client option on.deprecated",
        ),
      ],
    ]);
  });
});
