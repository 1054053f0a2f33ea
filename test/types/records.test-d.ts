// Compiled but never run. The compiler complains unless each line is an error exactly where the comment beside it says
// so.
import type { Account, AccountCreate, Course, Invoice, MainClient } from "../../src/index.js";
import { AccountType, type CostScheme, InvoiceStatus } from "../../src/schemas.js";

declare const main: MainClient;
declare const account: Account;
declare const course: Course;
declare const invoice: Invoice;

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function holds<T extends true>(): T;

// Enumerations are open when read: any text may arrive, but an editor offers the known values.
const read: string = invoice.status;
const known: typeof invoice.status = "concept";
const unknown: typeof invoice.status = "disputed";
export const comparable = read === known || read === unknown || invoice.status === "something new";
// @ts-expect-error a status is always text
export const number: number = invoice.status;

// Enumerations are closed when sent: only known values are accepted.
main.invoices.list({ status: ["open", "paid"] });
// @ts-expect-error unknown value
main.invoices.list({ status: ["open", "disputed"] });
// Filters accept a single value, and readonly lists.
main.invoices.list({ status: "open" });
main.invoices.list({ status: InvoiceStatus.values });
main.invoices.list({ status: ["open"] as const });
// @ts-expect-error a value that was read may be unknown, so it cannot be sent unchecked
main.invoices.list({ status: [invoice.status] });
// Filters accept a cast value, and a value that is() has narrowed to the known ones.
main.invoices.list({ status: [InvoiceStatus.cast("disputed")] });
if (InvoiceStatus.is(invoice.status)) main.invoices.list({ status: [invoice.status] });
main.accounts.list({ account_type: AccountType.cast("club") });
holds<Same<(typeof CostScheme.values)[number], "student" | "order" | "tbd" | "free">>();
holds<Same<AccountType, "business" | "personal">>();
holds<Same<CostScheme, (typeof CostScheme.values)[number]>>();

// A field that does not exist is an error; its type is not unknown.
// @ts-expect-error a typo
account.emial;
// @ts-expect-error a field of another record
course.email;
holds<Same<Account["email"], string | null>>();
holds<Same<Account["label_ids"], number[]>>();
holds<Same<Invoice["invoice_items"][number]["unit_price"], string>>();
// @ts-expect-error an address may be missing
account.address.city;
holds<Same<Course["duration"], string | null | undefined>>();

// Bodies accept only their own fields.
main.accounts.create({ name: "A" });
main.accounts.create({ name: "A", email: null, label_ids: [1], custom: { size: "large", tags: ["a"], since: null } });
// @ts-expect-error name is required
main.accounts.create({ email: "a@example.com" });
// @ts-expect-error unknown field
main.accounts.create({ name: "A", nickname: "B" });
// @ts-expect-error unknown field in a nested object
main.accounts.create({ name: "A", address_attributes: { city: "Town", floor: 3 } });
// @ts-expect-error name cannot be null
main.accounts.update(7, { name: null });
// @ts-expect-error an amount is text, because a number can lose cents
main.courses.update(7, { cost: 12.5 });
main.courses.update(7, { cost: "12.50" });
// @ts-expect-error the service assigns the identifier
main.accounts.create({ id: 7, name: "A" });
// @ts-expect-error unknown filter
main.accounts.list({ city: "Town" });
// @ts-expect-error a custom field cannot be an object
export const body: AccountCreate = { name: "A", custom: { size: { width: 1 } } };
// Undefined leaves a parameter out.
main.accounts.list({ search: undefined, per_page: undefined });
