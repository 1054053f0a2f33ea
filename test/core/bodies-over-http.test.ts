import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import {
  ApiError,
  BadRequestError,
  type MainClient,
  ResponseFormatError,
  ServerError,
  UnprocessableEntityError,
} from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord, invoiceRecord } from "../support/records.js";
import { errorBody, type Handler, inTurn, json, serve } from "../support/server.js";

async function answering(...handlers: Handler[]) {
  const server = await serve(inTurn(...handlers));
  return { server, client: mainClient({ baseUrl: server.url }) };
}

const raw =
  (status: number, body: string, headers: Record<string, string> = {}): Handler =>
  (_, response: ServerResponse) =>
    response.writeHead(status, headers).end(body);

describe("a response without a body is a success", () => {
  const empties: Record<string, Handler> = {
    "204": raw(204, ""),
    "205": raw(205, ""),
    "200 of length 0": raw(200, "", { "content-length": "0", "content-type": "application/json" }),
    "202 with blanks": raw(202, " \r\n", { "content-type": "application/json" }),
    "200 null": raw(200, "null", { "content-type": "application/json" }),
  };
  for (const [what, handler] of Object.entries(empties)) {
    it(`returns undefined for ${what}: an operation without a record, and one that writes a record`, async () => {
      const { server, client } = await answering(handler);
      expect(await client.accounts.update(7, { name: "A" })).toBeUndefined();
      expect(await client.affiliations.delete(7)).toBeUndefined();
      expect(server.requests).toHaveLength(2);
    });

    it(`throws for ${what} if a record was to be read`, async () => {
      const { client } = await answering(handler);
      const error = await failure<ResponseFormatError>(client.accounts.get(7));
      expect(error).toBeInstanceOf(ResponseFormatError);
      expect(error.message).toContain("returned an empty body where one was expected");
      await expect(client.accounts.getMany([7])).rejects.toBeInstanceOf(ResponseFormatError);
    });
  }

  it("returns the Location of a 201 without a body", async () => {
    const { client } = await answering(raw(201, "", { location: "/api/v1/accounts/12" }));
    const { data, response } = await client.accounts.create({ name: "A" }).withResponse();
    expect(data).toBeUndefined();
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toBe("/api/v1/accounts/12");
  });

  it("returns an empty list for a 204 and a 205", async () => {
    for (const status of [204, 205]) {
      const { client } = await answering(raw(status, ""));
      expect(await client.accounts.list().toArray()).toEqual([]);
    }
  });

  it("ignores the body if the operation returns none", async () => {
    const { client } = await answering(raw(200, '{"ok":true}', { "content-type": "application/json" }));
    expect(await client.affiliations.delete(7)).toBeUndefined();
  });

  it("throws for a status that is neither success nor error", async () => {
    for (const status of [300, 304]) {
      const { client } = await answering(raw(status, ""));
      expect(await failure(client.accounts.get(7))).toMatchObject({ code: "response_format", status });
      expect(await failure(client.affiliations.delete(7))).toMatchObject({ code: "response_format", status });
    }
  });
});

