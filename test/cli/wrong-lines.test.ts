import { beforeAll, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { runLine } from "./run-support.js";

const sandbox = createSandbox({ size: "small" });
let env: Record<string, string>;
beforeAll(async () => {
  const server = await listen(sandbox);
  env = { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  return () => server.close();
});

const run = (args: readonly string[]) => runLine(args, env);

const LINES: readonly (readonly [line: string, sentence: string, hint: string])[] = [
  ["", `Which command? One of: ${COMMANDS.map(({ name }) => name).join(", ")}`, "--help"],
  ["frobnicate", "Unknown command 'frobnicate'", "--help"],
  ["gte accounts 7", "Unknown command 'gte' (Did you mean get?)", "--help"],
  ["accounts", 'Name a verb after "accounts": list, count, export, get, create, update', "--help"],
  ["invoices --all", 'Name a verb after "invoices": list, count, export, get, get-pdf, create, open', "--help"],
  ["invoices reimburse 7", 'There is no "invoices.reimburse" to do', "do --help"],
  ["--limit 3", "Unknown option '--limit'", "--help"],
  ["--api main get accounts 7", "Unknown option '--api'", "--help"],
  ["get", "Name the record first, before any options. One of:", "get --help"],
  [
    "do users.delete 5",
    "The service deletes no users. Cancel their enrollments; names and addresses can be overwritten.",
    "do --help",
  ],
  ["firms delete 5", "The service deletes no accounts.", "do --help"],
  ["delete credits 5", "Credits can only be read.", "do --help"],
  ["update students 5", 'To the service, "students" are users: name users to update them', "update --help"],
  ["do lables.delete 5", 'There is no "lables.delete" to do; did you mean "labels.delete"?', "do --help"],
  ["get acounts 7", 'There is no "acounts" to get; did you mean "accounts"?', "get --help"],
  ["get accounts", "Give the id: education-admin-sdk get accounts <id>", "get accounts --help"],
  [
    "get accounts 7 8",
    "Too many arguments for 'accounts'. Expected 1 argument but got 2: 7, 8.",
    "get accounts --help",
  ],
  [
    "get accounts seven",
    "accounts.get: id must be an identifier: a positive whole number. Nothing was sent.",
    "get accounts --help",
  ],
  [
    "get attendances",
    "Give the meeting-id: education-admin-sdk get attendances <meeting-id> <enrollment-id>",
    "get attendances --help",
  ],
  [
    "get attendances 7",
    "Give the enrollment-id: education-admin-sdk get attendances <meeting-id> <enrollment-id>",
    "get attendances --help",
  ],
  [
    "get organization.contacts 1",
    '"organization.contacts" can only be listed, not read one by one: education-admin-sdk list organization.contacts',
    "get --help",
  ],
  [
    "get accounts 7 --api-key canary",
    "--api-key: address, key and secret are never taken from the command line, which other users can see. Set EDUCATION_ADMIN_BASE_URL, EDUCATION_ADMIN_API_KEY and, for webhooks, WEBHOOK_SECRET, or name a file with --env-file (-e).",
    "get accounts --help",
  ],
  [
    "get accounts 7 --key=canary",
    "--key: address, key and secret are never taken from the command line, which other users can see. Set EDUCATION_ADMIN_BASE_URL, EDUCATION_ADMIN_API_KEY and, for webhooks, WEBHOOK_SECRET, or name a file with --env-file (-e).",
    "get accounts --help",
  ],
  [
    "get accounts 7 --token canary",
    "--token: address, key and secret are never taken from the command line, which other users can see. Set EDUCATION_ADMIN_BASE_URL, EDUCATION_ADMIN_API_KEY and, for webhooks, WEBHOOK_SECRET, or name a file with --env-file (-e).",
    "get accounts --help",
  ],
  [
    "get accounts 7 --secret=canary",
    "--secret: address, key and secret are never taken from the command line, which other users can see. Set EDUCATION_ADMIN_BASE_URL, EDUCATION_ADMIN_API_KEY and, for webhooks, WEBHOOK_SECRET, or name a file with --env-file (-e).",
    "get accounts --help",
  ],
  [
    "get accounts 7 --base-url https://canary.example",
    "--base-url: address, key and secret are never taken from the command line, which other users can see. Set EDUCATION_ADMIN_BASE_URL, EDUCATION_ADMIN_API_KEY and, for webhooks, WEBHOOK_SECRET, or name a file with --env-file (-e).",
    "get accounts --help",
  ],
  ["get accounts 7 --env-file nope.env", "--env-file: nope.env does not exist", "get accounts --help"],
  ["get accounts 7 -e test", "--env-file: test is a folder", "get accounts --help"],
  ["get invoices 1 --api admin", 'The admin API has no "invoices"', "get --help"],
  ["list", "Name the list first, before any options. One of:", "list --help"],
  [
    "list payments",
    'To list "payments", also name the record that they belong to: education-admin-sdk list payments.list-for-invoice 7',
    "list --help",
  ],
  [
    "list educators",
    '"educators" is not a list; it is read one by one: education-admin-sdk get educators',
    "list --help",
  ],
  ["list acounts", 'There is no "acounts" to list; did you mean "accounts"?', "list --help"],
  ["list accounts 7", "Too many arguments for 'accounts'. Expected 0 arguments but got 1: 7.", "list accounts --help"],
  ["list accounts --limit none", "--limit must be a positive whole number", "list accounts --help"],
  ["list accounts --limit", "--limit needs a value", "list accounts --help"],
  [
    "list accounts --limit --json",
    "--limit needs a value; for one that begins with a dash, write --limit=--json",
    "list accounts --help",
  ],
  ["list accounts --json=yes", "--json takes no value", "list accounts --help"],
  ["list accounts --api other", "--api must be one of main, admin", "list accounts --help"],
  ["list departments --api main", 'The main API has no "departments"', "list --help"],
  [
    "list accounts --account-type other",
    "accounts.list: account_type must be one of: business, personal. Nothing was sent.",
    "list accounts --help",
  ],
  [
    "list accounts --user-id x",
    "accounts.list: user_id must be an identifier: a positive whole number. Nothing was sent.",
    "list accounts --help",
  ],
  ["list accounts --colour red", "Unknown option '--colour'", "list accounts --help"],
  [
    "list accounts --acount-type x",
    "Unknown option '--acount-type' (Did you mean --account-type?)",
    "list accounts --help",
  ],
  ["list accounts -x", "Unknown option '-x'", "list accounts --help"],
  [
    "list accounts --columns id,naam",
    '--columns: "naam" is not a field of the record; did you mean "name"?',
    "list accounts --help",
  ],
  ["list accounts --columns id,", '--columns: "" must be a path, such as address.city', "list accounts --help"],
  [
    "list accounts --columns --json",
    "--columns needs a value; for one that begins with a dash, write --columns=--json",
    "list accounts --help",
  ],
  [
    "list accounts --json --columns address.citty",
    '--columns: "address.citty" is not a field of the record; did you mean "address.city"?',
    "list accounts --help",
  ],
  [
    "list meetings.list-for-planned-course",
    "Give the planned-course-id: education-admin-sdk list meetings.list-for-planned-course <planned-course-id>",
    "list meetings.list-for-planned-course --help",
  ],
  [
    "export authentications.list-for-user",
    "Give the user-id: education-admin-sdk export authentications.list-for-user <user-id>",
    "export authentications.list-for-user --help",
  ],
  ["export accounts --format xml", "--format must be one of xlsx, csv, ndjson", "export accounts --help"],
  ["export accounts --format", "--format needs a value", "export accounts --help"],
  ["export accounts --resume", "--resume needs --out", "export accounts --help"],
  ["export accounts --out", "--out needs a value", "export accounts --help"],
  [
    "export accounts --out --resume",
    "--out needs a value; for one that begins with a dash, write --out=--resume",
    "export accounts --help",
  ],
  [
    "export accounts -o --resume",
    "-o needs a value; for one that begins with a dash, write -o=--resume",
    "export accounts --help",
  ],
  ["export accounts --out= --quiet", "--out must name a file", "export accounts --help"],
  ["export accounts --out=folder/ --quiet", "--out: folder/ is a folder; name a file", "export accounts --help"],
  [
    "export accounts --out /no/such/folder/x",
    "--out: /no/such/folder/x cannot be written; the folder /no/such/folder does not exist",
    "export accounts --help",
  ],
  [
    "export accounts --format csv --columns nme",
    '--columns: "nme" is not a field of the record; did you mean "name"?',
    "export accounts --help",
  ],
  [
    "export accounts --format csv --delimiter ab",
    "accounts.list: csv.delimiter must be one character, neither a quote nor a line break. Nothing was sent.",
    "export accounts --help",
  ],
  [
    "export accounts --out accounts.xls",
    "--out accounts.xls does not end in .xlsx, .csv or .ndjson; add --format xlsx, csv or ndjson",
    "export accounts --help",
  ],
  [
    "export accounts --resume --out accounts.xlsx",
    "--resume: a workbook cannot be continued; leave out --resume, or name a .csv",
    "export accounts --help",
  ],
  [
    "export accounts --gzip --out accounts.csv",
    "--gzip contradicts --out accounts.csv; name the file accounts.csv.gz",
    "export accounts --help",
  ],
  ["doctor x", "Too many arguments for 'doctor'. Expected 0 arguments but got 1: x.", "doctor --help"],
  ["doctor --write", "Unknown option '--write'", "doctor --help"],
  ["completion tcsh", "<shell> must be one of bash, zsh, fish", "completion --help"],
  ["mirror", "Name the file to write: --to school.sqlite", "mirror --help"],
  ["mirror x", "Too many arguments for 'mirror'. Expected 0 arguments but got 1: x.", "mirror --help"],
  ["mirror --onse", "Unknown option '--onse' (Did you mean --once?)", "mirror --help"],
  ["mirror --to", "--to needs a value", "mirror --help"],
  [
    "mirror --to :memory:",
    "--to: :memory: would keep nothing after the command; name a file: --to school.sqlite",
    "mirror --help",
  ],
  ["mirror --to x --schema y", "--schema needs --ddl postgres: SQLite has no schemas", "mirror --help"],
  ["mirror --ddl mysql", "--ddl must be one of sqlite, postgres", "mirror --help"],
  ["mirror --ddl sqlite --schema y", "--schema needs --ddl postgres", "mirror --help"],
  ["types --outt x", "Unknown option '--outt' (Did you mean --out?)", "types --help"],
  ["types x", "Too many arguments for 'types'. Expected 0 arguments but got 1: x.", "types --help"],
  [
    "types --observe nothing",
    "--observe must be one of accounts, catalog-products, catalog-variants, courses, orders, teachers, users",
    "types --help",
  ],
  ["types --pages 0", "--pages must be a positive whole number", "types --help"],
  ["types --check", "--check needs --out, the file to check", "types --help"],
  ["types --force", "--force needs --out and cannot be combined with --check", "types --help"],
  ["sandbox x", "Too many arguments for 'sandbox'. Expected 0 arguments but got 1: x.", "sandbox --help"],
  ["sandbox --prot 1", "Unknown option '--prot' (Did you mean --port?)", "sandbox --help"],
  ["sandbox --port 70000", "--port must be a whole number from 0 to 65535", "sandbox --help"],
  ["sandbox --size 0", "--size must be small, medium, large or a positive whole number", "sandbox --help"],
  ["sandbox --log most", "--log must be one of requests, deliveries, all, none, json", "sandbox --help"],
  [
    "sandbox --no-flag x",
    "--no-flag must be one of Custom objects, Departments, Meeting requirements, Organizations, Programs, Teacher roles",
    "sandbox --help",
  ],
  ["sandbox --now yesterday", "--now must be a time such as 2030-01-01T09:00Z", "sandbox --help"],
  ["sandbox --host=", "--host must not be empty", "sandbox --help"],
  ["sandbox --webhook x", "--webhook must be a URL", "sandbox --help"],
  ["sandbox --data nope.json", "--data: nope.json does not exist", "sandbox --help"],
  ["webhooks", "Which command? One of: forward, trigger, list", "webhooks --help"],
  ["webhooks forwrd", "Unknown command 'forwrd' (Did you mean forward?)", "webhooks --help"],
  ["webhooks forward", "Give the url: education-admin-sdk webhooks forward <url>", "webhooks forward --help"],
  [
    "webhooks forward 127.0.0.1:3000",
    "<url> must be a complete address, such as http://127.0.0.1:3000/webhooks",
    "webhooks forward --help",
  ],
  [
    "webhooks forward http://127.0.0.1:3000/ --every 0",
    "--every must be a positive whole number",
    "webhooks forward --help",
  ],
  ["webhooks forward http://127.0.0.1:3000/ --once", "--once needs --since", "webhooks forward --help"],
  ["webhooks forward http://127.0.0.1:3000/ --failed --once", "--failed needs --since", "webhooks forward --help"],
  [
    "webhooks forward http://127.0.0.1:3000/ --since yesterday",
    "--since must be a time before now, such as 30m, 2h or 1d, or a date such as 2030-01-01T09:00Z",
    "webhooks forward --help",
  ],
  ["webhooks trigger", "Give the event: education-admin-sdk webhooks trigger <event> <url>", "webhooks trigger --help"],
  [
    "webhooks trigger acount.created http://127.0.0.1:3000/",
    '<event>: there is no such event; did you mean "account.created"?',
    "webhooks trigger --help",
  ],
  [
    "webhooks trigger lead.created",
    "Give the url: education-admin-sdk webhooks trigger <event> <url>",
    "webhooks trigger --help",
  ],
  [
    "webhooks trigger lead.created http://127.0.0.1:3000/ --id x",
    "--id must be a positive whole number",
    "webhooks trigger --help",
  ],
  [
    "webhooks trigger lead.created http://127.0.0.1:1/ --webhook-secret canary",
    "--webhook-secret: address, key and secret are never taken from the command line, which other users can see. Set EDUCATION_ADMIN_BASE_URL, EDUCATION_ADMIN_API_KEY and, for webhooks, WEBHOOK_SECRET, or name a file with --env-file (-e).",
    "webhooks trigger --help",
  ],
  ["webhooks list --webhook 7", "Unknown option '--webhook'", "webhooks list --help"],
  [
    "webhooks forward http://127.0.0.1:1/ http://127.0.0.1:2/",
    "Too many arguments for 'forward'. Expected 1 argument but got 2: http://127.0.0.1:1/, http://127.0.0.1:2/.",
    "webhooks forward --help",
  ],
  ["bulk", "Which command? One of: run, apply, plan, check, show, report, settle, undo", "bulk --help"],
  ["bulk plan", "Required option '--to <file>' not specified", "bulk plan --help"],
  [
    "bulk plan users students.csv --to students.plan",
    "Required option '--key <field,…>' not specified",
    "bulk plan --help",
  ],
  [
    "bulk plan users students.csv --to students.plan --key email --column email",
    "--column must be a name and a value, such as email=E-mail",
    "bulk plan --help",
  ],
  [
    "bulk plan userz students.csv --to students.plan --key email",
    'This API has no "userz"; did you mean "users"?',
    "bulk plan --help",
  ],
  ["bulk aply students.plan", "Unknown command 'aply' (Did you mean apply?)", "bulk --help"],
  ["bulk apply", "Give the plan: education-admin-sdk bulk apply <plan>", "bulk apply --help"],
  [
    "bulk show students.plan --only creatd",
    '--only must be one of create, update, delete, leave, refuse, created, updated, deleted, unchanged, refused, stale, failed, unknown, ignored, doubled; did you mean "create"?',
    "bulk show --help",
  ],
  ["bulk apply students.plan --share 2", "--share must be a number above 0 and at most 1", "bulk apply --help"],
];

test.each(LINES)("%s", async (line, sentence, hint) => {
  const sent = sandbox.requests.length;
  const { status, stdout, stderr } = await run(line.split(" ").filter((word) => word !== ""));
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr.split("\n")[0]).toBe(sentence);
  expect(stderr).not.toMatch(/canary| {4}at /);
  const [, command = ""] = /\nSee: education-admin-sdk (.*)\n$/.exec(stderr) ?? [];
  expect(command).toBe(hint);
  const help = await run(command.split(" "));
  expect([help.status, help.stderr]).toEqual([0, ""]);
  expect(help.stdout).toMatch(new RegExp(`^Usage: education-admin-sdk ${command.replace(/ ?--help$/, "")}`));
  expect(sandbox.requests).toHaveLength(sent);
  const [, instead] = /: education-admin-sdk ((?:get|list|export) [^<[]*)$/.exec(sentence) ?? [];
  if (instead !== undefined) expect(await run(instead.split(" "))).toMatchObject({ status: 0 });
});

test("each wrong line has its own message", () => {
  expect(LINES.length).toBeGreaterThanOrEqual(60);
  expect(new Set(LINES.map(([line]) => line)).size).toBe(LINES.length);
  expect(new Set(LINES.map(([, sentence]) => sentence)).size).toBe(LINES.length);
});
