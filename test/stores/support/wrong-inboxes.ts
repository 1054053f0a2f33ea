import { vi } from "vitest";
import { webhookInboxTests } from "../../../src/stores/testing/index.js";
import type { WebhookRecords, WebhookStore } from "../../../src/webhooks/index.js";
import { type RightInbox, rightInbox } from "./right-inbox.ts";
import { resultsOf } from "./suite-results.ts";

/** Sets the clock of fake timers forward. */
export const advance = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** What one thing of a store does instead. */
export type Wrong = (right: RightInbox) => Partial<WebhookStore>;

/** What the tests of inboxes say of a store that does one thing otherwise. */
export const resultsWith = (wrong: Wrong, takes?: boolean) =>
  resultsOf((test) => {
    const create = async () => {
      const right = rightInbox();
      return { ...right, ...wrong(right) };
    };
    webhookInboxTests({ test, create, takes, advance });
  });

/** Locks of records that differ in one thing. */
export const locks =
  (wrong: (right: WebhookRecords) => Partial<WebhookRecords>): Wrong =>
  ({ records }) => ({ records: { ...records, ...wrong(records) } });
