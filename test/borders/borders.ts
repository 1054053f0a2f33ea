import { FUNCTION, ONLY_CALLED, type Row, SILENT } from "./cells.js";
import { WEBHOOK_BORDERS } from "./webhook-borders.js";

const SYNCHRONOUS = { cannot: "Its methods are synchronous: a failure is thrown." };
const BY_METHODS = {
  cannot: "It is known by its methods, not by its class: a second copy of its package looks the same.",
};
const BLOCKED = {
  cannot: "A synchronous method that does not return stops the whole process; no signal could be heard.",
};
const NOT_AWAITED = { cannot: "Nothing waits for it: what it returns is not awaited." };

const AWAY = "test/mirror/run.test.ts › run goes on when the database was away, and says so";
const LENT =
  "test/mirror/postgres.test.ts › a connection that ends before %s ends neither the process nor the next run";
const REPLACED =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the title as it stands in the file.
  "test/core/rate-limit-sharing.test.ts › that ${how} in ${method} is replaced by a count of this process, with one warning";
const FAILED_KEY =
  "test/core/key-function.test.ts › that fails is the cause of a ConfigurationError for all that wait, and is asked again by the next call";
const FULL_DISK =
  "test/export/interrupted.test.ts › ends the same after the disk was full, and gives the disk its space back";
const READ_ONLY_FILE = "test/mirror/feed.test.ts › is read from a file that may only be read, and makes nothing";

