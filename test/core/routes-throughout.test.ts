import { describe, expect, it } from "vitest";
import type { ClientOptions, NotFoundError, Observers } from "../../src/index.js";
import { adminClient, mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord, invoiceRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

const PATH = "meetings/{meeting_id}/attendance_sheets/{enrollment_id}";
const routes = { "attendances.get": { path: PATH } };

function refusing(message: string, more: ClientOptions = {}) {
  const events: { path: string; method: string }[] = [];
  const on = Object.fromEntries(
    ["request", "response"].map((name) => [name, (event: never) => events.push(event)]),
  ) as Observers;
  const { fetch, calls } = recordingFetch(() => jsonResponse(errorBody(404, message), 404));
  return { events, calls, options: { fetch, on, ...more } };
}

describe("a path set by the option routes", () => {
  it("is used in the request, errors and events", async () => {
    const { options, calls, events } = refusing("Not found", { routes });
    const call = adminClient(options).attendances.get({ meeting_id: 3, enrollment_id: 4 });
    const error = await failure<NotFoundError>(call);
    expect(calls[0]?.url.pathname).toBe("/api/v1/meetings/3/attendance_sheets/4");
    expect(error.path).toBe(PATH);
    expect(error.message).toContain(`GET ${PATH}`);
    expect(error.message).not.toContain("attendances/{meeting_id}");
    expect(events.map(({ path }) => path)).toEqual([PATH, PATH]);
  });

  it("removes the advice to set the option", async () => {
    const call = ({ options }: ReturnType<typeof refusing>) =>
      failure(adminClient(options).attendances.get({ meeting_id: 3, enrollment_id: 4 }));
    expect((await call(refusing("Not found"))).message).toContain("routes");
    expect((await call(refusing("Not found", { routes }))).message).not.toContain("routes");
  });

  it("is not redacted in the service's message", async () => {
    const { options } = refusing("There are no attendance_sheets in these meetings", { routes });
    const error = await failure(adminClient(options).attendances.get({ meeting_id: 3, enrollment_id: 4 }));
    expect(error.message).toContain("There are no attendance_sheets in these meetings");
  });

  it("is used for every page of a list and in page events", async () => {
    const paths: string[] = [];
    const { fetch, calls } = recordingFetch(({ index }) =>
      jsonResponse([accountRecord()], 200, index === 0 ? { link: '<?cursor=b>; rel="next"' } : {}),
    );
    const client = mainClient({
      fetch,
      routes: { "accounts.list": { path: "customers" } },
      on: { page: ({ path }) => paths.push(path) },
    });
    expect(await client.accounts.list().toArray()).toHaveLength(2);
    expect(calls.map(({ url }) => url.pathname)).toEqual(["/api/v1/customers", "/api/v1/customers"]);
    expect(paths).toEqual(["customers", "customers"]);
  });

  it("is used together with its method in errors and events", async () => {
    const { options, calls, events } = refusing("Not found", {
      routes: { "invoices.open": { method: "PUT", path: "invoices/{id}/opening" } },
    });
    const error = await failure<NotFoundError>(mainClient(options).invoices.open(invoiceRecord().id));
    expect(calls[0]).toMatchObject({ init: { method: "PUT" } });
    expect(error).toMatchObject({ method: "PUT", path: "invoices/{id}/opening" });
    expect(events).toMatchObject([{ method: "PUT", path: "invoices/{id}/opening" }, { method: "PUT" }]);
  });
});
