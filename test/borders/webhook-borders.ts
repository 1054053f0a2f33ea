import { FUNCTION, ONLY_CALLED, type Row, SILENT } from "./cells.js";

const OUTAGE =
  "test/webhooks/outage.test.ts › takes once a second at most and logs one line while the store is away, and goes on when it is back";
const REFUSED_PUT =
  "test/webhooks/handler.test.ts › answers 503 when the store fails, reports the failure, and accepts the second try";
const SLOW_PUT =
  "test/webhooks/handler.test.ts › answers 503 within timeoutMs when the store is slow, and still handles what it kept late, once";

/** What callers bring along for webhooks. */
export const WEBHOOK_BORDERS: Readonly<Record<string, Row>> = {
  "inbox of webhooks and its connection": {
    throws: { test: "test/webhooks/handler.test.ts › answers 503 when the store throws instead of rejecting" },
    rejects: {
      test: [REFUSED_PUT, "test/webhooks/worker-failures.test.ts › takes again after a failure, and loses nothing"],
    },
    hangs: {
      test: [
        SLOW_PUT,
        "test/webhooks/listener-timeout.test.ts › does not stop for a store whose take, done or retry never answers",
      ],
    },
    ends: { test: OUTAGE },
    "emits error": { test: ["test/borders/stores.test.ts › may emit an error while idle: %s"] },
    "two callers": { test: "test/stores/workers.test.ts › handle every delivery once" },
    "second copy": { cannot: "An inbox keeps its state in the database: a second copy is to it a second process." },
    "configured otherwise": {
      test: [
        "test/borders/stores.test.ts › an inbox of SQLite whose whole numbers are BigInts",
        "test/borders/stores.test.ts › an inbox of Postgres tells numbers, whatever the driver gives",
      ],
    },
  },
  "listener of webhooks": {
    throws: {
      test: "test/webhooks/worker-failures.test.ts › tells onDead after maxAttempts, sets the delivery aside and goes on with the others",
    },
    rejects: {
      test: "test/webhooks/worker-failures.test.ts › hands the delivery out again until it succeeds, counting attempts, and then marks it done",
    },
    hangs: {
      test: "test/webhooks/listener-timeout.test.ts › aborts a hung listener's signal, frees its slot and counts a failed attempt",
    },
    ends: {
      test: "test/webhooks/worker-failures.test.ts › does not hand out a delivery that ended the process in every attempt",
    },
    "emits error": SILENT,
    "two callers": { test: "test/webhooks/worker.test.ts › gives each listener an event of its own" },
    "second copy": ONLY_CALLED,
    "configured otherwise": {
      test: [
        "test/webhooks/worker.test.ts › refuses patterns that would never fit",
        "test/webhooks/configuration.test.ts › leaves out a listener that is undefined, as the types allow",
      ],
    },
  },
  "observer of webhooks": {
    throws: {
      test: [
        "test/webhooks/worker-failures.test.ts › is not disturbed by a reporter that throws",
        "test/webhooks/worker-failures.test.ts › sets the delivery aside although onDead throws, and reports it",
      ],
    },
    rejects: { test: ["test/borders/webhooks.test.ts › a reporter that rejects changes nothing"] },
    hangs: {
      test: "test/webhooks/listener-timeout.test.ts › limits every listener on its own, 60 seconds by default, and onDead too",
    },
    ends: FUNCTION,
    "emits error": SILENT,
    "two callers": { cannot: "A handler has one; one function for two handlers is called by both." },
    "second copy": ONLY_CALLED,
    "configured otherwise": { test: "test/webhooks/refusals.test.ts › logs nothing when there is one" },
  },
  "secrets and check of webhooks": {
    throws: {
      test: "test/webhooks/handler-sender.test.ts › asks a check of one's own, and takes a throwing one for a no",
    },
    rejects: {
      test: "test/webhooks/configuration.test.ts › may come later, several at a time, and for the secret in the URL; a failing function is a 503",
    },
    hangs: {
      test: "test/webhooks/answer-limit.test.ts › still limits a slow function `secrets`, a slow check of the application and a slow store",
    },
    ends: FUNCTION,
    "emits error": SILENT,
    "two callers": { cannot: "Each delivery asks for itself; nothing of one reaches another." },
    "second copy": ONLY_CALLED,
    "configured otherwise": {
      test: "test/webhooks/configuration.test.ts › accepts a delivery only when the custom check resolves to true",
    },
  },
  "queue of BullMQ": {
    throws: { test: "test/webhooks/handler.test.ts › answers 503 when the store throws instead of rejecting" },
    rejects: { test: REFUSED_PUT },
    hangs: { test: SLOW_PUT },
    ends: {
      test: [
        "test/stores/bullmq.test.ts › go back without counting an attempt when their worker is closed",
        "test/stores/bullmq.test.ts › do not wait for one whose receiver ended before its job existed, nor for one that was removed",
      ],
    },
    "emits error": {
      cannot: "BullMQ logs the error of a queue or worker that nobody listens to; it does not throw it.",
    },
    "two callers": {
      test: "test/stores/bullmq.test.ts › come in order to two workers: of 180 events of 30 records none is dropped or overlaps",
    },
    "second copy": { cannot: "Nothing of BullMQ is imported; BullMQ knows a moved job's error by its name." },
    "configured otherwise": {
      test: [
        "test/stores/bullmq.test.ts › the processor refuses %s, which BullMQ decides",
        "test/stores/bullmq.test.ts › leave no place behind when no order is asked for",
      ],
    },
  },
};
