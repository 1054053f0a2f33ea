import { inputError } from "../../core/call/request.js";
import type { InputIssue } from "../../core/error-details.js";
import { ResponseFormatError } from "../../core/errors.js";
import { isPlainObject } from "../../core/json.js";
import { WebhookEventName, type WebhookPattern } from "../events.js";
import { checkPattern, matchesWebhookPattern } from "../pattern.js";

/** A subscription as the client returns it. */
export interface SubscribedWebhook {
  readonly id: string;
  readonly created_at: string;
  readonly url?: string | undefined;
  readonly active?: boolean | undefined;
  readonly events?: readonly string[] | undefined;
}

/** The body that `ensureWebhook` sends. */
export interface WantedWebhook {
  url: string;
  active: boolean;
  events: WebhookEventName[];
}

/** The part of a client that {@link ensureWebhook} uses. */
export interface EnsureWebhookClient<Subscription extends SubscribedWebhook = SubscribedWebhook> {
  readonly webhooks: {
    /** Lists all subscriptions. */
    list(): AsyncIterable<Subscription>;
    /** Creates a subscription. */
    create(body: WantedWebhook): PromiseLike<Subscription>;
    /** Updates a subscription. */
    update(id: string, body: WantedWebhook): PromiseLike<Subscription>;
    /** Deletes a subscription. */
    delete(id: string): PromiseLike<unknown>;
  };
}

/** Options for `ensureWebhook`. */
export interface EnsureWebhookOptions {
  /**
   * The address to which deliveries are sent: a complete `https` URL, or an `http` one for this machine (`localhost`,
   * `127.0.0.1`, `[::1]`). The address identifies the subscription, so each address has only one.
   */
  readonly url: string | URL;
  /**
   * Event names, or patterns of names that this version knows, such as `enrollment.*`, `*.deleted` or `*`. At least
   * one.
   */
  readonly events: readonly WebhookPattern[];
  /** True if the service should send deliveries. Default true. */
  readonly active?: boolean | undefined;
}

interface Wanted extends WantedWebhook {
  readonly patterns: readonly string[];
}

/**
 * Creates the subscription for an address, or corrects the existing one, and returns it. Run it at every start: if
 * nothing differs, it only reads. One update corrects all differences, and keeps unknown events of the subscription
 * that match one of the patterns. Subscriptions returned without an address are ignored; missing events or a missing
 * state count as different.
 *
 * If several processes start at once, one subscription remains: each process deletes its own if another process was
 * first. If a process is killed before that, two subscriptions remain and each event is sent twice. Subscriptions that
 * other people created, or that are for other addresses, are never deleted.
 *
 * The secret that signs the deliveries is on the webhook's settings page in the service; no API operation returns it.
 * @throws InputError if the address, an event or a pattern is invalid or matches nothing; nothing was sent.
 * @throws ApiError if the service responds with an error.
 * @throws ResponseFormatError, with `outcome: "unknown"`, if the response to the create is a subscription for another
 * address.
 * @example
 * const url = "https://hooks.school.example/events";
 * const webhook = await ensureWebhook(client, { url, events: ["enrollment.*", "planned_course.*"] });
 * console.log(webhook.id, webhook.events?.length);
 */
export async function ensureWebhook<Subscription extends SubscribedWebhook>(
  client: EnsureWebhookClient<Subscription>,
  options: EnsureWebhookOptions,
): Promise<Subscription> {
  const wanted = wantedOf(options);
  const { webhooks } = client;
  const correct = async (found: Subscription) =>
    fits(found, wanted) ? found : webhooks.update(found.id, bodyOf(wanted, found));
  const there = await at(wanted.url, webhooks.list());
  const found = there.find((one) => fits(one, wanted)) ?? there[0];
  if (found) return correct(found);
  const made = await webhooks.create(bodyOf(wanted));
  const all = await at(wanted.url, webhooks.list());
  const [first = made] = all;
  if (!sameAddress(first.url ?? wanted.url, wanted.url)) {
    const about = { operation: "webhooks.create", attempts: 1, status: 201, contentType: null, excerpt: "" };
    throw new ResponseFormatError("webhooks.create: the response contains another webhook", about);
  }
  if (first.id === made.id) return first;
  // Another process subscribed first. Corrects its subscription before deleting the new one, so no event is missed.
  const kept = await correct(first);
  // Deletes the new subscription only if the list shows it at this address: the create call may have returned another
  // process's subscription.
  if (all.some(({ id }) => id === made.id)) await webhooks.delete(made.id);
  return kept;
}

