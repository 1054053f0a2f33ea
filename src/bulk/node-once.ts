import { raceAbort } from "../core/abort.js";
import { InputError, isEducationAdminError } from "../core/errors.js";
import { checkNames, failuresOf, type Names } from "../core/option-checks.js";
import { pauseAfter } from "../work/schedule.js";
import { BulkError } from "./errors.js";
import { type Mark, openMark } from "./node-mark.js";
import type { BulkJournal } from "./types.js";

/** Options for `once`. */
export interface OnceOptions<T> {
  /** Finds the record; returns null or undefined if it does not exist. Compare values that no other record has. */
  readonly find: () => PromiseLike<T | null | undefined>;
  /** Creates the record, with a single create call of a client. */
  readonly make: () => PromiseLike<unknown>;
  /** Milliseconds within which the service may still carry out a request whose response was lost. Default 60,000. */
  readonly settleMs?: number | undefined;
  /** Ends the call; the next call continues it. */
  readonly signal?: AbortSignal | undefined;
}

const NAMES: Names<OnceOptions<unknown>> = { find: 1, make: 1, settleMs: 1, signal: 1 };
const MOST_TRIES = 3;
const PAUSES = { firstMs: 1_000, mostMs: 30_000 };
// Timers with longer delays fire immediately.
const LONGEST_MS = 2 ** 31 - 1;
// The end of a mark whose create the service has confirmed: then no further request is sent.
const MADE = "made\n";

/**
 * Creates one record at most once, even if the program is killed and started again: it looks for the record, writes the
 * file `mark`, sends the create, and removes the file once `find` returns the record. If the file exists, an earlier
 * request may still be on its way, so the call keeps looking for `settleMs` before it sends another. For payments use
 * `recordPayment`.
 * @param mark a file for this record alone, such as `label-autumn-2030.making`, or its own journal in a database: a
 * call for another record would remove a shared mark. The mark contains a time, and whether the service confirmed the
 * create.
 * @returns the record as `find` returns it.
 * @throws `BulkError` with reason `in_use` while another call or process has the file, or `stopped` after three
 * requests without a known success, or if the service confirmed the create and `find` does not return the record within
 * `settleMs`; the errors of `find` and `make`. A request that the service carries out later than `settleMs` can create
 * a second record.
 * @example
 * const name = "Autumn 2030";
 * const label = await once("label-autumn-2030.making", {
 *   find: async () => (await client.labels.list().toArray()).find((one) => one.name === name),
 *   make: () => client.labels.create({ name, model_type: "Lead" }),
 * });
 * console.log(label.id);
 */
export async function once<T>(mark: string | BulkJournal, options: OnceOptions<T>): Promise<T> {
  checkNames(options, NAMES, failuresOf("once"), "options.");
  const { make, settleMs = 60_000 } = options;
  if (!(settleMs >= 0 && settleMs <= LONGEST_MS))
    throw new RangeError("once: settleMs must be from 0 to 2147483647 milliseconds");
  const kept = await openMark(mark, "once");
  const write = (state: string) => kept.write(`${new Date().toISOString()}\n${state}`);
  try {
    const left = await kept.read();
    let isMade = left?.endsWith(MADE) ?? false;
    let wait = left !== null;
    // True if a request was sent whose result is unknown. Then the record may exist even if a later request is refused.
    let isInDoubt = wait;
    for (let tries = 0; ; tries++) {
      const found = await findUntil(options, wait ? settleMs : 0, kept);
      if (found !== null) {
        await kept.remove();
        return found;
      }
      if (isMade || tries === MOST_TRIES) break;
      await write("");
      try {
        await make();
        isMade = true;
      } catch (error) {
        const outcome = isEducationAdminError(error) ? error.outcome : "unknown";
        isMade = outcome === "done";
        wait = outcome === "unknown";
        isInDoubt ||= wait || isMade;
        if (!isInDoubt) await kept.remove();
        if (!(wait || isMade) || !isEducationAdminError(error)) throw error;
      }
      wait ||= isMade;
      if (isMade) await write(MADE);
    }
    const what = isMade
      ? "the service reported that it created the record, but find does not return it"
      : `sent ${MOST_TRIES} requests, none of which is known to have succeeded`;
    const look = `Look for the record in the service; if it is not there, ${typeof mark === "string" ? `remove the file ${mark}` : "use another journal"} and start again.`;
    throw new BulkError("stopped", `once: ${what}. ${look}`);
  } finally {
    await kept.close();
  }
}

async function findUntil<T>({ find, signal }: OnceOptions<T>, ms: number, mark: Mark): Promise<T | null> {
  for (let waited = 0, looks = 1; ; looks++) {
    signal?.throwIfAborted();
    await mark.renew();
    const found = (await find()) ?? null;
    if (found === false || Array.isArray(found)) {
      const message = `must return a record or undefined, not ${found === false ? "false" : "an array"}`;
      throw new InputError(`once: find ${message}.`, [{ path: "find", message }]);
    }
    if (found !== null || waited >= ms) return found;
    const next = Math.min(pauseAfter(looks, PAUSES), ms - waited);
    await raceAbort(new Promise<void>((later) => setTimeout(later, next)), signal);
    waited += next;
  }
}
