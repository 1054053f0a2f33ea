import { describe, expect, it } from "vitest";
import { ResponseFormatError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { type Handler, inTurn, json, serve } from "../support/server.js";

const TOKEN = "token-that-must-stay-home";

/**
 * A server that redirects every request to `target`, and a foreign server on another origin, to which `target` may
 * lead.
 */
async function redirecting(status: number, target: (stranger: string, origin: string) => string) {
  const stranger = await serve((_, response) => json(response, 200, accountRecord(666)));
  const server = await serve((request, response) => {
    if (request.query.has("moved")) return json(response, 200, accountRecord(8));
    response.writeHead(status, { location: target(stranger.url, server.url) }).end();
  });
  return { server, stranger, client: mainClient({ baseUrl: server.url, apiKey: TOKEN }) };
}

describe("redirects", () => {
  for (const status of [301, 302, 303, 307, 308]) {
    it(`never send token or body to another origin for a ${status}`, async () => {
      const { server, stranger, client } = await redirecting(status, (origin) => `${origin}/api/v1/accounts/7`);
      for (const call of [
        () => client.accounts.get(7),
        () => client.accounts.create({ name: "Secret Ltd" }),
        () => client.accounts.update(7, { name: "Secret Ltd" }),
        () => client.affiliations.delete(7),
        () => client.accounts.list().toArray(),
        () => client.request({ method: "GET", path: "api/v1/accounts" }),
      ]) {
        const error = await failure<ResponseFormatError>(call);
        expect(error).toBeInstanceOf(ResponseFormatError);
        expect(error.status).toBe(status);
        expect(error.message).toContain("redirect");
      }
      expect(stranger.requests).toEqual([]);
      // The client sends no request twice.
      expect(server.requests).toHaveLength(6);
    });

    it(`follow a ${status} within the origin for a GET, with the token`, async () => {
      const { server, client } = await redirecting(status, () => "/elsewhere?moved=1");
      const { data, response } = await client.accounts.get(7).withResponse();
      expect([data.id, response.redirected, response.attempts]).toEqual([8, true, 2]);
      expect(server.requests.map(({ target }) => target)).toEqual(["/api/v1/accounts/7", "/elsewhere?moved=1"]);
      expect(server.requests[1]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    });

    it(`do not repeat a write for a ${status}`, async () => {
      const { server, client } = await redirecting(status, () => "/elsewhere?moved=1");
      for (const call of [
        () => client.accounts.create({ name: "A" }),
        () => client.accounts.update(7, { name: "A" }),
      ]) {
        expect(await failure(call)).toMatchObject({ code: "response_format", status, outcome: "unknown" });
      }
      expect(server.requests.map(({ target }) => target)).toEqual(["/api/v1/accounts", "/api/v1/accounts/7"]);
    });
  }

  it("treat another port, another scheme and another spelling of the host as another origin", async () => {
    for (const location of [
      (origin: string) => origin.replace("http:", "https:"),
      (origin: string) => origin.replace("127.0.0.1", "localhost"),
      (origin: string) => `//user@${origin.slice("http://".length)}1/`,
      () => "file:///etc/hosts",
      () => "http://",
    ]) {
      const { server, client } = await redirecting(302, (_, origin) => location(origin));
      expect(await failure(client.accounts.get(7))).toBeInstanceOf(ResponseFormatError);
      expect(server.requests).toHaveLength(1);
    }
  });

  it("end at a loop and at a redirect without a Location", async () => {
    const circle = await serve((_, response) => response.writeHead(302, { location: "/round" }).end());
    const error = await failure(mainClient({ baseUrl: circle.url }).accounts.get(7));
    expect(error).toBeInstanceOf(ResponseFormatError);
    expect(circle.requests).toHaveLength(6);

    const nowhere = await serve((_, response) => response.writeHead(302).end());
    expect(await failure(mainClient({ baseUrl: nowhere.url }).accounts.get(7))).toBeInstanceOf(ResponseFormatError);
    expect(nowhere.requests).toHaveLength(1);
  });

  it("do not lead to another origin after one within the origin", async () => {
    const stranger = await serve((_, response) => json(response, 200, accountRecord(666)));
    const redirect =
      (location: string): Handler =>
      (_, response) =>
        response.writeHead(307, { location }).end();
    const server = await serve(inTurn(redirect("/second"), redirect(`${stranger.url}/third`)));
    const error = await failure(mainClient({ baseUrl: server.url }).accounts.get(7));
    expect(error).toBeInstanceOf(ResponseFormatError);
    expect(server.requests).toHaveLength(2);
    expect(stranger.requests).toEqual([]);
  });
});
