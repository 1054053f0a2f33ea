// The smoke suite, which is the same in every consumer, runtime and browser. It imports the package by its name, so
// that each resolves it as its users' code would.
import { isEducationAdminError, MainClient, NotFoundError } from "education-admin-sdk";
import { accountSchema, InvoiceStatus } from "education-admin-sdk/schemas";
import { signWebhook, verifyWebhook, WebhookVerificationError } from "education-admin-sdk/webhooks";
// Generated from test/webhooks/vectors.ts when a consumer is installed.
import { runWebhookVectors, webhookVectors } from "./webhook-vectors.mjs";

/**
 * Runs all steps against a service with more than one page of accounts.
 * @param {{ baseUrl: string, apiKey: string, dangerouslyAllowBrowser?: boolean }} options
 * @returns {Promise<string[]>} the names of the steps, all of which passed.
 */
export async function smoke(options) {
  const drift = [];
  const client = new MainClient({ ...options, on: { drift: (event) => drift.push(event) } });
  const done = [];
  const step = async (name, work) => {
    try {
      await work();
    } catch (error) {
      throw new Error(`smoke step "${name}": ${error?.stack ?? error}`, { cause: error });
    }
    done.push(name);
  };

  await step("list", async () => {
    const page = await client.accounts.list({}, { validation: "strict" });
    equal(page.records.length, 100, "records of the first page");
    equal(page.hasNext, true, "hasNext of the first page");
    equal(page.response.status, 200, "status");
    equal(typeof page.records[0].id, "number", "type of an id");
    equal(accountSchema.safeParse(page.records[0]).success, true, "a record fits the exported schema");
  });

  await step("iterate", async () => {
    const ids = [];
    for await (const account of client.accounts.list()) ids.push(account.id);
    equal(ids.length > 200, true, "more than two pages of records");
    equal(new Set(ids).size, ids.length, "distinct records");
    let pages = 0;
    for await (const page of client.accounts.list().byPage()) pages += page.records.length > 0 ? 1 : 0;
    equal(pages, Math.ceil(ids.length / 100), "pages");
  });

  await step("create", async () => {
    const account = await client.accounts.create({ name: "Smoke Ltd", email: "billing@example.com" });
    equal(account.name, "Smoke Ltd", "name of the new account");
    const again = await client.accounts.get(account.id);
    equal(again.email, "billing@example.com", "e-mail address read back");
    const { response } = await client.accounts.update(account.id, { name: "Smoke plc" }).withResponse();
    equal(response.attempts, 1, "attempts");
  });

  // In a bundle for browsers, the code of lookups is loaded on first use.
  await step("lookup", async () => {
    const [account] = (await client.accounts.list()).records;
    const byName = client.accounts.lookup("name");
    equal((await byName.get(account.name))?.id, account.id, "the account of that name");
    equal(await byName.get("no such account"), null, "an account that is not there");
  });

  await step("typed error", async () => {
    const error = await rejection(client.accounts.get(999_999_999));
    equal(error instanceof NotFoundError, true, "instance of NotFoundError");
    equal(isEducationAdminError(error, "api"), true, "recognized by code");
    equal(error.status, 404, "status");
    equal(error.operation, "accounts.get", "operation");
    equal(JSON.stringify(error).includes(options.apiKey), false, "the key in the error");
    const input = await rejection(client.accounts.create({}));
    equal(isEducationAdminError(input, "input"), true, "input refused before sending");
  });

  await step("abort", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    // The service delays this response, so the call is aborted in flight.
    const call = rejection(client.accounts.list({ search: "slow" }, { signal: controller.signal }));
    setTimeout(() => controller.abort(reason), 50);
    const started = Date.now();
    equal((await call) === reason, true, "rejects with the signal's own reason");
    equal(Date.now() - started < 2000, true, "at once");
  });

  await step("webhook verification", async () => {
    const body = '{"event":"invoice.created"}';
    const headers = await signWebhook({ body, secrets: "s3cret" });
    const verified = await verifyWebhook({ body, headers, secrets: ["s3cret", "older"] });
    equal(verified.secretIndex, 0, "the secret that fits");
    const error = await rejection(verifyWebhook({ body: `${body} `, headers, secrets: "s3cret" }));
    equal(error instanceof WebhookVerificationError, true, "a changed body is refused");
    equal((await runWebhookVectors(verifyWebhook)).join("; "), "", "signature vectors that came out otherwise");
    equal(webhookVectors.length > 30, true, "signature vectors");
  });

  equal(JSON.stringify(drift), "[]", "drift");
  equal(InvoiceStatus.values.includes("open"), true, "an enumeration's values");
  return done;
}

function equal(found, expected, what) {
  if (!Object.is(found, expected)) throw new Error(`${what}: expected ${expected}, found ${found}`);
}

async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("expected a rejection");
}
