import { describe, expect, it } from "vitest";
import { CheckpointError, type ListOptions } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { scriptedList, upTo } from "../support/lists.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

const contacts = (list: ReturnType<typeof scriptedList>, options: ListOptions = {}, per_page = 2) =>
  mainClient({ fetch: list.fetch }).organization.contacts.list({ per_page }, options);

describe("a checkpoint", () => {
  it("continues after its page in another process: together the pages are the whole list, each record once", async () => {
    for (const pagesRead of [1, 2, 3]) {
      const seen: number[] = [];
      let checkpoint = "";
      const list = scriptedList(7);
      for await (const page of contacts(list, { maxPages: pagesRead, prefetch: 0 }).byPage()) {
        seen.push(...page.records.map(({ id }) => id));
        checkpoint = page.checkpoint;
      }
      const later = scriptedList(7);
      for await (const { id } of contacts(later, { resume: checkpoint })) seen.push(id);
      expect(seen).toEqual(upTo(7));
      expect(later.pages[0]).toBe(pagesRead + 1);
    }
  });

  it("of the last page has no next page and sends nothing", async () => {
    const list = scriptedList(2);
    const { checkpoint } = await contacts(list);
    const resumed = contacts(list, { resume: checkpoint });
    expect(await resumed.toArray()).toEqual([]);
    const page = await resumed;
    expect(page).toMatchObject({ records: [], hasNext: false, checkpoint });
    expect(list.calls).toHaveLength(1);
  });

  it("is JSON with a version, belongs to its operation, and contains no filter value", async () => {
    const { fetch } = recordingFetch(() =>
      jsonResponse([accountRecord()], 200, { link: '<?cursor=abc&search=canary%40example.com>; rel="next"' }),
    );
    const pages = mainClient({ fetch }).accounts.list({ search: "canary@example.com", user_id: 4711 });
    const { checkpoint } = await pages;
    expect(JSON.parse(checkpoint)).toMatchObject({ v: 1, operation: "accounts.list" });
    expect(checkpoint).toContain("abc");
    expect(checkpoint).not.toContain("canary");
    expect(checkpoint).not.toContain("4711");
  });

  it("may be resumed with another page size and another array format", async () => {
    const { fetch, calls } = recordingFetch(({ url }) =>
      jsonResponse([], 200, url.searchParams.has("cursor") ? {} : { link: '<?cursor=abc>; rel="next"' }),
    );
    const { checkpoint } = await mainClient({ fetch }).invoices.list({ status: ["open", "paid"] });
    const brackets = mainClient({ fetch, arrayFormat: "brackets" });
    await brackets.invoices.list({ status: ["paid", "open"], per_page: 7 }, { resume: checkpoint }).toArray();
    expect(calls[1]?.url.searchParams.getAll("status[]")).toEqual(["paid", "open"]);
    expect(calls[1]?.url.searchParams.get("cursor")).toBe("abc");
  });
});

describe("a checkpoint is refused", () => {
  async function expectRefusal(resume: string, words: string) {
    const list = scriptedList(4);
    for (const work of [
      () => contacts(list, { resume }),
      () => contacts(list, { resume }).toArray(),
      () => contacts(list, { resume }).byPage().next(),
      () => contacts(list, { resume }).take(1)[Symbol.asyncIterator]().next(),
    ]) {
      const error = await failure<CheckpointError>(async () => work());
      expect(error).toBeInstanceOf(CheckpointError);
      expect(error).toMatchObject({ code: "checkpoint", operation: "organization.contacts.list" });
      expect(error.message).toContain(words);
    }
    expect(list.calls).toEqual([]);
  }

  it("because it belongs to another operation", async () => {
    const { fetch } = recordingFetch(() => jsonResponse([accountRecord()], 200, { link: '<?cursor=a>; rel="next"' }));
    const { checkpoint } = await mainClient({ fetch }).accounts.list();
    await expectRefusal(checkpoint, "accounts.list");
  });

  it("because it belongs to other filters", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse([], 200, { link: '<?cursor=a>; rel="next"' }));
    const client = mainClient({ fetch });
    const { checkpoint } = await client.accounts.list({ search: "one" });
    for (const query of [{}, { search: "two" }, { search: "one", user_id: 7 }]) {
      const error = await failure(client.accounts.list(query, { resume: checkpoint }));
      expect(error).toBeInstanceOf(CheckpointError);
      expect(error.message).toContain("different filters");
    }
    expect(calls).toHaveLength(1);
  });

  it("because it belongs to another record's list", async () => {
    const { fetch } = recordingFetch(() => jsonResponse([], 200, { link: '<?cursor=a>; rel="next"' }));
    const client = mainClient({ fetch });
    const { checkpoint } = await client.customRecords.list("vehicles");
    expect(await failure(client.customRecords.list("drivers", {}, { resume: checkpoint }))).toBeInstanceOf(
      CheckpointError,
    );
  });

  it("because it is damaged", async () => {
    const { checkpoint } = await contacts(scriptedList(4));
    const good = JSON.parse(checkpoint);
    await expectRefusal("", "not a checkpoint created by this library");
    await expectRefusal("null", "not a checkpoint created by this library");
    await expectRefusal("[]", "not a checkpoint created by this library");
    await expectRefusal(checkpoint.slice(0, -3), "not a checkpoint created by this library");
    await expectRefusal(JSON.stringify({ ...good, v: 2 }), "version 2");
    await expectRefusal(JSON.stringify({ ...good, next: "after-2" }), "damaged");
    await expectRefusal(JSON.stringify({ ...good, next: [["cursor", 2]] }), "damaged");
    await expectRefusal(JSON.stringify({ ...good, next: undefined }), "damaged");
    await expectRefusal(JSON.stringify({ ...good, filters: "0" }), "different filters");
  });

  it("because the service no longer knows its cursor, with the service's error as the cause", async () => {
    for (const status of [400, 404, 410, 422]) {
      const list = scriptedList(6);
      const { checkpoint } = await contacts(list);
      list.failNext(2, () => jsonResponse(errorBody(status, "unknown cursor"), status));
      const error = await failure<CheckpointError>(contacts(list, { resume: checkpoint }).toArray());
      expect(error).toBeInstanceOf(CheckpointError);
      expect(error.message).toContain("Start the list again");
      expect(error.cause).toMatchObject({ status });
    }
  });

  it("only for these reasons: other failures keep their class", async () => {
    const list = scriptedList(8);
    const { checkpoint } = await contacts(list);
    list.failNext(2, () => jsonResponse(errorBody(403), 403));
    expect(await failure(contacts(list, { resume: checkpoint }).toArray())).toMatchObject({ code: "api", status: 403 });
    list.failNext(3, () => jsonResponse(errorBody(404), 404));
    const later = await failure(contacts(list, { resume: checkpoint }).toArray());
    expect(later).toMatchObject({ code: "api", status: 404 });
  });
});
