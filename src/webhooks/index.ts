/**
 * The `./webhooks` entry: subscribes to webhooks, verifies and stores deliveries, hands them to listeners and recovers
 * missed ones.
 */
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
export { matchesWebhookPattern } from "./pattern.js";
export { parseWebhook } from "./payload.js";
export { createWebhookHandler, type WebhookHandler } from "./receive/handler.js";
export type { HandlerMode, WaitUntil, WebhookHandlerOptions } from "./receive/handler-options.js";
export { type SignWebhookOptions, signWebhook } from "./receive/sign.js";
export type { SignedWebhooks, WebhookSecrets, WebhookSignature } from "./receive/signature.js";
export type { WebhookHeaders } from "./receive/signature-header.js";
export {
  type NodeWebhookHandler,
  type NodeWebhookRequest,
  type NodeWebhookResponse,
  toNodeHandler,
} from "./receive/to-node-handler.js";
export { type VerifiedWebhook, type VerifyWebhookOptions, verifyWebhook } from "./receive/verify.js";
export {
  type EnsureWebhookClient,
  type EnsureWebhookOptions,
  ensureWebhook,
  type SubscribedWebhook,
  type WantedWebhook,
} from "./service/ensure.js";
export { recoverWebhooks } from "./service/recover.js";
export type {
  RecoverWebhooksClient,
  RecoverWebhooksOptions,
  RecoveryListOptions,
  ShownNotification,
  WebhookRecovery,
} from "./service/recover-options.js";
export {
  type Refetch,
  type RefetchClient,
  type RefetchedRecord,
  type RefetchOptions,
  type RefetchResources,
  refetch,
} from "./service/refetch.js";
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
export type { OutOfOrder } from "./work/dispatcher.js";
export type { WebhookFailing } from "./work/failures.js";
export { type MemoryStoreOptions, memoryStore } from "./work/memory-store.js";
export type { ReportedDelivery, WebhookRefusal, WebhookReport, WebhookReporter } from "./work/reports.js";
export type { WebhookContext, WebhookListener, WebhookListeners, WebhookOn } from "./work/router.js";
export { createWebhookWorker, type GraceOptions, type WebhookHealth, type WebhookWorker } from "./work/worker.js";
export type { WebhookWorkerOptions } from "./work/worker-options.js";
