import * as z from "zod/mini";
import type { Open } from "../../core/schema/model.js";
import type { Account, AdminComment, Affiliation, User, UserRole } from "../../generated/resources.js";
import { dateTime } from "../../models/dates.js";
import { AuthenticationProviderType } from "../../resources/people/authentications.js";
import { type Label, LabelModelType } from "../../resources/people/labels.js";
import { type Lead, LeadStatus } from "../../resources/people/leads.js";
import { type AdminTask, TaskSubjectType } from "../../resources/people/tasks.js";
import { daysAfter } from "../../work/days.js";
import { customColumn } from "../custom/definitions.js";
import type { Columns, Making } from "../data/collection.js";
import type { Seeds } from "../data/domain.js";
import type { Random } from "../data/random.js";
import { companyName, firstName, lastName, middleName, phoneNumber, postalAddress } from "../data/words.js";
import { amount, lastOlder, slugOf, timestamps, type World } from "../data/world.js";
import { firstEnrollment } from "../planning/participants.js";
import { FULL, nextCourse, UNSOLD } from "../planning/timetable.js";
import { followUser } from "../teachers/follow.js";
import { placeCountOf } from "../teachers/places.js";

/** A deliberate duplicate: this user is the previous user, entered again with the same e-mail address. */
const ENTERED_TWICE = 44;

export function peopleSeeds(world: World) {
  const { counts } = world;
  const labelled = LabelModelType.values;
  const labels = LABEL_NAMES.length * labelled.length;
  return {
    accounts: {
      count: counts.people,
      columns: accountColumns(world),
      wants: { personal_user_id: () => ({ fits: ({ id }: User) => !personalAccount(world.store, id) }) },
      event: "account",
    },
    affiliations: {
      count: counts.affiliations,
      columns: affiliationColumns(world),
      follow: (after, before) => world.store.accounts.recount("users_count", before?.account_id, after?.account_id),
    },
    authentications: {
      count: counts.authentications,
      columns: {
        user_id: ({ id }) => (id <= counts.people ? id : (((id - counts.people) * 10 - 1) % counts.people) + 1),
        authentication_provider_id: ({ id }) => providerId(id <= counts.people ? "native" : "openid_connect"),
        uid: ({ user_id }, _, { look }) => look(world.store.users, user_id).email,
        otp_enabled: (_, random) => random.chance(0.3),
        ...timestamps(counts.authentications),
      },
    },
    comments: { count: counts.comments, columns: commentColumns(world) },
    emails: {
      count: 0,
      stored: () => ({
        id: z.int(),
        user_id: z.int(),
        from: z.string(),
        subject: z.string(),
        body: z.string(),
        sent_at: dateTime(),
      }),
      columns: {
        user_id: () => 1,
        from: () => "info@example.org",
        subject: () => "",
        body: () => "",
        sent_at: (_, __, { now }) => now,
      },
    },
    labels: {
      count: labels,
      columns: {
        name: ({ id }) => LABEL_NAMES[Math.floor((id - 1) / labelled.length)] ?? `Label ${id}`,
        color: (_, random) => `#${random.int(0, 0xffffff).toString(16).padStart(6, "0")}`,
        model_type: ({ id }) => labelled[(id - 1) % labelled.length] as Label["model_type"],
        ...timestamps(labels),
      },
      event: "label",
    },
    leads: {
      count: counts.leads,
      columns: leadColumns(world),
      parts: { courses_leads: (lead, at) => ({ id: lead.id * 100 + at, lead_id: lead.id }) },
      event: "lead",
    },
    tasks: { count: counts.tasks, columns: taskColumns(world) },
    users: {
      count: counts.people,
      columns: userColumns(world),
      event: "user",
      follow: (user, before) => followUser(world.store, user, before),
    },
  } satisfies Partial<Seeds>;
}