describe("an error inside a successful response", () => {
  it("is thrown as the class for its code", async () => {
    const body = { errors: { email: ["is taken"] }, code: 422, message: "Invalid lead" };
    const { client } = await answering((_, response) => json(response, 200, body));
    const error = await failure<UnprocessableEntityError>(client.accounts.create({ name: "A" }));
    expect(error).toBeInstanceOf(UnprocessableEntityError);
    expect(error).toMatchObject({ status: 200, apiCode: 422, apiMessage: "Invalid lead", errors: body.errors });
    expect(error.message).toContain("422 Unprocessable Entity (in a 200 response)");
  });

  it("is thrown for its code without errors: for a record, for no record and for a list", async () => {
    const { client } = await answering((_, response) => json(response, 200, { code: 422, message: "no" }));
    const refused = { status: 200, apiCode: 422, apiMessage: "no", errors: null };
    for (const call of [
      () => client.accounts.create({ name: "A" }),
      () => client.accounts.update(7, { name: "A" }),
      () => client.affiliations.delete(7),
      () => client.accounts.list().toArray(),
      () => client.request({ method: "PUT", path: "api/v1/accounts/7", body: {} }),
    ]) {
      const error = await failure(call);
      expect(error).toBeInstanceOf(UnprocessableEntityError);
      expect(error).toMatchObject(refused);
    }
  });

  it.each([
    [
      "a course",
      (client: MainClient) => client.courses.create({ category_id: 1, name: "A", code: "A-1", cost: "1.00" }),
    ],
    ["a lead", (client: MainClient) => client.leads.create({ title: "Team course", quality: null })],
    [
      "an order",
      (client: MainClient) => client.orders.create({ catalog_variant_id: 3, creator_id: 7, student_ids: [7] }),
    ],
    [
      "a user",
      (client: MainClient) => client.users.create({ first_name: "A", last_name: "B", email: "a@example.com" }),
    ],
  ])("is thrown if %s is created, and a 201 returns a record", async (_, create) => {
    const body = { errors: { email: ["is taken"] }, code: 422, message: "Invalid" };
    const refusing = await answering((_, response) => json(response, 200, body));
    const error = await failure<UnprocessableEntityError>(create(refusing.client));
    expect(error).toBeInstanceOf(UnprocessableEntityError);
    expect(error).toMatchObject({ status: 200, apiCode: 422, errors: body.errors });
    const creating = await answering((_, response) => json(response, 201, { id: 7 }));
    expect(await create(creating.client)).toEqual({ id: 7 });
  });

  it("cannot write lines to a log", async () => {
    const { client } = await answering((_, response) =>
      json(response, 422, { errors: { "na\nme": ["x\u001b[2J"] }, code: 422, message: "a\r\nINFO b\u001b[31m" }),
    );
    const { message, apiMessage } = await failure<ApiError>(client.accounts.create({ name: "A" }));
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(apiMessage).toContain("\n");
  });

  it("is retried like an error with that status", async () => {
    const answers = [errorBody(503), accountRecord()];
    const { client } = await answering((_, response) => json(response, 200, answers.shift()));
    expect(await client.accounts.get(7)).toMatchObject({ id: 7 });
    expect(answers).toEqual([]);
  });

  it("leaves the outcome of a write unknown, like an error with that status", async () => {
    for (const code of [500, 503, 9]) {
      const { client } = await answering((_, response) => json(response, 200, { errors: {}, code, message: "x" }));
      const error = await failure<ApiError>(client.accounts.create({ name: "A" }));
      expect(error, String(code)).toMatchObject({ apiCode: code, attempts: 1, outcome: "unknown" });
      expect(error.message).toContain("check before sending it again");
    }
  });

  it("delays all calls if its code is 429", async () => {
    const answers = [errorBody(429), accountRecord()];
    const { client } = await answering((_, response) =>
      json(response, 200, answers.shift(), answers.length === 1 ? { "retry-after": "0" } : {}),
    );
    const { attempts } = (await client.accounts.create({ name: "A" }).withResponse()).response;
    expect(attempts).toBe(2);
  });

  it("is thrown for operations without a record and for lists too", async () => {
    const { client } = await answering((_, response) => json(response, 200, errorBody(400)));
    expect(await failure(client.affiliations.delete(7))).toBeInstanceOf(BadRequestError);
    expect(await failure(client.accounts.list().toArray())).toBeInstanceOf(BadRequestError);
  });

  it("is not an error if a complete record happens to have these fields", async () => {
    const record = { ...accountRecord(), errors: {}, code: 422, message: "a field of the record" };
    const { client } = await answering((_, response) => json(response, 200, record));
    expect(await client.accounts.get(7)).toEqual(record);
  });
});

