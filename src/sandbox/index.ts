/**
 * The `./sandbox` entry: the education administration service in memory, for tests and experiments. Works in every
 * runtime with `fetch`, without a network or a key.
 */

export type { FeatureFlag } from "../core/operation.js";
export type { FactoryTypes } from "../generated/factory-types.js";
export type { OperationCall, OperationCalls } from "../generated/operation-calls.js";
export type { Collection, Identified, Records } from "./data/collection.js";
export type { Given } from "./data/given.js";
export type { SandboxMannerOptions, SandboxManners } from "./data/manners.js";
export type {
  CollectionName,
  OrganizationStore,
  SandboxData,
  SentEmail,
  Store,
  StoredCustomAssociation,
  StoredCustomFieldOption,
  StoredCustomRecord,
  StoredProgramElement,
  StoredWebhook,
  StoredWebhookNotification,
} from "./data/store.js";
export type { SandboxSize } from "./data/world.js";
export type { Received, RecordedRequest, SandboxCall, SandboxError, SandboxInput } from "./engine/calls.js";
export type { SandboxClock } from "./engine/clock.js";
export type { DriftFault, Fault, Faults, WebhookFault } from "./engine/fault.js";
export type { SandboxKeyOptions } from "./engine/keys.js";
export type { SandboxLatency } from "./engine/latency.js";
export type { SandboxGrant, SandboxOAuth, SandboxOAuthOptions } from "./engine/oauth.js";
export type { SandboxRateLimit } from "./engine/rate-window.js";
export type {
  SandboxDelivery,
  SandboxWebhookOptions,
  WebhookDeliveryOptions,
  WebhookSubscription,
  WebhookTarget,
} from "./engine/subscription.js";
export type { SandboxWebhooks } from "./engine/webhooks.js";
export {
  type FakeErrorOptions,
  type FakePagesOptions,
  type FakeResponse,
  fakeCall,
  fakeError,
  fakePages,
  fakeResource,
} from "./fakes.js";
export type { Factories, Factory } from "./make.js";
export type { SandboxOptions } from "./options.js";
export { createSandbox, type Sandbox, type SandboxConnection, type SandboxSnapshot } from "./sandbox.js";
export type { Twin } from "./twin.js";
