import { expect, test } from "vitest";
import { assistantTools } from "../../src/assistant/index.js";
import { settingsIn, withSettings } from "../../src/core/inside-client.js";
import { doctor } from "../../src/doctor/index.js";
import {
  AdminClient,
  type ClientOptions,
  MainClient,
  MemoryRateLimitStore,
  OrganizationClient,
} from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { defineSchool } from "../../src/school/index.js";
import { jsonResponse } from "../support/fetch.js";
import { ManualClock } from "../support/manual-clock.js";

// Each option differs from its default.
const OPTIONS: ClientOptions = {
  baseUrl: "http://10.0.0.1/school",
  allowInsecureHttp: true,
  apiKey: async () => "key",
  fetch: async () => jsonResponse({}),
  headers: { "x-one": "1" },
  timeout: 1,
  totalTimeout: 2,
  retry: { limit: 3, backoffLimit: 4, maxRetryAfter: 5 },
  rateLimit: {
    requests: 5,
    windowMs: 6,
    reserve: 0.7,
    concurrency: 8,
    queueLimit: 9,
    store: new MemoryRateLimitStore(),
  },
  pageSize: 10,
  validation: "strict",
  arrayFormat: "comma",
  routes: { "organization.contacts.list": { path: "organization/people" } },
  on: { drift: () => undefined },
  readOnly: true,
  school: defineSchool({}),
  clock: new ManualClock(),
};

test.each([MainClient, AdminClient, OrganizationClient])(
  "a copy of %o keeps every setting that it does not change",
  (Own) => {
    const client: object = new Own(OPTIONS);
    const changed = withSettings(client, { timeout: 99 });
    expect(changed).toBeInstanceOf(Own);
    expect(settingsIn(changed)).toEqual({ ...settingsIn(client), timeout: 99 });
    expect(settingsIn(withSettings(new Own({ ...OPTIONS, rateLimit: false }), {})).rateLimit).toBeNull();
  },
);

test("doctor and the tools for assistants accept a client whose class has its own constructor", async () => {
  let made = 0;
  class School extends MainClient {
    readonly tenant: string;
    constructor(tenant: string) {
      super({ ...createSandbox({ size: "small" }) });
      this.tenant = tenant;
      made++;
    }
  }
  const client = new School("north");
  const report = await doctor(client);
  expect(report.findings.find(({ check }) => check === "without_key")?.status).toBe("as_assumed");
  const read = assistantTools(client).find(({ name }) => name === "read");
  expect(await read?.execute({ from: "courses", limit: 1 })).not.toHaveProperty("error");
  expect(made).toBe(1);
});
