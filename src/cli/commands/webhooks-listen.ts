import { systemClock, wait } from "../../core/clock.js";
import type { WebhookNotification } from "../../resources/settings/webhooks.js";

/** The part of a client that is used here. */
interface PollClient {
  readonly webhooks: {
    list(query: Record<never, never>, options: { signal: AbortSignal }): AsyncIterable<{ readonly id: string }>;
    listNotifications(id: string, options: { signal: AbortSignal }): AsyncIterable<WebhookNotification>;
  };
}

/** How notifications are asked for. */
export interface PollOptions {
  /** The one subscription to ask for; null for all. */
  readonly webhook: string | null;
  readonly pauseMs: number;
  /** Begin with those tried since then; null: with what comes from now on. */
  readonly since: Date | null;
  readonly signal: AbortSignal;
  /** Called when asking failed; it is asked again after the pause. */
  readonly onError: (error: Error) => void;
}

/** Gives every notification that was not there before, until the signal is aborted. The first round must succeed. */
export async function* pollNotifications(
  client: PollClient,
  options: PollOptions,
): AsyncGenerator<WebhookNotification> {
  const { pauseMs, since, signal, onError } = options;
  // By event: two subscriptions may be told of the same one.
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
      // Only what the service still shows has to be remembered.
      seen = new Set(found.keys());
      isFirst = false;
    }
    await wait(systemClock, pauseMs, signal).catch(() => undefined);
  }
}

async function round(
  { webhooks }: PollClient,
  { webhook, signal }: PollOptions,
): Promise<Map<string, WebhookNotification>> {
  const ids: string[] = [];
  if (webhook !== null) ids.push(webhook);
  else for await (const { id } of webhooks.list({}, { signal })) ids.push(id);
  const found = new Map<string, WebhookNotification>();
  for (const id of ids) {
    for await (const notification of webhooks.listNotifications(id, { signal })) {
      if (!found.has(notification.event_id)) found.set(notification.event_id, notification);
    }
  }
  return found;
}

function wasTriedSince({ send_attempts: attempts }: WebhookNotification, since: Date): boolean {
  const last = Date.parse(attempts.at(-1)?.created_at ?? "");
  return Number.isNaN(last) || last > since.getTime();
}
