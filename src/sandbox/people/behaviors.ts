import type { Open } from "../../core/schema/model.js";
import type { AdminComment, AdminTask, Affiliation, AuthenticationProviderType } from "../../generated/resources.js";
import { Collection, type Identified } from "../data/collection.js";
import { where } from "../data/domain.js";
import type { Store } from "../data/store.js";
import { type Behavior, type Behaviors, type Inquiry, search } from "../engine/behavior.js";
import { conflict, Existing, notFound, unprocessable } from "../engine/refusal.js";
import { checkReferences } from "../engine/rules.js";
import { fullName, personalAccount, providerId } from "./seed.js";

// The user that the sandbox treats as the caller.
const CALLER = 1;

export function peopleBehaviors(store: Store): Behaviors {
  const { authentications, comments, emails, orders } = store;
  return {
    accounts: {
      filters: {
        // rule: `search` looks in names and, for accounts, in e-mail addresses too, regardless of case.
        search: search(({ name, email }) => [name, email]),
        user_id: (userId: number) => isAmong(accountsOf(store, ({ user_id }) => user_id === userId)),
        key_contact_user_id: (userId: number) =>
          isAmong(accountsOf(store, ({ user_id, key_contact }) => key_contact && user_id === userId)),
      },
      create: () => ({ visible: true }),
    },
    authentications: {
      filters: {
        provider: (type: Open<AuthenticationProviderType>) => (row) =>
          row.authentication_provider_id === providerId(type),
      },
      create: ({ authentication_provider_type: type }) => ({ authentication_provider_id: providerId(type) }),
      remove: ({ user_id }, { api }) => {
        const isLast = authentications.filter(where({ user_id })).length === 1;
        // rule: the last authentication of a user cannot be deleted (422), except through the Admin API.
        if (isLast && api !== "admin")
          throw unprocessable("base", "the last authentication of a user cannot be removed");
      },
    },
    comments: {
      hidden: ["commentable_id", "commentable_type"],
      create: ({ commentable_id, commentable_type }) => ({ commentable_id, commentable_type, creator_id: CALLER }),
      operations: {
        listForOrders: () => ({
          records: comments,
          fits: ({ commentable_type }: Readonly<AdminComment>) => commentable_type === "Order",
          order: null,
        }),
      },
    },
    emails: {
      operations: {
        send: ({ params, body }) => void emails.insert({ ...params, ...body }),
      },
    },
    labels: {
      filters: { search: search(({ name }) => [name]) },
      create: ({ color = "#888888" }) => ({ color }),
      after: (kind, { id }) => {
        // rule: deleting a label removes it from all records; references to any other deleted record remain, unless
        // another rule here says otherwise.
        if (kind === "deleted") takeLabelOff(store, id);
      },
      operations: {
        addToOrder: ({ params, body }) => {
          const order = orders.get(params.id);
          if (!order) throw notFound();
          orders.update(order.id, { label_ids: [...new Set([...(order.label_ids ?? []), body.label_id])] });
        },
      },
    },
    leads: leads(store),
    tasks: tasks(),
    users: users(store),
  };
}

function leads(store: Store): Behavior<"leads"> {
  const { leads: records, comments: notes } = store;
  return {
    create: (body) => {
      const { lead_products: products, courses_leads_attributes: courses = [], course_ids = [], quality } = body;
      if (typeof body.comment === "string") {
        const subject = { commentable_id: records.nextId, commentable_type: "Lead" } as const;
        notes.insert({ content: body.comment, creator_id: CALLER, ...subject });
      }
      // The older fields for courses are ignored when products are given (service description, leads).
      const named = products
        ? []
        : [...courses, ...course_ids.map((course_id) => ({ course_id, planned_course_id: null }))];
      return {
        creation_method: "api",
        status: body.status ?? "prospect",
        quality: quality === null ? null : String(quality),
        lead_products: (products ?? []).flatMap(({ catalog_product_id, catalog_variant_id = null }) =>
          catalog_product_id === undefined ? [] : [{ catalog_product_id, catalog_variant_id }],
        ),
        courses_leads: named.flatMap(({ course_id, planned_course_id }) => {
          const planned = planned_course_id === null ? undefined : store.plannedCourses.peek(planned_course_id);
          const course = course_id ?? planned?.course_id;
          if (course === undefined) return [];
          return [{ course_id: course, planned_course_id }];
        }),
      };
    },
  };
}