/** For each thing that the library takes from its caller: what happens to it, and the test that says what follows. */
export const BORDERS: Readonly<Record<string, Row>> = {
  ...WEBHOOK_BORDERS,
  "Postgres pool of a mirror": {
    throws: { test: AWAY },
    rejects: { test: LENT },
    hangs: {
      test: "test/mirror/postgres-others.test.ts › an aborted run does not wait for a process that stands still with the lock",
    },
    ends: { test: LENT },
    "emits error": { test: LENT },
    "two callers": { test: "test/mirror/postgres.test.ts › several mirrors write at once without losing a change" },
    "second copy": {
      cannot: "Two copies of the package meet in the database only, whose lock orders them as it does processes.",
    },
    "configured otherwise": {
      test: [
        "test/mirror/postgres-others.test.ts › integers as %o make the same copy",
        "test/mirror/postgres-others.test.ts › a role that may only read follows the feed",
        "test/mirror/postgres-others.test.ts › a role that may create nothing keeps a copy in tables made by hand; a new field stays in the record",
        "test/mirror/postgres-others.test.ts › what is committed is on the disk, whatever the database's own setting",
      ],
    },
  },
  "SQLite connection of a mirror": {
    throws: { test: [AWAY, "test/mirror/sqlite.test.ts › a write that fails is rolled back, and the copy goes on"] },
    rejects: SYNCHRONOUS,
    hangs: BLOCKED,
    ends: { test: AWAY },
    "emits error": SILENT,
    "two callers": {
      test: "test/mirror/sqlite.test.ts › two connections write at once without losing a change, and another key deletes nothing",
    },
    "second copy": { test: ["test/borders/mirror.test.ts › two copies of the package write to one file in turn"] },
    "configured otherwise": {
      test: [
        "test/mirror/feed.test.ts › a driver that gives BigInts makes the same copy and the same feed",
        READ_ONLY_FILE,
        "test/mirror/others.test.ts › tables made by hand are used as they are, and nothing is created",
      ],
    },
  },
  "rate limit store and its connection": {
    throws: { test: REPLACED },
    rejects: {
      test: [
        REPLACED,
        "test/stores/shared-windows.test.ts › reject what was asked when the database fails, and answer again when it is back",
      ],
    },
    hangs: {
      test: [
        "test/core/rate-limit-sharing.test.ts › that never answers does not keep a call from its signal",
        "test/stores/shared-windows.test.ts › go on after 5 seconds when the database never answers",
      ],
    },
    ends: {
      test: "test/stores/down.test.ts › stops no call and breaks no limit, is reported once, and is asked again when it is back",
    },
    "emits error": {
      test: [
        "test/borders/stores.test.ts › may emit an error while idle: %s",
        "test/borders/stores.test.ts › is left alone where its owner listens",
      ],
    },
    "two callers": {
      test: "test/stores/shared-windows.test.ts › grant what the limit allows to processes that ask at once, and begin again after each other's changes",
    },
    "second copy": {
      test: [
        "test/core/shared-budget.test.ts › share a budget, and both throw RateLimitError when it refuses a call",
        "test/core/hostile-stores.test.ts › of another realm is abandoned when one rejects",
      ],
    },
    "configured otherwise": {
      test: [
        "test/stores/sqlite.test.ts › SQLite whose whole numbers are BigInts",
        "test/borders/stores.test.ts › a limit of Postgres is counted, though the driver gives numbers as texts",
        "test/borders/stores.test.ts › a limit in a file that may only be read stops no call, and is told once",
        "test/stores/two-clocks.test.ts › and a date that is set back, for both, frees no place early and keeps none for long",
      ],
    },
  },
  "stream of exportTo": {
    throws: {
      test: ["test/borders/export.test.ts › that throws when it is written to ends the export with its error"],
    },
    rejects: { cannot: "A stream tells a failure by its callback or its event; what `write` returns is not used." },
    hangs: {
      test: ["test/borders/export.test.ts › that never takes a page holds the export no longer than the list's signal"],
    },
    ends: { test: "test/export/streams.test.ts › of an HTTP response whose reader goes away ends the export" },
    "emits error": {
      test: [
        "test/export/streams.test.ts › that fails between two pages, and that nobody listens to, ends the export with its error at once",
        "test/export/streams.test.ts › may emit its error after it has called back, though nobody listens",
      ],
    },
    "two callers": { test: ["test/borders/export.test.ts › that two exports write to gets whole pages of both"] },
    "second copy": BY_METHODS,
    "configured otherwise": {
      test: [
        "test/export/streams.test.ts › gets one page at a time, when it has taken the one before, and is not ended",
        "test/export/streams.test.ts › that fails or is closed ends the export with its error",
      ],
    },
  },
  fetch: {
    throws: { test: ["test/borders/calls.test.ts › that throws instead of rejecting is a failed connection"] },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the title as it stands in the file.
    rejects: { test: "test/core/secrets.test.ts › ${what}, with secrets in ${where}" },
    hangs: {
      test: [
        "test/core/time-limits.test.ts › covers a fetch that ignores its signal",
        "test/core/abort-over-http.test.ts › ends a call whose fetch does not listen to the signal",
      ],
    },
    ends: { test: "test/core/bounded-body.test.ts › is refused with the bytes that had arrived and the reason" },
    "emits error": SILENT,
    "two callers": {
      test: [
        "test/core/own-fetch.test.ts › is told so, and not asked again, when it answers the same Response twice",
        "test/lookups/dedupe.test.ts › gives each caller a value that no other caller's changes reach",
      ],
    },
    "second copy": {
      test: ["test/borders/calls.test.ts › may return a Response of another class than the platform's"],
    },
    "configured otherwise": {
      test: [
        "test/core/settings.test.ts › call the platform's fetch of the moment where none was given",
        "test/core/own-fetch.test.ts › is told so when the Response has no body that can be read",
      ],
    },
  },
  "key function": {
    throws: {
      test: "test/core/key-function.test.ts › that throws instead of rejecting, or fails when asked once more, is told in the same way",
    },
    rejects: { test: FAILED_KEY },
    hangs: {
      test: [
        "test/core/key-function.test.ts › is given up after timeout when it never settles",
        "test/core/abort-over-http.test.ts › ends a call that waits for its key",
      ],
    },
    ends: FUNCTION,
    "emits error": SILENT,
    "two callers": {
      test: "test/core/key-function.test.ts › is not called before the first call, and once for fifty that wait",
    },
    "second copy": ONLY_CALLED,
    "configured otherwise": {
      test: [
        "test/core/key-function.test.ts › may give the key at once, with white space around it",
        "test/core/bad-configuration.test.ts › refuses a key function's unusable key at the first call, without echoing it",
      ],
    },
  },
  "observer of a client": {
    throws: { test: "test/core/observers.test.ts › that throw or reject change nothing" },
    rejects: { test: "test/core/notify.test.ts › what an observer throws, rejects with or returns changes nothing" },
    hangs: { test: ["test/borders/calls.test.ts › whose promise never settles holds up no call"] },
    ends: FUNCTION,
    "emits error": SILENT,
    "two callers": {
      test: [
        "test/borders/calls.test.ts › of two clients gets the events of each, and an event that it changes reaches nobody else",
      ],
    },
    "second copy": ONLY_CALLED,
    "configured otherwise": {
      test: "test/core/events-of-failures.test.ts › rejects it with the signal's reason and causes no unhandled rejection",
    },
  },
  "observer of an export, a plan or a mirror": {
    throws: {
      test: [
        "test/borders/export.test.ts › an onProgress that %s changes nothing",
        "test/borders/mirror.test.ts › observers of a mirror that %s change nothing",
      ],
    },
    rejects: {
      test: [
        "test/borders/export.test.ts › an onProgress that %s changes nothing",
        "test/borders/mirror.test.ts › observers of a mirror that %s change nothing",
      ],
    },
    hangs: NOT_AWAITED,
    ends: FUNCTION,
    "emits error": SILENT,
    "two callers": { cannot: "Each call has an observer of its own; one function for two is called by both." },
    "second copy": ONLY_CALLED,
    "configured otherwise": { test: "test/mirror/run.test.ts › wrong options are refused" },
  },
  signal: {
    throws: { cannot: "It runs no code of the caller's; its reason may be anything, and is handed on as it is." },
    rejects: { cannot: "It runs no code of the caller's." },
    hangs: { cannot: "A signal that never aborts is one that was not given." },
    ends: {
      test: [
        "test/core/abort-over-http.test.ts › sends nothing when the signal was aborted before",
        "test/core/long-lived-signal.test.ts › leaves no listener and no timer, wherever the calls were",
        "test/core/abort-over-http.test.ts › throws the reason between pages and between records, and asks nothing more",
      ],
    },
    "emits error": { cannot: "It has the event abort only." },
    "two callers": {
      test: [
        "test/core/abort.test.ts › adds one listener to a signal for all callers, and removes it when the last one leaves",
        "test/lookups/many-callers.test.ts › get their own reason or what they asked for: %s",
      ],
    },
    "second copy": {
      test: [
        "test/borders/calls.test.ts › ends a call with its reason",
        "test/borders/calls.test.ts › lets a call that it does not abort be",
      ],
    },
    "configured otherwise": {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the title as it stands in the file.
      test: "test/core/abort-over-http.test.ts › rejects with the signal's own reason: ${what}",
    },
  },
  "file of an export": {
    throws: { test: FULL_DISK },
    rejects: { test: FULL_DISK },
    hangs: { test: "test/export/targets.test.ts › a named pipe stays one" },
    ends: {
      test: [
        "test/export/interrupted.test.ts › ends the same, whatever step the process is killed at",
        "test/export/interrupted.test.ts › ends the same when a byte of the part or the state is changed",
      ],
    },
    "emits error": { cannot: "It is written through a file handle, which rejects." },
    "two callers": {
      test: "test/export/refusals.test.ts › the second is refused before anything is sent, and the first finishes",
    },
    "second copy": {
      test: "test/export/refusals.test.ts › another thread of this process has its lock, and an earlier process of the same number has not",
    },
    "configured otherwise": {
      test: [
        "test/export/targets.test.ts › permissions",
        "test/export/targets.test.ts › stays, and the file it names is replaced, with part and state beside that file",
      ],
    },
  },
  "file of a mirror": {
    throws: { test: "test/cli/mirror.test.ts › a file that is no database, or whose folder is missing, is named" },
    rejects: SYNCHRONOUS,
    hangs: BLOCKED,
    ends: {
      test: "test/cli/mirror.test.ts › to be stopped is the end of a command that keeps a copy, and of --once a failure",
    },
    "emits error": SILENT,
    "two callers": {
      test: "test/mirror/sqlite.test.ts › two connections write at once without losing a change, and another key deletes nothing",
    },
    "second copy": { cannot: "The command loads one copy of the package; other processes wait for SQLite's lock." },
    "configured otherwise": { test: ["test/cli/mirror.test.ts › %s would keep nothing", READ_ONLY_FILE] },
  },
  "file of a school": {
    throws: { test: "test/cli/school-file.test.ts › is not run when it is read" },
    rejects: { cannot: "A program imports it as a module; the command reads its text." },
    hangs: { test: "test/cli/types.test.ts › does not wait for a pipe, and reads no folder" },
    ends: {
      test: "test/cli/types.test.ts › overwrites what it wrote, also after a formatter, below a comment of others, and an empty file",
    },
    "emits error": SILENT,
    "two callers": { cannot: "It is read only; a client keeps nothing in it." },
    "second copy": {
      test: ["test/borders/calls.test.ts › a school that another copy of the package defined checks what is sent"],
    },
    "configured otherwise": {
      test: [
        "test/cli/types-check.test.ts › reads the file as a formatter may have left it",
        "test/school/checks.test.ts › a school that defineSchool did not make is refused",
      ],
    },
  },
  "plan of a bulk write": {
    throws: { test: "test/bulk/failures.test.ts › no plan at all is refused" },
    rejects: { test: "test/bulk/failures.test.ts › edited by hand is refused" },
    hangs: {
      cannot:
        "A plan is a file on a disk: opening and reading it are the operating system's, and no signal reaches them.",
    },
    ends: {
      test: [
        "test/bulk/failures.test.ts › cut anywhere is refused",
        "test/bulk/failures.test.ts › a torn last line is cut off, and what it would have said is found out",
      ],
    },
    "emits error": { cannot: "It is read and written through a file handle, which rejects." },
    "two callers": { test: "test/bulk/failures.test.ts › a second process finds the plan in use" },
    "second copy": { test: "test/bulk/failures.test.ts › a second process finds the plan in use" },
    "configured otherwise": { test: "test/bulk/failures.test.ts › of another school, or not confirmed is refused" },
  },
};
