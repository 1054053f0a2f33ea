import { describe, expect, it } from "vitest";
import {
  type ClientOptions,
  ConnectionError,
  type EducationAdminError,
  RateLimitError,
  RequestTimeoutError,
  ResponseFormatError,
  ResponseValidationError,
} from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { recordingFetch } from "../support/fetch.js";
import { failure, ManualClock, until } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody, type Handler, inTurn, json, serve } from "../support/server.js";

async function against(handler: Handler, more: ClientOptions = {}) {
  const server = await serve(handler);
  return { server, client: mainClient({ baseUrl: server.url, ...more }) };
}

const ok: Handler = (_, response) => json(response, 200, accountRecord());

describe("a 3xx status that is not a redirect", () => {
  for (const status of [300, 304, 305, 306, 310, 399]) {
    it(`throws ResponseFormatError despite a valid body: ${status}`, async () => {
      const { server, client } = await against((_, response) =>
        json(response, status, accountRecord(), { location: "/api/v1/accounts/8" }),
      );
      const error = await failure<ResponseFormatError>(client.accounts.get(7));
      expect(error).toBeInstanceOf(ResponseFormatError);
      expect(error.status).toBe(status);
      expect(server.requests.map(({ path }) => path)).toEqual(["/api/v1/accounts/7"]);
    });

    it(`throws ResponseFormatError for a list: ${status}`, async () => {
      const { client } = await against((_, response) => json(response, status, [accountRecord()]));
      expect(await failure(client.accounts.list().toArray())).toBeInstanceOf(ResponseFormatError);
    });

    it(`throws ResponseFormatError for a delete: ${status}`, async () => {
      const { client } = await against((_, response) => json(response, status, {}));
      expect(await failure(client.affiliations.delete(7))).toBeInstanceOf(ResponseFormatError);
    });
  }
});

describe("Response.error()", () => {
  it("throws ResponseFormatError with status 0", async () => {
    const { fetch } = recordingFetch(() => Response.error());
    const client = mainClient({ fetch, retry: false });
    for (const work of [client.accounts.get(7), client.affiliations.delete(7), client.accounts.list().toArray()]) {
      const error = await failure<ResponseFormatError>(work);
      expect(error).toBeInstanceOf(ResponseFormatError);
      expect(error.status).toBe(0);
    }
  });
});

describe("a 429 with an incomplete body", () => {
  const bodiesAfter = (seconds: string): Record<string, Handler> => ({
    "is truncated": (_, response) => {
      const headers = { "content-type": "application/json", "content-length": "1000", "retry-after": seconds };
      response.writeHead(429, headers).write('{"errors":', () => response.destroy());
    },
    stalls: (_, response) => {
      response.writeHead(429, { "content-type": "application/json", "retry-after": seconds }).write('{"errors":');
    },
    "is too long": (_, response) => {
      const headers = {
        "content-type": "application/json",
        "content-length": String(1024 ** 3),
        "retry-after": seconds,
      };
      response.writeHead(429, headers).write('{"errors":');
    },
  });

  for (const [what, refusal] of Object.entries(bodiesAfter("0.3"))) {
    it(`is retried after Retry-After, also a POST, when the body ${what}`, async () => {
      // Short enough for a body that stalls, but long enough for the other response to arrive on a busy machine.
      const { server, client } = await against(inTurn(refusal, ok), { timeout: 2_000 });
      const started = performance.now();
      expect((await client.accounts.create({ name: "A" })).id).toBe(7);
      expect(performance.now() - started).toBeGreaterThan(280);
      expect(server.requests).toHaveLength(2);
    });

    it(`delays other calls until Retry-After when the body ${what}`, async () => {
      const clock = new ManualClock();
      let answers = 0;
      const countingFetch: typeof fetch = async (...given) => {
        const response = await fetch(...given);
        answers++;
        return response;
      };
      // Retry-After is longer than the attempt's time limit, because a body that stalls uses up the whole limit.
      const { client } = await against(inTurn(bodiesAfter("1.5")[what] as Handler, ok), {
        clock,
        fetch: countingFetch,
        timeout: 500,
      });
      const refused = failure(client.accounts.create({ name: "A" }, { retry: false }));
      await until(() => answers === 1);
      if (what === "stalls") await clock.advance(500);
      await refused;
      expect(client.rateLimit.resetAt).not.toBeNull();
      const waiting = Promise.resolve(client.accounts.get(7).withResponse());
      await until(() => client.rateLimit.queued === 1);
      await clock.advance(1_500);
      expect((await waiting).response.waitedMs).toBe(what === "stalls" ? 1_000 : 1_500);
    });

    it(`is a RateLimitError without an unknown outcome when the body ${what}`, async () => {
      const { client } = await against(refusal, { timeout: 500 });
      const error = await failure<RateLimitError>(client.accounts.create({ name: "A" }, { retry: false }));
      expect(error).toBeInstanceOf(RateLimitError);
      expect(error).toMatchObject({ status: 429, outcome: null, retryAfterMs: 300 });
    });
  }
});

