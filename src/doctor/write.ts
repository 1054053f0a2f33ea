import type { MainClient } from "../clients/main.js";
import { type Clock, wait } from "../core/clock.js";
import { ApiError, EducationAdminError } from "../core/errors.js";
import type { Pages } from "../core/lists/pages.js";
import type { RequestOptions } from "../core/options.js";
import { type AnyRecord, failureOf } from "./reader.js";

/** What writing two users with one e-mail address, and a task, gave. */
export interface Written {
  readonly requests: number;
  /** Users that were created, or may have been, and stay: the service does not delete users. */
  readonly created: number;
  /** Why the first user was not created; null if they were. */
  readonly failure: string | null;
  /** Seconds after which the list showed the user; null if it never did. */
  readonly shownAfter: number | null;
  /** What became of the second user: created too, answered with the first one, refused with a status, or null without a response. */
  readonly second: "created" | "the first" | number | null;
  /** Names of the fields that were stored otherwise than sent; null if the user could not be read. */
  readonly changed: readonly string[] | null;
  /** What updating one field did; null if it could not be done, or not be read. */
  readonly update: {
    readonly others: readonly string[];
    readonly hasMoved: boolean;
    /** Fields that the user has and the response to the update had not. */
    readonly lacking: readonly string[];
  } | null;
  /** What updating one custom field after another did; null without two of them, or if it could not be done. */
  readonly custom: Kept | null;
  /** What giving one label after another did; null as above. */
  readonly labels: Kept | null;
  readonly task: WrittenTask;
}

/** Whether what was there before is there still, and updated_at moved. */
interface Kept {
  readonly isKept: boolean;
  readonly hasMoved: boolean;
}

/** What making, changing, reading and removing a task gave. */
export interface WrittenTask {
  /** Why there is nothing to judge; null if it was made and read. */
  readonly failure: string | null;
  /** Whether it is there still, because it could not be removed. */
  readonly isLeft: boolean;
  /** The status of each write, in the order made, changed, removed. */
  readonly statuses: readonly number[];
  /** Whether the response to its creation had a Location. */
  readonly isLocated: boolean;
  /** What of its name was stored otherwise. */
  readonly changed: readonly string[];
  /** Whether it could be read after its removal. */
  readonly isReadable: boolean;
}

type Writer = Pick<MainClient, "users" | "tasks" | "labels" | "signupQuestions">;
type Label = RecordsOf<ReturnType<Writer["labels"]["list"]>>;
type SignupQuestion = RecordsOf<ReturnType<Writer["signupQuestions"]["list"]>>;
type RecordsOf<List> = List extends Pages<infer T> ? T : never;

/** What the response to a create or a read is when it lacks what was written: then nothing more is sent. */
export const OTHER = "the response was another record";

type Attempt = <T>(call: () => PromiseLike<T>) => Promise<T | EducationAdminError>;

/** Milliseconds between the looks into the list, together as long as bulk waits for it. */
const WAITS_MS = [0, 1_000, 2_000, 4_000, 8_000, 16_000, 29_000];
const SETTLED_MS = 3_000;
const NAME = "Check Ø ß é & 🙂 東京, of more than sixty characters in all";
/** What services fold, compose, straighten, strip and cut; the last of it begins after 255 characters. */
const PIECES: Readonly<Record<string, string>> = {
  "two blanks": "one  two",
  "letters with accents as two characters": "e\u0301",
  "joined letters": "\ufb01",
  "typographic quotes": "\u2018three\u2019",
  tags: "<b>four</b>",
  "what comes after 255 characters": `${"x".repeat(255)} five`,
};
/** A value for custom fields of these types; a service may refuse others. */
const ANSWERS: Readonly<Record<string, unknown>> = { string: "doctor", boolean: true, decimal: 1 };

/**
 * Creates a user, reads and updates them, looks for them in the list, and tries to create them once more; makes a task, changes, reads
 * and removes it.
 */
