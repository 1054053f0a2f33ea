// Compiled but never run. The compiler complains unless each line is an error exactly where the comment beside it says
// so.
import type {
  Account,
  AdminClient,
  ClientOptions,
  Contact,
  Course,
  Invoice,
  MainClient,
  OrganizationClient,
  Page,
  ProgramEnrollment,
  RequestEvent,
  ResponseInfo,
  User,
} from "../../src/index.js";

declare const main: MainClient;
declare const admin: AdminClient;
declare const organization: OrganizationClient;

/** Compiles only if both types are identical. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function holds<T extends true>(): T;

// A client does not have the operations that its API lacks.
main.invoices.list();
// @ts-expect-error the Admin API has no invoices
admin.invoices;
// @ts-expect-error the Admin API has no VAT rates
admin.invoiceVats;
admin.certificates.list();
// @ts-expect-error the Main API has no certificates
main.certificates;
// @ts-expect-error the Main API has no departments
main.departments;
// @ts-expect-error the Main API has no e-mails
main.emails;
// @ts-expect-error the Organization API has no accounts
organization.accounts;
// @ts-expect-error only the Organization API has contacts
main.contacts;
// @ts-expect-error the API cannot read a single contact
organization.contacts.get(7);
holds<Same<typeof main.organization, OrganizationClient>>();
holds<Same<typeof admin.organization, OrganizationClient>>();

// A resource has one class per API if the APIs share only some of its operations.
admin.comments.listForOrders();
// @ts-expect-error only the Admin API lists the comments on orders
main.comments.listForOrders();

// Responses.
export async function answers(): Promise<void> {
  const account = await main.accounts.get(7);
  holds<Same<typeof account, Account>>();
  const { data, response } = await main.accounts.get(7).withResponse();
  holds<Same<typeof data, Account>>();
  holds<Same<typeof response, ResponseInfo>>();
  const page = await main.invoices.list();
  holds<Same<typeof page, Page<Invoice>>>();
  for await (const contact of main.organization.contacts.list()) holds<Same<typeof contact, Contact>>();
  const all = await main.accounts.list().toArray({ max: 3 });
  holds<Same<typeof all, Account[]>>();

  // A call whose response has no body resolves to undefined, so its type is void.
  const gone = await main.affiliations.delete(7);
  holds<Same<typeof gone, void>>();
  const sent = await admin.emails.send(7, { from: "a@example.com", subject: "Hello", body: "Hello" });
  holds<Same<typeof sent, void>>();
  // A raw request resolves to unknown: the caller has to check the response.
  const raw = await main.request({ method: "GET", path: "api/v1/accounts" });
  holds<Same<typeof raw, unknown>>();
}

// A single path parameter is an argument; several are passed as one object.
main.accounts.get(7);
// @ts-expect-error an identifier is a number
main.accounts.get("7");
// @ts-expect-error an identifier is required
main.accounts.get();
main.authentications.delete({ user_id: 1, id: 2 });
// @ts-expect-error both identifiers are required
main.authentications.delete({ user_id: 1 });
// @ts-expect-error several path parameters are passed as one object
main.authentications.delete(1, 2);

// Options are the last argument.
main.accounts.get(7, { signal: AbortSignal.timeout(5), timeout: 1, totalTimeout: 2, retry: false, priority: "batch" });
// @ts-expect-error unknown option
main.accounts.get(7, { timeoutMs: 1 });
// @ts-expect-error single responses cannot be resumed
main.accounts.get(7, { resume: "x" });
main.accounts.list({}, { resume: "x", prefetch: 0, maxPages: 3, onInvalid: "skip" });
// @ts-expect-error "drop" is not a value of onInvalid
main.accounts.list({}, { onInvalid: "drop" });

// Options and events name operations.
declare function configure(options: ClientOptions): void;
configure({ routes: { "attendances.get": { path: "attendance_sheets/{id}" }, "invoices.open": { method: "PUT" } } });
// @ts-expect-error unknown operation
configure({ routes: { "attendance.get": { path: "attendance_sheets/{id}" } } });
// @ts-expect-error a route has a method and a path
configure({ routes: { "attendances.get": { url: "attendance_sheets/{id}" } } });

declare const event: RequestEvent;
const operation: string = event.operation;
// The name of a raw request's operation consists of its method and its path.
export const isKnown = event.operation === "GET api/v1/rooms" || operation === "invoices.open";

// A record is not the body of an update: fields that only records have are refused, even from a spread.
declare const read: Account;
// @ts-expect-error users_count and others are read-only
main.accounts.update(7, { ...read, name: "Example Ltd" });
main.accounts.update(7, { name: read.name, phone: read.phone });

// A joined record has the type that its field refers to.
const enrollments = main.enrollments.list().with({ student: true, planned_course: true });
holds<Same<Awaited<ReturnType<typeof enrollments.toArray>>[number]["student"], User | null>>();
const elements = admin.personalProgramElements.list().with({ enrollment: true, course: true });
holds<Same<Awaited<ReturnType<typeof elements.toArray>>[number]["enrollment"], ProgramEnrollment | null>>();
holds<Same<Awaited<ReturnType<typeof elements.toArray>>[number]["course"], Course | null>>();
// @ts-expect-error an enrollment has no teacher
main.enrollments.list().with({ teacher: true });
