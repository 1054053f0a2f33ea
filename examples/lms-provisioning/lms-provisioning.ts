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
  type PlannedCourse,
  type User,
} from "education-admin-sdk";
import { webhookInbox } from "education-admin-sdk/stores/sqlite";
import { createWebhookHandler, refetch, toNodeHandler } from "education-admin-sdk/webhooks";
import { learningPlatform } from "./learning-platform.ts";
import { openMembers } from "./members.ts";

const HELP = `Keeps the members of courses in a learning platform up to date: once for all enrollments when it starts, then as
webhooks about enrollments arrive. A member has the student's name and e-mail address and the dates of the planned course.

Usage: node lms-provisioning.ts [options]
  --port <port>       default: 3000
  --database <file>   where deliveries and members are stored (default: provisioning.sqlite)
  --most-gone <n>     at the start, remove nobody if more enrollments than this have disappeared (default: 20)
  --help

A member is removed only when the enrollment is canceled, completed or deleted. If the API key stops working, the program
ends with status 1 and removes no one; deliveries received so far are handled after the next start.

Environment: WEBHOOK_SECRET, LMS_URL, LMS_TOKEN, EDUCATION_ADMIN_BASE_URL, EDUCATION_ADMIN_API_KEY.`;

const { values: options } = parseArgs({
  options: {
    port: { type: "string", default: "3000" },
    database: { type: "string", default: "provisioning.sqlite" },
    "most-gone": { type: "string", default: "20" },
    help: { type: "boolean", default: false },
  },
});
const { WEBHOOK_SECRET, LMS_URL, LMS_TOKEN } = process.env;
if (options.help || !WEBHOOK_SECRET || !LMS_URL || !LMS_TOKEN) {
  console.log(HELP);
  process.exit(options.help ? 0 : 1);
}

const kinds = ["enrollments", "users", "plannedCourses"] as const;
type Kind = (typeof kinds)[number];

const client = await connected();
// The inbox has its own connection: otherwise a transaction of this program would include its writes.
const kept = new DatabaseSync(options.database);
const members = openMembers(options.database, learningPlatform(LMS_URL, LMS_TOKEN));
// Work on each enrollment, one step after another, and the enrollments with a webhook since the start.
const turns = new Map<number, Promise<void>>();
const notified = new Set<number>();
let stopping = false;

// A delivery says that an enrollment changed, not how: several deliveries about one enrollment share one request.
const fresh = refetch(client, { windowMs: 100 });

const handler = createWebhookHandler({
  signature: { secrets: WEBHOOK_SECRET.split(",") },
  store: webhookInbox(kept),
  on: {
    "enrollment.*": (event, context) => {
      const id = Number(event.event_data.id);
      notified.add(id);
      return inTurn(id, async () => {
        // A signed deletion is proof by itself, and a deleted enrollment cannot be read.
        if (event.event === "enrollment.deleted") return remove(id);
        const enrollment = await read("enrollments", fresh(event, context));
        if (enrollment === null) return remove(id);
        // `undefined` stands for kinds of events without a record to read; enrollments have one.
        if (enrollment === undefined) throw new Error(`enrollment ${id} cannot be read`);
        await update(enrollment, null);
      });
    },
  },
  onDead: (event) => console.error(`given up: ${event.event} ${event.event_data.id}`),
});

