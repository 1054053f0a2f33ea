import { type Clock, systemClock } from "../../core/clock.js";
import type { InputIssue } from "../../core/error-details.js";
import { isObject } from "../checks.js";
import type { WebhookInbox } from "../store.js";
import { inputError } from "./input-error.js";

/** A notification as a client reads it; the list of failed ones has `created_at`, the other one `send_attempts`. */
export interface ShownNotification {
  readonly id: string;
  readonly event_id: string;
  readonly data: unknown;
  readonly status: string;
  readonly created_at?: string | undefined;
  readonly send_attempts?: readonly { readonly created_at: string }[] | undefined;
}

/** How lists are read here. */
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
    /** Lists what one subscription has sent, whole. */
    listNotifications(
      webhookId: string,
      options: Omit<RecoveryListOptions, "resume">,
    ): AsyncIterable<ShownNotification>;
    /** Lists what the service has given up, in pages. */
    listFailedNotifications(
      webhookId: string,
      query: { start: string; per_page: number },
      options: RecoveryListOptions,
    ): {
      /** The pages, with the checkpoint to go on after each. */
      byPage(): AsyncIterable<{ readonly records: readonly ShownNotification[]; readonly checkpoint: string }>;
    };
  };
}

/** Options of `recoverWebhooks`. */
export interface RecoverWebhooksOptions {
  /** Where the receiver keeps its deliveries. The same one, or copies are not recognised. */
  readonly inbox: WebhookInbox;
  /** Recovers notifications created after this time: the start of the outage, or `until` of the last recovery. */
  readonly since: Date | string;
  /**
   * The subscription, or its id. Default: all of the school, each at one or two requests more; an event that several of
   * them were told of is recovered once.
   */
  readonly webhook?: string | { readonly id: string } | undefined;
  /**
   * What else to recover besides what the service has given up on. `retrying`, the default: what was sent, not accepted and is to
   * be sent again, when its delivery can be recognised. `accepted`: also what was accepted since then, for an inbox that was
   * lost, or a host that answered for a receiver that was unavailable. `none`: nothing.
   */
  readonly sent?: "retrying" | "accepted" | "none" | undefined;
  /**
   * Milliseconds by which `until` lies before the start of the recovery. A notification is listed once the service has given
   * it up, by the time it was created, so this must exceed how long the service tries, which is not described. Default one day.
   */
  readonly overlapMs?: number | undefined;
  /** Continues a recovery that ended early: `checkpoint` of its last report. `since` and `webhook` are then those of its start. */
  readonly checkpoint?: string | undefined;
  /** Called after each page with the report so far, once its notifications are in the inbox; waited for. */
  readonly onPage?: ((report: WebhookRecovery) => unknown) | undefined;
  /** Ends the recovery with the signal's reason; the last report's `checkpoint` continues it. */
  readonly signal?: AbortSignal | undefined;
  /** Time, for tests. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** What a recovery did. */
export interface WebhookRecovery {
  /** Notifications read. */
  readonly read: number;
  /** Put into the inbox, which did not have them. */
  readonly recovered: number;
  /** In the inbox before, received or recovered. */
  readonly alreadyReceived: number;
  /** Not put: the receiver has accepted them, or the service is still to send them. */
  readonly leftToService: number;
  /** Identifiers of notifications whose `data` is not an event. */
  readonly unreadable: readonly string[];
  /** The `since` of the next recovery: everything before it is recovered. While it is not complete: the `since` of this one. */
  readonly until: Date;
  /** True once everything was read. */
  readonly complete: boolean;
  /** Continues after the last page. Holds identifiers, times and counts only. */
  readonly checkpoint: string;
}

/** The options of a recovery, checked and with their defaults. */
export interface RecoverySettings {
  readonly inbox: WebhookInbox;
  readonly sent: "retrying" | "accepted" | "none";
  readonly overlapMs: number;
  readonly onPage: RecoverWebhooksOptions["onPage"];
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** Where a recovery is; its JSON is the checkpoint. */
export interface RecoveryState {
  readonly v: 1;
  readonly since: string;
  readonly startedAt: number;
  /** Subscriptions that are not read to their end, the current one first; null before they are listed. */
  webhooks: { readonly id: string; sentIsRead: boolean }[] | null;
  /** Checkpoint of the list of failed notifications of the current one. */
  list: string | null;
  read: number;
  recovered: number;
  alreadyReceived: number;
  leftToService: number;
  readonly unreadable: string[];
}

const OPTIONS = ["inbox", "since", "webhook", "sent", "overlapMs", "checkpoint", "onPage", "signal", "clock"];
const DAY_MS = 86_400_000;

/** Checks the options of a recovery. @throws InputError naming all that make no sense. */
export function startOf(options: RecoverWebhooksOptions): { settings: RecoverySettings; state: RecoveryState } {
  const given: Partial<RecoverWebhooksOptions> = isObject(options) ? options : {};
  const issues: InputIssue[] = [];
  const must = (holds: boolean, path: string, message: string) => {
    if (!holds) issues.push({ path, message });
  };
  const { inbox, sent = "retrying", overlapMs = DAY_MS, onPage, signal } = given;
  const { clock = systemClock } = given;
  for (const name of Object.keys(given)) must(OPTIONS.includes(name), name, "is not an option");
  must(typeof inbox?.put === "function", "inbox", "must be an object with the method put");
  must(["retrying", "accepted", "none"].includes(sent), "sent", 'must be "retrying", "accepted" or "none"');
  must(Number.isFinite(overlapMs) && overlapMs >= 0, "overlapMs", "must be a number of at least 0");
  must(onPage === undefined || typeof onPage === "function", "onPage", "must be a function");
  const state = given.checkpoint === undefined ? newState(given, sent, clock, must) : readState(given.checkpoint);
  must(state !== null, "checkpoint", "is not one of a report of recoverWebhooks");
  if (issues.length > 0 || !inbox || !state) throw inputError("recoverWebhooks", issues);
  return { settings: { inbox, sent, overlapMs, onPage, signal, clock }, state };
}

function newState(
  { since, webhook }: Partial<RecoverWebhooksOptions>,
  sent: RecoverySettings["sent"],
  clock: Clock,
  must: (holds: boolean, path: string, message: string) => void,
): RecoveryState {
  const time = since instanceof Date ? since : new Date(typeof since === "string" ? since : Number.NaN);
  const isTime = !Number.isNaN(time.getTime());
  must(isTime, "since", "must be a time");
  must(
    !(time.getTime() > clock.now()),
    "since",
    "lies in the future: a clock is wrong, or was when the last recovery said `until`",
  );
  const id = isObject(webhook) ? webhook.id : webhook;
  must(webhook === undefined || (typeof id === "string" && id !== ""), "webhook", "must be a subscription or its id");
  return {
    v: 1,
    since: isTime ? time.toISOString() : "",
    startedAt: clock.now(),
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
    return isObject(state) && state.v === 1 && isState(state) ? (state as unknown as RecoveryState) : null;
  } catch {
    return null;
  }
}

function isState({ since, startedAt, webhooks, list, unreadable, ...counts }: Record<string, unknown>): boolean {
  const isWebhook = (one: unknown) => isObject(one) && typeof one.id === "string";
  return (
    !Number.isNaN(Date.parse(String(since))) &&
    Number.isFinite(startedAt) &&
    (webhooks === null || (Array.isArray(webhooks) && webhooks.every(isWebhook))) &&
    (list === null || typeof list === "string") &&
    Array.isArray(unreadable) &&
    ["read", "recovered", "alreadyReceived", "leftToService"].every((name) => Number.isInteger(counts[name]))
  );
}
