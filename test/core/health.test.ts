import { describe, expect, it } from "vitest";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure, ManualClock, settle } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";

/** A client whose service answers with the status that `answer` has at the time of a request. */
function world() {
  const clock = new ManualClock();
  const answer = { status: 200, headers: {} as Record<string, string> };
  const { fetch } = recordingFetch(({ url }) => {
    const records = url.pathname.endsWith("/7") ? accountRecord() : [accountRecord()];
    return jsonResponse(answer.status < 400 ? records : { errors: [] }, answer.status, answer.headers);
  });
  const client = mainClient({ clock, fetch, retry: { limit: 0 } });
  return { clock, answer, client };
}

describe("client.health", () => {
  it("reports nothing bad before the first call and after a success", async () => {
    const { client } = world();
    expect(client.health()).toEqual({ refused: [], waiting: 0, waitsUntil: null });
    await client.accounts.get(7);
    expect(client.health()).toEqual({ refused: [], waiting: 0, waitsUntil: null });
  });

  it("names each refused operation, its last status and the time of its first refusal, until it succeeds", async () => {
    const { clock, answer, client } = world();
    const first = new Date(clock.now());
    answer.status = 403;
    await failure(client.accounts.list().toArray());
    clock.advance(60_000);
    const second = new Date(clock.now());
    await failure(client.accounts.get(7));
    answer.status = 401;
    await failure(client.accounts.list().toArray());
    expect(client.health().refused).toEqual([
      { operation: "accounts.list", status: 401, since: first },
      { operation: "accounts.get", status: 403, since: second },
    ]);
    answer.status = 200;
    await client.accounts.list().toArray();
    expect(client.health().refused.map(({ operation }) => operation)).toEqual(["accounts.get"]);
  });

  it("counts a 404 as a refusal only if the path names no record, and counts no server error", async () => {
    const { answer, client } = world();
    answer.status = 404;
    await failure(client.accounts.get(7));
    expect(client.health().refused).toEqual([]);
    await failure(client.accounts.list().toArray());
    expect(client.health().refused.map(({ status }) => status)).toEqual([404]);
    answer.status = 500;
    await failure(client.accounts.list().toArray());
    expect(client.health().refused.map(({ status }) => status)).toEqual([404]);
  });

  it("counts the waiting calls and says when the wait ends", async () => {
    const { clock, answer, client } = world();
    Object.assign(answer, { status: 429, headers: { "retry-after": "30" } });
    const end = new Date(clock.now() + 30_000);
    await failure(client.accounts.get(7));
    answer.status = 200;
    const call = client.accounts.get(7);
    await settle();
    expect(client.health()).toEqual({ refused: [], waiting: 1, waitsUntil: end });
    await clock.run(call);
    expect(client.health()).toMatchObject({ waiting: 0, waitsUntil: null });
  });
});
