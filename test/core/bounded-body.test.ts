import { describe, expect, it } from "vitest";
import { BodyTooLarge, BodyTruncated, readBytes } from "../../src/core/bounded-body.js";
import { failure } from "../support/manual-clock.js";

/**
 * A response whose body has these chunks, and the state of the body: the number of unread chunks, and whether it was
 * cancelled.
 */
function bodyOf(chunks: readonly Uint8Array[], end: "closes" | "breaks" = "closes", headers: HeadersInit = {}) {
  const left = [...chunks];
  const state = { cancelled: false, left };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = left.shift();
        if (chunk) controller.enqueue(chunk);
        else if (end === "closes") controller.close();
        else controller.error(new Error("the connection was reset"));
      },
      cancel() {
        state.cancelled = true;
        throw new Error("cancelling failed");
      },
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(stream, { headers }), state };
}

/** A response of a platform, or of a fake, without streams. */
function withoutStream(bytes: Uint8Array): Response {
  return { headers: new Headers(), arrayBuffer: async () => bytes.slice().buffer } as unknown as Response;
}

const bytes = (...values: number[]) => Uint8Array.from(values);

describe("a body within the limit", () => {
  it.each<[what: string, chunks: Uint8Array[], all: number[]]>([
    ["in one chunk", [bytes(1, 2, 3)], [1, 2, 3]],
    ["in two", [bytes(1, 2), bytes(3)], [1, 2, 3]],
    ["in chunks that grow", [bytes(1), bytes(2, 3), bytes(4, 5, 6, 7), bytes(8)], [1, 2, 3, 4, 5, 6, 7, 8]],
    ["with empty chunks", [bytes(), bytes(1), bytes(), bytes(2)], [1, 2]],
    ["exactly as long as the limit", [bytes(1, 2, 3, 4), bytes(5, 6, 7, 8)], [1, 2, 3, 4, 5, 6, 7, 8]],
    ["without content", [], []],
  ])("is read completely: %s", async (_, chunks, all) => {
    expect([...(await readBytes(bodyOf(chunks).response, 8))]).toEqual(all);
  });

  it("is read with a declared length, without one, and without streams", async () => {
    const declared = bodyOf([bytes(1, 2)], "closes", { "content-length": "2" });
    expect([...(await readBytes(declared.response, 2))]).toEqual([1, 2]);
    expect([...(await readBytes(new Response(null), 2))]).toEqual([]);
    expect([...(await readBytes(withoutStream(bytes(1, 2)), 2))]).toEqual([1, 2]);
    expect([...(await readBytes(new Request("https://school.example", { method: "POST", body: "a" }), 2))]).toEqual([
      97,
    ]);
  });

  it("does not copy a body that arrives at once", async () => {
    const chunk = bytes(1, 2, 3);
    expect((await readBytes(bodyOf([chunk]).response, 8)).buffer).toBe(chunk.buffer);
  });

  it("uses memory for at most twice its length, and never more than the limit, if it arrives byte by byte", async () => {
    const single = Array.from({ length: 1_000 }, (_, at) => bytes(at % 256));
    for (const limit of [1_000, 1_500, 1_000_000]) {
      const all = await readBytes(bodyOf(single).response, limit);
      expect([...all]).toEqual(single.map(([byte]) => byte));
      expect(all.buffer.byteLength).toBeLessThanOrEqual(Math.min(limit, 2_000));
    }
  });
});

describe("a body over the limit", () => {
  it("is refused before it is read if it declares its length", async () => {
    const { response, state } = bodyOf([bytes(1, 2, 3)], "closes", { "content-length": "3" });
    expect(await failure(readBytes(response, 2))).toBeInstanceOf(BodyTooLarge);
    expect(state).toEqual({ cancelled: true, left: [bytes(1, 2, 3)] });
    const none = new Response(null, { headers: { "content-length": "3" } });
    expect(await failure(readBytes(none, 2))).toBeInstanceOf(BodyTooLarge);
  });

  it("is refused at the chunk that exceeds the limit, and the rest is not read", async () => {
    const { response, state } = bodyOf([bytes(1, 2), bytes(3), bytes(4), bytes(5)]);
    expect(await failure(readBytes(response, 3))).toBeInstanceOf(BodyTooLarge);
    expect(state).toEqual({ cancelled: true, left: [bytes(5)] });
  });

  it("is refused on platforms without streams", async () => {
    expect(await failure(readBytes(withoutStream(bytes(1, 2, 3)), 2))).toBeInstanceOf(BodyTooLarge);
  });
});

describe("a body that ends early", () => {
  it("is refused with the number of bytes that arrived and the reason", async () => {
    const { response } = bodyOf([bytes(1), bytes(2, 3)], "breaks");
    const error = await failure<BodyTruncated>(readBytes(response, 8));
    expect(error).toBeInstanceOf(BodyTruncated);
    expect([...error.bytes]).toEqual([1, 2, 3]);
    expect(error.cause).toEqual(new Error("the connection was reset"));
  });
});
