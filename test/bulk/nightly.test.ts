import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { type RunReport, rowsOf } from "education-admin-sdk/bulk";
import { createSandbox } from "education-admin-sdk/sandbox";
import { expect, onTestFinished, test } from "vitest";
import { amount } from "../support/amount.js";
import { chance } from "../support/chance.js";
import { testFolder } from "./support/folder.js";

const WORKER = fileURLToPath(new URL("support/run-worker.ts", import.meta.url));
const NIGHTS = amount(12, 30);
const BAD_NIGHT = 11;

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

test(`${NIGHTS} nights of a job that is killed, with other rows each night and one night without a service, lose nothing, create nothing twice and mark exactly those who left`, {
  timeout: 600_000,
}, async () => {
  const at = testFolder();
  const random = chance(20261123);
  const sandbox = createSandbox({ size: "small", rateLimit: false, apiKey: "key" });
  let worker: ChildProcess | null = null;
  /** The number of requests until the job is killed, either before or after the last of them is carried out. */
  let until = 0;
  let isDown = false;
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const isLast = --until === 0;
    const isBefore = random() < 0.5;
    if (isLast && isBefore) worker?.kill("SIGKILL");
    if (isDown) return void response.writeHead(503).end();
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const init = { method: request.method ?? "GET", headers, ...(body !== "" && { body }) };
    const answer = await sandbox.fetch(`${sandbox.baseUrl}${request.url}`, init);
    if (isLast) worker?.kill("SIGKILL");
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const start = async (kill: number): Promise<RunReport | null> => {
    until = kill;
    const args = [WORKER, address, at("rows.csv"), at("a.plan"), at("a.csv")];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
    worker = child;
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return code === 0 ? (JSON.parse(text) as RunReport) : null;
  };

  const wanted = new Map<string, string>();
  const left = new Set<string>();
  let kills = 0;
  for (let night = 1; night <= NIGHTS; night++) {
    // Each night adds some people and renames some.
    for (let more = 0; more < 4; more++) wanted.set(`new-${night}-${more}@example.com`, `Name ${night}`);
    for (const email of wanted.keys()) if (random() < 0.15) wanted.set(email, `Other ${night}`);
    const [leaver = ""] = [...wanted.keys()].filter((email) => !email.startsWith(`new-${night}-`) && random() < 0.2);
    if (wanted.delete(leaver)) left.add(leaver);
    const lines = [...wanted].map(([email, name]) => `${email};${name};Person`);
    writeFileSync(at("rows.csv"), `\uFEFFE-mail;Naam;Achternaam\r\n${lines.join("\r\n")}\r\n`);
    isDown = night === BAD_NIGHT;
    if (isDown) {
      expect(await start(0)).toBe(null);
      continue;
    }
    // On some nights the killed job starts again at once; on others it continues the next night.
    const attempts = 1 + Math.floor(random() * 3);
    let report: RunReport | null = null;
    for (let attempt = 1; attempt <= attempts && !report; attempt++) {
      report = await start(random() < 0.7 ? 1 + Math.floor(random() * 14) : 0);
      if (!report) kills++;
    }
    if (report)
      expect(report, `night ${night}`).toMatchObject({ open: 0, failed: 0, stale: 0, unknown: 0, doubled: 0 });
  }
  // Someone who was written in the last run is marked in the next one. Times of records have whole seconds: a record that
  // was written within a second of the last run counts as changed since, and is marked one run later.
  for (let more = 0; more < 3; more++) {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await start(0)).toMatchObject({ failed: 0, unknown: 0 });
  }
  const again = await start(0);
  expect(again).toMatchObject({ complete: true, unchanged: wanted.size, created: 0, updated: 0 });

  const people = [...sandbox.store.users].filter(({ email }) => email.startsWith("new-"));
  const staying = people.filter(({ middle_name }) => middle_name !== "gone");
  expect(staying.map(({ email, first_name }) => [email, first_name]).sort()).toEqual([...wanted].sort());
  expect(people.length).toBe(wanted.size + left.size);
  // The kept plans contain every row that was ever sent, with its outcome. Exactly one row created each person.
  const plans = readdirSync(at(".")).filter((name) => /^a\.plan\.\d{4}-\d\d-\d\d\.[0-9a-f]{8}$/.test(name));
  const creators = new Map<string, number>();
  for (const name of plans) {
    for await (const { outcome, send } of rowsOf(at(name))) {
      expect(outcome).not.toBe(null);
      if (outcome === "created") creators.set(String(send.email), (creators.get(String(send.email)) ?? 0) + 1);
    }
  }
  expect(creators).toEqual(new Map([...wanted.keys(), ...left].map((email) => [email, 1])));
  console.log(`${NIGHTS} nights, ${kills} kills, ${people.length} people, ${plans.length} plans kept`);
  expect(kills).toBeGreaterThan(NIGHTS / 3);
});
