import { describe, expect, test } from "vitest";
import { createSandbox, type SandboxManners } from "../../src/sandbox/index.js";
import { ask } from "./support/ask.js";
import { OTHERS } from "./support/other-manners.js";
import {
  account,
  type Case,
  createAccount,
  deliver,
  ids,
  list,
  status,
  storedName,
  tokens,
  user,
} from "./support/seen.js";

// For every value of every manner, the effect that a test can see. If a manner or a value has no case, this file does
// not compile.
const CASES: { readonly [Name in keyof SandboxManners]: Case<SandboxManners[Name]> } = {
  custom: {
    see: async (sandbox) => {
      sandbox.store.accounts.update(1, { custom: { sector: "care", vat_number: "GB1" } });
      await ask(sandbox, "PUT", "accounts/1", { name: "A", custom: { sector: "care" } });
      return Object.keys(sandbox.store.accounts.get(1)?.custom ?? {}).length;
    },
    shows: { merged: 2, replaced: 1 },
  },
  labels: {
    see: async (sandbox) => {
      sandbox.store.accounts.update(1, { label_ids: [1] });
      await ask(sandbox, "PUT", "accounts/1", { name: "A", label_ids: [9] });
      return sandbox.store.accounts.get(1)?.label_ids;
    },
    shows: { replaced: [9], added: [1, 9] },
  },
  written: {
    see: async (sandbox) => {
      const response = await ask(sandbox, "PUT", "users/1", { first_name: "A" });
      return [response.status, response.json === "" ? "" : "address" in response.json];
    },
    shows: { whole: [200, true], "required fields": [200, false], nothing: [204, ""] },
  },
  settles: {
    see: async (sandbox) => {
      const { id } = await createAccount(sandbox, "A");
      const soon = await status(sandbox, "GET", `accounts/${id}`);
      await sandbox.clock.advance(2_001);
      return [soon, await status(sandbox, "GET", `accounts/${id}`)];
    },
    shows: { "at once": [200, 200], later: [404, 200] },
  },
  doubts: {
    see: (sandbox) => status(sandbox, "POST", "accounts", { name: "a".repeat(1_001) }),
    shows: { "let through": 201, refused: 422 },
  },
  blanks: { see: (sandbox) => storedName(sandbox, " A \t B "), shows: { kept: " A \t B ", folded: "A B" } },
  unicode: {
    see: (sandbox) => storedName(sandbox, "Zoe\u0308 ﬁ"),
    shows: { kept: "Zoe\u0308 ﬁ", NFC: "Zoë ﬁ", NFKC: "Zoë fi" },
  },
  emails: {
    see: async (sandbox) => (await createAccount(sandbox, "A", { email: "A@Example.com" })).email,
    shows: { kept: "A@Example.com", "lower case": "a@example.com" },
  },
  quotes: { see: (sandbox) => storedName(sandbox, "‘A’ “B”"), shows: { kept: "‘A’ “B”", straightened: `'A' "B"` } },
  longTexts: {
    see: async (sandbox) => (await storedName(sandbox, "a".repeat(300)))?.length,
    shows: { kept: 300, "cut at 255": 255 },
  },
  tags: {
    see: (sandbox) => storedName(sandbox, "A <b>B</b> < 3"),
    shows: { kept: "A <b>B</b> < 3", stripped: "A B < 3" },
  },
  unique: {
    see: async (sandbox) => {
      const { email = "" } = sandbox.store.users.get(1) ?? {};
      return [
        await status(sandbox, "POST", "users", user(email.toUpperCase())),
        await status(sandbox, "POST", "users", user(email)),
      ];
    },
    shows: { "regardless of case": [422, 422], "by letters": [201, 422], nothing: [201, 201] },
  },
  duplicates: {
    see: async (sandbox) => {
      const { status: answered, json } = await ask(
        sandbox,
        "POST",
        "users",
        user(sandbox.store.users.get(7)?.email ?? ""),
      );
      return [answered, json.id];
    },
    shows: { "422": [422, undefined], "409": [409, undefined], "the older record": [200, 7] },
  },
  created: {
    see: async (sandbox) => {
      const both = await Promise.all([createAccount(sandbox, "A"), createAccount(sandbox, "B")]);
      return both.map(({ name }) => name);
    },
    shows: { "its record": ["A", "B"], "the newest record": ["B", "B"] },
  },
  createdStatus: {
    see: (sandbox) => status(sandbox, "POST", "accounts", { name: "A" }),
    shows: { "201": 201, "200": 200 },
  },
  location: {
    see: async (sandbox) => (await ask(sandbox, "POST", "accounts", { name: "A" })).headers.get("location"),
    shows: { absent: null, sent: "/api/v1/accounts/31" },
  },
  refusedCreates: {
    see: async (sandbox) => {
      const refused = await ask(sandbox, "POST", "users", { last_name: "B" });
      return [refused.status, refused.json.code];
    },
    shows: { "422": [422, 422], "200": [200, 422] },
  },
  leads: {
    see: (sandbox) => status(sandbox, "POST", "leads", { lead_products_attributes: [{ catalog_product_id: 1 }] }),
    shows: { whole: 422, "as in public examples": 201 },
  },
  deleted: {
    see: async (sandbox) => {
      await ask(sandbox, "DELETE", "leads/1");
      const found = await ask(sandbox, "GET", "leads/1");
      await sandbox.clock.advance(61_000);
      return [found.status, await status(sandbox, "GET", "leads/1"), sandbox.store.leads.get(1)?.status];
    },
    shows: {
      gone: [404, 404, undefined],
      "for a while": [200, 404, undefined],
      archived: [200, 200, "archive"],
    },
  },
  order: {
    see: async (sandbox) => {
      sandbox.store.accounts.update(2, { name: "Z" });
      sandbox.store.accounts.update(3, { name: "A" });
      return ids(await list(sandbox, "")).slice(0, 1);
    },
    shows: { "by id": [1], "newest first": [30], "by name": [3], "by updated_at": [expect.not.toBeOneOf([2, 3])] },
  },
  total: {
    see: async (sandbox) => [
      (await list(sandbox, "")).headers.get("total"),
      (await list(sandbox, "&page=1")).headers.get("total"),
    ],
    shows: { sent: ["30", "30"], "with page numbers": [null, "30"], absent: [null, null], "off by two": ["32", "32"] },
  },
  links: {
    see: async (sandbox) => /^<\//.test((await list(sandbox, "")).headers.get("link") ?? ""),
    shows: { absolute: false, relative: true },
  },
  relations: {
    see: async (sandbox) => (await list(sandbox, "")).headers.get("link")?.replace(/^.*>/, ""),
    shows: { quoted: '; rel="next"', "bare among others": '; title="a, b"; rel=next' },
  },
  pages: {
    see: async (sandbox) => {
      const lengths: number[] = [];
      for (let next: string | undefined = "accounts?per_page=4"; next !== undefined; ) {
        const { json, headers } = await ask(sandbox, "GET", next);
        lengths.push(json.length);
        next = /<[^>]*\/api\/v1\/([^>]*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
      }
      const isMiddle = (length: number, at: number) => length < 4 && at < lengths.length - 1;
      return [lengths.reduce((sum, length) => sum + length), lengths.some(isMiddle), lengths.includes(0)];
    },
    shows: { full: [30, false, false], "some short or empty": [30, true, true] },
  },
  lastPage: {
    see: async (sandbox) => (await ask(sandbox, "GET", "accounts?per_page=30")).headers.get("link"),
    shows: { "has no next": null, "has an empty next": expect.stringContaining("cursor=") },
  },
  unknownFilters: {
    see: (sandbox) => status(sandbox, "GET", "accounts?colour=red"),
    shows: { refused: 400, ignored: 200 },
  },
  unreadableFilters: {
    see: (sandbox) => status(sandbox, "GET", "accounts?user_id=first"),
    shows: { refused: 400, ignored: 200 },
  },
  arrays: {
    see: async (sandbox) => {
      const statuses = async (query: string) => {
        const { json } = await ask(sandbox, "GET", `invoices?per_page=100&${query}`);
        return Array.isArray(json) ? new Set(json.map((row: { status: string }) => row.status)).size : "refused";
      };
      return [await statuses("status=open&status=paid"), await statuses("status[]=open&status[]=paid")];
    },
    shows: { "any form": [2, 2], repeated: [2, "refused"], "with brackets": [1, 2] },
  },
  perPage: {
    see: async (sandbox) => {
      for (let more = 0; more < 40; more++) sandbox.store.accounts.insert({ name: "A" });
      return ids(await ask(sandbox, "GET", "accounts?per_page=60")).length;
    },
    shows: { "as asked": 60, "at most 50": 50 },
  },
  updatedAt: {
    see: async (sandbox) => {
      const before = sandbox.store.accounts.get(1);
      const isUpdated = () => sandbox.store.accounts.get(1)?.updated_at !== before?.updated_at;
      await ask(sandbox, "PUT", "accounts/1", { name: before?.name, label_ids: [1, 9] });
      const byLabels = isUpdated();
      await ask(sandbox, "PUT", "accounts/1", { name: "Other" });
      return [byLabels, isUpdated()];
    },
    shows: { "every change": [true, true], "own fields": [false, true] },
  },
  times: {
    see: async (sandbox) => (await createAccount(sandbox, "A")).created_at,
    shows: {
      milliseconds: "2030-06-01T12:00:00.000Z",
      "whole seconds": "2030-06-01T12:00:00Z",
      "an offset": "2030-06-01T14:00:00.000+02:00",
    },
  },
  clock: {
    see: async (sandbox) => (await createAccount(sandbox, "A")).created_at.slice(11, 16),
    shows: { "as the client's": "12:00", "4 minutes ahead": "12:04", "4 minutes behind": "11:56" },
  },
  withoutKey: {
    see: (sandbox) => status(sandbox, "GET", "accounts/1", undefined, null),
    shows: { "403": 403, "401": 401, "404": 404 },
  },
  unknownKey: {
    see: (sandbox) => status(sandbox, "GET", "accounts/1", undefined, "other"),
    shows: { "403": 403, "401": 401, "404": 404 },
  },
  missingScope: {
    see: (sandbox) => status(sandbox, "GET", "accounts/1", undefined, sandbox.createKey({ scopes: ["invoices:read"] })),
    shows: { "403": 403, "404": 404 },
  },
  missingFlag: { see: (sandbox) => status(sandbox, "GET", "program/programs"), shows: { "403": 403, "404": 404 } },
  errors: {
    see: async (sandbox) => {
      const refused = await ask(sandbox, "POST", "accounts", {});
      return typeof refused.json === "string" ? refused.json.slice(0, 9) : refused.json.errors;
    },
    shows: { "by field": { name: [expect.any(String)] }, "an empty list": [], "no body": "", HTML: "<!doctype" },
  },
  retryAfter: {
    see: async (sandbox) => {
      for (let request = 0; request < 50; request++) await account(sandbox);
      const refused = await account(sandbox);
      return [refused.status, refused.headers.get("retry-after")];
    },
    shows: {
      seconds: [429, "300"],
      "a date": [429, "Sat, 01 Jun 2030 12:05:00 GMT"],
      "0": [429, "0"],
      absent: [429, null],
    },
  },
  iss: {
    see: async (sandbox) => (await tokens(sandbox, {})).back.searchParams.get("iss") === sandbox.baseUrl,
    shows: { absent: false, sent: true },
  },
  expiresIn: {
    see: async (sandbox) => "expires_in" in JSON.parse((await tokens(sandbox, {})).first),
    shows: { sent: true, absent: false },
  },
  refreshTokens: {
    see: async (sandbox) => {
      const { first, send } = await tokens(sandbox, {});
      const refresh = { grant_type: "refresh_token", refresh_token: JSON.parse(first).refresh_token };
      return ["refresh_token" in JSON.parse(await send(refresh)), sandbox.oauth.knows(refresh.refresh_token)];
    },
    shows: { "with each access token": [true, false], once: [false, true] },
  },
  reuse: {
    see: async (sandbox) => {
      const { first, send } = await tokens(sandbox, {});
      const refresh = { grant_type: "refresh_token", refresh_token: JSON.parse(first).refresh_token };
      const { refresh_token: newest } = JSON.parse(await send(refresh));
      await send(refresh);
      return sandbox.oauth.knows(newest);
    },
    shows: { refused: true, "revokes all": false },
  },
  oauthErrors: {
    see: async (sandbox) => (await (await tokens(sandbox, {})).send({ grant_type: "other" })).slice(0, 2),
    shows: { JSON: '{"', HTML: "<!" },
  },
  deliveries: { see: async (sandbox) => (await deliver(sandbox)).length, shows: { once: 2, twice: 4 } },
  retries: {
    see: async (sandbox) => {
      // No request can be sent to port 1.
      const { id } = sandbox.store.webhooks.insert({ url: "http://127.0.0.1:1/", events: ["account.*"] });
      await createAccount(sandbox, "A");
      for (const ms of [0, 10_000, 60_000]) {
        await sandbox.clock.advance(ms);
        await sandbox.webhooks.settled();
      }
      return sandbox.store.webhookNotifications.find(({ webhook_id }) => webhook_id === id)?.send_attempts.length;
    },
    shows: { some: 3, none: 1 },
  },
  deliveryOrder: {
    see: async (sandbox) => {
      const send = sandbox.webhooks;
      const seen: unknown[] = [];
      send.subscribe({
        to: async (request) => {
          seen.push((await request.json()).event_data.id);
          return new Response(null, { status: 204 });
        },
      });
      for (const id of [1, 2]) send.send("account.updated", { id });
      await send.settled();
      return seen;
    },
    shows: { "of the changes": [1, 2], swapped: [2, 1] },
  },
  deliveryBody: {
    see: async (sandbox) => (await deliver(sandbox))[0],
    shows: {
      event_data: expect.objectContaining({ event: "account.created", event_data: { id: 31, type: "account" } }),
      notification: {
        notification: expect.objectContaining({ event: "account.created", entity_id: 31, entity_type: "Account" }),
      },
    },
  },
  optionalFields: {
    see: async (sandbox) => "address" in (await ask(sandbox, "GET", "users/1")).json,
    shows: { there: true, absent: false },
  },
  nullableFields: {
    see: async (sandbox) =>
      new Set(sandbox.store.users.filter(() => true).map(({ middle_name }) => middle_name)).size > 1,
    shows: { "some null": true, null: false },
  },
  newValues: {
    see: (sandbox) => sandbox.store.invoices.filter(({ currency }) => currency === "of_a_new_kind").length,
    shows: { none: 0, some: 1 },
  },
  decimals: {
    see: async (sandbox) => (await ask(sandbox, "GET", "invoices/1")).json.total_excl.split(".")[1].length,
    shows: { "two places": 2, "one place": 1, "four places": 4 },
  },
  identifiers: {
    see: async (sandbox) => (await createAccount(sandbox, "A")).id,
    shows: { "in turn": 31, large: 9_000_000_000_000 },
  },
  longNotes: {
    see: (sandbox) => sandbox.store.comments.filter(({ content }) => content.length === 10_000).length,
    shows: { none: 0, some: 1 },
  },
  ...OTHERS,
};

const rows = Object.entries(CASES).flatMap(([name, { see, shows }]) =>
  Object.entries(shows).map(([value, expected]) => [name, value, see, expected] as const),
);

const LIMITED = new Set(["retryAfter", "window", "refusedRequests", "limit"]);

describe("a sandbox with", () => {
  test.each(rows)("%s %s shows the effect", async (name, value, see, expected) => {
    const sandbox = createSandbox({
      size: name === "longNotes" ? 100 : 30,
      now: "2030-06-01T12:00:00.000Z",
      manners: { [name]: value },
      oauth: { agrees: true },
      rateLimit: { requests: LIMITED.has(name) ? 50 : 500 },
      disabledFeatures: name === "missingFlag" ? ["Programs"] : [],
    });
    expect(await see(sandbox)).toEqual(expected);
    sandbox.reset();
    expect(await see(sandbox)).toEqual(expected);
  });
});
