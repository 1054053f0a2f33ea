import { readFile } from "node:fs/promises";
import { isEducationAdminError, MainClient } from "education-admin-sdk";

const client = new MainClient();
const lead = JSON.parse(await readFile("lead.json", "utf8"));
try {
  const { id } = await client.leads.create(lead);
  console.log(JSON.stringify({ id }));
} catch (error) {
  if (!isEducationAdminError(error)) throw error;
  console.log(JSON.stringify(error.outcome === "not_sent" ? { again: true } : { look: true }));
}