export async function write(client: Writer, clock: Clock, signal: AbortSignal | undefined): Promise<Written> {
  const mark = crypto.randomUUID();
  const email = `doctor-${mark}@Nobody.example.com`;
  const sent = { first_name: "Doctor", last_name: NAME, email };
  const options: RequestOptions = { retry: false, validation: "off", ...(signal && { signal }) };
  let requests = 0;
  let other = null as EducationAdminError | null;
  const attempt: Attempt = async (call) => {
    if (other) return other;
    requests++;
    try {
      return await call();
    } catch (error) {
      if (error instanceof EducationAdminError) return error;
      throw error;
    }
  };
  // A service that mixes up responses would have the records of others changed and removed.
  const own: Attempt = async (call) => {
    const answer = await attempt(call);
    if (answer instanceof EducationAdminError || String(JSON.stringify(answer)).toLowerCase().includes(mark))
      return answer;
    other = new EducationAdminError("response_format", OTHER, { outcome: "unknown" });
    return other;
  };
  const create = () => own(() => client.users.create({ ...sent, with_authentication: false }, options));
  const read = async (id: number): Promise<AnyRecord | null> => {
    const user = await own(() => client.users.get(id, options));
    return user instanceof EducationAdminError ? null : (user as unknown as AnyRecord);
  };
  const page = { ...options, prefetch: 0 };
  const firstOf = async <T>(list: Pages<T>): Promise<readonly T[]> => {
    const first = await attempt(() => list.first());
    return first instanceof EducationAdminError ? [] : first.records;
  };
  // The user is there by now: a list that fails must not hide that.
  const isListed = async () => {
    const users = await firstOf(client.users.list({ email }, page));
    return users.some((user) => user.email.toLowerCase() === email.toLowerCase());
  };
  const task = await writeTask(client, clock, options, { attempt, own, mark });
  const none = { shownAfter: null, second: null, changed: null, update: null, custom: null, labels: null, task };
  if (other) return { requests, created: 0, failure: OTHER, ...none };
  const first = await create();
  if (first instanceof EducationAdminError) {
    return { requests, created: first.outcome === "unknown" ? 1 : 0, failure: whyOf(first), ...none };
  }
  const begun = clock.now();
  let shownAfter: number | null = null;
  for (const pause of WAITS_MS) {
    await wait(clock, pause, signal);
    if (await isListed()) {
      shownAfter = Math.ceil((clock.now() - begun) / 1_000);
      break;
    }
  }
  const before = await read(first.id);
  let shown: object = {};
  const change: Change = async (body, isThere) => {
    // Clocks of services count seconds, some of them.
    await wait(clock, 1_100, signal);
    const answer = await attempt(() => client.users.update(first.id, body, options));
    shown = answer ?? {};
    return answer instanceof EducationAdminError ? null : settled(() => read(first.id), isThere, options, clock);
  };
  const name = "Doctors";
  const after = before && (await change({ first_name: name }, ({ first_name }) => first_name === name));
  const update = before && after && comparison(before, after, shown);
  const questions = client.signupQuestions.list({ for_user: "for_user" }, page);
  const custom = after && (await writeCustom(await firstOf(questions), change));
  const ofUsers = client.labels.list({ model_type: "User" }, page);
  const labels = after && (await writeLabels(await firstOf(ofUsers), change));
  if (other) return { requests, created: 1, failure: OTHER, ...none };
  const second = await create();
  const isOwn = !(second instanceof EducationAdminError) && second.id === first.id;
  const refused = second instanceof ApiError && second.status < 500 ? second.status : null;
  return {
    requests,
    created: isOwn || (second instanceof EducationAdminError && second.outcome !== "unknown") ? 1 : 2,
    failure: other && OTHER,
    shownAfter,
    second: second instanceof EducationAdminError ? refused : isOwn ? "the first" : "created",
    changed: before && Object.entries(sent).flatMap(([name, value]) => (before[name] === value ? [] : [name])),
    update,
    custom,
    labels,
    task,
  };
}

function whyOf(error: EducationAdminError): string {
  return error.message === OTHER ? OTHER : failureOf(error);
}

type Change = (
  body: Parameters<Writer["users"]["update"]>[1],
  isThere: (user: AnyRecord) => boolean,
) => Promise<AnyRecord | null>;

