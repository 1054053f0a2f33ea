// Exports functions and constants as a library based on this package would: every type in their signatures needs a
// name.
import {
  type Account,
  type AccountQuery,
  type Call,
  type Course,
  type EducationAdminError,
  isEducationAdminError,
  type ListOptions,
  MainClient,
  type Pages,
  type RequestOptions,
  type ResponseInfo,
} from "education-admin-sdk";
import { accountSchema, type InvoiceStatus } from "education-admin-sdk/schemas";
import { createWebhookHandler, type WebhookHandler } from "education-admin-sdk/webhooks";

export function accounts(client: MainClient, query: AccountQuery, options?: ListOptions): Pages<Account> {
  return client.accounts.list(query, options);
}

export function course(client: MainClient, id: number, options?: RequestOptions): Call<Course> {
  return client.courses.get(id, options);
}

export function connect(baseUrl: string, apiKey: string): MainClient {
  return new MainClient({ baseUrl, apiKey });
}

export function reason(error: unknown): EducationAdminError | null {
  return isEducationAdminError(error) ? error : null;
}

export function status(response: ResponseInfo): number {
  return response.status;
}

export function isAccount(value: unknown): value is Account {
  return accountSchema.safeParse(value).success;
}

export const open: InvoiceStatus = "open";
export const receive: WebhookHandler = createWebhookHandler({ onEvent: () => undefined, signature: false });
