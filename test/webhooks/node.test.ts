import { createServer, type IncomingMessage, type RequestListener, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createWebhookHandler, signWebhook, toNodeHandler, type WebhookHandler } from "../../src/webhooks/index.js";
import { payloadOf, SECRET, signature } from "./support.js";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
}

async function signedInit(body: string): Promise<RequestInit> {
  return {
    method: "POST",
    body,
    headers: { ...(await signWebhook({ body, secrets: SECRET })), "content-type": "application/json" },
  };
}

const seen: unknown[] = [];
const receiver = (options: object = {}): WebhookHandler => {
  seen.length = 0;
  return createWebhookHandler({ signature, onEvent: ({ event_data }) => seen.push(event_data), ...options });
};

describe("toNodeHandler", () => {
  it("receives over node:http byte for byte, even non-ASCII text sent in pieces", async () => {
    const handler = receiver();
    const url = await serve(toNodeHandler(handler));
    const data = { id: 1, name: "Café – naïve 🎓", text: "x".repeat(200_000) };
    const body = payloadOf("course.updated", data);
    const answer = await fetch(url, await signedInit(body));
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    const { headers } = await signedInit(body);
    const status = await new Promise((resolve, reject) => {
      const slow = request(url, { method: "POST", headers: headers as Record<string, string> }, (got) =>
        resolve(got.resume().statusCode),
      );
      slow.on("error", reject);
      const bytes = Buffer.from(body);
      for (let at = 0; at < bytes.length; at += 999) slow.write(bytes.subarray(at, at + 999));
      slow.end();
    });
    expect(status).toBe(200);
    await handler.drain();
    expect(seen[0]).toEqual(data);
  });

  it("responds to every other method with 405 and Allow, including those that fetch forbids", async () => {
    const url = await serve(toNodeHandler(receiver({ report: () => undefined })));
    for (const method of ["GET", "HEAD", "PUT", "DELETE", "TRACE", "OPTIONS", "PROPFIND"]) {
      const { status, allow } = await new Promise<{ status: unknown; allow: unknown }>((resolve, reject) => {
        request(url, { method }, (got) => resolve({ status: got.resume().statusCode, allow: got.headers.allow }))
          .on("error", reject)
          .end();
      });
      expect([method, status, allow]).toEqual([method, 405, "POST"]);
    }
  });

  it("lets the sender of a body that is too large read the response, and keeps the connection usable", async () => {
    const url = await serve(toNodeHandler(receiver({ report: () => undefined, maxBodyBytes: 10_000 })));
    const large = new Blob([new Uint8Array(3_000_000)]).stream();
    const init = { method: "POST", body: large, duplex: "half", headers: forgedHeaders() };
    expect((await fetch(url, init as RequestInit)).status).toBe(413);
    const said = { method: "POST", body: new Uint8Array(3_000_000), headers: { "content-type": "application/json" } };
    expect((await fetch(url, said)).status).toBe(413);
    expect((await fetch(url, await signedInit(payloadOf("a.b")))).status).toBe(200);
  });

  it.each([
    ["that is signed wrongly", 413, () => `x-signature-v1: ${forgedHeaders()["x-signature-v1"]}\r\n`],
    ["without a signature", 401, () => ""],
  ])("closes the connection of a sender %s and keeps running", async (_, status, header) => {
    const url = new URL(await serve(toNodeHandler(receiver({ report: () => undefined, maxBodyBytes: 1_000 }))));
    const chunk = `40000\r\n${"x".repeat(0x40000)}\r\n`;
    let sent = 0;
    let answer = "";
    const socket = connect(Number(url.port), url.hostname);
    socket.on("data", (data) => {
      answer += data;
    });
    socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n");
    socket.write(`${header()}transfer-encoding: chunked\r\n\r\n`);
    await new Promise<void>((resolve) => {
      const more = () => {
        while (!socket.destroyed && sent < 500_000_000) {
          sent += chunk.length;
          if (!socket.write(chunk)) return void socket.once("drain", more);
        }
      };
      socket.on("error", () => undefined).on("close", () => resolve());
      more();
    });
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(sent).toBeGreaterThan(16_000_000);
    expect(sent).toBeLessThan(64_000_000);
  });

  it("works in Express: the body as bytes or text from a raw parser, and errors through next", async () => {
    const handler = receiver();
    const listener = toNodeHandler(handler);
    for (const kind of [(bytes: Buffer) => bytes, (bytes: Buffer) => bytes.toString()]) {
      const url = await serve(async (incoming, outgoing) => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk as Buffer);
        await listener(Object.assign(incoming, { body: kind(Buffer.concat(chunks)) }), outgoing, (error) =>
          expect.unreachable(String(error)),
        );
      });
      expect((await fetch(url, await signedInit(payloadOf("a.b", { kind: kind.length })))).status).toBe(200);
    }
    await handler.drain();
    expect(seen.length).toBeGreaterThan(0);
  });

  it("reports a remedy if a JSON parser took the raw body: to next, otherwise on the console with a 500", async () => {
    const listener = toNodeHandler(receiver());
    const errors: unknown[] = [];
    const withParsedBody =
      (next?: (error: unknown) => void): RequestListener =>
      async (incoming, outgoing) => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk as Buffer);
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
        await listener(
          Object.assign(incoming, { body }),
          outgoing,
          next &&
            ((error) => {
              next(error);
              outgoing.writeHead(500).end();
            }),
        );
      };
    const withNext = await serve(withParsedBody((error) => errors.push(error)));
    expect(
      (await fetch(withNext, await signedInit(payloadOf("user.updated", { email: "jane@example.com" })))).status,
    ).toBe(500);
    expect(errors).toEqual([expect.objectContaining({ reason: "parsed_body" })]);
    expect(String(errors[0])).toMatch(/express\.raw/);

    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const without = await serve(withParsedBody());
    const answer = await fetch(without, await signedInit(payloadOf("user.updated", { email: "jane@example.com" })));
    expect([answer.status, await answer.text()]).toEqual([500, ""]);
    expect(said.mock.calls.flat().join()).toMatch(/express\.raw/);
    expect(said.mock.calls.flat().join()).not.toContain("jane");
  });

  it("reports parsed_body instead of a wrong signature if a parser read the body and stored it elsewhere", async () => {
    const listener = toNodeHandler(receiver());
    const errors: unknown[] = [];
    const read: ((incoming: IncomingMessage) => Promise<unknown>)[] = [
      // Fastify and Koa keep the parsed body beside the `node:http` request.
      async (incoming) => {
        for await (const _ of incoming);
      },
      // A parser that has not finished reading.
      (incoming) => new Promise((resolve) => incoming.once("data", () => resolve(incoming.pause()))),
    ];
    for (const parser of read) {
      const url = await serve(async (incoming, outgoing) => {
        await parser(incoming);
        await listener(incoming, outgoing, (error) => {
          errors.push(error);
          outgoing.writeHead(500).end();
        });
      });
      expect((await fetch(url, await signedInit(payloadOf("a.b", { text: "x".repeat(300_000) })))).status).toBe(500);
    }
    expect(errors).toEqual([1, 2].map(() => expect.objectContaining({ reason: "parsed_body" })));
  });

  it("uses the raw body that function platforms and Nest store beside the parsed one", async () => {
    const handler = receiver();
    const listener = toNodeHandler(handler);
    for (const kind of [(bytes: Buffer) => bytes, (bytes: Buffer) => bytes.toString()]) {
      const url = await serve(async (incoming, outgoing) => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk as Buffer);
        const bytes = Buffer.concat(chunks);
        await listener(Object.assign(incoming, { rawBody: kind(bytes), body: JSON.parse(bytes.toString()) }), outgoing);
      });
      expect((await fetch(url, await signedInit(payloadOf("a.b", { name: "é" })))).status).toBe(200);
    }
    await handler.drain();
    expect(seen).toContainEqual({ name: "é" });
  });

  it("survives a sender that disconnects in the middle of the body", async () => {
    const reports: string[] = [];
    const handler = receiver({
      report: (report: { kind: string; reason?: string }) => reports.push(`${report.kind} ${report.reason}`),
    });
    const url = await serve(toNodeHandler(handler));
    await new Promise<void>((resolve) => {
      const broken = request(url, {
        method: "POST",
        headers: { ...forgedHeaders(), "content-length": "5000" },
      });
      broken.on("error", () => undefined).on("close", resolve);
      broken.write("{", () => setTimeout(() => broken.destroy(), 20));
    });
    await vi.waitFor(() => expect(reports).toEqual(["refused incomplete"]), 10_000);
    expect((await fetch(url, await signedInit(payloadOf("a.b")))).status).toBe(200);
  });

  it("passes on path and query, wherever the server is mounted", async () => {
    const url = await serve(toNodeHandler(async (request) => new Response(request.url)));
    expect(await (await fetch(`${url}/deep//er?x=1`)).text()).toBe("http://localhost/webhooks/deep//er?x=1");
  });

  it("treats line breaks in a header that a platform has not unfolded as spaces", async () => {
    const body = payloadOf("a.b");
    const [value = ""] = Object.values(await signWebhook({ body, secrets: SECRET }));
    const headers = {
      "content-type": "application/json",
      "x-signature-v1": value.replaceAll("=", " =\r\n ").replaceAll(",", "\n,"),
    };
    const statuses: number[] = [];
    const response = { writeHead: (status: number) => statuses.push(status), end: () => undefined };
    await toNodeHandler(receiver())({ method: "POST", headers, body, async *[Symbol.asyncIterator]() {} }, response);
    expect(statuses).toEqual([200]);
  });
});

/** The headers of an attacker who knows the format of a signature. */
function forgedHeaders() {
  const signature = `t=${Math.floor(Date.now() / 1_000)},signature=${"ab".repeat(32)}`;
  return { "content-type": "application/json", "x-signature-v1": signature };
}
