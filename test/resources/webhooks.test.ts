import { describe, expect, test } from "vitest";
import { AdminClient, InputError, MainClient } from "../../src/index.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";

const RECORD = { id: "w-1", created_at: "2030-01-01T00:00:00.000Z", updated_at: "2030-01-01T00:00:00.000Z" };

function clientOn(answer: unknown = RECORD) {
  const { fetch, calls } = recordingFetch(() => jsonResponse(answer));
  const options = { baseUrl: "https://school.example", apiKey: "key", fetch };
  return { main: new MainClient(options), admin: new AdminClient(options), calls };
}

async function refusal(call: PromiseLike<unknown>): Promise<InputError> {
  const error = await Promise.resolve(call).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InputError);
  return error as InputError;
}

describe("identifiers of webhooks", () => {
  test("are text, encoded in the path", async () => {
    const { main, admin, calls } = clientOn();
    await main.webhooks.get("a b?c#d");
    await admin.webhooks.update("é&=", { active: true });
    expect(calls.map(({ url }) => url.pathname + url.search)).toEqual([
      "/api/v1/webhooks/a%20b%3Fc%23d",
      "/api/v1/webhooks/%C3%A9%26%3D",
    ]);
  });

  test("are refused with their name if they are empty, a number, or a path escape", async () => {
    const { main, calls } = clientOn();
    for (const id of ["", "..", "a/b", 7 as never]) {
      expect((await refusal(main.webhooks.get(id))).issues).toMatchObject([{ path: "id" }]);
      expect((await refusal(main.webhooks.delete(id))).issues).toMatchObject([{ path: "id" }]);
      const failed = main.webhooks.listFailedNotifications(id).toArray();
      expect((await refusal(failed)).issues).toMatchObject([{ path: "webhook_id" }]);
    }
    expect(calls).toEqual([]);
  });

  test("are not called read-only, because only an identifier in a body is", async () => {
    const { main } = clientOn();
    expect((await refusal(main.webhooks.update(7 as never, {}))).message).toBe(
      "webhooks.update: id must be text. Nothing was sent.",
    );
    expect((await refusal(main.webhooks.update("w-1", { id: "w-2" } as never))).message).toContain(
      "id is read-only here; leave it out",
    );
  });
});

describe("inputs of webhooks", () => {
  test("accept any names of events, because not all are known", async () => {
    const { main, calls } = clientOn();
    const url = "https://hooks.school.example/events";
    expect((await refusal(main.webhooks.create({ url, events: [7 as never] }))).issues[0]?.path).toBe("events[0]");
    await main.webhooks.create({ url, events: ["invoice.updated", "room.created"] });
    expect(JSON.parse(calls[0]?.body ?? "")).toEqual({ url, events: ["invoice.updated", "room.created"] });
  });

  test("deleting returns the webhook", async () => {
    const { main, calls } = clientOn();
    expect(await main.webhooks.delete("w-1")).toEqual(RECORD);
    expect(calls[0]?.init.method).toBe("DELETE");
  });

  test("may have a Date as the time of failed notifications; there is no page mode", async () => {
    const { main, calls } = clientOn([]);
    await main.webhooks.listFailedNotifications("w-1", { start: new Date("2030-01-01T00:00:00Z"), per_page: 5 });
    expect([...(calls[0]?.url.searchParams ?? [])]).toEqual([
      ["start", "2030-01-01T00:00:00.000Z"],
      ["per_page", "5"],
    ]);
    const paged = main.webhooks.listFailedNotifications("w-1", { page: 2 } as never);
    expect((await refusal(paged)).issues[0]?.path).toBe("page");
  });

  test("notifications are requested without paging", async () => {
    const { main, calls } = clientOn([]);
    await main.webhooks.listNotifications("w-1");
    expect(calls[0]?.url.search).toBe("");
  });
});
