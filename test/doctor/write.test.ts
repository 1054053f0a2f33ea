import { expect, test } from "vitest";
import { doctor, formatReport } from "../../src/doctor/index.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { drawn } from "../support/amount.js";
import { examined, served, withRecords, withStatus } from "./support.js";

const small = { size: "small", skipWaits: true } as const;

test("a confirmed write creates one user, which stays, and says so", async () => {
  const service = await served({}, small);
  const before = service.sandbox.store.users.count;
  const report = await examined(service, {}, { write: { confirm: `${service.baseUrl}/` } });
  expect(withStatus(report, "as_assumed")).toMatchObject({ one_user_per_email: "refused with 422" });
  expect(withStatus(report, "as_assumed").list_delay).toMatch(/^after \d+ seconds$/);
  expect([report.created, service.sandbox.store.users.count - before]).toEqual([1, 1]);
  expect(report.requests).toBe(service.requests.length);
  expect(service.requests.filter((request) => request.startsWith("POST"))).toEqual(
    ["tasks", "users", "users"].map((name) => `POST /api/v1/${name}`),
  );
  expect(service.sandbox.store.tasks.filter(({ name }) => name.startsWith("doctor"))).toEqual([]);
  expect(formatReport(report)).toContain("Left behind: 1 user whose e-mail address begins with doctor-\n");
});

test("a second user with the address is found, and counted among what is left behind", async () => {
  const sandbox = createSandbox(small);
  const client = new MainClient({
    ...sandbox,
    fetch: async (url, init) => {
      // The service of this test takes every address for another one.
      if (init?.method !== "POST") return sandbox.fetch(url, init);
      const body = JSON.parse(String(init.body));
      const taken = sandbox.store.users.find(({ email }) => email === body.email);
      if (taken) sandbox.store.users.update(taken.id, { email: "other@example.com" });
      return sandbox.fetch(url, init);
    },
  });
  const report = await doctor(client, { write: { confirm: client.baseUrl } });
  expect(withStatus(report, "differs")).toEqual({ one_user_per_email: "the service created both" });
  expect(report.created).toBe(2);
});

test("a list that shows the user late, or never, is measured on the client's clock", async () => {
  const delays: Record<string, string | undefined> = {};
  for (const lateMs of [5_000, 70_000]) {
    const sandbox = createSandbox({ ...small, now: "2030-06-01T12:00:00.000Z" });
    let created = Number.POSITIVE_INFINITY;
    const client = new MainClient({
      ...sandbox,
      fetch: async (url, init) => {
        const response = await sandbox.fetch(url, init);
        if (init?.method === "POST" && String(url).endsWith("/users")) created = Math.min(created, sandbox.clock.now());
        const isHidden = String(url).includes("email=doctor-") && sandbox.clock.now() < created + lateMs;
        return isHidden ? withRecords(response, () => []) : response;
      },
    });
    const report = await doctor(client, { write: { confirm: client.baseUrl } });
    delays[lateMs] = report.findings.find(({ check }) => check === "list_delay")?.seen;
  }
  expect(delays).toEqual({ 5000: "after 7 seconds", 70000: "the list did not show the user within a minute" });
});

test("a create that fails leaves both questions open", async () => {
  const service = await served({}, small);
  const apiKey = service.sandbox.createKey({ scopes: ["*:read"] });
  const report = await examined(service, { apiKey }, { write: { confirm: service.baseUrl } });
  expect(withStatus(report, "not_seen")).toMatchObject({
    list_delay: "the user was not created, or may not have been: the service answered 403",
    one_user_per_email: "the user was not created, or may not have been: the service answered 403",
  });
  expect(report.created).toBe(0);
});

test("what happened to a create without a response is not known, and may have left a user behind", async () => {
  const service = await served({}, small);
  service.sandbox.faults.next({ operation: "users.create", reset: true, applied: true });
  const report = await examined(service, {}, { write: { confirm: service.baseUrl } });
  expect(withStatus(report, "not_seen").list_delay).toBe(
    "the user was not created, or may not have been: no usable response (connection)",
  );
  expect(report.created).toBe(1);
});

