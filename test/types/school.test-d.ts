// Compiled but never run. The compiler complains unless each line is an error exactly where the comment beside it says
// so.
import {
  type Account,
  AdminClient,
  type CustomAssociationValue,
  type Enrollment,
  type Joined,
  MainClient,
  type Meeting,
  type Order,
  type OrganizationClient,
  type Page,
  type Pages,
  type SchoolOption,
  type Teacher,
  type User,
} from "../../src/index.js";
import { accountUpdateSchema, pickInput } from "../../src/schemas.js";
import type { SchoolRecord } from "../../src/school/index.js";

interface School {
  accounts: { sector: "care" | "industry" };
  catalog_products: { level: number | string };
  users: { newsletter: boolean };
  associations: { catalog_products: { equipment: "equipment" } };
}
declare const client: MainClient<School>;
declare const admin: AdminClient<School>;

/** Compiles only if both types are identical. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function holds<T extends true>(): T;
type SchoolUser = SchoolRecord<User, School, "users">;
type SchoolAccount = SchoolRecord<Account, School, "accounts">;

// A list whose own records have no custom fields can join records that have them.
export async function readJoined(): Promise<void> {
  const list = client.enrollments.list({ status: ["active"] }).with({ student: true }, { maxAge: 60_000 });
  for await (const { id, student } of list) {
    holds<Same<typeof id, number>>();
    holds<Same<typeof student, SchoolUser | null>>();
    holds<Same<NonNullable<typeof student>, Awaited<ReturnType<typeof client.users.get>>>>();
    const newsletter = student?.custom?.newsletter;
    holds<Same<typeof newsletter, boolean | null | undefined>>();
    // @ts-expect-error the school has no such field
    student?.custom?.sector;
  }

  // However the list is read, the type is the same.
  const page = await list;
  holds<Same<(typeof page.records)[number]["student"], SchoolUser | null>>();
  const first = await list.first();
  holds<Same<(typeof first.records)[number]["student"], SchoolUser | null>>();
  const next = await first.nextPage();
  holds<Same<(typeof next.records)[number]["student"], SchoolUser | null>>();
  const all = await list.toArray({ max: 3 });
  holds<Same<(typeof all)[number]["student"], SchoolUser | null>>();
  for await (const { student } of list.take(3)) holds<Same<typeof student, SchoolUser | null>>();
  for await (const { records } of list.byPage()) {
    holds<Same<(typeof records)[number]["student"], SchoolUser | null>>();
  }

  // Two calls of `with` give the same type as one call with all references.
  const [twice] = await list.with({ planned_course: true, order: true }).toArray();
  holds<Same<NonNullable<typeof twice>["student"], SchoolUser | null>>();
  // Joined records for which the school defines no fields have the same type as without a school.
  holds<Same<NonNullable<typeof twice>["order"], Order | null>>();

  // A joined record also has its custom associations.
  const [variant] = await client.catalogVariants.list().with({ product: true }).toArray();
  const equipment = variant?.product?.custom_associations?.equipment;
  holds<Same<typeof equipment, CustomAssociationValue | undefined>>();
  // @ts-expect-error the school has no such association
  variant?.product?.custom_associations?.vehicle;

  // Joins several kinds at once.
  const lead = (await client.leads.list().with({ account: true, user: true }).first()).records[0];
  holds<Same<NonNullable<typeof lead>["user"], SchoolUser | null>>();
  // @ts-expect-error the school has no such field
  lead?.account?.custom.newsletter;
}

// A list whose own records have custom fields keeps these fields.
export async function readOwnFields(): Promise<void> {
  const [account] = await client.accounts.list().with({ personal_user: true }).toArray();
  const sector = account?.custom.sector;
  holds<Same<typeof sector, "care" | "industry" | (string & {}) | null | undefined>>();
  holds<Same<NonNullable<typeof account>["personal_user"], SchoolUser | null>>();
  // @ts-expect-error the school has no such field
  account?.custom.newsletter;
  for await (const order of client.orders.list().with({ account: true, creator: true })) {
    holds<Same<typeof order.account, SchoolAccount | null>>();
    holds<Same<typeof order.creator, SchoolUser | null>>();
    // The school defines no custom fields for orders.
    order.custom?.anything;
  }
}

// Lists of the Admin API, and lists of the Organization API that are read through a school's client, join records in
// the same way.
export async function others(): Promise<void> {
  const [task] = await admin.tasks.list().with({ assignee: true }).toArray();
  holds<Same<NonNullable<typeof task>["assignee"], SchoolUser | null>>();
  const [record] = await client.organization.attendanceRecords.list().with({ user: true, enrollment: true }).toArray();
  holds<Same<NonNullable<typeof record>["user"], SchoolUser | null>>();
  const contacts: OrganizationClient = client.organization;
  contacts.attendanceRecords;
}

// The other members of a resource without custom fields keep their types, and unknown names are still errors.
holds<Same<ReturnType<typeof client.enrollments.get>, ReturnType<MainClient["enrollments"]["get"]>>>();
holds<Same<typeof client.enrollments.update, MainClient["enrollments"]["update"]>>();
holds<Same<typeof client.enrollments.lookup, MainClient["enrollments"]["lookup"]>>();
holds<Same<Awaited<ReturnType<typeof client.enrollments.getMany>>, (Enrollment | null)[]>>();
holds<Same<Awaited<ReturnType<typeof client.accounts.getMany>>, (SchoolAccount | null)[]>>();
// @ts-expect-error an enrollment has no teacher
client.enrollments.list().with({ teacher: true });
// @ts-expect-error not a filter
client.enrollments.list({ nickname: "x" });
// @ts-expect-error not an option
client.enrollments.list().with({ student: true }, { maxage: 1 });

// The result of `pickInput` can be combined with custom fields, which may be undefined, as without a school.
export async function pickFields(): Promise<void> {
  const account = await client.accounts.get(7);
  await client.accounts.update(7, { ...pickInput(accountUpdateSchema, account), name: "x" });
  await client.accounts.update(7, {
    ...pickInput(accountUpdateSchema, account),
    name: "x",
    custom: { sector: "care" },
  });
  await client.courses.update(7, { custom: undefined, custom_associations: undefined });
  // @ts-expect-error not one of the field's options
  await client.accounts.update(7, { ...pickInput(accountUpdateSchema, account), name: "x", custom: { sector: "car" } });
}

// A list from a school's client is assignable to a plain list.
declare function count(list: Pages<Enrollment>): void;
count(client.enrollments.list());
declare function firstOf<T>(list: Pages<T>): T;
holds<Same<ReturnType<typeof firstOf<Enrollment>>, Enrollment>>();
const taken = firstOf(client.enrollments.list());
holds<Same<typeof taken, Enrollment>>();
const takenWith = firstOf(client.enrollments.list().with({ student: true }));
holds<Same<typeof takenWith.student, SchoolUser | null>>();
const whole: MainClient = client;
const enrollments: MainClient["enrollments"] = client.enrollments;
export const passed = [whole, enrollments];

// A client of a school without fields, and a client without a school, have the plain resources.
declare const objectsOnly: MainClient<{ objects: { equipment: { weight: string } } }>;
declare const none: MainClient;
declare const undefinedSchool: MainClient<never>;
holds<Same<typeof objectsOnly.enrollments, MainClient["enrollments"]>>();
holds<Same<typeof objectsOnly.organization, OrganizationClient>>();
holds<Same<typeof undefinedSchool.enrollments, MainClient["enrollments"]>>();
holds<Same<typeof undefinedSchool.accounts, MainClient["accounts"]>>();
const plain = none.enrollments.list().with({ student: true });
holds<Same<typeof plain, Pages<Joined<Enrollment, "student">>>>();
const plainPage = none.meetings.list().first();
holds<Same<typeof plainPage, Promise<Page<Meeting>>>>();
const plainTeacher = none.teacherEnrollments.list().with({ teacher: true }).toArray();
holds<Same<Awaited<typeof plainTeacher>[number]["teacher"], Teacher | null>>();

// A client whose type argument names a school requires the school's definitions. Without a type argument, the type is
// inferred from the definitions.
declare const school: SchoolOption<School>;
const named: MainClient<School> = new MainClient<School>({ apiKey: "key", school });
const inferred = new AdminClient({ apiKey: "key", school });
// @ts-expect-error without definitions nothing would be checked
new MainClient<School>({ apiKey: "key" });
// @ts-expect-error without definitions nothing would be checked
new AdminClient<School>({ apiKey: "key" });
new MainClient({ apiKey: "key" });
new (Math.random() < 0.5 ? MainClient : AdminClient)({ apiKey: "key" });
holds<Same<typeof inferred, AdminClient<School>>>();
holds<Same<typeof named, MainClient<School>>>();