/** The subscriptions of an address, in the same order in every process. */
async function at<One extends SubscribedWebhook>(url: string, all: AsyncIterable<One>): Promise<One[]> {
  const found: One[] = [];
  for await (const one of all) if (one.url !== undefined && sameAddress(one.url, url)) found.push(one);
  return found.sort(
    (one, other) =>
      Date.parse(one.created_at) - Date.parse(other.created_at) ||
      one.id.length - other.id.length ||
      (one.id < other.id ? -1 : 1),
  );
}

function sameAddress(one: string, other: string): boolean {
  return one === other || (URL.canParse(one) && new URL(one).href === new URL(other).href);
}

function fits({ active, events = [] }: SubscribedWebhook, wanted: Wanted): boolean {
  if (active !== wanted.active) return false;
  return wanted.events.every((name) => events.includes(name)) && events.every((name) => isWanted(name, wanted));
}

function isWanted(name: string, { patterns }: Wanted): boolean {
  return patterns.some((pattern) => matchesWebhookPattern(pattern, name));
}

/** Keeps events that a newer version of the library, or a person, has added to the subscription. */
function bodyOf(wanted: Wanted, found?: SubscribedWebhook): WantedWebhook {
  const { url, active, events } = wanted;
  const unknown = (found?.events ?? []).filter((name) => !WebhookEventName.is(name) && isWanted(name, wanted));
  return { url, active, events: [...events, ...(unknown as WebhookEventName[])] };
}

function wantedOf(options: EnsureWebhookOptions): Wanted {
  const issues: InputIssue[] = [];
  const { url, events, active = true, ...others } = isPlainObject(options) ? options : ({} as EnsureWebhookOptions);
  for (const name of Object.keys(others)) issues.push({ path: name, message: "is not an option" });
  const problem = problemOfAddress(url);
  if (problem !== null) issues.push({ path: "url", message: problem });
  if (typeof active !== "boolean") issues.push({ path: "active", message: "must be true or false" });
  const patterns: readonly unknown[] = Array.isArray(events) ? events : [];
  if (patterns.length === 0) issues.push({ path: "events", message: "must be a list of at least one event" });
  for (const [index, pattern] of patterns.entries()) {
    const message = problemOfPattern(pattern);
    if (message !== null) issues.push({ path: `events[${index}]`, message });
  }
  if (issues.length > 0) throw inputError("ensureWebhook", issues);
  const texts = patterns as readonly string[];
  const names = WebhookEventName.values.filter((name) => texts.some((one) => matchesWebhookPattern(one, name)));
  return { url: String(url), active, events: names, patterns: texts };
}

// Messages never contain an address, because some receivers' addresses contain a secret.
function problemOfAddress(url: unknown): string | null {
  const text = url instanceof URL ? url.href : url;
  if (typeof text !== "string" || !URL.canParse(text)) return "must be a complete https address";
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== "" || password !== "") return "must not contain a user name or a password";
  if (hash !== "") return "must not have a part after #, which is never sent";
  if (protocol === "https:") return null;
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost") || /^(127\.|\[::1\]$)/.test(hostname);
  return protocol === "http:" && isLocal ? null : "must be an https address; http is for this machine only";
}

function problemOfPattern(pattern: unknown): string | null {
  try {
    checkPattern(pattern);
  } catch {
    return 'must be the name of an event, "invoice.*", "*.deleted" or "*"';
  }
  if (WebhookEventName.values.some((name) => matchesWebhookPattern(pattern, name))) return null;
  return `matches none of the ${WebhookEventName.values.length} known events`;
}