describe("responses that the service did not send", () => {
  const PAGE = `<!doctype html><html><head><title>Sign in</title></head><body>${"x".repeat(500)}</body></html>`;

  it("an HTML page with status 200 is reported with status, content type and its first 200 characters", async () => {
    const { server, client } = await answering(raw(200, PAGE, { "content-type": "text/html; charset=utf-8" }));
    const error = await failure<ResponseFormatError>(client.accounts.get(7));
    expect(error).toBeInstanceOf(ResponseFormatError);
    expect(error).toMatchObject({ status: 200, contentType: "text/html; charset=utf-8", attempts: 1 });
    expect(error.excerpt).toBe(PAGE.slice(0, 200));
    expect(error.message).toContain("accounts.get: 200");
    expect(server.requests).toHaveLength(1);
  });

  it("a GET that gets a 502 with HTML is retried, and the last error quotes the page", async () => {
    const { server, client } = await answering(raw(502, PAGE, { "content-type": "text/html" }));
    const error = await failure<ServerError>(client.accounts.get(7, { retry: { limit: 2 } }));
    expect(error).toBeInstanceOf(ServerError);
    expect(error.message).toContain("<title>Sign in</title>");
    expect(error.apiMessage).toBeNull();
    expect(server.requests).toHaveLength(3);
  });

  it("JSON is read under a wrong content type", async () => {
    const { client } = await answering(raw(200, JSON.stringify(accountRecord()), { "content-type": "text/plain" }));
    expect((await client.accounts.get(7)).id).toBe(7);
  });

  it("compressed JSON is read, and JSON with a byte order mark", async () => {
    const { gzipSync } = await import("node:zlib");
    const { client } = await answering(
      (_, response) =>
        response
          .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
          .end(gzipSync(JSON.stringify(accountRecord()))),
      raw(200, `\uFEFF${JSON.stringify(accountRecord())}`, { "content-type": "application/json" }),
    );
    expect((await client.accounts.get(7)).id).toBe(7);
    expect((await client.accounts.get(7)).id).toBe(7);
  });

  for (const [what, body] of [
    ["a list where a record is due", "[1]"],
    ["a number where a record is due", "7"],
    ["text where a record is due", '"ok"'],
  ] as const) {
    it(`${what} throws ResponseFormatError`, async () => {
      const { client } = await answering(raw(200, body, { "content-type": "application/json" }));
      expect(await failure(client.accounts.get(7))).toBeInstanceOf(ResponseFormatError);
    });
  }

  it("a record, null or nothing in place of a list throws ResponseFormatError: a list must not end early", async () => {
    for (const body of ["{}", "null", "", " \n"]) {
      const { client } = await answering(raw(200, body, { "content-type": "application/json" }));
      expect(await failure(client.accounts.list().toArray())).toBeInstanceOf(ResponseFormatError);
    }
  });

  it("an error that is JSON of another shape has its whole body", async () => {
    const { client } = await answering((_, response) => json(response, 418, { message: "short and stout", more: [1] }));
    const error = await failure<ApiError>(client.accounts.get(7));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 418, apiCode: null, apiMessage: "short and stout" });
    expect(error.body).toEqual({ message: "short and stout", more: [1] });
  });
});

describe("bodies that are cut off", () => {
  const text = JSON.stringify(accountRecord());
  const whole: Handler = (_, response) => json(response, 200, accountRecord());
  const cuts: Record<string, Handler> = {
    "a Content-Length larger than what was sent": (_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": String(text.length) });
      response.write(text.slice(0, text.length / 2), () => response.destroy());
    },
    "a connection destroyed between chunks": (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(text.slice(0, text.length / 2), () => setTimeout(() => response.destroy(), 5));
    },
    "JSON that ends too soon": raw(200, text.slice(0, -20), { "content-type": "application/json" }),
    "JSON that ends too soon and says text/plain of itself": raw(200, text.slice(0, -20), {
      "content-type": "text/plain;charset=UTF-8",
    }),
  };

  for (const [what, cut] of Object.entries(cuts)) {
    it(`reads a GET again after ${what}`, async () => {
      const { server, client } = await answering(cut, whole);
      const { data, response } = await client.accounts.get(7).withResponse();
      expect(data).toEqual(accountRecord());
      expect(response.attempts).toBe(2);
      expect(server.requests).toHaveLength(2);
    });

    it(`does not send a POST again after ${what}, and reports an unknown outcome`, async () => {
      const { server, client } = await answering(cut, whole);
      const error = await failure<ResponseFormatError>(client.accounts.create({ name: "A" }));
      expect(error).toBeInstanceOf(ResponseFormatError);
      expect(error).toMatchObject({ status: 200, outcome: "unknown", attempts: 1 });
      expect(error.contentType).toMatch(/^(application\/json|text\/plain;charset=UTF-8)$/);
      expect(error.message).toMatch(/truncated/);
      expect(server.requests).toHaveLength(1);
    });
  }

  it("opens an invoice again after a body is cut off, because opening twice is harmless", async () => {
    const { server, client } = await answering(
      raw(200, '{"id":', { "content-type": "application/json" }),
      (_, response) => json(response, 200, invoiceRecord(9, { status: "open" })),
    );
    expect((await client.invoices.open(9)).status).toBe("open");
    expect(server.requests).toHaveLength(2);
  });

  it("accepts a success whose body is not needed, truncated or not", async () => {
    const { server, client } = await answering(raw(200, '{"id":', { "content-type": "application/json" }));
    expect(await client.affiliations.delete(7)).toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });
});
