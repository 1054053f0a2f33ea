// A process of the schools campaign: it calls the schools and dies at a given step. Started by schools.ts.
import { DatabaseSync } from "node:sqlite";
import { createSchools, SchoolError, type TokenStore } from "education-admin-sdk/schools";
import { sqliteTokens } from "education-admin-sdk/stores/sqlite";

/** The instructions for a process. */
export interface SchoolsWork {
  readonly file: string;
  readonly encryptionKey: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly schools: readonly string[];
  /** How far the process's clock is ahead, so that tokens seem to have expired. */
  readonly aheadMs: number;
  /**
   * The factor by which the process overestimates pauses, so that it soon stops waiting for the refresh of a dead
   * process.
   */
  readonly haste: number;
  /** The callback URL of a login that the process completes first, or null. */
  readonly callback: string | null;
  /** The step at which the process dies, counted from 1, or null. */
  readonly diesAt: number | null;
}

/** The report of a process: the number of records it read, or the reason why it read none. */
export interface SchoolsTold {
  readonly read: number;
  readonly failures: readonly string[];
  readonly steps: number;
}

const work = JSON.parse(process.env.WORK ?? "{}") as SchoolsWork;
// Long enough that no response seems lost even on a busy machine.
const TIMEOUT_MS = 60_000;
const LONGEST_PAUSE_MS = 1_000;
let steps = 0;
let hurriedMs = 0;

function step(): void {
  if (++steps === work.diesAt) process.kill(process.pid, "SIGKILL");
}

async function withSteps<T>(carryOut: () => T | PromiseLike<T>): Promise<T> {
  step();
  const value = await carryOut();
  step();
  return value;
}

const kept = sqliteTokens(new DatabaseSync(work.file), { encryptionKey: work.encryptionKey });
const tokens: TokenStore = {
  get: (key) => withSteps(() => kept.get(key)),
  put: (entry, replaces) => withSteps(() => kept.put(entry, replaces)),
  delete: (key, version) => withSteps(() => kept.delete(key, version)),
  list: (prefix) => withSteps(() => kept.list(prefix)),
};

const schools = createSchools({
  clientId: "agency",
  clientSecret: work.clientSecret,
  redirectUri: work.redirectUri,
  tokens,
  timeout: TIMEOUT_MS,
  fetch: (input, init) => withSteps(() => fetch(input, init)),
  clock: {
    now: () => Date.now() + work.aheadMs + hurriedMs,
    setTimeout: (callback, ms) =>
      setTimeout(() => {
        if (ms < LONGEST_PAUSE_MS) hurriedMs += ms * (work.haste - 1);
        callback();
      }, ms),
    clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
  },
});

const failures: string[] = [];
const noteFailure = (error: unknown) => {
  const reason = error instanceof Error && error.cause instanceof SchoolError ? error.cause : error;
  failures.push(reason instanceof SchoolError ? reason.reason : String(reason));
};
let read = 0;
if (work.callback !== null) await schools.connect(work.callback).catch(noteFailure);
await Promise.all(
  work.schools.map(async (school) => {
    try {
      await (await schools.client(school)).accounts.get(1);
      read++;
    } catch (error) {
      noteFailure(error);
    }
  }),
);
process.stdout.write(JSON.stringify({ read, failures, steps } satisfies SchoolsTold));
