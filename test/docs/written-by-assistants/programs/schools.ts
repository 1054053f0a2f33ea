import { DatabaseSync } from "node:sqlite";
import { createSchools } from "education-admin-sdk/schools";
import { sqliteTokens } from "education-admin-sdk/stores/sqlite";

const [school = ""] = process.argv.slice(2);
const { CLIENT_ID = "", CLIENT_SECRET = "", ENCRYPTION_KEY = "" } = process.env;
const schools = createSchools({
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  hosts: [new URL(school).host],
  redirectUri: "https://app.example/callback",
  scope: "accounts:read invoices:read",
  tokens: sqliteTokens(new DatabaseSync("schools.db"), { encryptionKey: ENCRYPTION_KEY }),
});
console.log(await schools.authorizeUrl(school, { state: crypto.randomUUID() }));