function userColumns(world: World): Columns<User> {
  const { counts, store } = world;
  const nameSlug = ({ id, first_name, last_name }: Readonly<User>) => `${slugOf(`${first_name} ${last_name}`)}-${id}`;
  // Deliberately, one user in 25 has the same name as the previous user.
  const twin = (id: number, { seeded }: Making<User>) =>
    seeded && id % 25 === 19 ? store.users.seeded(id - 1) : undefined;
  // Deliberately, the address of one student whose course begins next week is missing.
  const isSecondOfFull = (id: number, { seeded }: Making<User>) => {
    const enrollment = firstEnrollment(nextCourse(FULL, counts), counts) + 1;
    return seeded && enrollment <= counts.people && store.enrollments.seeded(enrollment).student_id === id;
  };
  const isTeacher = ({ roles }: Readonly<User>) => roles.includes("teacher");
  return {
    first_name: ({ id }, random, making) => twin(id, making)?.first_name ?? firstName(random),
    middle_name: ({ id }, random, making) => {
      const same = twin(id, making);
      if (same) return same.middle_name;
      return random.chance(0.3) ? middleName(random) : null;
    },
    last_name: ({ id }, random, making) => twin(id, making)?.last_name ?? lastName(random),
    email: (row, _, making) => {
      const same = row.id === ENTERED_TWICE ? twin(row.id, making) : undefined;
      return same?.email ?? `${nameSlug(row)}@example.com`;
    },
    slug: (row) => nameSlug(row),
    avatar_url: ({ id }) => `/avatars/${id}.png`,
    roles: ({ id }, _, { seeded }) => (seeded ? rolesOf(id, counts) : ["student"]),
    notes_user: (_, random) => (random.chance(0.1) ? "Prefers to be called in the morning." : null),
    description: ({ teacher_description }) => teacher_description,
    label_ids: (_, random) => (random.chance(0.2) ? [labelFor("User", random)] : []),
    employee_number: ({ id, roles }) => (roles.includes("teacher") || roles.includes("admin") ? `E${id}` : null),
    student_number: ({ id, roles }) => (roles.includes("student") ? `S${id}` : null),
    teacher_headline: (row, random) =>
      isTeacher(row) ? random.pick(["Trainer and coach", "Lecturer", "Expert in the field"]) : null,
    teacher_description: (row, _, { given }) =>
      given.description !== undefined
        ? given.description
        : isTeacher(row)
          ? `${row.first_name} has taught here for years.`
          : null,
    teacher_enrollments_count: ({ id }, _, { seeded }) => (seeded ? placeCountOf(id, counts) : 0),
    locale: (_, random) => random.pick([null, "en", "nl"]),
    wants_newsletter: (_, random) => random.chance(0.3),
    ...timestamps(counts.people),
    address: (row, random, making) => {
      const same = twin(row.id, making);
      if (same) return same.address;
      const isTwinned = making.seeded && row.id % 25 === 18;
      if (isSecondOfFull(row.id, making) || (!isTwinned && random.chance(0.2))) return null;
      return postalAddress(random, fullName(row));
    },
    custom: customColumn(world, "user"),
  };
}

const ADMINISTRATOR_EVERY = 25;

// Every user is a student. The first of every 25 users is also an administrator, the users with the lowest identifiers
// are also teachers, and the key contacts of businesses are also customers.
function rolesOf(userId: number, { teachers }: World["counts"]): UserRole[] {
  const roles: UserRole[] = [];
  if (userId % ADMINISTRATOR_EVERY === 1) roles.push("admin");
  if (userId <= teachers) roles.push("teacher");
  if (CONTACT_PLACES.includes((userId - 1) % 10)) roles.push("customer");
  return [...roles, "student"];
}

function administratorAmong(people: number, random: Random): number {
  return 1 + ADMINISTRATOR_EVERY * random.int(0, Math.floor((people - 1) / ADMINISTRATOR_EVERY));
}

export function fullName(user: Pick<User, "first_name" | "middle_name" | "last_name">): string {
  return [user.first_name, user.middle_name, user.last_name].filter(Boolean).join(" ");
}

// Four accounts in ten are businesses; each of the other six belongs to the user with the same identifier. Two of the
// businesses have a second user.
const BUSINESS_PLACES: readonly number[] = [0, 3, 5, 8];

// The key contact of a business is the user with the same identifier. The last of the four businesses is an exception:
// its contact is the user four places earlier, so one user in ten has no account.
const CONTACT_PLACES: readonly number[] = [0, 3, 5, 4];

/** The user who owns a seeded account or is its key contact. */
export function contactOf(accountId: number): number {
  const at = BUSINESS_PLACES.indexOf((accountId - 1) % 10);
  return at < 0 ? accountId : accountId - ((accountId - 1) % 10) + (CONTACT_PLACES[at] ?? 0);
}

const SECOND_USERS = [
  { account: 0, user: 4 },
  { account: 3, user: 6 },
] as const;

function isBusiness(accountId: number): boolean {
  return BUSINESS_PLACES.includes((accountId - 1) % 10);
}

export function businessCount(people: number): number {
  const rest = BUSINESS_PLACES.filter((place) => place < people % 10).length;
  return Math.floor(people / 10) * BUSINESS_PLACES.length + rest;
}

/** The account of the business with this number, counted from 1. */
export function businessAccount(number: number): number {
  const each = BUSINESS_PLACES.length;
  return Math.floor((number - 1) / each) * 10 + (BUSINESS_PLACES[(number - 1) % each] as number) + 1;
}

/** The inverse of `businessAccount`. */
export function businessNumber(accountId: number): number {
  const place = BUSINESS_PLACES.indexOf((accountId - 1) % 10);
  return Math.floor((accountId - 1) / 10) * BUSINESS_PLACES.length + place + 1;
}

