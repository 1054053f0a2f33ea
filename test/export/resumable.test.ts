import { describe, expect, it, test } from "vitest";
import type { Query } from "../../src/core/call/request.js";
import { CheckpointError, InputError } from "../../src/core/errors.js";
import { Pages } from "../../src/core/lists/pages.js";
import type { ListOptions } from "../../src/core/options.js";
import { exportSource, resumableList } from "../../src/export/resumable.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { failure } from "../support/manual-clock.js";
import { nextLink, pageSource, ROOMS, type SourceParts, sentValue } from "../support/page-source.js";

interface Room {
  readonly id: number;
}

/** Three pages of one record each. */
function rooms(query: Query = [], options: ListOptions = {}, more: SourceParts = {}) {
  const source = pageSource(
    query,
    options,
    (request) => {
      const id = Number(sentValue(request, "cursor") ?? 1);
      return { records: [{ id }], ...(id < 3 && { link: nextLink(String(id + 1)) }) };
    },
    more,
  );
  return { source, list: () => new Pages<Room>(source) };
}

const identityOf = async (query?: Query, options?: ListOptions, more?: SourceParts) =>
  (await resumableList(rooms(query, options, more).list())).identity;

const idsOf = async (pages: Pages<Room> | null) => (await pages?.toArray())?.map(({ id }) => id) ?? null;

async function checkpointOf(pages: Pages<unknown>): Promise<string> {
  return (await pages.first()).checkpoint;
}

describe("a list that another process may continue", () => {
  it("names its operation and its joins, and sends nothing", async () => {
    const { source, list } = rooms([["search", "north"]], {}, { references: ["building"] });
    const resumable = await resumableList(list());
    expect(resumable.operation).toBe(ROOMS);
    expect(resumable.source.shape.references).toEqual(["building"]);
    expect(source.sent).toEqual([]);
  });

  it("starts at the beginning without a checkpoint, and after the checkpoint with one", async () => {
    const resumable = await resumableList(rooms().list());
    expect(await idsOf(resumable.after(null, 0))).toEqual([1, 2, 3]);
    const checkpoint = await checkpointOf(rooms().list());
    expect(await idsOf(resumable.after(checkpoint, 1))).toEqual([2, 3]);
  });

  it("starts at the checkpoint of its own options by default", async () => {
    const resume = await checkpointOf(rooms().list());
    expect(await idsOf((await resumableList(rooms([], { resume }).list())).after(null, 0))).toEqual([2, 3]);
  });

  it("counts earlier pages toward maxPages", async () => {
    const checkpoint = await checkpointOf(rooms().list());
    const resumable = await resumableList(rooms([], { maxPages: 2 }).list());
    expect(await idsOf(resumable.after(null, 0))).toEqual([1, 2]);
    expect(await idsOf(resumable.after(checkpoint, 1))).toEqual([2]);
    expect(resumable.after(checkpoint, 2)).toBeNull();
    expect(resumable.after(checkpoint, 3)).toBeNull();
    expect((await resumableList(rooms().list())).after(checkpoint, 1_000)).not.toBeNull();
  });

  it("refuses a maxPages of 0 as any list does", async () => {
    const accounts = new MainClient(createSandbox()).accounts.list({}, { maxPages: 0 });
    await expect(resumableList(accounts)).rejects.toThrow(InputError);
  });

  it("keeps its other options", async () => {
    const signal = AbortSignal.abort(new RangeError("left"));
    const resumable = await resumableList(rooms([], { signal }).list());
    expect(await failure(resumable.after(null, 0)?.toArray() ?? Promise.resolve())).toBeInstanceOf(RangeError);
  });
});

describe("the identity of such a list", () => {
  const north: Query = [["search", "north"]];

  it("is a short hash that reveals no filter", async () => {
    expect(await identityOf(north)).toMatch(/^[0-9a-f]{16}$/);
  });

  it("is the same for equal lists, whatever their page size or the order of joins", async () => {
    const own = await identityOf(north);
    expect(await identityOf(north)).toBe(own);
    expect(await identityOf([...north, ["per_page", "7"]])).toBe(own);
    expect(await identityOf(north, { maxPages: 2, prefetch: 0 })).toBe(own);
    expect(await identityOf([], {}, { references: ["building", "teacher"] })).toBe(
      await identityOf([], {}, { references: ["teacher", "building"] }),
    );
  });

  it.each<[string, Query, SourceParts]>([
    ["other filters", [["search", "south"]], {}],
    ["another start", [...north, ["cursor", "2"]], {}],
    ["another service", north, { baseUrl: "https://other.example" }],
    ["another operation", north, { operation: { ...ROOMS, id: "halls.list" } }],
    ["records read along", north, { references: ["building"] }],
  ])("differs for %s", async (_, query, more) => {
    expect(await identityOf(query, {}, more)).not.toBe(await identityOf(north));
  });

  it("differs if the list starts at a checkpoint", async () => {
    const resume = await checkpointOf(rooms().list());
    expect(await identityOf([], { resume })).not.toBe(await identityOf());
    expect(await identityOf([], { resume })).toBe(await identityOf([["cursor", "2"]]));
  });

  it("exists even if the checkpoint is at the end of the list", async () => {
    const last = await checkpointOf(rooms([["cursor", "3"]]).list());
    expect(await identityOf([["cursor", "1"]], { resume: last })).toMatch(/^[0-9a-f]{16}$/);
  });
});

test.each([null, undefined, { list: 7 }, "accounts"])(
  "does not exist for %j, which returns no records",
  async (value) => {
    const make = () => exportSource(value as never);
    await expect(make).rejects.toThrow(InputError);
    await expect(make).rejects.toThrow(
      /^records: must be the result of a list method of a client, .* or an array or iterable of records/,
    );
  },
);

test("a checkpoint of another list is refused at once", async () => {
  const resume = await checkpointOf(rooms().list());
  await expect(resumableList(rooms([["search", "x"]], { resume }).list())).rejects.toThrow(CheckpointError);
});
