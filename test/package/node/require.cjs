// CommonJS with require(): Node 22.18 and later return the same module as import, with the same classes.
const { MainClient, NotFoundError } = require("education-admin-sdk");
const { accountSchema } = require("education-admin-sdk/schemas");
const { verifyWebhook } = require("education-admin-sdk/webhooks");
const { version } = require("education-admin-sdk/package.json");

const [baseUrl, apiKey] = process.argv.slice(2);

async function main() {
  const imported = await import("education-admin-sdk");
  if (imported.NotFoundError !== NotFoundError) throw new Error("require and import give two copies");
  if (typeof verifyWebhook !== "function" || typeof accountSchema.safeParse !== "function" || !version) {
    throw new Error("an entry is missing its exports");
  }
  const error = await new MainClient({ baseUrl, apiKey }).accounts.get(999_999_999).catch((reason) => reason);
  if (!(error instanceof NotFoundError)) throw error;
  const { smoke } = await import("./smoke.mjs");
  console.log(JSON.stringify({ version: process.version, steps: await smoke({ baseUrl, apiKey }) }));
}

main();
