import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConnectionError, ResponseFormatError, ServerError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { failure, settle, until } from "../support/manual-clock.js";

// Node's fetch rejects six encodings, but leaves the connection open and the body without an error listener.
const SIX = "gzip, gzip, gzip, gzip, gzip, gzip";

/** Sends the head of a response to each request, then acts on its connection. */
async function answering(
  head: string,
  then: (socket: Socket) => void,
  status = "200 OK",
): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
    socket.once("data", () => {
      socket.write(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${head}\r\n`);
      then(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

function uncaughtErrors(): unknown[] {
  const errors: unknown[] = [];
  const note = (error: unknown) => void errors.push(error);
  process.on("uncaughtException", note);
  onTestFinished(() => void process.off("uncaughtException", note));
  return errors;
}

describe("a response with six content encodings", () => {
  const lasting = `content-encoding: ${SIX}\r\ncontent-length: 2000000\r\n`;
  const chunked = `content-encoding: ${SIX}\r\ntransfer-encoding: chunked\r\n`;
  const apart = "content-encoding: gzip\r\n".repeat(6);
  const cases: Record<string, readonly [head: string, then: (socket: Socket) => void]> = {
    "whose body never comes": [lasting, () => undefined],
    "whose body never ends": [lasting, (socket) => socket.write(Buffer.alloc(1_000_000))],
    "whose connection ends early": [lasting, (socket) => setImmediate(() => socket.end())],
    "whose connection is reset": [lasting, (socket) => setImmediate(() => socket.resetAndDestroy())],
    "whose chunks are none": [chunked, (socket) => setImmediate(() => socket.write("zz\r\nhello"))],
    "in six headers": [`${apart}content-length: 2\r\n`, (socket) => setImmediate(() => socket.end())],
  };
  for (const [what, [head, then]] of Object.entries(cases)) {
    it(`${what} fails only its own call and leaves no connection`, async () => {
      const errors = uncaughtErrors();
      const { url, sockets } = await answering(head, then);
      const client = mainClient({ baseUrl: url, retry: false });
      const error = await failure(client.accounts.get(7));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error.message).toContain("answered with more content encodings than fetch decodes");
      expect(error.message).not.toContain("connect to");
      await until(() => sockets.size === 0, "the end of all connections");
      await settle();
      expect(errors).toEqual([]);
    });
  }
});

describe("a response that fetch does not return, or returns without decoding it,", () => {
  it.each<[what: string, status: string, head: string, kind: new (...args: never[]) => Error, words: string]>([
    ["names status 407", "407 Proxy Authentication Required", "", ConnectionError, "answered with 407"],
    [
      "names the encoding of a success",
      "200 OK",
      "content-encoding: gzip, snappy\r\n",
      ResponseFormatError,
      "gzip, snappy",
    ],
    [
      "names the encoding of a failure",
      "502 Bad Gateway",
      "content-encoding: snappy\r\n",
      ServerError,
      "encoding snappy",
    ],
  ])("%s", async (_, status, head, kind, words) => {
    const length = "content-length: 4\r\n";
    const { url, sockets } = await answering(head + length, (socket) => socket.write("\u0002}?!"), status);
    const error = await failure(mainClient({ baseUrl: url, retry: false }).accounts.get(7));
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toContain(words);
    expect(error.message).not.toContain("connect to");
    for (const socket of sockets) socket.destroy();
  });
});

describe("the signal that fetch gets", () => {
  it("does not abort after fetch has rejected by itself", async () => {
    let signal: AbortSignal | undefined;
    const fetch = async (_: string, init: { signal: AbortSignal }): Promise<Response> => {
      signal = init.signal;
      throw new TypeError("fetch failed");
    };
    const client = mainClient({ fetch, retry: false });
    expect(await failure(client.accounts.get(7))).toBeInstanceOf(ConnectionError);
    expect(signal?.aborted).toBe(false);
  });
});
