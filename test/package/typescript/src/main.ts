// Code as a user of TypeScript writes it. The lines marked as errors prove that the types exist: if a declaration
// cannot be resolved, everything is any and nothing is an error.
import {
  type Account,
  type AccountCreate,
  AdminClient,
  type Invoice,
  MainClient,
  NotFoundError,
  OrganizationClient,
  type Page,
  RateLimitError,
} from "education-admin-sdk";
import { accountSchema, InvoiceStatus } from "education-admin-sdk/schemas";
import { verifyWebhook } from "education-admin-sdk/webhooks";

export const client: MainClient = new MainClient({ baseUrl: "https://school.example", apiKey: "key" });

export async function businessAccounts(): Promise<Account[]> {
  const found: Account[] = [];
  for await (const account of client.accounts.list({ account_type: "business" })) {
    // @ts-expect-error an id is a number
    const wrong: string = account.id;
    void wrong;
    found.push(account);
  }
  return found;
}

export async function pages(): Promise<number> {
  let records = 0;
  for await (const page of client.invoices.list({ status: ["open"] }).byPage()) {
    const typed: Page<Invoice> = page;
    // @ts-expect-error a page has no such field
    void page.totals;
    records += typed.records.length;
  }
  for await (const contact of client.organization.contacts.list().take(3)) {
    // @ts-expect-error an id is not a function
    contact.id();
  }
  return records;
}

export async function create(name: string): Promise<number> {
  const body: AccountCreate = { name, email: null };
  // @ts-expect-error an unknown field is a typo
  void client.accounts.create({ name, naem: "" });
  const { data, response } = await client.accounts.create(body).withResponse();
  // @ts-expect-error the status is a number
  response.status.toUpperCase();
  return data.id;
}

export async function missing(): Promise<number | null> {
  try {
    await client.accounts.get(1);
    return null;
  } catch (error) {
    if (error instanceof RateLimitError) return error.retryAfterMs;
    if (error instanceof NotFoundError) return error.status;
    throw error;
  }
}

// @ts-expect-error the Main API has no certificates
void client.certificates;
// @ts-expect-error the Admin API has no invoices
void new AdminClient({ baseUrl: "https://school.example", apiKey: "key" }).invoices;
void new OrganizationClient({ baseUrl: "https://school.example", apiKey: "key" }).contacts;

export const values: readonly string[] = InvoiceStatus.values;
export const parsed: boolean = accountSchema.safeParse({}).success;
// @ts-expect-error the body is missing
export const verification: Promise<unknown> = verifyWebhook({ headers: {}, secrets: "s3cret" }).catch(() => null);
