import { Writable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ExportStream, exportTo } from "../../src/export/node.js";
import { mainClient } from "../support/clients.js";
import { scriptedList, upTo } from "../support/lists.js";

const contacts = (signal?: AbortSignal) =>
  mainClient({ fetch: scriptedList(40).fetch }).organization.contacts.list({ per_page: 10 }, { signal });

describe("a stream of the caller's", () => {
  test("that throws on a write ends the export with its error", async () => {
    const stream: ExportStream = {
      write: () => {
        throw new Error("not now");
      },
      on: () => undefined,
      off: () => undefined,
    };
    await expect(exportTo(stream, contacts(), { format: "ndjson" })).rejects.toThrow("not now");
  });

  test("that never takes a page holds up the export only until the list's signal aborts", async () => {
    const stop = new AbortController();
    const stream = new Writable({ write: () => void setImmediate(() => stop.abort(new Error("enough"))) });
    await expect(exportTo(stream, contacts(stop.signal), { format: "ndjson" })).rejects.toThrow("enough");
    expect([stream.listenerCount("error"), stream.listenerCount("close")]).toEqual([0, 0]);
  });

  test("shared by two exports gets whole pages of both", async () => {
    const text: string[] = [];
    const stream = new Writable({
      objectMode: true,
      write: (chunk: Uint8Array, _, done) => {
        text.push(new TextDecoder().decode(chunk));
        setImmediate(done);
      },
    });
    await Promise.all([1, 2].map(() => exportTo(stream, contacts(), { format: "ndjson" })));
    const ids = text.flatMap((page) =>
      page
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { id: number }).id),
    );
    expect(ids.sort((one, other) => one - other)).toEqual(upTo(40).flatMap((id) => [id, id]));
  });
});

test.each([
  ["throws", () => void fail()],
  ["rejects", async () => fail()],
])("an onProgress that %s changes nothing", async (_, onProgress) => {
  const rejected: unknown[] = [];
  const note = (reason: unknown) => void rejected.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  expect(await exportTo(stream, contacts(), { format: "ndjson", onProgress })).toMatchObject({ records: 40 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(rejected).toEqual([]);
});

function fail(): never {
  throw new Error("mine");
}
