// The sandbox from the tarball: in memory, over HTTP, and as a command.
import { spawn } from "node:child_process";
import { MainClient } from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";
import { listen } from "education-admin-sdk/sandbox/node";
import { smoke } from "./smoke.mjs";

const sandbox = createSandbox({ size: "medium" });
const { records } = await new MainClient(sandbox).courses.list();
if (records.length === 0) throw new Error("the sandbox in memory has no courses");

const server = await listen(sandbox);
try {
  const client = new MainClient({ baseUrl: server.url, apiKey: sandbox.apiKey, validation: "strict" });
  const accounts = await client.accounts.list().toArray();
  if (accounts.length < 200) throw new Error(`the sandbox over HTTP has ${accounts.length} accounts`);
} finally {
  await server.close();
}

const command = spawn("node_modules/.bin/education-admin-sdk", ["sandbox", "--port", "0", "--key", "smoke", "--quiet"]);
try {
  const baseUrl = await new Promise((resolve, reject) => {
    let printed = "";
    const read = (chunk) => {
      printed += chunk;
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
      if (url) resolve(url);
    };
    command.stdout.on("data", read);
    command.stderr.on("data", read);
    command.on("close", (code) => reject(new Error(`the command ended with ${code}: ${printed}`)));
  });
  const { records: contacts } = await new MainClient({ baseUrl, apiKey: "smoke" }).organization.contacts.list();
  if (contacts.length === 0) throw new Error("the sandbox as a command has no contacts");
} finally {
  command.kill();
}

const [baseUrl, apiKey] = process.argv.slice(2);
console.log(JSON.stringify({ version: process.version, steps: await smoke({ baseUrl, apiKey }) }));