function accountColumns(world: World): Columns<Account> {
  const { counts, store } = world;
  return {
    name: ({ personal_user_id: user }, random, { look }) =>
      user === null ? companyName(random) : fullName(look(store.users, user)),
    email: ({ id, name, personal_user_id: user }, random, { given, look }) => {
      if (given.name !== undefined) return `${slugOf(name)}-${id}@example.org`;
      if (user !== null) return look(store.users, user).email;
      return random.chance(0.9) ? `billing-${id}@example.org` : null;
    },
    phone: (_, random) => (random.chance(0.6) ? phoneNumber(random) : null),
    account_type: ({ id }, _, { given, seeded }) => {
      const { personal_user_id: user } = given;
      if (user !== undefined) return user === null ? "business" : "personal";
      return !seeded || isBusiness(id) ? "business" : "personal";
    },
    label_ids: (_, random) => (random.chance(0.2) ? [labelFor("Account", random)] : []),
    personal_user_id: ({ id, account_type: type }) => (type === "personal" ? ((id - 1) % counts.people) + 1 : null),
    slug: ({ id, name }) => `${slugOf(name)}-${id}`,
    users_count: ({ id }, _, { seeded }) => {
      if (!seeded) return 0;
      const place = (id - 1) % 10;
      const whole = id - place + 9 <= counts.people;
      return 1 + (whole && SECOND_USERS.some(({ account }) => account === place) ? 1 : 0);
    },
    visible: () => true,
    ...timestamps(counts.people),
    custom: customColumn(world, "account"),
    address: (row, random) => (random.chance(0.9) ? postalAddress(random, row.name) : null),
  };
}

function affiliationColumns({ counts }: World): Columns<Affiliation> {
  const second = (id: number) => {
    const place = id - counts.people - 1;
    const block = Math.floor(place / SECOND_USERS.length) * 10;
    const { account, user } = SECOND_USERS[place % SECOND_USERS.length] as (typeof SECOND_USERS)[number];
    // Starts over after the last person: affiliations that are not seeded must not refer to missing people.
    return { account: ((block + account) % counts.people) + 1, user: ((block + user) % counts.people) + 1 };
  };
  return {
    account_id: ({ id }) => (id <= counts.people ? id : second(id).account),
    user_id: ({ id }) => (id <= counts.people ? contactOf(id) : second(id).user),
    // The contact of every twentieth business has left, so that business has no key contact.
    key_contact: ({ id }) => id <= counts.people && isBusiness(id) && id % 50 !== 4,
    ...timestamps(counts.affiliations),
  };
}

export function personalAccount({ accounts }: World["store"], userId: number): Readonly<Account> | undefined {
  const isIts = (account: Readonly<Account> | undefined) => account?.personal_user_id === userId;
  // A seeded user has the personal account with the same identifier.
  const sameId = accounts.peek(userId);
  return isIts(sameId) ? sameId : accounts.find(isIts);
}

/** Unknown provider types share the last identifier. */
export function providerId(type: Open<AuthenticationProviderType>): number {
  const { values } = AuthenticationProviderType;
  return AuthenticationProviderType.is(type) ? values.indexOf(type) + 1 : values.length + 1;
}

const LABEL_NAMES = ["Important", "Follow up"] as const;

export function labelFor(type: LabelModelType, random: Random): number {
  const kinds = LabelModelType.values;
  return kinds.indexOf(type) + 1 + kinds.length * random.int(0, LABEL_NAMES.length - 1);
}

