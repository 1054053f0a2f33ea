import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.ts";
import { listen } from "../../src/sandbox/node.ts";
import { freePort, start } from "../support/program.ts";
import { root } from "./support/code-blocks.ts";
import { EXAMPLES, place } from "./support/place.ts";

describe("examples", () => {
  test("README.md of the examples names every one of them", () => {
    const listed = readFileSync(join(root, "examples/README.md"), "utf8");
    const folders = readdirSync(join(root, "examples"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).filter((name) => !listed.includes(`(${name}/`))).toEqual([]);
  });

  test.each(EXAMPLES)("%s explains itself with --help and asks nothing", async (name) => {
    const { sandbox, cwd, env } = await place();
    const { code, output } = await start(`examples/${name}/${name}.ts`, ["--help"], { cwd, env }).ended;
    expect([code, output]).toEqual([0, expect.stringContaining(`node ${name}.ts`)]);
    expect(sandbox.requests).toEqual([]);
  });
});

describe("mirror-dashboard", () => {
  test("brings its mirror up to date once, queries it, and tells what has changed since the last time", async () => {
    const { sandbox, cwd, env } = await place();
    const dashboard = async (...more: string[]) =>
      (await start("examples/mirror-dashboard/mirror-dashboard.ts", more, { cwd, env }).ended).output;
    const changes = async () => (await start("examples/mirror-dashboard/changes.ts", [], { cwd, env }).ended).output;
    expect(await dashboard()).toContain(`enrollments: ${sandbox.store.enrollments.count} read`);
    const asked = sandbox.requests.length;
    expect(await dashboard()).toContain("students");
    expect(sandbox.requests.length).toBe(asked);
    expect((await changes()).trim().split("\n")).toHaveLength(sandbox.store.enrollments.count);
    sandbox.store.enrollments.update(1, { end_date: "2031-01-01" });
    await dashboard("--at-most", "1ms");
    expect(JSON.parse(await changes())).toMatchObject({ kind: "changed", id: "1", fields: ["end_date", "updated_at"] });
    expect(await changes()).toBe("");
  });
});

describe("schools", () => {
  test("three processes connect three schools and read all of them through one store", async () => {
    const { cwd } = await place();
    const ports = await Promise.all([1, 2, 3].map(freePort));
    const origin = `http://127.0.0.1:${ports[0]}`;
    const addresses: string[] = [];
    const sandboxes = [1, 2, 3].map((count) => {
      const oauth = { clientSecret: "the secret", redirectUri: `${origin}/callback`, agrees: true };
      const data = { accounts: Array.from({ length: count }, (_, at) => ({ name: `Account ${at}` })) };
      return createSandbox({ empty: true, data, oauth });
    });
    for (const sandbox of sandboxes) {
      const server = await listen(sandbox);
      onTestFinished(() => server.close());
      addresses.push(server.url);
    }
    const shared = {
      CLIENT_ID: "agency",
      CLIENT_SECRET: "the secret",
      ORIGIN: origin,
      SCHOOLS: addresses.join(),
      ENCRYPTION_KEY: Buffer.alloc(32).toString("base64"),
    };
    for (const port of ports) {
      const program = start("examples/schools/schools.ts", [], { cwd, env: { ...shared, PORT: String(port) } });
      onTestFinished(() => void program.process.kill("SIGKILL"));
      await program.printed(/Listening/);
    }
    const get = (address: string, cookie = "") => fetch(address, { redirect: "manual", headers: { cookie } });
    // Each begins at another process; the service sends all of them back to the first.
    for (const [at, school] of addresses.entries()) {
      const begun = await get(`http://127.0.0.1:${ports[at]}/connect?school=${encodeURIComponent(school)}`);
      const agreed = await get(begun.headers.get("location") as string);
      const [cookie] = (begun.headers.get("set-cookie") as string).split(";");
      const callback = agreed.headers.get("location") as string;
      expect((await get(callback)).status).toBe(400);
      // The refused one was another browser's: the login is still there.
      expect((await get(callback, cookie)).status).toBe(303);
    }
    expect((await get(`${origin}/connect?school=https://attacker.example`)).status).toBe(403);
    for (const sandbox of sandboxes) await sandbox.oauth.revoke("access");
    const pages = await Promise.all(ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/`)).text()));
    const expected = sandboxes.map(({ store }, at) => `${addresses[at]}: ${store.accounts.count} accounts`);
    for (const page of pages) expect(page.trim().split("\n").sort()).toEqual([...expected].sort());
    for (const { oauth } of sandboxes) {
      expect(oauth.grants.map(({ type, result }) => `${type} ${result}`)).toEqual([
        "authorization_code tokens",
        "refresh_token tokens",
      ]);
    }
  });
});
