import type { MainClient } from "../../clients/main.js";
import { systemClock, wait } from "../../core/clock.js";
import type { WebhookNotification } from "../../resources/settings/webhooks.js";

/** A notification, failed or not; the list of failed ones does not contain their attempts. */
type Notification = Pick<WebhookNotification, "event_id" | "data"> &
  Partial<Pick<WebhookNotification, "send_attempts">>;

type PollClient = Pick<MainClient, "webhooks">;

export interface PollOptions {
  readonly signal: AbortSignal;
  /** Identifier of the only webhook subscription to poll; null for all. */
  readonly webhook: string | null;
  readonly pauseMs: number;
  /** Also yields notifications that the service tried to deliver after this time; null for only new ones. */
  readonly since: Date | null;
  /**
   * True to read the notifications created after `since` that the service gave up on; their list may go further back
   * than that of other notifications.
   */
  readonly failed: boolean;
  readonly once: boolean;
  /** Called when a poll fails; the next one follows after the pause. */
  readonly onError: (error: Error) => void;
}

/** Yields every new notification until the signal is aborted. Throws if the first poll fails. */
export async function* pollNotifications(client: PollClient, options: PollOptions): AsyncGenerator<Notification> {
  const { pauseMs, since, once, signal, onError } = options;
  // Events already seen, by identifier: two subscriptions may be notified of the same event.
  let seen = new Set<string>();
  let isFirst = true;
  while (!signal.aborted) {
    const found = await round(client, options).catch((error: unknown) => {
      if (isFirst && !signal.aborted) throw error;
      if (!signal.aborted) onError(error instanceof Error ? error : new Error(String(error)));
      return null;
    });
    if (found) {
      for (const notification of found.values()) {
        if (signal.aborted) return;
        const isNew = isFirst ? since !== null && wasTriedSince(notification, since) : !seen.has(notification.event_id);
        if (isNew) yield notification;
      }
      // Events that the service no longer lists need not be remembered.
      seen = new Set(found.keys());
      isFirst = false;
    }
    if (once) return;
    await wait(systemClock, pauseMs, signal).catch(() => undefined);
  }
}

async function round(
  { webhooks }: PollClient,
  { webhook, since, failed, signal }: PollOptions,
): Promise<Map<string, Notification>> {
  const ids: string[] = [];
  if (webhook !== null) ids.push(webhook);
  else for await (const { id } of webhooks.list({}, { signal })) ids.push(id);
  const found = new Map<string, Notification>();
  const query = since === null ? {} : { start: since };
  for (const id of ids) {
    const notifications: AsyncIterable<Notification> = failed
      ? webhooks.listFailedNotifications(id, query, { signal })
      : webhooks.listNotifications(id, { signal });
    for await (const notification of notifications) {
      if (!found.has(notification.event_id)) found.set(notification.event_id, notification);
    }
  }
  return found;
}

function wasTriedSince({ send_attempts: attempts }: Notification, since: Date): boolean {
  const last = Date.parse(attempts?.at(-1)?.created_at ?? "");
  return Number.isNaN(last) || last > since.getTime();
}
