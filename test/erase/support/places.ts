import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { apply, plan, readCsv, run } from "../../../src/bulk/node.ts";
import { exportTo } from "../../../src/export/node.ts";
import { MainClient } from "../../../src/index.ts";
import { mirror, sqlite } from "../../../src/mirror/index.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { bulkJournal, webhookInbox } from "../../../src/stores/sqlite/index.ts";

/** A text in everything that belongs to the person, and in nothing else. */
export const CANARY = "kanarie";
export const EMAIL = `${CANARY}.post@example.com`;

const LISTS = ["users", "accounts", "enrollments", "orders", "invoices", "credits"] as const;

/** Fills a folder with everything that the library keeps of a school, by its own programs. */
export async function fillPlaces(folder: string) {
  const sandbox = createSandbox({ size: 40, rateLimit: false, skipWaits: true });
  const client = new MainClient({ ...sandbox, rateLimit: false });
  const { store } = sandbox;
  const at = (name: string) => join(folder, name);
  mkdirSync(at("exports"), { recursive: true });
  writeFileSync(
    at("roster.csv"),
    `E-mail;Name;Surname\njo@example.com;Jo;Fox\n${EMAIL};${CANARY}A;${CANARY}B\nada@example.com;Ada;Fox\n`,
  );
  const columns = { email: "E-mail", first_name: "Name", last_name: "Surname" } as const;
  const runOptions = { to: at("roster.plan"), key: "email", columns, report: at("result.csv") } as const;
  const { plan: kept } = await run(client.users, readCsv(at("roster.csv")), runOptions);
  const { id } = (await client.users.list().toArray({ max: 1_000 })).find(({ email }) => email === EMAIL) ?? { id: 0 };
  await client.users.update(id, {
    middle_name: `${CANARY} "van" der`,
    address_attributes: { address: `${CANARY}street 5`, city: `${CANARY}city` },
  });
  const account = store.accounts.insert({
    personal_user_id: id,
    account_type: "personal",
    name: `${CANARY}A ${CANARY}B`,
    email: EMAIL,
    phone: `${CANARY}0612`,
  });
  const order = store.orders.insert({ account_id: account.id, customer_comment: `${CANARY} order` });
  const enrollment = store.enrollments.insert({ student_id: id, order_id: order.id });
  store.credits.insert({ student_id: id, enrollment_id: enrollment.id, description: `${CANARY} credit` });
  store.invoices.insert({ account_id: account.id, order_id: order.id, description: `${CANARY} invoice` });

  // A copy with the history of a change, an inbox with a delivery that failed, and a plan in a journal.
  const connection = new DatabaseSync(at("school.sqlite"));
  const copy = mirror(client, sqlite(connection), { resources: [...LISTS], clock: sandbox.clock, share: 1 });
  await copy.sync();
  await client.users.update(id, { middle_name: `${CANARY} de la` });
  await copy.sync();
  const inbox = webhookInbox(connection);
  const payload = JSON.stringify({
    tenant_id: "1",
    educator: "school",
    event: "user.updated",
    event_data: { id, email: EMAIL, first_name: `${CANARY}A` },
  });
  await inbox.put({
    id: "one",
    event: "user.updated",
    payload,
    receivedAt: 1,
    sentAt: 1,
    record: `1/user/${id}`,
    foldKey: null,
  } as never);
  const [taken] = await inbox.take({ limit: 1, now: Date.now(), leaseUntil: Date.now() + 1_000, onePerRecord: false });
  await inbox.dead(taken?.id ?? "", taken?.attempt ?? 1);
  const rows = [
    { id, middle_name: `${CANARY} by journal` },
    { id: 1, middle_name: "of another" },
  ];
  const journal = bulkJournal(connection, "notes");
  await plan(client.users, rows, { to: journal, key: "id" });
  await apply(client, journal);
  connection.close();

  await exportTo(at("exports/users.csv"), client.users.list(), { format: "csv" });
  await exportTo(at("exports/users.ndjson"), client.users.list(), { format: "ndjson" });
  await exportTo(at("exports/users.csv.gz"), client.users.list(), { format: "csv", gzip: true });
  await exportTo(at("exports/enrollments.csv"), client.enrollments.list().with({ student: true }), { format: "csv" });
  await exportTo(at("exports/invoices.ndjson"), client.invoices.list(), { format: "ndjson" });
  return { sandbox, client, id, kept, runOptions, at };
}

/** The files below a folder whose bytes, unpacked, contain a text. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .filter((name) => {
      const bytes = readFileSync(join(folder, name));
      return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).includes(text);
    })
    .sort();
}