test.each([
  ["POST", /\/tasks$/, 0],
  ["GET", /\/tasks\/\d+$/, 0],
  ["POST", /\/users$/, 1],
  ["GET", /\/users\/\d+$/, 1],
])("nobody else's record is changed when the response to %s %s is mixed up", async (method, path, created) => {
  const { fetch, store, ...sandbox } = createSandbox(small);
  const others = () => structuredClone([store.tasks.get(1), store.users.get(5)]);
  let hasBegun = false;
  const client = new MainClient({
    ...sandbox,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      hasBegun ||= init?.method === "POST";
      const [task, user] = others();
      const isMixed = hasBegun && init?.method === method && path.test(String(url));
      return isMixed ? Response.json(String(url).includes("tasks") ? task : user, response) : response;
    },
  });
  const before = others();
  const report = await doctor(client, { write: { confirm: client.baseUrl } });
  expect(others()).toEqual(before);
  expect(withStatus(report, "differs")).toEqual({
    write_responses: "the response was another record, so nothing more was written",
  });
  expect(report.created).toBe(created);
});

test("a list that fails after the create does not hide what is left behind", async () => {
  const sandbox = createSandbox({ ...small, now: "2030-06-01T12:00:00.000Z" });
  const client = new MainClient(sandbox);
  const isOwn = ({ query }: { query: { email?: string | undefined } }) => query.email?.startsWith("doctor-") === true;
  sandbox.faults.next(
    { operation: "users.list", when: isOwn, times: 1 },
    { operation: "users.list", when: isOwn, status: 500, times: 9 },
  );
  const report = await doctor(client, { write: { confirm: client.baseUrl } });
  expect(withStatus(report, "differs")).toEqual({ list_delay: "the list did not show the user within a minute" });
  expect(report.created).toBe(1);
});

test.each([
  [{ confirm: "https://another.school.example" }, "write.confirm must be the client's baseUrl"],
  [{ confirm: "" }, "write.confirm must be"],
  [{}, "write.confirm must be"],
  [{ confirm: true }, "write.confirm must be"],
  [{ confrim: "x" }, "write.confrim"],
])("without the right confirmation nothing is sent: %j", async (write, message) => {
  const service = await served({}, small);
  await expect(examined(service, {}, { write } as object)).rejects.toThrow(message);
  expect(service.requests).toEqual([]);
});

test("a client that may not write is refused before anything is sent", async () => {
  const service = await served({}, small);
  const options = { write: { confirm: service.baseUrl } };
  await expect(examined(service, { readOnly: true }, options)).rejects.toThrow("write needs a client without readOnly");
  expect(service.requests).toEqual([]);
});

/** What the service of a test makes of the body of a create or an update, and of what it answers. */
function oddWrites(change: {
  body?: (body: Record<string, unknown>) => object;
  user?: (user: Record<string, unknown>) => object;
}) {
  const sandbox = createSandbox({ ...small, now: "2030-06-01T12:00:00.000Z" });
  return new MainClient({
    ...sandbox,
    fetch: async (url, init) => {
      const body = init?.body && change.body ? JSON.stringify(change.body(JSON.parse(String(init.body)))) : init?.body;
      const response = await sandbox.fetch(url, { ...init, ...(body !== undefined && { body }) } as typeof init);
      return change.user && /users\/\d+$/.test(String(url))
        ? withRecords(response, (users) => users.map((user) => change.user?.(user)))
        : response;
    },
  });
}

const ODD: readonly [string, Parameters<typeof oddWrites>[0], object][] = [
  [
    "cuts names",
    { body: (body) => ({ ...body, ...(body.last_name ? { last_name: String(body.last_name).slice(0, 30) } : {}) }) },
    { stored_as_sent: "stored otherwise: users.last_name" },
  ],
  [
    "escapes names",
    { user: (user) => ({ ...user, last_name: String(user.last_name).replace("&", "&amp;") }) },
    { stored_as_sent: "stored otherwise: users.last_name" },
  ],
  [
    "forgets other fields",
    { body: (body) => ("email" in body ? body : { ...body, last_name: "x" }) },
    { update_leaves_others: "users: changed too: last_name" },
  ],
  [
    "does not move updated_at",
    { user: (user) => ({ ...user, updated_at: "2030-01-01T00:00:00.000Z" }) },
    { updated_at_moves: "users: as before the update of a name, custom, labels" },
  ],
];

test.each(drawn(ODD, 2))("a service that %s is found, and nothing else", async (_, change, expected) => {
  const client = oddWrites(change);
  const report = await doctor(client, { write: { confirm: client.baseUrl } });
  expect(withStatus(report, "differs")).toEqual(expected);
});
