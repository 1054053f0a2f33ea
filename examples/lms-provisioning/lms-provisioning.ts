import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import {
  AuthenticationError,
  type Enrollment,
  MainClient,
  NotFoundError,
  PermissionDeniedError,
} from "education-admin-sdk";
import { webhookInbox } from "education-admin-sdk/stores/sqlite";
import { createWebhookHandler, refetch, toNodeHandler } from "education-admin-sdk/webhooks";
import { learningPlatform } from "./learning-platform.ts";

const HELP = `Receives webhooks about enrollments and keeps the members of courses in a learning platform up to date.

Usage: node lms-provisioning.ts [options]
  --port <port>      default: 3000
  --database <file>  where deliveries and members are stored (default: provisioning.sqlite)
  --header <name>    header of the signature (default: webhook-signature)
  --help

A member is removed only when the enrollment is canceled, completed or deleted. If the API key stops working, the program
ends with status 1 and removes no one; deliveries received so far are handled after the next start.

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
// Checked before the first delivery is handled: otherwise every restart with a bad key would use up one of its attempts.
try {
  await client.enrollments.list({ per_page: 1 });
} catch (error) {
  console.error(`Not started: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
// The inbox has a connection of its own: a transaction of this program would otherwise include what it keeps.
const kept = new DatabaseSync(options.database);
const members = new DatabaseSync(options.database, { timeout: 1_000 });
members.exec(`CREATE TABLE IF NOT EXISTS members (
  enrollment_id INTEGER PRIMARY KEY, course_id INTEGER NOT NULL, student_id INTEGER NOT NULL
) STRICT`);
const remember = members.prepare("INSERT OR REPLACE INTO members VALUES (?, ?, ?)");
const recall = members.prepare("SELECT course_id, student_id FROM members WHERE enrollment_id = ?");
const forget = members.prepare("DELETE FROM members WHERE enrollment_id = ?");

// A delivery says that an enrollment changed, not how: several deliveries about one enrollment share one request.
const fresh = refetch(client, { windowMs: 100 });

const handler = createWebhookHandler({
  signature: { secrets: WEBHOOK_SECRET, scheme: { header: options.header } },
  store: webhookInbox(kept),
  on: {
    "enrollment.*": async (event, context) => {
      const id = Number(event.event_data.id);
      // A signed deletion is proof by itself, and a deleted enrollment cannot be read.
      if (event.event === "enrollment.deleted") return remove(id);
      const enrollment = await fresh(event, context).catch(nullIfGone);
      if (enrollment === null) return remove(id);
      // `undefined` stands for kinds of events without a record to read; enrollments have one.
      if (enrollment === undefined) throw new Error(`enrollment ${id} cannot be read`);
      switch (enrollment.status) {
        case "confirmed":
        case "active":
          return add(enrollment);
        case "canceled":
        case "completed":
          return remove(id);
        default:
          // A status added later may well mean that the student still takes part.
          console.error(`enrollment ${id}: unknown status ${String(enrollment.status)}, member unchanged`);
      }
    },
  },
  onDead: (event) => console.error(`given up: ${event.event} ${event.event_data.id}`),
});

const server = createServer(toNodeHandler(handler));
server.listen(Number(options.port), "127.0.0.1", () => {
  console.log(`Receiving webhooks on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => void stop());

async function add({ id, planned_course_id, student_id }: Enrollment): Promise<void> {
  await platform.addMember(planned_course_id, student_id);
  remember.run(id, planned_course_id, student_id);
  console.log(`enrollment ${id}: in`);
}

async function remove(id: number): Promise<void> {
  const member = recall.get(id) as { course_id: number; student_id: number } | undefined;
  if (member) await platform.removeMember(member.course_id, member.student_id);
  forget.run(id);
  console.log(`enrollment ${id}: out`);
}

/** Null for an enrollment that no longer exists. Every other error is thrown, so the delivery is tried again. */
async function nullIfGone(error: unknown): Promise<null> {
  if (!isRefusal(error)) throw error;
  // The service also answers 403 or 404 to a key that has expired or lost its scope, so a 404 alone proves nothing.
  // A key that can still read other enrollments proves that this one is gone.
  const proof = await proveKey();
  if (proof !== "works") {
    void stop(proof);
    throw error;
  }
  if (error instanceof NotFoundError) return null;
  throw error;
}

async function proveKey(): Promise<string> {
  try {
    const { records } = await client.enrollments.list({ per_page: 1 });
    if (records.length > 0) return "works";
    return "the list of enrollments is empty, so it is not certain that the API key still works";
  } catch (error) {
    if (isRefusal(error)) return "the API key can no longer read enrollments";
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof NotFoundError || error instanceof PermissionDeniedError || error instanceof AuthenticationError
  );
}

let stopping = false;

async function stop(problem?: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  if (problem !== undefined) {
    console.error(`Stopped: ${problem}. No member was removed. Check the key, then start again.`);
    process.exitCode = 1;
  }
  server.close();
  await handler.close();
  kept.close();
  members.close();
}
