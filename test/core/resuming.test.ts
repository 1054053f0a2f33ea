import { describe, expect, it } from "vitest";
import { CheckpointError, NotFoundError, UnprocessableEntityError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { scriptedList } from "../support/lists.js";
import { failure } from "../support/manual-clock.js";

const next = { link: '<?cursor=bmV4dA&per_page=100>; rel="next"' };

/** Resumes a list at its second page. The service responds to this request with an error. */
async function resume(status: number, body: object) {
  const list = scriptedList(200);
  const { contacts } = mainClient({ fetch: list.fetch }).organization;
  const { checkpoint } = await contacts.list();
  list.failNext(2, () => jsonResponse(body, status));
  return failure<Error & { status?: number }>(contacts.list({}, { resume: checkpoint }).toArray());
}

describe("stored checkpoints of version 1", () => {
  const KEPT = {
    invoices:
      '{"v":1,"operation":"invoices.list","filters":"540c509c4b43afc5","next":[["cursor","bmV4dA"],["per_page","100"]]}',
    accounts:
      '{"v":1,"operation":"accounts.list","filters":"5be6f340ca37634a","next":[["cursor","bmV4dA"],["per_page","100"]]}',
    contacts:
      '{"v":1,"operation":"organization.contacts.list","filters":"1f57d71571099133","next":[["cursor","bmV4dA"],["per_page","100"]]}',
    ended: '{"v":1,"operation":"invoices.list","filters":"540c509c4b43afc5","next":null}',
  };

  it("can still be resumed", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse([]));
    const client = mainClient({ fetch });
    await client.invoices.list({ status: ["open", "paid"] }, { resume: KEPT.invoices }).toArray();
    await client.accounts.list({ search: "Zoë & co", user_id: 4711 }, { resume: KEPT.accounts }).toArray();
    await client.organization.contacts.list({}, { resume: KEPT.contacts }).toArray();
    expect(calls.map(({ url }) => url.searchParams.get("cursor"))).toEqual(["bmV4dA", "bmV4dA", "bmV4dA"]);
    expect(calls.map(({ url }) => url.searchParams.get("per_page"))).toEqual(["100", "100", "100"]);
    expect(await client.invoices.list({ status: ["open", "paid"] }, { resume: KEPT.ended }).toArray()).toEqual([]);
    expect(calls).toHaveLength(3);
  });

  it("are still refused for other filters", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse([]));
    const client = mainClient({ fetch });
    expect(
      await failure(client.accounts.list({ search: "Zoë & Co", user_id: 4711 }, { resume: KEPT.accounts })),
    ).toBeInstanceOf(CheckpointError);
    expect(await failure(client.invoices.list({ status: ["open"] }, { resume: KEPT.invoices }))).toBeInstanceOf(
      CheckpointError,
    );
    expect(calls).toHaveLength(0);
  });
});

describe("an error of the service when resuming", () => {
  it("is a NotFoundError for a 404, because a wrong key also gives 404", async () => {
    const error = await resume(404, { errors: {}, code: 404, message: "Not found" });
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).not.toBeInstanceOf(CheckpointError);
    expect(error.message).toMatch(/key/);
    expect(error.message).toMatch(/cursor|checkpoint/);
  });

  it("keeps its class when the response does not name the cursor", async () => {
    const error = await resume(422, { errors: { per_page: ["is too large"] }, code: 422, message: "Invalid" });
    expect(error).toBeInstanceOf(UnprocessableEntityError);
    const bad = await resume(400, { errors: {}, code: 400, message: "Bad request" });
    expect(bad).toMatchObject({ code: "api", status: 400 });
    expect(await resume(410, { errors: {}, code: 410, message: "Gone" })).toMatchObject({ code: "api", status: 410 });
  });

  for (const status of [400, 422]) {
    it(`is a CheckpointError for a ${status} that names the cursor`, async () => {
      for (const body of [
        { errors: { cursor: ["is invalid"] }, code: status, message: "Invalid" },
        { errors: {}, code: status, message: "The cursor has expired" },
      ]) {
        const error = await resume(status, body);
        expect(error).toBeInstanceOf(CheckpointError);
        expect(error.cause).toMatchObject({ status });
      }
    });
  }
});

describe("a checkpoint", () => {
  it("is refused for another sort order", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse([], 200, calls.length > 1 ? {} : next));
    const { categories } = mainClient({ fetch });
    const { checkpoint } = await categories.list({ sort: ["position:asc", "position:desc"] });
    for (const sort of [["position:desc", "position:asc"], ["position:asc"], undefined] as const) {
      const query = sort ? { sort: [...sort] } : {};
      expect(await failure(categories.list(query, { resume: checkpoint }))).toBeInstanceOf(CheckpointError);
    }
    expect(calls).toHaveLength(1);
    await categories.list({ sort: ["position:asc", "position:desc"] }, { resume: checkpoint }).toArray();
    expect(calls).toHaveLength(2);
  });

  it("is accepted when the values of a filter are in another order", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse([], 200, calls.length > 1 ? {} : next));
    const { invoices } = mainClient({ fetch });
    const { checkpoint } = await invoices.list({ status: ["open", "paid"] });
    await invoices.list({ status: ["paid", "open"] }, { resume: checkpoint }).toArray();
    expect(calls).toHaveLength(2);
  });
});
