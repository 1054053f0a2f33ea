import { describe, expect, it } from "vitest";
import { type ClientOptions, InputError, type RequestOptions } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { json, serve } from "../support/server.js";

async function sentHeaders(client: ClientOptions, call?: RequestOptions): Promise<Record<string, string>> {
  const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
  await mainClient({ fetch, ...client }).accounts.get(7, call);
  return calls[0]?.headers ?? {};
}

describe("the headers of a request", () => {
  it("contain those of the client, with or without call options", async () => {
    const headers = { "X-App": "portal" };
    expect(await sentHeaders({ headers })).toMatchObject({ "x-app": "portal" });
    expect(await sentHeaders({ headers }, {})).toMatchObject({ "x-app": "portal" });
    expect(await sentHeaders({ headers }, { timeout: 1_000 })).toMatchObject({ "x-app": "portal" });
    expect(await sentHeaders({ headers }, { headers: { "x-trace": "1" } })).toMatchObject({
      "x-app": "portal",
      "x-trace": "1",
    });
  });

  it("contain those of the call, which replace the client's", async () => {
    const headers = await sentHeaders({ headers: { "x-app": "portal" } }, { headers: [["X-APP", "night job"]] });
    expect(headers["x-app"]).toBe("night job");
  });

  it("are the same for every attempt and every page", async () => {
    const { fetch, calls } = recordingFetch(({ index }) => {
      if (index === 0) return jsonResponse({}, 503);
      return jsonResponse([accountRecord()], 200, index === 1 ? { link: '<?cursor=a>; rel="next"' } : {});
    });
    await mainClient({ fetch, headers: { "x-app": "portal" } })
      .accounts.list()
      .toArray();
    expect(calls.map(({ headers }) => headers["x-app"])).toEqual(["portal", "portal", "portal"]);
  });

  it("accept and announce JSON, whatever the caller's headers are", async () => {
    const server = await serve((_, response) => json(response, 200, accountRecord()));
    const headers = { accept: "text/html", "content-type": "text/plain" };
    const client = mainClient({ baseUrl: server.url, headers });
    await client.accounts.get(7, { headers });
    await client.accounts.update(7, { name: "A" });
    expect(server.requests.map((request) => request.headers.accept)).toEqual(["application/json", "application/json"]);
    expect(server.requests[1]?.headers["content-type"]).toBe("application/json");
  });

  it.each(["Content-Length", "transfer-encoding", "connection", "expect", "upgrade"])(
    "cannot include %s, which the connection determines",
    async (name) => {
      const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
      const error = await failure(mainClient({ fetch }).accounts.get(7, { headers: { [name]: "5" } }));
      expect(error).toBeInstanceOf(InputError);
      expect(() => mainClient({ fetch, headers: { [name]: "5" } })).toThrow(name.toLowerCase());
      expect(calls).toHaveLength(0);
    },
  );
});
