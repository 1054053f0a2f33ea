import { readFileSync, writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { apply, plan, readCsv, undo } from "../../src/bulk/node.js";
import { applyWith } from "../../src/bulk/node-apply.js";
import { runCli } from "../../src/cli/main.js";
import { MainClient, type Observers } from "../../src/index.js";
import { createSandbox, type Fault } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { filesThatAreFull } from "../export/support/failing-files.js";
import { drawCases } from "../support/amount.js";
import { testFolder } from "./support/folder.js";
import { connection } from "./support/school.js";

const CANARY = "canary";
const COLUMNS = ["email", "first_name", "middle_name", "last_name", "custom.size"];
const ROWS = 14;
const cells = (row: number) => [
  `${CANARY}-${row}@example.com`,
  ...COLUMNS.slice(1).map((name) => `${CANARY} ${name} ${row}`),
];
const CSV = [COLUMNS.join(","), ...Array.from({ length: ROWS }, (_, row) => cells(row).join(","))].join("\n");
const FAULTS: readonly Fault[] = [
  {},
  { reset: true },
  { reset: true, applied: true },
  { status: 500 },
  { status: 503, applied: true },
  { status: 403 },
  { status: 422 },
  { html: true },
  { cut: true, applied: true },
  { delayMs: Number.POSITIVE_INFINITY },
];

function world() {
  const at = testFolder();
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  const told: unknown[] = [];
  const note = (event: unknown) => void told.push(event);
  const on: Required<Observers> = {
    request: note,
    response: note,
    failure: note,
    retry: note,
    wait: note,
    page: note,
    drift: note,
    deprecated: note,
  };
  const client = new MainClient({ ...connection(sandbox), retry: { limit: 1 }, on });
  writeFileSync(at("rows.csv"), CSV);
  const options = { onProgress: note };
  const planRows = () =>
    plan(client.users, readCsv(at("rows.csv")), { ...options, to: at("a.plan"), key: "email" as const });
  const clean = (least: number) => {
    expect(told.length).toBeGreaterThanOrEqual(least);
    expect(inspect(told, { depth: 20, showHidden: true, getters: true })).not.toContain(CANARY);
  };
  return { at, sandbox, client, told, note, options, planned: planRows, clean };
}

test.each(drawCases(FAULTS, 4))("no error or event of a run with %j contains a value of a row", async (fault) => {
  const { at, sandbox, client, note, options, planned, clean } = world();
  await planned();
  sandbox.faults.next({ operation: "users.create" }, { ...fault, operation: "users.create", times: 40 });
  await apply(client, at("a.plan"), options).catch(note);
  sandbox.faults.clear();
  await apply(client, at("a.plan"), options).catch(note);
  await undo(at("a.plan"), { to: at("back.plan") }).catch(note);
  await apply(client, at("back.plan"), options).catch(note);
  clean(20);
});

test("no error about a list that hides records, a full disk or an invalid plan contains a value of a row", async () => {
  const { at, sandbox, client, told, note, planned, clean } = world();
  await planned();
  const text = readFileSync(at("a.plan"), "utf8");
  await applyWith(filesThatAreFull(8, Number.POSITIVE_INFINITY).files, client, at("a.plan"), {}).catch(note);
  sandbox.faults.next({ operation: "users.list", times: 40, body: [] });
  await apply(client, at("a.plan")).catch(note);
  await planned().catch(note);
  for (const wrong of [text.replace(CANARY, `${CANARY}s`), text.slice(0, -40), text.replaceAll('"row"', '"row'), CSV]) {
    writeFileSync(at("a.plan"), wrong);
    await apply(client, at("a.plan")).catch(note);
    await undo(at("a.plan"), { to: at("back.plan") }).catch(note);
  }
  expect(told.filter((one) => one instanceof Error)).toHaveLength(11);
  clean(11);
});

test("no error about an invalid CSV file or invalid rows contains a value of a row", async () => {
  const { at, client, told, note, planned, clean } = world();
  const files = [
    `${CSV}\n"${CANARY}"x`,
    CSV.replace(CANARY, `${CANARY}"`),
    `${CSV}\n"${CANARY}`,
    Buffer.from(`${CSV}\n\xff`, "latin1"),
  ];
  for (const file of files) {
    writeFileSync(at("rows.csv"), file);
    await planned().catch(note);
  }
  for (const rows of [[CANARY], [{ email: CANARY }, 7], [[CANARY]], CANARY] as never[]) {
    await plan(client.users, rows, { to: at("a.plan"), key: "email" }).catch(note);
  }
  expect(told.filter((one) => one instanceof Error)).toHaveLength(5);
  // In these rows every cell is refused. (A stray quote would also refuse its row, but the plan's file may contain the
  // values of rows.)
  const row = { email: CANARY, locale: CANARY, wants_newsletter: CANARY, label_ids: CANARY };
  const find = { label_ids: "name" };
  note(await plan(client.users, [row, row], { to: at("a.plan"), key: "email", find }));
  note(await apply(client, at("a.plan")));
  clean(11);
});

test("the output of plan, apply and undo contains no value of a row", async () => {
  const { at, sandbox } = world();
  const { url, close } = await listen(sandbox, { port: 0 });
  onTestFinished(() => close());
  let printed = "";
  const output = {
    write: (text: string) => {
      printed += text;
    },
  };
  const env = { EDUCATION_ADMIN_BASE_URL: url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  const run = (...args: string[]) => runCli(["bulk", ...args], { env, stdout: output, stderr: output });
  expect(await run("plan", "users", at("rows.csv"), "--key", "email", "--to", at("a.plan"))).toBe(0);
  const [, digest = ""] = /--confirm ([0-9a-f]{8})/.exec(printed) ?? [];
  sandbox.faults.next({ operation: "users.create" }, { operation: "users.create", times: 3, status: 422 });
  expect(await run("apply", at("a.plan"), "--confirm", digest)).toBe(1);
  await run("undo", at("a.plan"), "--to", at("back.plan"));
  expect(printed).toContain("3 failed");
  expect(printed).not.toContain(CANARY);
});
