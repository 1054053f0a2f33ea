import { memoryStore, type WebhookRecords, type WebhookStore } from "../../../src/webhooks/index.js";

/** A store with every optional method. */
export type RightInbox = WebhookStore & {
  readonly records: WebhookRecords;
  newest(record: string): Promise<number | null>;
};

/** Makes a store that works correctly. */
export function rightInbox(): RightInbox {
  const store = memoryStore();
  const versions = new Map<string, number>();
  const locks = new Map<string, { holder: string; until: number }>();
  const newest = async (record: string) => versions.get(record) ?? null;
  const records: WebhookRecords = {
    async lock(record, holder, until) {
      const held = locks.get(record);
      if (held && held.holder !== holder && held.until > Date.now()) return false;
      locks.set(record, { holder, until });
      return true;
    },
    async unlock(record, holder) {
      if (locks.get(record)?.holder === holder) locks.delete(record);
    },
    newest,
    async handled({ record, updatedAt }) {
      versions.set(record, Math.max(updatedAt, versions.get(record) ?? 0));
    },
  };
  const done: WebhookStore["done"] = async (id, version) => {
    if (version) await records.handled(version);
    await store.done(id, version);
  };
  return { ...store, done, newest, records };
}
