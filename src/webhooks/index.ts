export type { OutOfOrder } from "./dispatcher.js";
export {
  type EnsureWebhookClient,
  type EnsureWebhookOptions,
  ensureWebhook,
  type SubscribedWebhook,
  type WantedWebhook,
} from "./ensure.js";
export {
  WebhookListenerTimeoutError,
  WebhookPayloadError,
  type WebhookPayloadReason,
  WebhookRecordBusyError,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from "./errors.js";
export {
  type WebhookEvent,
  type WebhookEventAction,
  type WebhookEventData,
  WebhookEventName,
  type WebhookEventOf,
  type WebhookEventPrefix,
  type WebhookPattern,
} from "./events.js";
export { createWebhookHandler, type WebhookHandler } from "./handler.js";
export type { HandlerMode, WaitUntil, WebhookHandlerOptions } from "./handler-options.js";
export { type MemoryStoreOptions, memoryStore } from "./memory-store.js";
export { matchesWebhookPattern } from "./pattern.js";
export { parseWebhook } from "./payload.js";
export { recoverWebhooks } from "./recover.js";
export type {
  RecoverWebhooksClient,
  RecoverWebhooksOptions,
  RecoveryListOptions,
  ShownNotification,
  WebhookRecovery,
} from "./recover-options.js";
export {
  type Refetch,
  type RefetchClient,
  type RefetchedRecord,
  type RefetchOptions,
  type RefetchResources,
  refetch,
} from "./refetch.js";
export type { ReportedDelivery, WebhookRefusal, WebhookReport, WebhookReporter } from "./reports.js";
export type { WebhookContext, WebhookListener, WebhookListeners, WebhookOn } from "./router.js";
export type { WebhookHeaders, WebhookScheme } from "./scheme.js";
export { type SignWebhookOptions, signWebhook } from "./sign.js";
export type {
  CustomWebhooks,
  SignedWebhooks,
  UrlSecretWebhooks,
  WebhookSecrets,
  WebhookSignature,
} from "./signature.js";
export type {
  ReceivedDelivery,
  RecordVersion,
  TakenDelivery,
  TakeRequest,
  WebhookDelivery,
  WebhookInbox,
  WebhookRecords,
  WebhookStore,
} from "./store.js";
export {
  type NodeWebhookHandler,
  type NodeWebhookRequest,
  type NodeWebhookResponse,
  toNodeHandler,
} from "./to-node-handler.js";
export { type VerifiedWebhook, type VerifyWebhookOptions, verifyWebhook } from "./verify.js";
export { createWebhookWorker, type GraceOptions, type WebhookWorker } from "./worker.js";
export type { WebhookWorkerOptions } from "./worker-options.js";
