import { describe, expect, expectTypeOf, it } from "vitest";
import { AdminClient, InputError, MainClient, type Webhook } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { type EnsureWebhookOptions, ensureWebhook, WebhookEventName } from "../../src/webhooks/index.js";
import { seeds } from "../support/amount.js";
import { chance } from "../support/chance.js";

const url = "https://hooks.school.example/events";
const all = { max: 1_000 };

function setUp(): { sandbox: Sandbox; client: MainClient; written: () => (string | null)[] } {
  const sandbox = createSandbox({ size: 20, empty: true });
  const client = new MainClient({ ...sandbox.main, validation: "strict" });
  return {
    sandbox,
    client,
    written: () => sandbox.requests.filter(({ method }) => method !== "GET").map(({ operation }) => operation),
  };
}

describe("ensureWebhook", () => {
  it("registers the events that its patterns match, and writes nothing the second time", async () => {
    const { sandbox, client, written } = setUp();
    const made = await ensureWebhook(client, { url, events: ["enrollment.*", "planned_course.*", "user.merged"] });
    expectTypeOf(made).toEqualTypeOf<Webhook>();
    expect(made).toMatchObject({ id: "webhook-1", url, active: true });
    expect(made.events).toEqual([
      "enrollment.created",
      "enrollment.deleted",
      "enrollment.updated",
      "planned_course.canceled",
      "planned_course.created",
      "planned_course.deleted",
      "planned_course.teacher_attendees_changed",
      "planned_course.updated",
      "user.merged",
    ]);
    expect(written()).toEqual(["webhooks.create"]);
    const options = { url: new URL(url), events: ["user.merged", "planned_course.*", "enrollment.*"] } as const;
    expect(await ensureWebhook(client, options)).toEqual(made);
    expect(await ensureWebhook(new AdminClient(sandbox.admin), options)).toEqual(made);
    expect(written()).toEqual(["webhooks.create"]);
  });

  it.each([
    ["an event too few", { events: ["lead.created" as const] }],
    ["an event too many", { events: ["lead.created" as const, "lead.deleted" as const, "invoice.created" as const] }],
    ["switched off", { active: false }],
  ])("corrects a difference with one update: %s", async (_, change) => {
    const { client, written } = setUp();
    const other = await client.webhooks.create({ url: "https://other.school.example/", events: ["lead.created"] });
    const before = await client.webhooks.create({ url, events: ["lead.created", "lead.deleted"] });
    await client.webhooks.update(before.id, change);
    const after = await ensureWebhook(client, { url, events: ["lead.created", "lead.deleted"] });
    expect(after).toMatchObject({ id: before.id, url, active: true, events: ["lead.created", "lead.deleted"] });
    expect(written().slice(3)).toEqual(["webhooks.update"]);
    expect(await client.webhooks.get(other.id)).toEqual(other);
    await ensureWebhook(client, { url, events: ["lead.created", "lead.deleted"] });
    expect(written().slice(4)).toEqual([]);
  });

  it("keeps an unknown event that a pattern matches", async () => {
    const { sandbox, client, written } = setUp();
    sandbox.store.webhooks.insert({
      url,
      active: true,
      events: ["lead.created", "lead.deleted", "lead.updated", "lead.archived"],
      created_at: "2030-01-01T00:00:00.000Z",
      updated_at: "2030-01-01T00:00:00.000Z",
    });
    const lenient = { webhooks: client.webhooks };
    expect((await ensureWebhook(lenient, { url, events: ["lead.*"] })).events).toContain("lead.archived");
    expect(written()).toEqual([]);
    const exact = await ensureWebhook(client, { url, events: ["lead.created", "lead.deleted", "lead.updated"] });
    expect(exact.events).not.toContain("lead.archived");
    expect(written()).toEqual(["webhooks.update"]);
  });

  it("treats * as every known event", async () => {
    const { client } = setUp();
    expect((await ensureWebhook(client, { url, events: ["*"] })).events).toEqual(WebhookEventName.values);
  });

  it("treats equivalent addresses as one, and uses the matching subscription of several", async () => {
    const { client, written } = setUp();
    await client.webhooks.create({ url: "https://HOOKS.school.example:443/events", events: ["lead.created"] });
    const fitting = await client.webhooks.create({ url, events: ["lead.deleted"] });
    expect((await ensureWebhook(client, { url, events: ["lead.created"] })).id).toBe("webhook-1");
    expect((await ensureWebhook(client, { url, events: ["lead.deleted"] })).id).toBe(fitting.id);
    expect(written()).toEqual(["webhooks.create", "webhooks.create"]);
  });

  it("leaves one subscription when several processes start at once, in any order of their requests", async () => {
    for (const seed of seeds("webhooks/ensure", 10, 30)) {
      const random = chance(seed);
      const { sandbox, client } = setUp();
      const slowly: typeof fetch = async (...request) => {
        for (let turns = 8 * random(); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
        return sandbox.fetch(...request);
      };
      const processes = [1, 2, 3].map(() => new MainClient({ ...sandbox.main, fetch: slowly, rateLimit: false }));
      const got = await Promise.all(processes.map((one) => ensureWebhook(one, { url, events: ["lead.*"] })));
      const left = await client.webhooks.list().toArray(all);
      expect(left).toHaveLength(1);
      expect(new Set(got.map(({ id }) => id))).toEqual(new Set([left[0]?.id]));
    }
  });

  it("leaves one with the events of the later version if two versions start at once", async () => {
    const { sandbox, client } = setUp();
    const other = new MainClient(sandbox.main);
    let isFirst = true;
    const { list, create, update, delete: remove } = client.webhooks;
    const webhooks = {
      list: list.bind(client.webhooks),
      update: update.bind(client.webhooks),
      delete: remove.bind(client.webhooks),
      create: async (body: Parameters<typeof create>[0]) => {
        // The other process is a moment faster.
        if (isFirst) await ensureWebhook(other, { url, events: ["lead.created"] });
        isFirst = false;
        return client.webhooks.create(body);
      },
    };
    const kept = await ensureWebhook({ webhooks }, { url, events: ["lead.*"] });
    expect(await client.webhooks.list().toArray(all)).toEqual([kept]);
    expect(kept).toMatchObject({ id: "webhook-1", events: ["lead.created", "lead.deleted", "lead.updated"] });
  });

  it.each([
    ["shows the new one", false],
    ["shows none yet", true],
  ])("deletes no foreign subscription if a response is mixed up and the list %s", async (_, isLate) => {
    const { sandbox, client, written } = setUp();
    const other = await client.webhooks.create({ url: "https://other.school.example/", events: ["lead.created"] });
    const mixedFetch: typeof fetch = async (input, init) => {
      const response = await sandbox.fetch(input, init);
      if (init?.method === "POST") return Response.json(other, { status: 201 });
      return isLate ? Response.json([other]) : response;
    };
    const ensured = ensureWebhook(new MainClient({ ...sandbox.main, fetch: mixedFetch }), { url, events: ["lead.*"] });
    if (isLate) await expect(ensured).rejects.toMatchObject({ name: "ResponseFormatError", outcome: "unknown" });
    else expect(await ensured).toMatchObject({ id: "webhook-2", url });
    expect(written()).toEqual(["webhooks.create", "webhooks.create"]);
    expect(await client.webhooks.get(other.id)).toEqual(other);
  });

  it.each([
    ["no address", { url: "hooks" }, "url"],
    ["an empty one", { url: "" }, "url"],
    ["another protocol", { url: "ftp://hooks.school.example" }, "url"],
    ["http elsewhere", { url: "http://hooks.school.example/s3cret" }, "url"],
    ["a password", { url: "https://a:s3cret@hooks.school.example" }, "url"],
    ["a fragment", { url: `${url}#s3cret` }, "url"],
    ["an unknown event", { events: ["lead.created", "lead.archived"] }, "events[1]"],
    ["a pattern that matches nothing", { events: ["room.*"] }, "events[0]"],
    ["something that is no pattern", { events: ["lead*"] }, "events[0]"],
    ["a symbol", { events: [Symbol("lead")] }, "events[0]"],
    ["no events", { events: [] }, "events"],
    ["text for a list", { events: "lead.*" }, "events"],
    ["an active that is no boolean", { active: "yes" }, "active"],
    ["an unknown option", { secret: "s3cret" }, "secret"],
  ])("refuses %s before anything is sent, without quoting the address", async (_, wrong, path) => {
    const { sandbox, client } = setUp();
    const options = { url, events: ["lead.*"], ...wrong } as unknown as EnsureWebhookOptions;
    const error = await ensureWebhook(client, options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).issues.map((issue) => issue.path)).toEqual([path]);
    expect((error as InputError).message).not.toContain("s3cret");
    expect(sandbox.requests).toEqual([]);
  });

  it("accepts http for this machine, and refuses invalid options", async () => {
    const { client } = setUp();
    for (const local of ["http://127.0.0.1:3000/", "http://localhost:3000/", "http://[::1]:3000/"]) {
      expect((await ensureWebhook(client, { url: local, events: ["lead.*"] })).url).toBe(local);
    }
    await expect(ensureWebhook(client, null as unknown as EnsureWebhookOptions)).rejects.toBeInstanceOf(InputError);
  });
});
