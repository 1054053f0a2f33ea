import type { MainClient } from "../clients/main.js";
import { type Clock, wait } from "../core/clock.js";
import { ApiError, EducationAdminError } from "../core/errors.js";
import type { RequestOptions } from "../core/options.js";
import type { AnyRecord } from "./reader.js";
import { failureOf } from "./reader.js";

/** What writing two users with one e-mail address gave. */
export interface Written {
  readonly requests: number;
  /** Users that were created, or may have been, and stay: the service does not delete users. */
  readonly created: number;
  /** Why the first user was not created; null if they were. */
  readonly failure: string | null;
  /** Seconds after which the list showed the user; null if it never did. */
  readonly shownAfter: number | null;
  /** Whether the service created both users. */
  readonly isDouble: boolean;
  /** The status of the refusal of the second user; null if they were created or no response came. */
  readonly refused: number | null;
  /** Names of the fields that were stored otherwise than sent; null if the user could not be read. */
  readonly changed: readonly string[] | null;
  /** What updating one field did; null if it could not be done, or not be read. */
  readonly update: { readonly others: readonly string[]; readonly hasMoved: boolean } | null;
}

type Writer = Pick<MainClient, "users">;

/** Milliseconds between the looks into the list, together as long as bulk waits for it. */
const WAITS_MS = [0, 1_000, 2_000, 4_000, 8_000, 16_000, 29_000];
/** Long, and with all that a service may escape, strip, fold or cut. */
const NAME = "Check Ø ß é & <b>x</b> 🙂 東京, of more than sixty characters in all";

/** Creates a user, reads and updates them, looks for them in the list, and tries to create them once more. */
export async function write(client: Writer, clock: Clock, signal: AbortSignal | undefined): Promise<Written> {
  const email = `doctor-${crypto.randomUUID()}@nobody.example.com`;
  const sent = { first_name: "Doctor", last_name: NAME, email };
  const options: RequestOptions = { retry: false, validation: "off", ...(signal && { signal }) };
  let requests = 0;
  const attempt = async <T>(call: () => PromiseLike<T>): Promise<T | EducationAdminError> => {
    requests++;
    try {
      return await call();
    } catch (error) {
      if (error instanceof EducationAdminError) return error;
      throw error;
    }
  };
  const create = () => attempt(() => client.users.create({ ...sent, with_authentication: false }, options));
  const read = async (id: number): Promise<AnyRecord | null> => {
    const user = await attempt(() => client.users.get(id, options));
    return user instanceof EducationAdminError ? null : (user as unknown as AnyRecord);
  };
  // The user is there by now: a list that fails must not hide that.
  const isListed = async () => {
    const page = await attempt(() => client.users.list({ email }, { ...options, prefetch: 0 }).first());
    return !(page instanceof EducationAdminError) && page.records.some((user) => user.email === email);
  };
  const first = await create();
  if (first instanceof EducationAdminError) {
    const none = { shownAfter: null, isDouble: false, refused: null, changed: null, update: null };
    return { requests, created: first.outcome === "unknown" ? 1 : 0, failure: failureOf(first), ...none };
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
  // Clocks of services count seconds, some of them.
  await wait(clock, 1_100, signal);
  const update = before && (await attempt(() => client.users.update(first.id, { first_name: "Doctors" }, options)));
  const after = update && !(update instanceof EducationAdminError) ? await read(first.id) : null;
  const second = await create();
  const isRefused = second instanceof ApiError && second.status < 500;
  return {
    requests,
    created: second instanceof EducationAdminError && second.outcome !== "unknown" ? 1 : 2,
    failure: null,
    shownAfter,
    isDouble: !(second instanceof EducationAdminError),
    refused: isRefused ? second.status : null,
    changed: before && Object.entries(sent).flatMap(([name, value]) => (before[name] === value ? [] : [name])),
    update: before && after && comparison(before, after),
  };
}

function comparison(before: AnyRecord, after: AnyRecord): NonNullable<Written["update"]> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const isSame = (name: string) => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  // Of fields that follow from the name nobody says that they stay.
  const follows = ["updated_at", "first_name", "slug", "name", "full_name"];
  return {
    others: names.filter((name) => !follows.includes(name) && !isSame(name)),
    hasMoved: String(after.updated_at) > String(before.updated_at),
  };
}
