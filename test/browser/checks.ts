// Checks a page in a real browser, from outside; each page contains the packed library.
import { equal, match, ok } from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import type { Observed } from "../../scripts/check-package/chromium.ts";
import type { Received, Service } from "../../scripts/check-package/service.ts";
import type { PageGlobals } from "./page.ts";

/** The address and key with which a page reaches the service. */
interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Checks that a policy against generated code reports no violation; the control page proves that it can. */
export async function policy(page: Observed, control: Observed): Promise<string> {
  ok((await control.violations()).length > 0, "the control raised no violation: the check is blind");
  equal((await page.violations()).join("; "), "");
  return "0 policy violations";
}

/** Checks that the host's zod, the same copy as the package's, keeps its configuration. */
export async function zodConfiguration(page: Observed): Promise<string> {
  const { before, after, refused } = await page.result<{ before: string[]; after: string[]; refused: string }>();
  equal(before[0], "the host's own words");
  equal(after.join(), before.join());
  equal(refused, "InputError");
  return "the host's zod is untouched";
}

/** Sends one read, one write with a body and one update, as an application would. */
export async function exercise(page: Observed, target: Target): Promise<void> {
  await page.page.evaluate(async ({ baseUrl, apiKey }) => {
    const { sdk } = globalThis as unknown as PageGlobals;
    const client = new sdk.MainClient({ baseUrl, apiKey, dangerouslyAllowBrowser: true });
    const first = await client.accounts.list({ account_type: "business" });
    await client.accounts.update(first.records[0]?.id ?? 1, { name: "Renamed" });
    await client.accounts.create({ name: "Page Ltd" });
  }, target);
}

// Headers that a browser adds to any request.
const OWN = /^(host|connection|user-agent|accept-(encoding|language)|referer|origin|content-length|sec-.*|priority)$/;

/** Checks that, besides the browser's own headers, requests carry only the three that every service allows. */
export function plainRequests(received: readonly Received[]): string {
  const requests = received.filter(({ method }) => method !== "OPTIONS");
  equal(requests.length, 3);
  const sent = new Set(requests.flatMap(({ headers }) => Object.keys(headers).filter((name) => !OWN.test(name))));
  equal([...sent].sort().join(), "accept,authorization,content-type");
  for (const { method, headers } of requests) checkOne(method, headers);
  return "only authorization, accept, content-type";
}

function checkOne(method: string, headers: IncomingHttpHeaders): void {
  equal(headers["content-type"], method === "GET" ? undefined : "application/json");
  equal(headers.accept, "application/json");
}

/** Checks that preflights announce only headers that the client sends, and that there was at least one preflight. */
export function plainPreflights(received: readonly Received[]): string {
  const asked = received
    .filter(({ method }) => method === "OPTIONS")
    .flatMap(({ headers }) => String(headers["access-control-request-headers"]).split(","));
  ok(asked.length > 0, "no preflight was sent: the page was not on another origin");
  equal([...new Set(asked)].sort().join(), "authorization,content-type");
  return "preflights ask for authorization, content-type";
}

/** Checks that the client names headers that CORS hides, and that a list does not end because a header is hidden. */
export async function hiddenHeaders(page: Observed, { url, apiKey }: Service): Promise<string> {
  const seen = await page.page.evaluate(
    async ({ url, apiKey }) => {
      const { sdk } = globalThis as unknown as PageGlobals;
      const hidden = new sdk.MainClient({
        baseUrl: `${url}/cors`,
        apiKey,
        dangerouslyAllowBrowser: true,
        retry: false,
      });
      const exposed = new sdk.MainClient({
        baseUrl: `${url}/exposed`,
        apiKey,
        dangerouslyAllowBrowser: true,
        retry: false,
      });
      const first = await hidden.accounts.list();
      const ids: number[] = [];
      const ended = await (async () => {
        for await (const account of hidden.accounts.list()) ids.push(account.id);
        return null;
      })().catch((error: unknown) => error);
      const limited = await hidden.accounts.list({ search: "limited" }).then(null, (error: unknown) => error);
      const told = await exposed.accounts.list({ search: "limited" }).then(null, (error: unknown) => error);
      const { response } = await exposed.accounts.list();
      return {
        first: { hidden: first.response.hiddenHeaders, requestId: first.response.requestId, hasNext: first.hasNext },
        records: ids.length,
        ended: String(sdk.isEducationAdminError(ended, "pagination") ? ended.message : ended),
        limited: limited instanceof sdk.RateLimitError ? limited.hiddenHeaders : [],
        told: told instanceof sdk.RateLimitError ? { hidden: told.hiddenHeaders, after: told.retryAfterMs } : null,
        exposed: { hidden: response.hiddenHeaders, requestId: response.requestId },
      };
    },
    { url, apiKey },
  );
  equal(seen.first.hidden.join(), "x-request-id,link");
  equal(seen.first.requestId, null);
  equal(seen.first.hasNext, true);
  equal(seen.records, 100);
  match(seen.ended, /Access-Control-Expose-Headers: Link/);
  equal(seen.limited.join(), "x-request-id,retry-after");
  equal(JSON.stringify(seen.told), '{"hidden":[],"after":1000}');
  equal(seen.exposed.hidden.join(), "");
  equal(typeof seen.exposed.requestId, "string");
  return "hidden headers named";
}