function tasks(): Behavior<"tasks"> {
  const completion = (completed: boolean, now: string): Pick<AdminTask, "completed_at" | "completed_by_id"> =>
    completed ? { completed_at: now, completed_by_id: CALLER } : { completed_at: null, completed_by_id: null };
  const assignment = (assignee: number | null): Pick<AdminTask, "assigned_by_id"> => ({
    assigned_by_id: assignee === null ? null : CALLER,
  });
  return {
    create: ({ assignee_id = null, completed = false }, { now }) => ({
      creator_id: CALLER,
      ...assignment(assignee_id),
      ...completion(completed, now),
    }),
    update: (body, task, inquiry) => {
      const { now } = inquiry;
      const { subject_type = task.subject_type, subject_id = task.subject_id } = body;
      checkReferences({ subject_type, subject_id }, inquiry);
      const { assignee_id = task.assignee_id, completed = task.completed_at !== null } = body;
      return {
        ...(assignee_id !== task.assignee_id && assignment(assignee_id)),
        ...(completed !== (task.completed_at !== null) && completion(completed, now)),
      };
    },
  };
}

function users(store: Store): Behavior<"users"> {
  const { accounts, authentications: logins, emails, users: records } = store;
  const native = providerId("native");
  // rule: a user can have two affiliations with the same account, and two records can have the same code.
  const refuseTaken = (email: string, { manners, row }: Inquiry, self?: number) => {
    if (manners.unique === "nothing") return;
    const form = (text: string) => (manners.unique === "by letters" ? text : text.toLowerCase());
    const taken = records.find((user) => user.id !== self && form(user.email) === form(email));
    if (!taken) return;
    if (row.method === "POST" && manners.duplicates === "the older record") throw new Existing(taken);
    throw (manners.duplicates === "409" ? conflict : unprocessable)("email", "has already been taken");
  };
  return {
    idOf: (slug) => records.find(where({ slug }))?.id,
    filters: {
      // rule: the filter by e-mail address ignores case.
      email: (email: string) => (user) => user.email.toLowerCase() === email.toLowerCase(),
      role: (role: string) => (user) => user.roles.includes(role),
      label_id: (ids: readonly string[]) => (user) => user.label_ids.some((id) => ids.includes(String(id))),
    },
    create: ({ email }, inquiry) => {
      refuseTaken(email, inquiry);
      return {};
    },
    update: (body, user, inquiry) => {
      // For an administrator, the service ignores an update of the e-mail address (public documents, users).
      const email = user.roles.includes("admin") ? user.email : (body.email ?? user.email);
      // rule: changing a user's e-mail address also changes the login that uses it, and changing a user's name also
      // changes the name of the personal account.
      if (email !== user.email) {
        refuseTaken(email, inquiry, user.id);
        const login = logins.find(where({ user_id: user.id, authentication_provider_id: native }));
        if (login) logins.update(login.id, { uid: email });
      }
      const { first_name = user.first_name, middle_name = user.middle_name, last_name = user.last_name } = body;
      const name = fullName({ first_name, middle_name, last_name });
      const personal = name === fullName(user) ? undefined : personalAccount(store, user.id);
      if (personal) accounts.update(personal.id, { name });
      return { email };
    },
    after: (kind, { id, email }, { body }) => {
      if (kind !== "created" || body.with_authentication !== true) return;
      logins.insert({ user_id: id, authentication_provider_id: native, uid: email, otp_enabled: false });
      const from = store.educators.at(0)?.email ?? "";
      emails.insert({ user_id: id, from, subject: "Your login details", body: `Log in as ${email}.` });
    },
  };
}

type Labelled = Identified & { label_ids?: number[] };

function takeLabelOff(store: Store, labelId: number): void {
  for (const records of Object.values(store)) {
    if (!(records instanceof Collection) || !("label_ids" in records.seeded(1))) continue;
    const labelled: Collection<Labelled> = records;
    labelled.updateAll(
      ({ label_ids = [] }) => label_ids.includes(labelId),
      ({ label_ids = [] }) => ({ label_ids: label_ids.filter((each) => each !== labelId) }),
    );
  }
}

function isAmong(ids: ReadonlySet<number>): (row: Readonly<Identified>) => boolean {
  return ({ id }) => ids.has(id);
}

function accountsOf({ affiliations }: Store, fits: (row: Readonly<Affiliation>) => boolean): ReadonlySet<number> {
  return new Set(affiliations.filter(fits).map(({ account_id }) => account_id));
}