// Reads once more where a change is not there yet: reads show some of them late.
async function settled(
  read: () => Promise<AnyRecord | null>,
  isThere: (record: AnyRecord) => boolean,
  { signal }: RequestOptions,
  clock: Clock,
): Promise<AnyRecord | null> {
  const record = await read();
  if (record && isThere(record)) return record;
  await wait(clock, SETTLED_MS, signal ?? undefined);
  return read();
}

// Gives a field one value and then another: whether the first is there still, and updated_at moved.
async function twice<Value>(
  change: Change,
  values: readonly Value[],
  bodyOf: (value: Value) => object,
  has: (user: AnyRecord, value: Value) => boolean,
): Promise<Kept | null> {
  const [one, other] = values;
  if (one === undefined || other === undefined) return null;
  const before = await change(bodyOf(one), (user) => has(user, one));
  // What is not in the record cannot be compared.
  const after = before && has(before, one) ? await change(bodyOf(other), (user) => has(user, other)) : null;
  return after && { isKept: has(after, one), hasMoved: String(after.updated_at) > String(before?.updated_at) };
}

function writeCustom(questions: readonly SignupQuestion[], change: Change): Promise<Kept | null> {
  const answers = questions.flatMap(({ slug, field_type: type, choices, for_type }) => {
    const answer = type === "select" ? choices[0] : ANSWERS[type];
    return for_type === "user" && answer !== undefined ? [[slug, answer] as const] : [];
  });
  const bodyOf = (answer: (typeof answers)[number]) => ({ custom: Object.fromEntries([answer]) });
  return twice(
    change,
    answers,
    bodyOf,
    ({ custom }, [slug, answer]) => (custom as AnyRecord | undefined)?.[slug] === answer,
  );
}

function writeLabels(labels: readonly Label[], change: Change): Promise<Kept | null> {
  const ids = labels.filter(({ model_type }) => model_type === "User").map(({ id }) => id);
  const has = ({ label_ids }: AnyRecord, id: number) => Array.isArray(label_ids) && label_ids.includes(id);
  return twice(change, ids, (id) => ({ label_ids: [id] }), has);
}

async function writeTask(
  client: Writer,
  clock: Clock,
  options: RequestOptions,
  { attempt, own, mark }: { attempt: Attempt; own: Attempt; mark: string },
): Promise<WrittenTask> {
  const name = `doctor ${mark} ${Object.values(PIECES).join(" ")}`;
  const made = await own(() => client.tasks.create({ name }, options).withResponse());
  if (made instanceof EducationAdminError) {
    const isLeft = made.outcome === "unknown";
    return { failure: whyOf(made), isLeft, statuses: [], isLocated: false, changed: [], isReadable: false };
  }
  const { id } = made.data;
  const read = async () => {
    const task = await own(() => client.tasks.get(id, options));
    return task instanceof EducationAdminError ? null : (task as unknown as AnyRecord);
  };
  const before = await settled(read, () => true, options, clock);
  const writes = [made, await attempt(() => client.tasks.update(id, { starred: true }, options).withResponse())];
  const removed = await attempt(() => client.tasks.delete(id, options).withResponse());
  const statuses = [...writes, removed].flatMap((each) =>
    each instanceof EducationAdminError ? [] : [each.response.status],
  );
  return {
    failure: before ? null : "the task could not be read",
    isLeft: removed instanceof EducationAdminError,
    statuses,
    isLocated: made.response.headers.has("location"),
    changed: before ? Object.keys(PIECES).filter((piece) => !String(before.name).includes(PIECES[piece] ?? "")) : [],
    isReadable: (await read()) !== null && (await settled(read, () => false, options, clock)) !== null,
  };
}

function comparison(before: AnyRecord, after: AnyRecord, shown: object): NonNullable<Written["update"]> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const isSame = (name: string) => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  // Of fields that follow from the name nobody says that they stay.
  const follows = ["updated_at", "first_name", "slug", "name", "full_name"];
  return {
    others: names.filter((name) => !follows.includes(name) && !isSame(name)),
    hasMoved: String(after.updated_at) > String(before.updated_at),
    lacking: Object.keys(after).filter((name) => !(name in shown)),
  };
}
