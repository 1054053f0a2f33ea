import { vi } from "vitest";
import type { WebhookRecords, WebhookStore } from "../../../src/webhooks/index.js";
import { webhookInboxTests } from "../suite/index.ts";
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

/** Calls a copy what is equal to any delivery of the hour before. */
export const foldsWithinAnHour: Wrong = ({ put }) => {
  const seen = new Map<string, number>();
  return {
    put: async (delivery) => {
      const { record, foldKey, sentAt } = delivery;
      const key = JSON.stringify([record, foldKey]);
      const isSeen = foldKey !== null && Math.abs(Number(sentAt) - (seen.get(key) ?? 0)) < 3_600_000;
      if (isSeen) return "duplicate";
      seen.set(key, Number(sentAt));
      return put(delivery);
    },
  };
};

/** Takes what was sent before the last delivery for another change. */
export const foldsLaterOnly: Wrong = ({ put }) => {
  let last = 0;
  return {
    put: (delivery) => {
      const isEarlier = Number(delivery.sentAt) < last;
      last = Number(delivery.sentAt);
      return put(isEarlier ? { ...delivery, foldKey: null } : delivery);
    },
  };
};
