import type { SandboxManners } from "../../../src/sandbox/index.js";
import { ask } from "./ask.js";
import { account, type Case, createAccount, deliver, ids, list, nextOf, status, tokens, waitsOf } from "./seen.js";

type Name =
  | "cursors"
  | "cursorPlaces"
  | "window"
  | "refusedRequests"
  | "limit"
  | "endedKeys"
  | "lostDeliveries"
  | "newFields"
  | "currency"
  | "timeZone";

/** The cases of the manners of limits, losses and other places. */
export const OTHERS: { readonly [Each in Name]: Case<SandboxManners[Each]> } = {
  cursors: {
    see: async (sandbox) => {
      const next = nextOf(await list(sandbox, ""));
      await sandbox.clock.advance(299_999);
      const soon = await status(sandbox, "GET", next);
      await sandbox.clock.advance(1);
      const { status: late, json } = await ask(sandbox, "GET", next);
      return [soon, late, json.errors?.cursor];
    },
    shows: { "stay valid": [200, 200, undefined], "end after 5 minutes": [200, 400, ["has expired"]] },
  },
  cursorPlaces: {
    see: async (sandbox) => {
      const next = nextOf(await list(sandbox, ""));
      sandbox.store.accounts.delete(1);
      const second = await ask(sandbox, "GET", next);
      const back = /<[^>]*\/api\/v1\/([^>]*)>; rel="prev"/.exec(second.headers.get("link") ?? "")?.[1] ?? "";
      return [ids(second), ids(await ask(sandbox, "GET", back))];
    },
    shows: {
      "after a record": [
        [4, 5, 6],
        [2, 3],
      ],
      counted: [
        [5, 6, 7],
        [2, 3, 4],
      ],
    },
  },
  window: {
    // The limit is 50 requests. Twelve o'clock begins a fixed window, and so does the first reset after it.
    see: (sandbox) =>
      waitsOf(sandbox, [
        [1, 240_000],
        [49, 60_000],
        [50, 0],
      ]),
    shows: { sliding: [null, null, "240"], fixed: [null, null, null] },
  },
  refusedRequests: {
    see: (sandbox) =>
      waitsOf(sandbox, [
        [50, 200_000],
        [1, 100_000],
        [50, 0],
      ]),
    shows: { "not counted": [null, "100", null], counted: [null, "100", "300"] },
  },
  limit: {
    see: (sandbox) =>
      waitsOf(sandbox, [
        [26, 300_000],
        [26, 0],
      ]),
    shows: { "as documented": [null, null], "half at first": ["300", null] },
  },
  endedKeys: {
    see: async (sandbox) => {
      const { access_token } = JSON.parse((await tokens(sandbox, {})).first);
      await sandbox.clock.advance(100_000_000);
      const ended = await ask(sandbox, "GET", "accounts/1", undefined, access_token);
      return [ended.status, ended.headers.has("www-authenticate")];
    },
    shows: { "401": [401, true], "403": [403, false], "404": [404, false] },
  },
  lostDeliveries: {
    see: async (sandbox) => {
      await createAccount(sandbox, "C");
      return [(await deliver(sandbox)).length, sandbox.webhooks.deliveries.map(({ outcome }) => outcome)];
    },
    shows: { none: [2, ["answered", "answered"]], some: [1, ["answered", "dropped"]] },
  },
  newFields: {
    see: async (sandbox) =>
      [(await account(sandbox)).json, ...(await list(sandbox, "")).json].map(({ of_a_new_kind }) => of_a_new_kind),
    shows: { none: Array(4).fill(undefined), some: Array(4).fill("Text") },
  },
  currency: {
    see: async (sandbox) => [
      (await ask(sandbox, "GET", "educators/current")).json.currency,
      sandbox.store.invoices.get(1)?.currency,
    ],
    shows: { EUR: ["EUR", "EUR"], GBP: ["GBP", "GBP"] },
  },
  timeZone: {
    see: async (sandbox) => (await ask(sandbox, "GET", "educators/current")).json.time_zone,
    shows: { "Europe/Amsterdam": "Europe/Amsterdam", "America/New_York": "America/New_York" },
  },
};
