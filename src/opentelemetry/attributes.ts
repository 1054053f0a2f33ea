import type { Attributes } from "@opentelemetry/api";
import type { CallMessage, RequestMessage } from "../core/call/trace.js";
import { ApiError, EducationAdminError } from "../core/errors.js";

/** OpenTelemetry's conventions for HTTP clients define the first three of these names. */
const STATUS = "http.response.status_code";
export const RESEND_COUNT = "http.request.resend_count";
export const ERROR_TYPE = "error.type";
export const OPERATION = "education_admin.operation";
export const ATTEMPTS = "education_admin.attempts";

export function serverOf(baseUrl: string): Attributes {
  const { protocol, hostname, port } = new URL(baseUrl);
  const scheme = protocol.slice(0, -1);
  return {
    "url.scheme": scheme,
    "server.address": hostname,
    "server.port": Number(port) || (scheme === "https" ? 443 : 80),
  };
}

/**
 * Attributes of a call that are known before it is sent. Raw requests get no `url.template`, because their path may
 * contain an identifier.
 */
export function callAttributes({ operation, method, template, client }: CallMessage): Attributes {
  return {
    "http.request.method": method,
    ...serverOf(client.baseUrl),
    ...(operation !== null && { [OPERATION]: operation }),
    ...(template !== null && { "url.template": absolute(template, client.baseUrl) }),
  };
}

/** The URL of a request without its query, with parameter names in place of the values in its path. */
export function fullUrl({ template, client }: CallMessage): Attributes {
  const { origin } = new URL(client.baseUrl);
  return { "url.full": origin + (template === null ? "/[redacted]" : absolute(template, client.baseUrl)) };
}

export function requestOutcome({ status, failure, code }: RequestMessage): Attributes {
  return {
    ...(status !== undefined && { [STATUS]: status }),
    ...(failure !== undefined
      ? { [ERROR_TYPE]: code ?? failure }
      : (status ?? 0) >= 400 && { [ERROR_TYPE]: String(status) }),
  };
}

/** A call's outcome, without error messages, because they may repeat values that were sent. */
export function callOutcome(message: CallMessage): Attributes {
  return {
    ...(message.status !== undefined && { [STATUS]: message.status }),
    ...("error" in message && { [ERROR_TYPE]: errorType(message.error) }),
  };
}

function errorType(error: unknown): string {
  // A successful response can contain an error body, whose code is then the error type.
  if (error instanceof ApiError) return String(error.status < 400 ? (error.apiCode ?? error.status) : error.status);
  if (error instanceof EducationAdminError) return error.name;
  // An abort reason may be any value; the platform itself uses only these two names.
  const name = error instanceof Error ? error.name : "";
  return name === "AbortError" || name === "TimeoutError" ? name : "_OTHER";
}

function absolute(template: string, baseUrl: string): string {
  return `${new URL(baseUrl).pathname.replace(/\/$/, "")}/${template}`;
}
