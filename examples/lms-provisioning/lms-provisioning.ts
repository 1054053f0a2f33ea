import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { MainClient, NotFoundError } from "education-admin-sdk";
import { createWebhookHandler, refetch, toNodeHandler } from "education-admin-sdk/webhooks";
import { sqliteStore } from "../webhooks-sqlite/sqlite-store.ts";
import { learningPlatform } from "./learning-platform.ts";

const HELP = `Receives webhooks about enrollments and keeps the members of courses in a learning platform up to date.

Usage: node lms-provisioning.ts [options]
  --port <port>      default: 3000
  --database <file>  where deliveries and members are kept (default: provisioning.sqlite)
  --header <name>    header of the signature (default: webhook-signature)
  --help

Environment: WEBHOOK_SECRET, LMS_URL, LMS_TOKEN, EDUCATION_ADMIN_BASE_URL, EDUCATION_ADMIN_API_KEY.`;

const { values: options } = parseArgs({
  options: {
    port: { type: "string", default: "3000" },
    database: { type: "string", default: "provisioning.sqlite" },
    header: { type: "string", default: "webhook-signature" },
    help: { type: "boolean", default: false },
  },
});
const { WEBHOOK_SECRET, LMS_URL, LMS_TOKEN } = process.env;
if (options.help || !WEBHOOK_SECRET || !LMS_URL || !LMS_TOKEN) {
  console.log(HELP);
  process.exit(options.help ? 0 : 1);
}

const platform = learningPlatform(LMS_URL, LMS_TOKEN);
const client = new MainClient({ readOnly: true });
const store = sqliteStore(options.database);
// A connection of its own: see sqliteStore.
const members = new DatabaseSync(options.database, { timeout: 1_000 });
members.exec(`CREATE TABLE IF NOT EXISTS members (
  enrollment_id INTEGER PRIMARY KEY, course_id INTEGER NOT NULL, student_id INTEGER NOT NULL
) STRICT`);
const remember = members.prepare("INSERT OR REPLACE INTO members VALUES (?, ?, ?)");
const recall = members.prepare("SELECT course_id, student_id FROM members WHERE enrollment_id = ?");
const forget = members.prepare("DELETE FROM members WHERE enrollment_id = ?");

// Deliveries say that something changed, not what it is now: many about one enrollment become one request.
const fresh = refetch(client, { windowMs: 100 });

const handler = createWebhookHandler({
  signature: { secrets: WEBHOOK_SECRET, scheme: { header: options.header } },
  store,
  on: {
    "enrollment.*": async (event, context) => {
      const id = Number(event.event_data.id);
      const enrollment = await fresh(event, context).catch((error: unknown) => {
        if (error instanceof NotFoundError) return null; // gone since
        throw error; // the delivery is handed out again
      });
      if (enrollment && (enrollment.status === "confirmed" || enrollment.status === "active")) {
        await platform.addMember(enrollment.planned_course_id, enrollment.student_id);
        remember.run(id, enrollment.planned_course_id, enrollment.student_id);
        console.log(`enrollment ${id}: in`);
        return;
      }
      // A deleted enrollment cannot be asked any more: what was done for it is known here.
      const member = recall.get(id) as { course_id: number; student_id: number } | undefined;
      if (member) await platform.removeMember(member.course_id, member.student_id);
      forget.run(id);
      console.log(`enrollment ${id}: out`);
    },
  },
  onDead: (event) => console.error(`given up: ${event.event} ${event.event_data.id}`),
});

const server = createServer(toNodeHandler(handler));
server.listen(Number(options.port), "127.0.0.1", () => {
  console.log(`Receiving webhooks on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

process.once("SIGTERM", async () => {
  server.close();
  await handler.close();
  store.close();
  members.close();
});
