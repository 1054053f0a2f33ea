import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const seen = new Set(existsSync("ids.txt") ? readFileSync("ids.txt", "utf8").split("\n") : []);
const resume = existsSync("checkpoint.json") ? JSON.parse(readFileSync("checkpoint.json", "utf8")) : undefined;
for await (const { records, checkpoint } of client.users.list({}, { resume }).byPage()) {
  const ids = records.map(({ id }) => String(id)).filter((id) => !seen.has(id));
  if (ids.length > 0) appendFileSync("ids.txt", `${ids.join("\n")}\n`);
  writeFileSync("checkpoint.json.new", JSON.stringify(checkpoint));
  renameSync("checkpoint.json.new", "checkpoint.json");
}
