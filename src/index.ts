// The public door. What resources and models export is listed in generated/resources.ts, all else here by name.

export { AdminClient } from "./clients/admin.js";
export type { Client, SharedTransport as Transport } from "./clients/client.js";
export { MainClient } from "./clients/main.js";
export { OrganizationClient } from "./clients/organization.js";
export type { ProviderClient } from "./clients/provider.js";
export { Call, type ResponseInfo, type WithResponse } from "./core/call/call.js";
export type { RawRequest } from "./core/call/raw-request.js";
export type { Clock } from "./core/clock.js";
export {
  ApiError,
  type ApiErrorDetails,
  AuthenticationError,
  BadRequestError,
  CheckpointError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  EducationAdminError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorJson,
  InputError,
  type InputIssue,
  isEducationAdminError,
  NotFoundError,
  type Outcome,
  PaginationError,
  PermissionDeniedError,
  type RateLimitDetails,
  RateLimitError,
  RequestTimeoutError,
  ResponseFormatError,
  ResponseValidationError,
  ServerError,
  UnprocessableEntityError,
} from "./core/errors.js";
export type {
  DriftEvent,
  DriftKind,
  Observers,
  OperationEvent,
  PageEvent,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WaitEvent,
} from "./core/events.js";
export {
  MemoryRateLimitStore,
  type RateLimitStore,
  type Reservation,
  type ReserveRequest,
} from "./core/limits/rate-limit-store.js";
export { type ListIterator, Page, Pages } from "./core/lists/pages.js";
export type { Enumeration, Open } from "./core/model.js";
export type { Api, Method, PagedQuery, PageQuery } from "./core/operation.js";
export type {
  ArrayFormat,
  ClientOptions,
  FetchLike,
  ListOptions,
  Priority,
  RateLimitOptions,
  RequestOptions,
  RetryOptions,
  RouteOverride,
  ValidationMode,
} from "./core/options.js";
export type { RateLimitState } from "./core/transport.js";
export type { OperationId } from "./generated/operation-id.js";
export * from "./generated/resources.js";
