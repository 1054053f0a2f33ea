import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ExportProgress, type ExportStream, exportTo } from "../../src/export/node.js";
import { mainClient } from "../support/clients.js";
import { scriptedList, upTo } from "../support/lists.js";

describe("a stream", () => {
  test("gets the next page once it has taken the previous one, and is not ended", async () => {
    const list = scriptedList(100);
    const contacts = mainClient({ fetch: list.fetch }).organization.contacts.list({ per_page: 10 }, { prefetch: 0 });
    let waiting = 0;
    const text: string[] = [];
    const slow = new Writable({
      highWaterMark: 1,
      async write(chunk, _, done) {
        expect(++waiting).toBe(1);
        // While the stream is busy, no page may be requested.
        const asked = list.pages.length;
        await setTimeout(5);
        expect(list.pages).toHaveLength(asked);
        text.push(String(chunk));
        waiting--;
        done();
      },
    });
    expect(await exportTo(slow, contacts, { format: "ndjson" })).toMatchObject({ records: 100, pages: 10 });
    const ids = text
      .join("")
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: number }).id);
    expect(ids).toEqual(upTo(100));
    expect([slow.writableEnded, slow.listenerCount("error"), slow.listenerCount("close")]).toEqual([false, 0, 0]);
  });

  test("ends the export with its error if it fails or is closed", async () => {
    const list = scriptedList(100);
    const contacts = () => mainClient({ fetch: list.fetch }).organization.contacts.list({ per_page: 10 });
    const failing = new Writable({ write: (_chunk, _encoding, done) => done(new Error("no space")) });
    failing.on("error", () => undefined);
    await expect(exportTo(failing, contacts(), { format: "ndjson" })).rejects.toThrow("no space");
    const closed = new PassThrough().end();
    await expect(exportTo(closed, contacts(), { format: "ndjson" })).rejects.toThrow("closed before");
  });

  test("gets nothing more once it is ended between two pages", async () => {
    const contacts = mainClient({ fetch: scriptedList(100).fetch }).organization.contacts.list({ per_page: 10 });
    const stream = new PassThrough();
    const onProgress = ({ pages }: ExportProgress) => void (pages === 2 && stream.end());
    stream.on("error", expect.unreachable);
    await expect(exportTo(stream, contacts, { format: "ndjson", onProgress })).rejects.toThrow("closed before");
  });

  test("ends the export with its error even if only the callback gets it", async () => {
    const contacts = mainClient({ fetch: scriptedList(100).fetch }).organization.contacts.list({ per_page: 10 });
    const write: ExportStream["write"] = (_chunk, callback) => callback(new Error("no space"));
    const stream: ExportStream = { write, on: () => undefined, off: () => undefined };
    await expect(exportTo(stream, contacts, { format: "ndjson" })).rejects.toThrow("no space");
  });

  test("that fails between two pages ends the export with its error at once, even without an error listener", async () => {
    const list = scriptedList(100);
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const never = new Promise<Response>((_, reject) =>
      stop.signal.addEventListener("abort", () => reject(new Error())),
    );
    const fetch = (input: string, init: RequestInit) => (list.pages.length < 3 ? list.fetch(input, init) : never);
    const contacts = mainClient({ fetch: fetch as never }).organization.contacts.list({ per_page: 10 });
    const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
    const listeners: number[] = [];
    const onProgress = ({ pages }: ExportProgress) => {
      listeners.push(stream.listenerCount("error"));
      if (pages === 3) setImmediate(() => stream.destroy(new Error("disk gone")));
    };
    await expect(exportTo(stream, contacts, { format: "ndjson", onProgress })).rejects.toThrow("disk gone");
    expect(listeners).toEqual([1, 1, 1]);
  });

  test("may emit its error after the callback, even without a listener", async () => {
    const list = scriptedList(10);
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error("no space")) });
    const contacts = mainClient({ fetch: list.fetch }).organization.contacts.list();
    await expect(exportTo(stream, contacts, { format: "ndjson" })).rejects.toThrow("no space");
    await expect.poll(() => stream.closed).toBe(true);
  });

  test("of an HTTP response ends the export if its reader goes away", async () => {
    const list = scriptedList(100_000);
    const contacts = mainClient({ fetch: list.fetch, rateLimit: false }).organization.contacts.list();
    let ended: Promise<unknown> | undefined;
    const server = createServer((_, response) => {
      ended = exportTo(response, contacts, { format: "ndjson" }).catch((error: unknown) => error);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const stop = new AbortController();
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { signal: stop.signal });
    await response.body?.getReader().read();
    stop.abort();
    expect(await ended).toBeInstanceOf(Error);
    const asked = list.pages.length;
    await setTimeout(50);
    expect(list.pages).toHaveLength(asked);
    expect(asked).toBeLessThan(900);
  });
});