function leadColumns({ counts, store }: World): Columns<Lead> {
  const { people, courses } = counts;
  const [stamps, uncalled] = [timestamps(counts.leads), lastOlder(counts.leads)];
  const isWaiting = (id: number) => id % 5 === 1 && id !== uncalled;
  const user = ({ id, user_id }: Readonly<Lead>, { look }: Making<Lead>) =>
    look(store.users, user_id ?? ((id * 3) % people) + 1);
  return {
    creation_method: (_, random) => random.pick(["website", "manual"]),
    referral_text: (_, random) => (random.chance(0.3) ? "A colleague" : null),
    title: ({ lead_products: [first] }) => (first ? `Interested in course ${first.catalog_product_id}` : "Interested"),
    account_id: ({ user_id }, _, { seeded }) => {
      if (user_id === null || (seeded && contactOf(user_id) !== user_id)) return null;
      if (seeded) return user_id;
      return personalAccount(store, user_id)?.id ?? null;
    },
    user_id: ({ id }, _, { given, look }) => {
      if (typeof given.account_id === "number") return look(store.accounts, given.account_id).personal_user_id;
      if (given.account_id === null) return null;
      return id % 2 === 0 ? ((id * 3) % people) + 1 : null;
    },
    value: (_, random) => (random.chance(0.6) ? amount(random.int(5, 400) * 1_000) : null),
    company_name: (_, random) => (random.chance(0.5) ? companyName(random) : null),
    first_name: (row, _, making) => user(row, making).first_name,
    middle_name: (row, _, making) => user(row, making).middle_name,
    last_name: (row, _, making) => user(row, making).last_name,
    administrator_id: (_, random) => (random.chance(0.5) ? administratorAmong(people, random) : null),
    email: (row, _, making) => {
      const { first_name, last_name } = making.given;
      if (first_name === undefined && last_name === undefined) return user(row, making).email;
      return `${slugOf(`${row.first_name} ${row.last_name}`)}-${row.id}@example.com`;
    },
    phone: (_, random) => (random.chance(0.5) ? phoneNumber(random) : null),
    status: ({ id }, random, { seeded }) => {
      if (!seeded) return random.pick(LeadStatus.values);
      if (isWaiting(id)) return "waiting_list";
      return id % 2 === 0 || id === uncalled ? "prospect" : random.pick(LeadStatus.values);
    },
    quality: (_, random) => String(random.int(1, 5)),
    wants_newsletter: (_, random) => random.chance(0.3),
    ...stamps,
    updated_at: (row, ...rest) => (row.id === uncalled ? row.created_at : stamps.updated_at(row, ...rest)),
    address: (_, random) => (random.chance(0.5) ? postalAddress(random) : null),
    courses_leads: () => [],
    lead_products: ({ id }, random, { seeded }) => {
      const course = (nextCourse(UNSOLD, counts) - 1) % courses;
      const wanted = seeded && isWaiting(id) ? course + 1 : random.int(1, courses);
      return [{ catalog_product_id: wanted, catalog_variant_id: null }];
    },
    label_ids: (_, random) => (random.chance(0.3) ? [labelFor("Lead", random)] : []),
    comment: () => null,
    website_url: () => null,
  };
}

function countsByKind(counts: World["counts"]): Readonly<Record<TaskSubjectType, number>> {
  const { people } = counts;
  return {
    Account: people,
    Course: counts.courses,
    Invoice: people,
    Lead: counts.leads,
    Order: people,
    PlannedCourse: counts.plannedCourses,
    "Program::Edition": counts.programEditions,
    "Program::Program": counts.programs,
    User: people,
  };
}

const COMMENTED = ["Account", "Invoice", "Lead", "Order", "PlannedCourse", "User"] as const;

function commentColumns({ counts }: World): Columns<AdminComment> {
  const most: Readonly<Record<string, number>> = countsByKind(counts);
  return {
    content: (_, random) =>
      random.pick(["Called back.", "Waiting for an answer.", "Sent the brochure.", "All settled."]),
    creator_id: (_, random) => administratorAmong(counts.people, random),
    commentable_type: ({ id }) => COMMENTED[id % COMMENTED.length] as (typeof COMMENTED)[number],
    commentable_id: ({ commentable_type: type }, random) => random.int(1, most[type ?? ""] ?? 1),
    ...timestamps(counts.comments),
  };
}

function taskColumns({ counts }: World): Columns<AdminTask> {
  const { people } = counts;
  const most = countsByKind(counts);
  return {
    creator_id: (_, random) => administratorAmong(people, random),
    completed_at: ({ id, updated_at }, random, { given, seeded }) => {
      const { completed_by_id: by } = given;
      if (seeded && id === counts.tasks) return null;
      return by === null || (by === undefined && random.chance(0.6)) ? null : updated_at;
    },
    completed_by_id: ({ completed_at, assignee_id, creator_id }) =>
      completed_at === null ? null : (assignee_id ?? creator_id),
    assigned_by_id: ({ assignee_id, creator_id }) => (assignee_id === null ? null : creator_id),
    name: (_, random) => random.pick(["Call back", "Send the certificate", "Check the address", "Reserve a room"]),
    description: (_, random) => (random.chance(0.3) ? "Before the course starts." : null),
    due_date: ({ id, created_at }, random, { seeded, day }) => {
      if (seeded && id === counts.tasks) return day(4);
      const due = daysAfter(created_at, random.int(1, 30));
      return random.chance(0.7) ? due : null;
    },
    starred: (_, random) => random.chance(0.2),
    assignee_id: (_, random) => (random.chance(0.8) ? administratorAmong(people, random) : null),
    subject_type: ({ id }) => (id % 10 === 0 ? null : (TaskSubjectType.values[(id % 10) - 1] as TaskSubjectType)),
    subject_id: ({ subject_type: type }, random) =>
      type === null ? null : random.int(1, TaskSubjectType.is(type) ? most[type] : 1),
    label_ids: (_, random) => (random.chance(0.3) ? [labelFor("Task", random)] : []),
    ...timestamps(counts.tasks, ["completed_at"]),
  };
}
