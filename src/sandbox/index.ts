/**
 * The `./sandbox` entry: the education administration service in memory, for tests and for trying things by hand.
 * Works in every runtime with `fetch`, needs no network and no key.
 */
export type { FeatureFlag } from "./behaviour.js";
export type { SandboxClock } from "./clock.js";
export type { Collection, Identified, Records, RecordsBase } from "./collection.js";
export type { RecordedRequest } from "./engine.js";
export type { DriftFault, Fault, Faults } from "./faults.js";
export type { SandboxKeyOptions } from "./keys.js";
export type { Factories, Factory } from "./make.js";
export type { SandboxRateLimit } from "./rate-window.js";
export type {
  PlannedCourse,
  SentEmail,
  StoredCustomAssociation,
  StoredCustomFieldOption,
  StoredCustomRecord,
  User,
} from "./records.js";
export { createSandbox, type Sandbox, type SandboxConnection, type SandboxOptions } from "./sandbox.js";
export type { SandboxSize } from "./seed/world.js";
export type { OrganizationStore, Store } from "./store.js";
export type {
  SandboxDelivery,
  SandboxWebhooks,
  WebhookFault,
  WebhookSubscription,
  WebhookTarget,
} from "./webhooks.js";
