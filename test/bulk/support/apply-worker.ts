// Applies a plan in a separate process that a test kills: node apply-worker.ts <address> <plan> <settleMs>
import { isEducationAdminError, MainClient } from "education-admin-sdk";
import { apply, BulkError } from "education-admin-sdk/bulk";

const [baseUrl = "", path = "", settleMs = "0"] = process.argv.slice(2);
const client = new MainClient({
  baseUrl,
  apiKey: "key",
  rateLimit: false,
  timeout: 2_000,
  retry: { limit: 2, backoffLimit: 20 },
});
try {
  const report = await apply(client, path, { settleMs: Number(settleMs), stopAfter: 1_000 });
  process.stdout.write(JSON.stringify(report));
} catch (error) {
  if (!isEducationAdminError(error) || (error instanceof BulkError && error.reason !== "blind")) throw error;
  process.stdout.write(JSON.stringify({ stopped: error instanceof BulkError ? error.reason : error.name }));
}
