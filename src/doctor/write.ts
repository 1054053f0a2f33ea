import type { MainClient } from "../clients/main.js";
import { type Clock, wait } from "../core/clock.js";
import { ApiError, EducationAdminError } from "../core/errors.js";
import type { RequestOptions } from "../core/options.js";
import { asAssumed, type Check, differs, notSeen } from "./check.js";
import type { Written } from "./evidence.js";
import { failureOf } from "./reader.js";

/** Milliseconds between the looks into the list, together as long as bulk waits for it. */
const WAITS_MS = [0, 1_000, 2_000, 4_000, 8_000, 16_000, 29_000];

/** What only writes show. */
export const WRITE_CHECKS: readonly Check[] = [
  {
    id: "list_delay",
    question: "Does a list show a record as soon as it was created?",
    guide: "bulk",
    promise: "after settleMs the list tells whether a create whose response was lost was carried out",
    todo: "Set settleMs of apply to more than was seen, or records are created twice.",
    judge({ written }) {
      if (!written || written.failure !== null)
        return notSeen(`the user was not created, or may not have been: ${written?.failure}`);
      if (written.shownAfter === null) return differs("the list did not show the user within a minute");
      return asAssumed(`after ${written.shownAfter} seconds`);
    },
  },
  {
    id: "one_user_per_email",
    question: "Is a second user with the same e-mail address refused?",
    guide: "bulk",
    promise: "a user whose create is sent again is not there twice",
    todo: "Look users up by their e-mail address before you create them, and let only one program create users.",
    judge({ written }) {
      if (!written || written.failure !== null)
        return notSeen(`the user was not created, or may not have been: ${written?.failure}`);
      if (written.refused !== null) return asAssumed(`refused with ${written.refused}`);
      return written.isDouble ? differs("the service created both") : notSeen("no usable response to the second");
    },
  },
];

/** Creates a user, looks for them in the list, and tries to create them once more. */
export async function write(
  client: Pick<MainClient, "users">,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<Written> {
  const email = `doctor-${crypto.randomUUID()}@nobody.example.com`;
  const options: RequestOptions = { retry: false, validation: "off", ...(signal && { signal }) };
  let requests = 0;
  const create = async (): Promise<EducationAdminError | null> => {
    requests++;
    try {
      await client.users.create(
        { first_name: "Doctor", last_name: "Check", email, with_authentication: false },
        options,
      );
      return null;
    } catch (error) {
      if (error instanceof EducationAdminError) return error;
      throw error;
    }
  };
  // The user is there by now: a list that fails must not hide that.
  const isListed = () =>
    client.users
      .list({ email }, { ...options, prefetch: 0 })
      .first()
      .then(
        ({ records }) => records.some((user) => user.email === email),
        () => false,
      );
  const first = await create();
  if (first)
    return {
      requests,
      created: first.outcome === "unknown" ? 1 : 0,
      failure: failureOf(first),
      shownAfter: null,
      isDouble: false,
      refused: null,
    };
  const begun = clock.now();
  let shownAfter: number | null = null;
  for (const pause of WAITS_MS) {
    await wait(clock, pause, signal);
    requests++;
    if (await isListed()) {
      shownAfter = Math.ceil((clock.now() - begun) / 1_000);
      break;
    }
  }
  const second = await create();
  const refused = second instanceof ApiError && second.status < 500 ? second.status : null;
  return {
    requests,
    created: second && second.outcome !== "unknown" ? 1 : 2,
    failure: null,
    shownAfter,
    isDouble: !second,
    refused,
  };
}
