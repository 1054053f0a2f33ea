import { WebhookPayloadError } from "../errors.js";
import type { WebhookEvent } from "../events.js";
import { parseWebhook } from "../payload.js";
import { identify } from "../receive/identity.js";
import { saysItsState, timeIn } from "../record-version.js";
import {
  type RecoverWebhooksClient,
  type RecoverWebhooksOptions,
  type RecoverySettings,
  type RecoveryState,
  type ShownNotification,
  startOf,
  type WebhookRecovery,
} from "./recover-options.js";

const PAGE = 100;

/**
 * Reads the notifications that the service has stopped sending or will send again, and adds to the inbox those that
 * the receiver missed. Sends one request with the priority `batch` per 100 notifications, and at most two more per
 * subscription. You may run it at every start, or every hour, even while the receiver is working. Afterwards, wake the
 * worker of a `memoryStore` with `handler.wake()`.
 *
 * It is unknown how long the service lists failed notifications, and which events it drops without a notification. An
 * event that the receiver stored but answered too late is recognized as a copy if it has `updated_at` and other fields;
 * otherwise it is handled a second time. When a subscription is deleted, its notifications are lost.
 * @throws InputError if an option is invalid; nothing was sent.
 * @throws ApiError if the service responds with an error, or the inbox's error. Notifications already added stay.
 * @example
 * const inbox = memoryStore();
 * const report = await recoverWebhooks(client, { inbox, since: new Date(Date.now() - 86_400_000) });
 * console.log(report.recovered, report.alreadyReceived, report.until);
 */
export async function recoverWebhooks(
  client: RecoverWebhooksClient,
  options: RecoverWebhooksOptions,
): Promise<WebhookRecovery> {
  const { settings, state } = startOf(options);
  return new Recovery(client, settings, state).run();
}

class Recovery {
  readonly #client: RecoverWebhooksClient;
  readonly #settings: RecoverySettings;
  readonly #state: RecoveryState;

  constructor(client: RecoverWebhooksClient, settings: RecoverySettings, state: RecoveryState) {
    this.#client = client;
    this.#settings = settings;
    this.#state = state;
  }

  async run(): Promise<WebhookRecovery> {
    const webhooks = this.#state.webhooks ?? (await this.#listWebhooks());
    this.#state.webhooks = webhooks;
    for (let webhook = webhooks[0]; webhook; webhook = webhooks[0]) {
      // The failed notifications are read last, to include any that the service gives up on after `#readSent`.
      if (!webhook.sentIsRead) await this.#readSent(webhook.id);
      webhook.sentIsRead = true;
      await this.#readFailed(webhook.id);
      webhooks.shift();
      this.#state.list = null;
    }
    return this.#report();
  }

  async #listWebhooks(): Promise<NonNullable<RecoveryState["webhooks"]>> {
    const { sent, signal } = this.#settings;
    const found: { id: string; sentIsRead: boolean }[] = [];
    for await (const { id, active } of this.#client.webhooks.list({}, { priority: "batch", signal })) {
      // The service retries nothing for an inactive subscription, so `retrying` does not need its sent notifications;
      // `accepted`, which recovers lost deliveries, does.
      found.push({ id, sentIsRead: sent === "none" || (sent === "retrying" && active === false) });
    }
    return found;
  }

  async #readSent(webhookId: string): Promise<void> {
    const { signal, sent } = this.#settings;
    const state = this.#state;
    const since = Date.parse(state.since);
    for await (const one of this.#client.webhooks.listNotifications(webhookId, { priority: "batch", signal })) {
      // Skipped: the list of failed notifications has these too, with their creation times.
      if (one.status === "failed") continue;
      const lastAttempt = timeIn(one.send_attempts?.at(-1)?.created_at);
      const isWanted = sent === "accepted" && one.status === "succeeded" && !(lastAttempt <= since);
      if (isWanted || one.status === "retry") await this.#put(one, isWanted);
      else {
        state.read++;
        state.leftToService++;
      }
    }
  }

  async #readFailed(webhookId: string): Promise<void> {
    const { signal, onPage } = this.#settings;
    const { since: start, list } = this.#state;
    const options = { priority: "batch", signal, ...(list !== null && { resume: list }) } as const;
    const pages = this.#client.webhooks.listFailedNotifications(webhookId, { start, per_page: PAGE }, options).byPage();
    for await (const { records, checkpoint } of pages) {
      for (const one of records) await this.#put(one, true);
      this.#state.list = checkpoint;
      await onPage?.(this.#report());
    }
  }

  /**
   * Adds a notification to the inbox. A notification that the service may still deliver is added only if the inbox can
   * recognize the delivery as a copy.
   */
  async #put(notification: ShownNotification, isLost: boolean): Promise<void> {
    const { inbox, clock, signal } = this.#settings;
    signal?.throwIfAborted();
    const state = this.#state;
    state.read++;
    const payload = JSON.stringify(notification.data) ?? "";
    const event = eventOf(payload);
    if (event === null) {
      state.unreadable.push(notification.id);
      return;
    }
    if (!isLost && !saysItsState(event)) {
      state.leftToService++;
      return;
    }
    const created = timeIn(notification.created_at ?? notification.send_attempts?.[0]?.created_at);
    const stored = await inbox.put({
      // Lets the inbox recognize the event in a second recovery, and in another subscription's notifications.
      ...(await identify({ event, givenId: notification.event_id })),
      event: event.event,
      payload,
      receivedAt: clock.now(),
      // Must be earlier than the signature time, in whole seconds, of the service's own delivery, so that the inbox
      // recognizes that delivery as a duplicate.
      sentAt: Number.isNaN(created) ? null : Math.floor(created / 1_000) * 1_000 - 1,
    });
    if (stored === "stored") state.recovered++;
    else state.alreadyReceived++;
  }

  #report(): WebhookRecovery {
    const { read, recovered, alreadyReceived, leftToService, unreadable, since, startedAt, webhooks } = this.#state;
    const complete = webhooks?.length === 0;
    const until = complete ? Math.max(Date.parse(since), startedAt - this.#settings.overlapMs) : since;
    return {
      read,
      recovered,
      alreadyReceived,
      leftToService,
      unreadable: [...unreadable],
      until: new Date(until),
      complete,
      checkpoint: JSON.stringify(this.#state),
    };
  }
}

function eventOf(payload: string): WebhookEvent | null {
  try {
    return parseWebhook(payload);
  } catch (error) {
    if (error instanceof WebhookPayloadError) return null;
    throw error;
  }
}
