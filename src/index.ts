// The main entry; generated/resources.ts lists the exports of resources and models.

export { AdminClient } from "./clients/admin.js";
export type { Client } from "./clients/client.js";
export { MainClient } from "./clients/main.js";
export { OrganizationClient } from "./clients/organization.js";
export type { ProviderClient } from "./clients/provider.js";
export type { RawListRequest, RawRequest } from "./clients/raw-request.js";
export type {
  StandardIssue,
  StandardOutput,
  StandardResult,
  StandardSchema,
} from "./clients/standard-schema.js";
export { Call, type ResponseInfo, type WithResponse } from "./core/call/call.js";
export type { CallMessage, RequestMessage, TraceEvent } from "./core/call/trace.js";
export type { Clock } from "./core/clock.js";
export type {
  ApiErrorDetails,
  ErrorCode,
  ErrorDetails,
  ErrorJson,
  InputIssue,
  Outcome,
  RateLimitDetails,
} from "./core/error-details.js";
export {
  type AnyEducationAdminError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  CheckpointError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  EducationAdminError,
  type ErrorsByCode,
  InputError,
  isEducationAdminError,
  NotFoundError,
  PaginationError,
  PermissionDeniedError,
  RateLimitError,
  RequestTimeoutError,
  ResponseFormatError,
  ResponseValidationError,
  ServerError,
  UnprocessableEntityError,
} from "./core/errors.js";
export type {
  DeprecatedEvent,
  DriftEvent,
  DriftKind,
  FailureEvent,
  Observers,
  OperationEvent,
  PageEvent,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WaitEvent,
} from "./core/events.js";
export { fieldErrors } from "./core/field-errors.js";
export {
  MemoryRateLimitStore,
  type Priority,
  type RateLimitBlock,
  type RateLimitStore,
  type RateLimitUsage,
  type Reservation,
  type ReserveRequest,
  type Settlement,
} from "./core/limits/rate-limit-store.js";
export type { RateLimitState } from "./core/limits/rate-limiters.js";
export type { ClientHealth } from "./core/line/line.js";
export type { RefusedOperation } from "./core/line/refusals.js";
export type { ListIterator } from "./core/lists/iterator.js";
export { type Page, type PageData, Pages } from "./core/lists/pages.js";
export type {
  Joined,
  JoinOptions,
  OwnReferences,
  ReferenceOf,
  References,
} from "./core/lists/references.js";
export { type Logger, logTo } from "./core/log.js";
export type { Method } from "./core/method.js";
export type { Api, PagedQuery, PageQuery } from "./core/operation.js";
export type {
  ArrayFormat,
  ClientOptions,
  FetchInit,
  FetchLike,
  FetchResponse,
  HeadersOption,
  ListOptions,
  QueryOption,
  RateLimitOptions,
  RequestOptions,
  RetryOptions,
  RouteOverride,
  ValidationMode,
} from "./core/options.js";
export type { Enumeration, Open } from "./core/schema/model.js";
export type { AnySchool, NoSchool, SchoolOption } from "./core/school.js";
export type { OperationId } from "./generated/operation-id.js";
export * from "./generated/resources.js";
export { ListedResource } from "./lookups/listed-resource.js";
export type { ReadPlan, ReadStrategy } from "./lookups/plan.js";
export type { Lookup, LookupField, LookupOptions, Many } from "./lookups/types.js";
// This export also loads the augmentation of `References` for all importers.
export type { ReferenceName } from "./resources/references.js";
