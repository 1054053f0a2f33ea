// The program that a test kills: it exports the contacts of the service in its environment, and continues after a
// restart.
import { argv } from "node:process";
import { exportTo } from "../../../src/export/node.js";
import { OrganizationClient } from "../../../src/index.js";

const [, , path = "", format = "ndjson", gzip = "false"] = argv;
const client = new OrganizationClient({ rateLimit: false });
await exportTo(path, client.contacts.list(), {
  format: format === "csv" ? "csv" : "ndjson",
  gzip: gzip === "true",
  resume: true,
});
