import { raceAbort } from "../core/abort.js";
import { isEducationAdminError } from "../core/errors.js";
import { machineFiles } from "../export/node-files.js";
import { FileLock } from "../export/node-lock.js";
import { BulkError } from "./errors.js";

/** How `once` finds and makes a record. */
export interface OnceOptions<T> {
  /** Finds the record where it exists; null or undefined where it does not. Compare what no other record has in common with it. */
  readonly find: () => PromiseLike<T | null | undefined>;
  /** Makes the record: one create of a client. */
  readonly make: () => PromiseLike<T>;
  /** How long the service may still carry out a request whose response was lost, in milliseconds. Default 60 000. */
  readonly settleMs?: number | undefined;
  /** Ends the call; the next start continues. */
  readonly signal?: AbortSignal | undefined;
}

const MOST_TRIES = 3;
// Longer delays of a timer end at once.
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Makes one record exactly once, also when the program is killed and started again: looks for it, writes the file `mark`, sends the create,
 * and removes the file when the record is found. Where the file exists, a request may be on its way: it waits `settleMs` and looks again.
 * @param mark a file of this record only, such as `invoice-7.paying`; it holds a time and no data.
 * @returns the record as `find` gives it, or as it was created where the list does not show it yet.
 * @throws `BulkError` with reason `in_use` while another call or process has the file, or `stopped` after three requests of which none is known to be
 * done; what `find` and `make` throw. A request that the service carries out later than `settleMs` can make a second record.
 * @example
 * const payment = { amount: "12.50", date: "2030-06-30" };
 * await once("invoice-7.paying", {
 *   find: async () =>
 *     (await client.payments.listForInvoice(7).toArray()).find(({ date, amount }) => date === payment.date && Number(amount) === 12.5),
 *   make: () => client.payments.createForInvoice(7, payment),
 * });
 */
export async function once<T>(mark: string, options: OnceOptions<T>): Promise<T> {
  const { find, make, settleMs = 60_000, signal } = options;
  if (!(settleMs >= 0 && settleMs <= LONGEST_MS))
    throw new RangeError("once: settleMs must be from 0 to 2147483647 milliseconds");
  const lock = await FileLock.of(mark, machineFiles);
  if (typeof lock === "string")
    throw new BulkError("in_use", `once: ${lock} makes this record. Try again when it has ended.`);
  try {
    let wait = (await machineFiles.read(mark)) !== null;
    // Whether a request was sent whose result is not known: then the refusal of a later one proves nothing.
    let isInDoubt = wait;
    for (let tries = 0; tries <= MOST_TRIES; tries++) {
      if (wait) await raceAbort(new Promise<void>((later) => setTimeout(later, settleMs)), signal);
      signal?.throwIfAborted();
      const found = (await find()) ?? null;
      if (found !== null) return await without(mark, found);
      if (tries === MOST_TRIES) break;
      await machineFiles.write(mark, `${new Date().toISOString()}\n`, 0o600);
      await machineFiles.syncFolderOf(mark);
      let made: T;
      try {
        made = await make();
      } catch (error) {
        const outcome = isEducationAdminError(error) ? error.outcome : "unknown";
        wait = outcome === "unknown";
        const mayBeThere = wait || outcome === "done";
        isInDoubt ||= mayBeThere;
        if (!isInDoubt) await machineFiles.remove(mark);
        if (!mayBeThere || !isEducationAdminError(error)) throw error;
        continue;
      }
      return await without(mark, (await find()) ?? made);
    }
    throw new BulkError(
      "stopped",
      `once: sent ${MOST_TRIES} requests, and none is known to be done. Look for the record in the service; if it is not there, remove the file ${mark} and start again.`,
    );
  } finally {
    await lock.release();
  }
}

async function without<T>(mark: string, record: T): Promise<T> {
  await machineFiles.remove(mark);
  return record;
}