/**
 * Checks that a page cannot contain a key by mistake. A page without a key sends none, and a page with a sandbox needs
 * none.
 */
export async function keyInPage(page: Observed, { url, apiKey, received }: Service): Promise<string> {
  const from = received.length;
  const seen = await page.page.evaluate(
    async ({ baseUrl, apiKey }) => {
      const { sdk, createSandbox } = globalThis as unknown as PageGlobals;
      const refusal = (given: string | (() => string)) => {
        try {
          return String(new sdk.MainClient({ baseUrl, apiKey: given }));
        } catch (error) {
          return String(error);
        }
      };
      const keyless = new sdk.MainClient({ baseUrl, apiKey: null, retry: false });
      const error: unknown = await keyless.accounts.get(1).catch((reason: unknown) => reason);
      const sandbox = createSandbox({ size: 20 });
      const account = await new sdk.MainClient(sandbox).accounts.get(1);
      const open = new sdk.MainClient({ ...sandbox, apiKey: null });
      const products = await open.catalogProducts.list({ published: "published" });
      return {
        refused: [refusal(apiKey), refusal(() => apiKey)],
        keyless: error instanceof sdk.ApiError ? { status: error.status, message: error.message } : String(error),
        sandbox: account.id,
        products: products.records.length,
      };
    },
    { baseUrl: `${url}/exposed`, apiKey },
  );
  for (const message of seen.refused) {
    match(message, /^ConfigurationError: The option apiKey .*createProxyHandler/);
    ok(!message.includes(apiKey), "the key is in the message");
  }
  const sent = received.slice(from);
  equal(sent.map(({ method, headers }) => `${method} ${headers.authorization}`).join(), "GET undefined");
  ok(typeof seen.keyless === "object", String(seen.keyless));
  equal(seen.keyless.status, 403);
  match(seen.keyless.message, /Likely reasons: the client has no API key/);
  equal(seen.sandbox, 1);
  ok(seen.products > 0, "the page read no published product");
  return "a key is refused; no key and a sandbox work";
}

/** Checks that errors name the cause of a failed request as far as a browser reveals it. */
export async function refusals(page: Observed, { url, apiKey }: Service): Promise<string> {
  const ask = () =>
    page.page.evaluate(
      async ({ baseUrl, apiKey }) => {
        const { sdk } = globalThis as unknown as PageGlobals;
        const client = new sdk.MainClient({ baseUrl, apiKey, dangerouslyAllowBrowser: true, retry: false });
        const error: unknown = await client.accounts.get(1).catch((reason: unknown) => reason);
        return String(sdk.isEducationAdminError(error, "connection") ? error.message : error);
      },
      { baseUrl: url, apiKey },
    );
  const refused = await ask();
  match(refused, /on another origin \(http:\/\/127\.0\.0\.1:\d+\).*CORS.*add your domain/);
  await page.page.context().setOffline(true);
  const offline = await ask();
  await page.page.context().setOffline(false);
  match(offline, /The browser is offline/);
  ok(!refused.includes(apiKey) && !offline.includes(apiKey), "the key is in a message");
  return "CORS told from offline";
}
