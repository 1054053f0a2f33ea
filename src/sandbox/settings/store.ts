import type { Department } from "../../resources/settings/departments.js";
import type { Educator } from "../../resources/settings/educators.js";
import type { Referral } from "../../resources/settings/referrals.js";
import type { SignupQuestion } from "../../resources/settings/signup-questions.js";
import type { WebhookNotificationStatus, WebhookSendAttempt } from "../../resources/settings/webhooks.js";
import type { Collection, Identified } from "../data/collection.js";

/** A webhook as the store keeps it: under a number, which the APIs show as text (`webhook-1`). */
export interface StoredWebhook extends Identified {
  url: string;
  active: boolean;
  /** Names of events, or patterns such as `invoice.*`; the APIs show the known names that match. */
  events: string[];
  created_at: string;
  updated_at: string;
}

/** A notification as the store keeps it: under a number, which the APIs show as text (`notification-1`). */
export interface StoredWebhookNotification extends Identified {
  /** The number of its webhook. */
  webhook_id: number;
  /** The identifier of the delivery, which is the same for every webhook that is told of the event. */
  event_id: string;
  /** The body of the delivery. */
  data: Record<string, unknown>;
  status: WebhookNotificationStatus;
  send_attempts: WebhookSendAttempt[];
  created_at: string;
}

/** The sandbox's educator with its departments, sign-up questions and webhooks. */
export interface SettingsStore {
  readonly departments: Collection<Department & Identified>;
  /** Holds exactly one educator. */
  readonly educators: Collection<Educator>;
  readonly referrals: Collection<Referral>;
  /** Define the custom fields of records: a value of `custom` that is written must be one that they allow. */
  readonly signupQuestions: Collection<SignupQuestion>;
  /** Active ones are told of every event of theirs. */
  readonly webhooks: Collection<StoredWebhook>;
  /** What was sent, at most the last 1,000 of each webhook unless `webhooks.keptNotifications` says otherwise. */
  readonly webhookNotifications: Collection<StoredWebhookNotification>;
}
