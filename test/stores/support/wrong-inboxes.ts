import { vi } from "vitest";
import type { WebhookRecords, WebhookStore } from "../../../src/webhooks/index.js";
import { webhookInboxTests } from "../suite/index.ts";
import { type RightInbox, rightInbox } from "./right-inbox.ts";
import { resultsOf } from "./suite-results.ts";

/** Sets the clock of fake timers forward. */
export const advance = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** Replaces one behavior of a store. */
export type Wrong = (right: RightInbox) => Partial<WebhookStore>;

/** The results of the inbox tests for a store with one behavior replaced. */
export const resultsWith = (wrong: Wrong, takes?: boolean) =>
  resultsOf((test) => {
    const create = async () => {
      const right = rightInbox();
      return { ...right, ...wrong(right) };
    };
    webhookInboxTests({ test, create, takes, advance });
  });

/** A store whose record locks differ in one behavior. */
export const locks =
  (wrong: (right: WebhookRecords) => Partial<WebhookRecords>): Wrong =>
  ({ records }) => ({ records: { ...records, ...wrong(records) } });

/** Treats a delivery that equals any delivery of the last hour as a duplicate. */
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

/** Treats a delivery that was sent before the previous one as a separate change. */
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
