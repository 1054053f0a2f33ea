import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../src/cli/main.js";
import { sqliteTokens } from "../../src/stores/sqlite/index.js";
import { World } from "../schools/support/world.js";

async function run(...args: string[]) {
  const written = { stdout: "", stderr: "" };
  const output = (name: keyof typeof written) => ({
    columns: 120,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const status = await runCli(["schools", ...args], { env: {}, stdout: output("stdout"), stderr: output("stderr") });
  return { status, ...written };
}

async function start() {
  const folder = mkdtempSync(join(tmpdir(), "cli-schools-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "tokens.sqlite");
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const world = new World(3);
  const tokens = sqliteTokens(database, { encryptionKey: new Uint8Array(32), prefix: "agency_" });
  const schools = world.schools({ tokens });
  for (const school of [1, 2, 3]) await world.connect(schools, school);
  return { folder, file, world, schools };
}

test("schools list prints each school's address, state, start and last refresh, but no token", async () => {
  const { file, world, schools } = await start();
  const list = ["list", "--in", file, "--prefix", "agency_"];
  const { status, stdout } = await run(...list);
  expect(status).toBe(0);
  expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["school", "state", "connected", "refreshed"],
    ["https://school-1.example", "connected", "2030-01-07T09:00:00Z"],
    ["https://school-2.example", "connected", "2030-01-07T09:00:00Z"],
    ["https://school-3.example", "connected", "2030-01-07T09:00:00Z"],
    [""],
  ]);
  await world.pass(3_600_000);
  world.sandbox(2).oauth.revoke();
  for await (const _ of schools.all());
  const after = await run(...list, "--json");
  expect(after).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(
      "1 of 3 must be connected again: have someone from the school open the URL of authorizeUrl",
    ),
  });
  const connectedAt = "2030-01-07T09:00:00.000Z";
  const refreshedAt = "2030-01-07T10:00:00.000Z";
  expect(JSON.parse(after.stdout)).toEqual([
    { school: "https://school-1.example", state: "connected", connectedAt, refreshedAt },
    { school: "https://school-2.example", state: "reconnect_needed", connectedAt, refreshedAt: null },
    { school: "https://school-3.example", state: "connected", connectedAt, refreshedAt },
  ]);
  expect(after.stdout).toBe(`${JSON.stringify(await schools.list(), null, 2)}\n`);
  expect(`${stdout}${after.stdout}`).not.toMatch(/access_|refresh_|1\.\w{8}/);
});

test("schools disconnect removes one school, and only with --yes", async () => {
  const { file, schools } = await start();
  const disconnect = ["disconnect", "https://school-2.example/", "--in", file, "--prefix", "agency_"];
  expect(await run(...disconnect)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(
      "schools disconnect needs --yes if there is no terminal to ask on. Nothing was changed",
    ),
  });
  expect(await schools.list()).toHaveLength(3);
  expect(await run(...disconnect, "--yes")).toEqual({
    status: 0,
    stdout: "",
    stderr: "https://school-2.example/ is disconnected\n",
  });
  expect((await schools.list()).map(({ school }) => school)).toEqual([
    "https://school-1.example",
    "https://school-3.example",
  ]);
  expect(await run(...disconnect, "--yes")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("https://school-2.example/ is not connected"),
  });
});

test("schools list says if there are no schools, and leaves a file that is not a token store unchanged", async () => {
  const { folder, file, schools } = await start();
  for (const { school } of await schools.list()) await schools.disconnect(school);
  expect(await run("list", "--in", file, "--prefix", "agency_")).toEqual({
    status: 0,
    stdout: "",
    stderr: "No school is connected\n",
  });
  expect((await run("list", "--in", file, "--prefix", "agency_", "--json")).stdout).toBe("[]\n");
  const [text, other, none] = ["text.txt", "other.sqlite", "none.sqlite"].map((name) => join(folder, name)) as string[];
  writeFileSync(text as string, "text ".repeat(1_000));
  const database = new DatabaseSync(other as string);
  database.exec("CREATE TABLE a (b)");
  for (const wrong of [text, other, file] as string[]) {
    expect(await run("list", "--in", wrong)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`--in: ${wrong} has no tokens of schools`),
    });
  }
  expect(await run("list", "--in", none as string)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("there is no file"),
  });
  expect(database.prepare("SELECT name FROM sqlite_master").all()).toEqual([{ name: "a" }]);
  database.close();
});