describe("a 2xx response with an invalid record in strict validation", () => {
  const misfit = { ...accountRecord(), name: 42, id: 7 };

  it("has the outcome done and the raw record if the call was a write", async () => {
    const { server, client } = await against((_, response) => json(response, 201, misfit), { validation: "strict" });
    const error = await failure<ResponseValidationError>(client.accounts.create({ name: "A" }));
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error).toMatchObject({ outcome: "done", id: 7, raw: misfit });
    expect(error.toJSON()).toMatchObject({ outcome: "done" });
    expect(error.message).toMatch(/carried out|processed|done|went through/);
    expect(server.requests).toHaveLength(1);
  });

  it("has no outcome if the call was a read", async () => {
    const { client } = await against((_, response) => json(response, 200, misfit), { validation: "strict" });
    const error = await failure<ResponseValidationError>(client.accounts.get(7));
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect((error as { outcome?: unknown }).outcome ?? null).not.toBe("unknown");
    expect(error.message).not.toMatch(/may have/);
  });
});

describe("the message of a write with an unknown outcome", () => {
  const unclear: Record<string, Handler> = {
    "a 500": (_, response) => json(response, 500, errorBody(500)),
    "a 503": (_, response) => json(response, 503, errorBody(503)),
    "a 504 of a proxy": (_, response) => response.writeHead(504, { "content-type": "text/html" }).end("<h1>late</h1>"),
    "a 408": (_, response) => json(response, 408, errorBody(408)),
    "a reset connection": (_, response) => response.destroy(),
    "a body too large": (_, response) =>
      response.writeHead(200, { "content-type": "text/csv", "content-length": String(1024 ** 3) }).write("a"),
    "a truncated body": (_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"id": 7', () => response.destroy());
    },
    "a silent server": () => undefined,
  };

  for (const [what, handler] of Object.entries(unclear)) {
    it(`states that the service may have processed it after ${what}`, async () => {
      const { client } = await against(handler, { timeout: 150 });
      const error = await failure<EducationAdminError & { outcome?: string }>(client.accounts.create({ name: "A" }));
      expect(error.message).toMatch(/may have/);
      if (!(error instanceof ResponseFormatError)) expect(error.outcome).toBe("unknown");
    });
  }

  it("states that the write is done after a 201, even if its body is truncated", async () => {
    const { client } = await against((_, response) => {
      response.writeHead(201, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"id": 7', () => response.destroy());
    });
    const error = await failure<EducationAdminError>(client.accounts.create({ name: "A" }));
    expect(error).toMatchObject({ code: "response_format", outcome: "done", attempts: 1 });
    expect(error.message).toContain("The service has processed it; do not send it again.");
  });

  it("states no such thing for a read, a refused write or a write that was not sent", async () => {
    for (const handler of Object.values(unclear)) {
      const { client } = await against(handler, { timeout: 150, retry: false });
      expect((await failure(client.accounts.get(7))).message).not.toMatch(/may have/);
    }
    const { client } = await against((_, response) => json(response, 422, errorBody(422)));
    expect((await failure(client.accounts.create({ name: "A" }))).message).not.toMatch(/may have/);
    const { server, client: nobody } = await against(ok, { retry: false });
    await server.close();
    const error = await failure(nobody.accounts.create({ name: "A" }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).not.toMatch(/may have/);
    expect(error).not.toBeInstanceOf(RequestTimeoutError);
  });
});

describe("the error of a body over the size limit", () => {
  it("has the status and the content type", async () => {
    const { client } = await against((_, response) =>
      response.writeHead(200, { "content-type": "text/csv", "content-length": String(1024 ** 3) }).write("a"),
    );
    const error = await failure<ResponseFormatError>(client.accounts.get(7));
    expect(error).toBeInstanceOf(ResponseFormatError);
    expect(error).toMatchObject({ status: 200, contentType: "text/csv" });
    expect(error.message).toContain("200");
    expect(error.message).toContain("text/csv");
  });

  it("is thrown from the content-length alone", async () => {
    const { client } = await against(
      (_, response) =>
        response
          .writeHead(200, { "content-type": "application/json", "content-length": String(8 * 1024 ** 2 + 1) })
          .write("["),
      // The body never ends, so only the content-length can end the call before this time limit.
      { timeout: 60_000 },
    );
    expect(await failure(client.accounts.get(7))).toBeInstanceOf(ResponseFormatError);
  });

  it("is thrown when only the last chunk exceeds the limit", async () => {
    const { fetch } = recordingFetch(
      () =>
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new Uint8Array(8 * 1024 ** 2).fill(0x20));
              controller.enqueue(new TextEncoder().encode(JSON.stringify(accountRecord())));
              controller.close();
            },
          }),
          { headers: { "content-type": "application/json" } },
        ),
    );
    expect(await failure(mainClient({ fetch }).accounts.get(7))).toBeInstanceOf(ResponseFormatError);
  });
});

describe("the error of a redirect", () => {
  it("names a loop, and not writes, if a GET is redirected in circles", async () => {
    const { client } = await against((_, response) =>
      response.writeHead(302, { location: "/api/v1/accounts/7" }).end(),
    );
    const { message } = await failure(client.accounts.get(7));
    expect(message).not.toMatch(/write|only followed for GET/i);
    expect(message).toMatch(/too many|loop|circle|redirects/i);
  });

  it("names a missing Location rather than another origin", async () => {
    const { client } = await against((_, response) => response.writeHead(302).end());
    const { message } = await failure(client.accounts.get(7));
    expect(message).not.toMatch(/other origin/i);
    expect(message).toMatch(/location/i);
  });

  it("explains for a write that only GET follows redirects", async () => {
    const { client } = await against((_, response) => response.writeHead(307, { location: "/api/v1/x" }).end());
    expect((await failure(client.accounts.create({ name: "A" }))).message).toMatch(/redirect.*(write|GET)/i);
  });
});