const server = createServer(toNodeHandler(handler));
server.listen(Number(options.port), "127.0.0.1", () => {
  console.log(`Receiving webhooks on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  sweep().catch((error: unknown) => void stop(`the enrollments could not all be read: ${messageOf(error)}`));
});
process.once("SIGTERM", () => void stop());

/** Brings every member up to date. Each list is read once, however many enrollments there are. */
async function sweep(): Promise<void> {
  const missing = new Set(members.ids());
  let count = 0;
  const enrollments = client.enrollments.list({}, { priority: "batch" }).with({ planned_course: true, student: true });
  for await (const enrollment of enrollments) {
    if (stopping) return;
    count++;
    missing.delete(enrollment.id);
    await inTurn(enrollment.id, async () => {
      // An enrollment with a webhook has been read later than this list.
      if (!notified.has(enrollment.id)) await update(enrollment, enrollment);
    }).catch(complain);
  }
  if (missing.size > Number(options["most-gone"]) || count === 0) {
    console.error(`${missing.size} enrollments have disappeared: too many, members unchanged`);
    return;
  }
  for (const id of missing) {
    if (stopping) return;
    await inTurn(id, async () => {
      const enrollment = await read("enrollments", client.enrollments.get(id));
      await (enrollment === null ? remove(id) : update(enrollment, null));
    }).catch(complain);
  }
  console.log(`${count} enrollments are up to date`);
}

/** @param joined the records that the enrollment refers to, if they were read with it. */
async function update(
  enrollment: Enrollment,
  joined: { readonly student: User | null; readonly planned_course: PlannedCourse | null } | null,
): Promise<void> {
  const { id, status } = enrollment;
  switch (status) {
    case "confirmed":
    case "active":
      return add(enrollment, joined);
    case "canceled":
    case "completed":
      return remove(id);
    default:
      // A status added later may well mean that the student still takes part.
      console.error(`enrollment ${id}: unknown status ${String(status)}, member unchanged`);
  }
}

async function add(enrollment: Enrollment, joined: Parameters<typeof update>[1]): Promise<void> {
  const { id, planned_course_id, student_id } = enrollment;
  const student = joined ? joined.student : await read("users", client.users.get(student_id));
  const course = joined
    ? joined.planned_course
    : await read("plannedCourses", client.plannedCourses.get(planned_course_id));
  if (!student || !course) throw new Error(`enrollment ${id}: its student or planned course is gone, member unchanged`);
  const added = await members.put(id, {
    courseId: planned_course_id,
    studentId: student_id,
    name: [student.first_name, student.middle_name, student.last_name].filter(Boolean).join(" "),
    email: student.email,
    // A flexible planned course has no dates, so the enrollment's dates count.
    starts: course.start_date ?? enrollment.start_date,
    ends: course.end_date ?? enrollment.end_date,
  });
  if (added) console.log(`enrollment ${id}: in`);
}

async function remove(id: number): Promise<void> {
  if (await members.remove(id)) console.log(`enrollment ${id}: out`);
}

/** Returns null for a record that no longer exists. Every other error is thrown, so that the delivery is retried. */
async function read<T>(kind: Kind, record: PromiseLike<T>): Promise<T | null> {
  try {
    return await record;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // The service also answers 403 or 404 to a key that has expired or lost its scope, so a 404 alone proves nothing.
    // A key that can still read other records of the kind proves that this one is gone.
    const proof = await proveKey(kind);
    if (proof === "works" && error instanceof NotFoundError) return null;
    if (proof !== "works") void stop(proof);
    throw error;
  }
}

async function proveKey(kind: Kind): Promise<string> {
  try {
    const { records } = await client[kind].list({ per_page: 1 });
    if (records.length > 0) return "works";
    return `the list of ${kind} is empty, so it is not certain that the API key still works`;
  } catch (error) {
    if (isRefusal(error)) return `the API key can no longer read ${kind}`;
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof NotFoundError || error instanceof PermissionDeniedError || error instanceof AuthenticationError
  );
}

/** Makes a client and checks its key before the first delivery: a restart with a bad key uses up no attempts. */
async function connected(): Promise<MainClient> {
  try {
    const made = new MainClient({ readOnly: true });
    for (const kind of kinds) await made[kind].list({ per_page: 1 });
    return made;
  } catch (error) {
    console.error(`Not started: ${messageOf(error)}`);
    process.exit(1);
  }
}

function inTurn(id: number, work: () => Promise<void>): Promise<void> {
  const before = turns.get(id) ?? Promise.resolve();
  const own = before.catch(() => undefined).then(work);
  turns.set(id, own);
  const forget = () => {
    if (turns.get(id) === own) turns.delete(id);
  };
  own.then(forget, forget);
  return own;
}

function complain(error: unknown): void {
  console.error(messageOf(error));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function stop(problem?: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  if (problem !== undefined) {
    console.error(`Stopped: ${problem}. No member was removed because of it. Check the key, then start again.`);
    process.exitCode = 1;
  }
  server.close();
  await handler.close();
  await Promise.allSettled(turns.values());
  kept.close();
  members.close();
}
