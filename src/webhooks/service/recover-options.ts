import { inputError } from "../../core/call/request.js";
import { type Clock, systemClock } from "../../core/clock.js";
import type { InputIssue } from "../../core/error-details.js";
import { isPlainObject } from "../../core/json.js";
import type { WebhookInbox } from "../store.js";

/**
 * A notification as the client returns it. In the list of failed notifications, it has `created_at`; in the list
 * of all notifications, `send_attempts`.
 */
export interface ShownNotification {
  readonly id: string;
  readonly event_id: string;
  readonly data: unknown;
  readonly status: string;
  readonly created_at?: string | undefined;
  readonly send_attempts?: readonly { readonly created_at: string }[] | undefined;
}

/** Options for listing subscriptions and notifications. */
export interface RecoveryListOptions {
  readonly priority: "batch";
  readonly resume?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The part of a client that `recoverWebhooks` uses. */
export interface RecoverWebhooksClient {
  readonly webhooks: {
    /** Lists all subscriptions. */
    list(
      query: Record<never, never>,
      options: Omit<RecoveryListOptions, "resume">,
    ): AsyncIterable<{ readonly id: string; readonly active?: boolean | undefined }>;
    /** Lists all notifications of a subscription. */
    listNotifications(
      webhookId: string,
      options: Omit<RecoveryListOptions, "resume">,
    ): AsyncIterable<ShownNotification>;
    /** Lists the notifications that the service has given up on, in pages. */
    listFailedNotifications(
      webhookId: string,
      query: { start: string; per_page: number },
      options: RecoveryListOptions,
    ): {
      /** Iterates over the pages, each with the checkpoint from which to resume after that page. */
      byPage(): AsyncIterable<{ readonly records: readonly ShownNotification[]; readonly checkpoint: string }>;
    };
  };
}

/** Options for `recoverWebhooks`. */
export interface RecoverWebhooksOptions {
  /** The receiver's inbox. Another inbox would also store notifications that the receiver already has. */
  readonly inbox: WebhookInbox;
  /**
   * Recovers notifications created after this time: the start of the outage, or the last recovery's `until`. A time
   * in the future, which a wrong clock produced, counts as `overlapMs` ago.
   */
  readonly since: Date | string;
  /**
   * The subscription, or its id. Default: all subscriptions of the school, each of which takes one or two more
   * requests. An event that was sent to several of them is recovered once.
   */
  readonly webhook?: string | { readonly id: string } | undefined;
  /**
   * Which notifications to recover in addition to those that the service has stopped sending. `retrying`, the default:
   * those that the receiver did not accept and the service will send again, if the inbox can recognize the repeated
   * delivery as a copy. `accepted`: also those accepted after `since`, in case the inbox was lost, or a host responded
   * for an unavailable receiver. `none`: none.
   */
  readonly sent?: "retrying" | "accepted" | "none" | undefined;
  /**
   * Milliseconds by which `until` precedes the start of this recovery. The service lists failed notifications by
   * creation time, but only once it has stopped sending them, so this must exceed the time for which it keeps trying,
   * which is undocumented. Default one day.
   */
  readonly overlapMs?: number | undefined;
  /**
   * The `checkpoint` from the last report of a recovery that ended early; resumes that recovery with its `since` and
   * `webhook`.
   */
  readonly checkpoint?: string | undefined;
  /**
   * Called with the report so far once the notifications of a page are in the inbox. The recovery waits for the
   * returned promise.
   */
  readonly onPage?: ((report: WebhookRecovery) => unknown) | undefined;
  /** Aborting this signal ends the recovery, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The clock, for tests. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** The report of a recovery. */
export interface WebhookRecovery {
  /** Number of notifications read. */
  readonly read: number;
  /** Number of notifications added to the inbox. */
  readonly recovered: number;
  /** Number of notifications that the inbox already had, from the receiver or an earlier recovery. */
  readonly alreadyReceived: number;
  /** Number of notifications not added, because the receiver accepted them or the service will send them again. */
  readonly leftToService: number;
  /** Identifiers of notifications whose `data` is not an event. */
  readonly unreadable: readonly string[];
  /**
   * The `since` for the next recovery: everything before it has been recovered. Until `complete` is true, the `since`
   * of this recovery.
   */
  readonly until: Date;
  /** True once all notifications have been read. */
  readonly complete: boolean;
  /** Resumes the recovery after the last page. Contains only identifiers, times and counts. */
  readonly checkpoint: string;
}

export interface RecoverySettings {
  readonly inbox: WebhookInbox;
  readonly sent: "retrying" | "accepted" | "none";
  readonly overlapMs: number;
  readonly onPage: RecoverWebhooksOptions["onPage"];
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** The progress of a recovery; its JSON is the checkpoint. */
export interface RecoveryState {
  readonly v: 1;
  readonly since: string;
  readonly startedAt: number;
  /** Subscriptions not yet read to their end, the current one first; null before the subscriptions are listed. */
  webhooks: { readonly id: string; sentIsRead: boolean }[] | null;
  /** The checkpoint in the current subscription's list of failed notifications. */
  list: string | null;
  read: number;
  recovered: number;
  alreadyReceived: number;
  leftToService: number;
  readonly unreadable: string[];
}

const OPTIONS = ["inbox", "since", "webhook", "sent", "overlapMs", "checkpoint", "onPage", "signal", "clock"];
const DAY_MS = 86_400_000;

/** Checks the options of a recovery. @throws InputError naming all invalid ones. */
export function startOf(options: RecoverWebhooksOptions): { settings: RecoverySettings; state: RecoveryState } {
  const given: Partial<RecoverWebhooksOptions> = isPlainObject(options) ? options : {};
  const issues: InputIssue[] = [];
  const must = (holds: boolean, path: string, message: string) => {
    if (!holds) issues.push({ path, message });
  };
  const { inbox, sent = "retrying", overlapMs = DAY_MS, onPage, signal } = given;
  const { clock = systemClock } = given;
  for (const name of Object.keys(given)) must(OPTIONS.includes(name), name, "is not an option");
  must(typeof inbox?.put === "function", "inbox", "must be an object with a `put` method");
  must(["retrying", "accepted", "none"].includes(sent), "sent", 'must be "retrying", "accepted" or "none"');
  must(Number.isFinite(overlapMs) && overlapMs >= 0, "overlapMs", "must be a number of at least 0");
  must(onPage === undefined || typeof onPage === "function", "onPage", "must be a function");
  const state =
    given.checkpoint === undefined ? newState(given, sent, overlapMs, clock, must) : readState(given.checkpoint);
  must(state !== null, "checkpoint", "is not the checkpoint of a recoverWebhooks report");
  if (issues.length > 0 || !inbox || !state) throw inputError("recoverWebhooks", issues);
  return { settings: { inbox, sent, overlapMs, onPage, signal, clock }, state };
}

function newState(
  { since, webhook }: Partial<RecoverWebhooksOptions>,
  sent: RecoverySettings["sent"],
  overlapMs: number,
  clock: Clock,
  must: (holds: boolean, path: string, message: string) => void,
): RecoveryState {
  const time = since instanceof Date ? since : new Date(typeof since === "string" ? since : Number.NaN);
  const now = clock.now();
  const isTime = !Number.isNaN(time.getTime());
  must(isTime, "since", "must be a time");
  const id = isPlainObject(webhook) ? webhook.id : webhook;
  must(webhook === undefined || (typeof id === "string" && id !== ""), "webhook", "must be a subscription or its id");
  return {
    v: 1,
    since: isTime ? new Date(time.getTime() > now ? now - overlapMs : time).toISOString() : "",
    startedAt: now,
    webhooks: typeof id === "string" ? [{ id, sentIsRead: sent === "none" }] : null,
    list: null,
    read: 0,
    recovered: 0,
    alreadyReceived: 0,
    leftToService: 0,
    unreadable: [],
  };
}

function readState(text: unknown): RecoveryState | null {
  try {
    const state: unknown = JSON.parse(String(text));
    return isPlainObject(state) && state.v === 1 && isState(state) ? (state as unknown as RecoveryState) : null;
  } catch {
    return null;
  }
}

function isState({ since, startedAt, webhooks, list, unreadable, ...counts }: Record<string, unknown>): boolean {
  const isWebhook = (one: unknown) => isPlainObject(one) && typeof one.id === "string";
  return (
    !Number.isNaN(Date.parse(String(since))) &&
    Number.isFinite(startedAt) &&
    (webhooks === null || (Array.isArray(webhooks) && webhooks.every(isWebhook))) &&
    (list === null || typeof list === "string") &&
    Array.isArray(unreadable) &&
    ["read", "recovered", "alreadyReceived", "leftToService"].every((name) => Number.isInteger(counts[name]))
  );
}
