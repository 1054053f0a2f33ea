import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import {
  ApiError,
  ConnectionError,
  type EducationAdminError,
  type MainClient,
  RateLimitError,
  RequestTimeoutError,
  ResponseFormatError,
  ServerError,
} from "../../src/index.js";
import { drawCases } from "../support/amount.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, networkError, recordingFetch } from "../support/fetch.js";
import { failure, ManualClock, until } from "../support/manual-clock.js";
import { accountRecord, invoiceRecord } from "../support/records.js";
import { errorBody, inTurn, json, serve } from "../support/server.js";

// Tests the service's retry table row by row, with a real server: each fault occurs once, and the table decides which
// methods are sent again.

type Fault = (response: ServerResponse) => unknown;

const status =
  (code: number): Fault =>
  (response) =>
    json(response, code, errorBody(code), { "retry-after": "0" });

const FAULTS: Record<string, Fault> = {
  "408": status(408),
  "500": status(500),
  "502": status(502),
  "503": status(503),
  "504": status(504),
  "a reset after reading": (response) => response.destroy(),
  "a silent server": () => undefined,
  "a cut body": (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"id": 7, "na'),
};

const REPEATED: Record<string, (client: MainClient) => PromiseLike<unknown>> = {
  "GET accounts.get": (client) => client.accounts.get(7),
  "PUT accounts.update": (client) => client.accounts.update(7, { name: "A" }),
  "DELETE affiliations.delete": (client) => client.affiliations.delete(7),
  "POST invoices.open, which is idempotent": (client) => client.invoices.open(7),
  "POST attendances.set, which is idempotent": (client) =>
    client.attendances.set({ meeting_id: 1, enrollment_id: 2, state: "attended" }),
};

const NEVER: Record<string, (client: MainClient) => PromiseLike<unknown>> = {
  "POST accounts.create": (client) => client.accounts.create({ name: "A" }),
  "POST invoices.create": (client) => client.invoices.create({ account_id: 7, footnote: null }),
  "PATCH client.request": (client) => client.request({ method: "PATCH", path: "api/v1/x", body: { a: 1 } }),
  "PUT categories.update, sent as PATCH by a route": (client) => client.categories.update(7, { name: "A" }),
  "POST client.request": (client) => client.request({ method: "POST", path: "api/v1/x", body: { a: 1 } }),
};

// The time limit of an attempt.
const TIMEOUT = 10_000;

/** A server that responds with the fault first, and then with the record. */
async function failingOnce(fault: Fault) {
  const server = await serve(
    inTurn(
      (_, response) => fault(response),
      (_, response) => json(response, 200, accountRecord()),
    ),
  );
  const routes = { "categories.update": { method: "PATCH" } } as const;
  // For a silent server, the test advances the clock instead of waiting.
  const clock = fault === FAULTS["a silent server"] ? new ManualClock() : undefined;
  const client = mainClient({ baseUrl: server.url, timeout: TIMEOUT, validation: "off", routes, clock });
  /** Waits for the result of a call of this client. */
  const outcome = async <T>(call: PromiseLike<T>): Promise<T> => {
    let settled = false;
    const result = Promise.resolve(call).finally(() => {
      settled = true;
    });
    result.catch(() => undefined);
    if (clock) {
      await until(() => server.requests.length === 1);
      await clock.advance(TIMEOUT);
      // Waits for the pause before the next attempt, which is far shorter than the time limit.
      await until(() => settled || clock.pending > 0);
      await clock.advance(TIMEOUT / 2);
    }
    return result;
  };
  return { server, client, outcome };
}

/**
 * Combines every fault with every operation. Drawing every third combination still covers all faults and all
 * operations.
 */
function cells(operations: typeof REPEATED) {
  return Object.entries(FAULTS).flatMap(([what, fault]) =>
    Object.entries(operations).map(([operation, call]) => ({ what, fault, operation, call })),
  );
}

describe("a request that may be repeated", () => {
  // The body of a delete is not needed, so a truncated one is not a failure.
  const repeated = cells(REPEATED).filter(({ what, operation }) => what !== "a cut body" || !/^DELETE/.test(operation));
  it.each(drawCases(repeated, 13))("is: $operation after $what", async ({ fault, call }) => {
    const { server, client, outcome } = await failingOnce(fault);
    await outcome(call(client));
    expect(server.requests).toHaveLength(2);
    const [first, second] = server.requests;
    expect([second?.method, second?.target, second?.body]).toEqual([first?.method, first?.target, first?.body]);
  });
});

describe("a POST that may create something", () => {
  it.each(drawCases(cells(NEVER), 14))(
    "is not repeated, and the outcome is unknown: $operation after $what",
    async ({ what, fault, call }) => {
      const { server, client, outcome } = await failingOnce(fault);
      const error = await failure<EducationAdminError & { outcome: string }>(outcome(call(client)));
      expect(server.requests).toHaveLength(1);
      expect(error.outcome).toBe("unknown");
      expect(error.attempts).toBe(1);
      const Expected = { "a reset after reading": ConnectionError, "a silent server": RequestTimeoutError }[what];
      const Cut = what === "a cut body" ? ResponseFormatError : what === "408" ? ApiError : ServerError;
      expect(error).toBeInstanceOf(Expected ?? Cut);
    },
  );

  it("is repeated when a real port refuses the connection, and ends with outcome not_sent", async () => {
    const server = await serve(() => undefined);
    await server.close();
    const retries: string[] = [];
    const client = mainClient({ baseUrl: server.url, on: { retry: ({ reason }) => retries.push(reason) } });
    const error = await failure<ConnectionError>(client.accounts.create({ name: "A" }, { retry: { limit: 2 } }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: "not_sent", attempts: 3 });
    expect(error.message).toContain("ECONNREFUSED");
    expect(error.message).not.toContain("carried out");
    expect(retries).toEqual(["connection", "connection"]);
  });

  it("was certainly not sent to a port that fetch never connects to", async () => {
    const client = mainClient({ baseUrl: "http://127.0.0.1:1", retry: false });
    const error = await failure<ConnectionError>(client.accounts.create({ name: "A" }));
    expect(error.outcome).toBe("not_sent");
    expect(error.message).toContain("check baseUrl");
  });

  it("is repeated after a 429, because the service refused it", async () => {
    for (const call of [...Object.values(NEVER), ...Object.values(REPEATED)]) {
      const { server, client } = await failingOnce(status(429));
      await call(client);
      expect(server.requests).toHaveLength(2);
    }
  });
});

describe("responses that another attempt would not change", () => {
  for (const code of [400, 401, 403, 404, 409, 412, 418, 422, 501, 505]) {
    it(`are not repeated: ${code}`, async () => {
      const { server, client } = await failingOnce(status(code));
      const error = await failure<ApiError>(client.accounts.get(7));
      expect(error).toBeInstanceOf(ApiError);
      expect(error.status).toBe(code);
      expect(server.requests).toHaveLength(1);
    });
  }

  it("leave the outcome of a write known below 500, except a 408", async () => {
    for (const [code, outcome] of [
      [400, null],
      [404, null],
      [422, null],
      [408, "unknown"],
      [500, "unknown"],
      [501, "unknown"],
    ] as const) {
      const { client } = await failingOnce(status(code));
      expect(await failure(client.accounts.create({ name: "A" }))).toMatchObject({ outcome });
    }
    const { client } = await failingOnce(status(500));
    expect(await failure(client.accounts.get(7, { retry: false }))).toMatchObject({ outcome: null });
  });
});

describe("a DELETE that is repeated", () => {
  const gone = status(404);
  async function deleting(...faults: Fault[]) {
    const server = await serve(
      inTurn(...faults.map((fault) => (_: unknown, response: ServerResponse) => fault(response))),
    );
    // This client waits in real time for a silent server.
    return { server, client: mainClient({ baseUrl: server.url, timeout: 2_000 }) };
  }

  for (const what of ["500", "504", "a reset after reading", "a silent server"]) {
    it(`is done if ${what} is followed by a 404`, async () => {
      const { server, client } = await deleting(FAULTS[what] as Fault, gone);
      const { data, response } = await client.affiliations.delete(7).withResponse();
      expect(data).toBeUndefined();
      expect(response).toMatchObject({ status: 404, attempts: 2 });
      expect(server.requests).toHaveLength(2);
    });
  }

  it("is not done if the 404 comes first, or after a 429, which did nothing", async () => {
    const first = await deleting(gone);
    expect(await failure(first.client.affiliations.delete(7))).toMatchObject({ status: 404, attempts: 1 });
    const limited = await deleting(status(429), gone);
    expect(await failure(limited.client.affiliations.delete(7))).toMatchObject({ status: 404, attempts: 2 });
  });

  it("is not done if the 404 follows a refused connection", async () => {
    const { fetch } = recordingFetch(({ index }) => {
      if (index === 0) throw networkError("ECONNREFUSED");
      return jsonResponse(errorBody(404), 404);
    });
    expect(await failure(mainClient({ fetch }).affiliations.delete(7))).toMatchObject({ status: 404 });
  });

  it("mentions the uncertain attempt if the last response is another refusal", async () => {
    const { client } = await deleting(FAULTS["504"] as Fault, status(403));
    expect(await failure(client.affiliations.delete(7))).toMatchObject({ status: 403, outcome: "unknown" });
  });
});

describe("retry: false and limits", () => {
  it("sends once, whatever happens", async () => {
    for (const fault of [...Object.values(FAULTS), status(429)]) {
      const { server, client, outcome } = await failingOnce(fault);
      await failure(outcome(client.accounts.get(7, { retry: false })));
      expect(server.requests).toHaveLength(1);
    }
    const { server, client } = await failingOnce(status(503));
    const quiet = mainClient({ baseUrl: server.url, retry: false });
    await failure(quiet.accounts.get(7));
    expect(server.requests).toHaveLength(1);
    expect((await client.accounts.get(7)).id).toBe(7);
  });

  it("repeats five times by default and reports how often it was sent", async () => {
    const server = await serve((_, response) => json(response, 503, errorBody(503)));
    const error = await failure(mainClient({ baseUrl: server.url }).accounts.get(7));
    expect(error).toMatchObject({ status: 503, attempts: 6 });
    expect(error.message).toContain("6 attempts");
    expect(server.requests).toHaveLength(6);
  });

  it("has a known outcome if a 429 is followed by a refused connection", async () => {
    const { fetch } = recordingFetch(({ index }) => {
      if (index % 2 === 1) throw networkError("ECONNREFUSED");
      return jsonResponse(errorBody(429), 429, { "retry-after": "0" });
    });
    const client = mainClient({ fetch, retry: { limit: 1 } });
    for (const call of [() => client.accounts.get(7), () => client.accounts.create({ name: "A" })]) {
      const error = await failure<EducationAdminError>(call);
      expect(error).toMatchObject({ code: "connection", attempts: 2, outcome: null });
      expect(error.message).not.toContain("may have processed");
    }
  });

  it("has a known outcome if the time ends while the retry after a 429 waits for its turn", async () => {
    const clock = new ManualClock();
    const { fetch, calls } = recordingFetch(({ index }) =>
      index === 0 ? jsonResponse(errorBody(429), 429, { "retry-after": "1" }) : new Promise<Response>(() => undefined),
    );
    const client = mainClient({ fetch, clock, rateLimit: { concurrency: 1 }, timeout: 60_000 });
    const writing = failure<EducationAdminError>(
      client.accounts.create({ name: "A" }, { totalTimeout: 5_000, priority: "batch" }),
    );
    await until(() => calls.length === 1 && client.rateLimit.resetAt !== null);
    const stop = new AbortController();
    const other = failure(client.accounts.get(7, { signal: stop.signal }));
    await clock.advance(5_000);
    expect(await writing).toMatchObject({ code: "timeout", scope: "total", attempts: 1, outcome: null });
    stop.abort();
    await other;
  });

  it("raises RateLimitError for a 429 that is not retried", async () => {
    const { client } = await failingOnce(status(429));
    const error = await failure(client.invoices.open(9, { retry: false }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ outcome: null, retryAfterMs: expect.any(Number) });
    expect(invoiceRecord().status).toBe("concept");
  });
});
