import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createSandbox, type Sandbox } from "../../../../src/sandbox/index.ts";
import { listen } from "../../../../src/sandbox/node.ts";
import { createSchools } from "../../../../src/schools/index.ts";
import { sqliteTokens } from "../../../../src/stores/sqlite/index.ts";
import { start } from "../../../support/program.ts";
import { makeFolder } from "../../../support/type-check.ts";
import { programsOf } from "../../support/code-blocks.ts";

const SECRET = "the application's secret";
const REDIRECT = "https://agency.example/callback";
const KEY = randomBytes(32).toString("base64");

/** Serves a number of schools over HTTP, and creates an empty folder. */
async function place(count: number, redirectUri: string) {
  const schools = new Map<string, Sandbox>();
  for (let at = 0; at < count; at++) {
    const sandbox = createSandbox({
      size: "small",
      manners: { iss: "sent" },
      oauth: { clientSecret: SECRET, redirectUri, agrees: true },
    });
    const server = await listen(sandbox);
    onTestFinished(() => server.close());
    schools.set(server.url, sandbox);
  }
  const cwd = mkdtempSync(join(tmpdir(), "schools-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  return { schools, cwd };
}

// Inside the project, so that imports find its dependencies; Git ignores the folder.
const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true }));

test("the guide's program copies and exports every school, even if one school fails or the program is killed", async () => {
  const programs = programsOf("docs/guides/many-schools.md");
  const [shared] = programs.filter(({ file }) => file === "schools.ts");
  const [copying] = programs.filter(({ code }) => code.includes("mirror("));
  writeFileSync(join(folder, "schools.ts"), shared?.code ?? "");
  writeFileSync(join(folder, "copy.ts"), copying?.code ?? "");
  const { schools, cwd } = await place(3, REDIRECT);
  const database = new DatabaseSync(join(cwd, "schools.sqlite"));
  onTestFinished(() => database.close());
  const tokens = sqliteTokens(database, { encryptionKey: KEY });
  const agency = createSchools({ clientId: "agency", clientSecret: SECRET, redirectUri: REDIRECT, tokens });
  for (const school of schools.keys()) {
    const agreed = await fetch(await agency.authorizeUrl(school), { redirect: "manual" });
    await agency.connect(agreed.headers.get("location") as string);
  }
  const [first, second, third] = [...schools] as [[string, Sandbox], [string, Sandbox], [string, Sandbox]];
  const begin = (env: Record<string, string> = { CLIENT_SECRET: SECRET, ENCRYPTION_KEY: KEY }) =>
    start(join(folder, "copy.ts"), [], { cwd, env });

  for (const env of [{}, { CLIENT_SECRET: SECRET }, { CLIENT_SECRET: SECRET, ENCRYPTION_KEY: "short" }]) {
    expect(await begin(env as Record<string, string>).ended).toMatchObject({
      code: 1,
      output: expect.stringMatching(/encryptionKey (must be|is empty .*must be) 32 bytes/),
    });
  }
  expect(await begin({ ENCRYPTION_KEY: KEY }).ended).toMatchObject({
    code: 1,
    output: expect.stringContaining("clientSecret must be text"),
  });

  // The program is killed while it waits for a school's invoices.
  second[1].faults.next({ operation: "invoices.list", delayMs: Number.POSITIVE_INFINITY });
  const killed = begin();
  await expect.poll(() => second[1].faults.pending).toEqual([]);
  killed.process.kill("SIGKILL");
  await killed.ended;

  // One school has revoked its consent, another has a damaged copy.
  first[1].oauth.revoke();
  const fileOf = ([school]: [string, Sandbox], ending: string) =>
    join(cwd, `${encodeURIComponent(new URL(school).host)}.${ending}`);
  writeFileSync(fileOf(third, "sqlite"), randomBytes(5_000));
  // If the killed program had copied this school, SQLite would repair the file from its log.
  for (const log of ["sqlite-wal", "sqlite-shm"]) rmSync(fileOf(third, log), { force: true });
  const ran = await begin().ended;
  expect(ran.code).toBe(1);
  expect(ran.output).toContain(`${third[0]} comes next time`);
  expect(ran.output).not.toMatch(/(access|refresh)_[0-9a-z]{12}/);
  const exportedLines = (school: [string, Sandbox]) =>
    readFileSync(fileOf(school, "ndjson"), "utf8").trim().split("\n");
  expect(exportedLines(second)).toHaveLength(second[1].store.invoices.count);

  rmSync(fileOf(third, "sqlite"));
  const mended = await begin().ended;
  expect(mended.output).toContain(`${first[0]} was left out`);
  for (const school of [second, third]) {
    expect(exportedLines(school)).toHaveLength(school[1].store.invoices.count);
    const copy = new DatabaseSync(fileOf(school, "sqlite"));
    const { accounts } = copy.prepare("SELECT count(*) AS accounts FROM accounts").get() ?? {};
    copy.close();
    expect(accounts).toBe(school[1].store.accounts.count);
  }
});
