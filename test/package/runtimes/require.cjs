// require() of an ES module: Node from 22.18, Bun, Deno.
const { MainClient, NotFoundError } = require("education-admin-sdk");
const { verifyWebhook } = require("education-admin-sdk/webhooks");

if (typeof MainClient !== "function" || typeof NotFoundError !== "function" || typeof verifyWebhook !== "function") {
  throw new Error("require() gave no exports");
}
