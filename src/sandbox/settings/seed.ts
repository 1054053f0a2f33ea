import * as z from "zod/mini";
import type { SignupQuestion } from "../../generated/resources.js";
import { dateTime } from "../../models/dates.js";
import { WebhookNotificationStatus, webhookSendAttemptSchema } from "../../resources/settings/webhooks.js";
import type { Columns } from "../data/collection.js";
import type { Seeds } from "../data/domain.js";
import { nameColumn } from "../data/row-maker.js";
import type { FieldDefinition, SeededSchool } from "../data/school.js";
import type { StoredWebhookNotification } from "../data/store.js";
import { postalAddress } from "../data/words.js";
import { timestamps, type World } from "../data/world.js";

export function settingsSeeds({ school, manners }: World) {
  return {
    departments: {
      count: DEPARTMENTS.length,
      stored: () => ({ id: z.int(), name: z.string() }),
      columns: nameColumn(DEPARTMENTS),
    },
    educators: {
      count: 1,
      columns: {
        slug: () => "sandbox",
        standard_planning_text: () => null,
        default_invoice_vat_multiplier: () => "1.21",
        phone: () => "+44 1632 960000",
        website_url: () => "https://www.example.org",
        signup_default_account_type: () => "personal",
        signup_contact_info: () => "Write to info@example.org.",
        currency: () => manners.currency,
        country: () => "NL",
        email: () => "info@example.org",
        time_zone: () => manners.timeZone,
        name: () => "Sandbox Academy",
        locale: () => "en",
        terms_url: () => "https://www.example.org/terms",
        invoice_address: (_, random) => postalAddress(random, "Sandbox Academy"),
      },
      event: "educator",
      always: true,
    },
    referrals: { count: REFERRALS.length, columns: nameColumn(REFERRALS) },
    signupQuestions: { count: school.fields.length, columns: signupQuestionColumns(school), always: true },
    webhooks: {
      count: 1,
      stored: () => ({ id: z.int(), url: z.string(), active: z.boolean(), events: z.array(z.string()) }),
      columns: {
        // The seeded webhook is inactive, so that a new sandbox sends nothing.
        url: () => "https://hooks.example.org/school",
        active: ({ id }) => id !== 1,
        events: () => ["account.created"],
        ...timestamps(1),
      },
    },
    webhookNotifications: {
      count: NOTIFICATION_COUNT,
      stored: () => ({
        id: z.int(),
        webhook_id: z.int(),
        event_id: z.string(),
        data: z.record(z.string(), z.unknown()),
        status: WebhookNotificationStatus.open,
        send_attempts: z.array(webhookSendAttemptSchema),
        created_at: dateTime(),
      }),
      columns: webhookNotificationColumns,
    },
  } satisfies Partial<Seeds>;
}

const DEPARTMENTS = ["Open enrollment", "In company", "Online", "Research"] as const;

const REFERRALS = ["Search engine", "A colleague", "Newsletter", "Trade fair", "Social media"] as const;

function signupQuestionColumns({ fields }: SeededSchool): Columns<SignupQuestion> {
  const definitionOf = (id: number): FieldDefinition | undefined => fields[id - 1];
  return {
    position: ({ id }) => id,
    field_type: ({ id }, _, { given }) =>
      definitionOf(id)?.field_type ?? (given.choices && given.choices.length > 0 ? "select" : "string"),
    title: ({ id, slug }) => definitionOf(id)?.title ?? slug,
    slug: ({ id }) => definitionOf(id)?.slug ?? `question_${id}`,
    required: ({ id }) => definitionOf(id)?.required ?? false,
    for_type: ({ id }) => definitionOf(id)?.for_type ?? "user",
    visibility: ({ id }) => [...(definitionOf(id)?.visibility ?? [])],
    for_student: ({ visibility }) => visibility.includes("student"),
    for_customer: ({ visibility }) => visibility.includes("customer"),
    choices: ({ id, field_type: type }) => {
      const { choices = type === "select" || type === "multiselect" ? ["yes", "no"] : [] } = definitionOf(id) ?? {};
      return [...choices];
    },
    system_name: () => null,
    use_as_duplicate_indicator: () => false,
  };
}

const NOTIFICATION_COUNT = 5;

// Notifications of the seeded webhook about the first accounts; the receiver refused the last notification.
const webhookNotificationColumns: Columns<StoredWebhookNotification> = {
  webhook_id: () => 1,
  event_id: ({ id }) => `event-${id}`,
  data: ({ id }) => ({
    tenant_id: "00000000-0000-4000-8000-000000000000",
    educator: "sandbox",
    event: "account.created",
    event_data: { id, type: "account" },
  }),
  status: ({ id }) => (id === NOTIFICATION_COUNT ? "failed" : "succeeded"),
  send_attempts: ({ status, created_at }) => [
    { response: "", status_code: status === "failed" ? 503 : 204, created_at },
  ],
  created_at: ({ id }, _, { inserted, now, moment }) => (inserted ? now : moment(id - 364, 9, id)),
};
