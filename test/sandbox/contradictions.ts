// Checks independently that records agree with each other. It applies the service's rules and shares no code with the
// sandbox.

import { isDeepStrictEqual } from "node:util";

/** The time of every sandbox whose records are checked. */
export const NOW = "2030-06-01T12:00:00.000Z";
const today = NOW.slice(0, 10);

/** A record of any collection. */
export type Row = Record<string, unknown> & { id: number };
/** All records, by collection. */
export type Data = Readonly<Record<string, readonly Row[]>>;

/** The collection that each field's identifiers refer to. */
export const REFERENCES: Readonly<Record<string, string>> = {
  account_id: "accounts",
  administrator_id: "users",
  assignee_id: "users",
  assigned_by_id: "users",
  catalog_product_id: "catalogProducts",
  catalog_variant_id: "catalogVariants",
  category_id: "categories",
  completed_by_id: "users",
  course_enrollment_id: "enrollments",
  course_id: "courses",
  course_location_id: "courseLocations",
  course_tab_id: "courseTabs",
  course_variant_id: "courseVariants",
  creator_id: "users",
  edition_description_section_id: "editionDescriptionSections",
  edition_id: "programEditions",
  element_id: "programElements",
  enrollment_id: "enrollments",
  grader_id: "users",
  invoice_id: "invoices",
  invoice_vat_id: "invoiceVats",
  label_ids: "labels",
  material_group_id: "materialGroups",
  material_id: "materials",
  meeting_id: "meetings",
  meeting_location_id: "meetingLocations",
  order_id: "orders",
  organization_id: "organizations",
  parent_id: "categories",
  payment_method_id: "paymentMethods",
  payment_option_id: "paymentOptions",
  personal_user_id: "users",
  planned_course_id: "plannedCourses",
  planning_meeting_location_ids: "meetingLocations",
  primary_account_id: "accounts",
  product_id: "catalogProducts",
  program_id: "programs",
  student_id: "users",
  teacher_id: "teachers",
  teacher_label_ids: "labels",
  teacher_role_id: "teacherRoles",
  user_id: "users",
  webhook_id: "webhooks",
};
const KINDS: Readonly<Record<string, string>> = {
  Account: "accounts",
  Course: "courses",
  Enrollment: "enrollments",
  Invoice: "invoices",
  Lead: "leads",
  Order: "orders",
  PlannedCourse: "plannedCourses",
  "Program::Edition": "programEditions",
  "Program::Enrollment": "programEnrollments",
  "Program::Program": "programs",
  User: "users",
  course_enrollment: "enrollments",
  program_enrollment: "programEnrollments",
};

const cents = (text: unknown) => Math.round(Number(text) * 100);
const roundHalfAway = (value: number) => Math.sign(value) * Math.round(Math.abs(value) + 1e-7);

const indexes = new WeakMap<readonly Row[], ReadonlyMap<unknown, Row>>();

function find(data: Data, name: string, id: unknown): Row | undefined {
  const rows = data[name] ?? [];
  let index = indexes.get(rows);
  if (!index) {
    index = new Map(rows.map((row) => [row.id, row]));
    indexes.set(rows, index);
  }
  return index.get(id);
}

/** Describes every contradiction within a record or between two records. */
export function contradictions(data: Data): string[] {
  const found: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) found.push(what);
  };
  for (const [name, rows] of Object.entries(data)) {
    for (const row of rows) {
      const at = `${name} ${row.id}`;
      references(data, name, row, at, must);
      const { created_at, updated_at } = row as { created_at?: string; updated_at?: string };
      if (created_at && updated_at) must(created_at <= updated_at, `${at}: updated before it was created`);
      for (const [least, most] of [
        ["start_date", "end_date"],
        ["start_date", "expiration_date"],
        ["start_date_time", "end_date_time"],
        ["created_at", "opened_at"],
        ["created_at", "completed_at"],
      ] as const) {
        const [from, to] = [row[least], row[most]];
        if (typeof from === "string" && typeof to === "string") must(from <= to, `${at}: ${most} before ${least}`);
      }
      CHECKS[name]?.(row as never, data, (holds, what) => must(holds, `${at}: ${what}`));
    }
  }
  return found;
}

function references(
  data: Data,
  name: string,
  value: object,
  at: string,
  must: (holds: boolean, what: string) => void,
): void {
  const fields = value as Record<string, unknown>;
  for (const [field, part] of Object.entries(fields)) {
    if (field === "custom" || field === "properties") continue;
    const target =
      name === "personalProgramElements" && field === "enrollment_id" ? "programEnrollments" : REFERENCES[field];
    const kind = field.endsWith("_id") ? fields[field.replace(/_id$/, "_type")] : undefined;
    const of = target ?? KINDS[String(kind)];
    for (const id of Array.isArray(part) ? part : [part]) {
      if (of && typeof id === "number") must(find(data, of, id) !== undefined, `${at}: ${field} ${id} is no record`);
      if (typeof id === "object" && id !== null) references(data, name, id, at, must);
    }
  }
}

type Check = (row: never, data: Data, must: (holds: boolean, what: string) => void) => void;
type Line = { units: number; unit_price: string; invoice_vat_id: number };

const CHECKS: Readonly<Record<string, Check>> = {
  invoices: (
    row: Row & { status: string; invoice_items: Line[]; payments: Row[]; expiration_date: string },
    data,
    must,
  ) => {
    let [excl, incl] = [0, 0];
    for (const { units, unit_price, invoice_vat_id } of row.invoice_items) {
      const line = roundHalfAway(units * Number(unit_price) * 100);
      excl += line;
      incl += line + roundHalfAway((line * Number(find(data, "invoiceVats", invoice_vat_id)?.percentage)) / 100);
    }
    must(cents(row.total_excl) === excl, "total_excl is not the sum of the lines");
    must(cents(row.total_incl) === incl, "total_incl is not the sum of the lines with VAT");
    const paid = row.payments.reduce((sum, { amount }) => sum + cents(amount), 0);
    must(cents(row.total_open) === incl - paid, "total_open is not what is left");
    must((row.status === "paid") === (cents(row.total_open) === 0) || incl === 0, "paid and open disagree");
    for (const field of ["number", "number_int", "opened_at", "expiration_date"]) {
      must((row[field] === null) === (row.status === "concept"), `${field} does not fit ${row.status}`);
    }
    if (row.status === "open") must(row.expiration_date >= today, "open after it expired");
    if (row.status === "expired") must(row.expiration_date < today, "expired before its time");
    must(row.account_name === find(data, "accounts", row.account_id)?.name, "account_name is of another account");
    const order = find(data, "orders", row.order_id);
    must((order?.number ?? null) === row.order_number, "order_number is of another order");
    if (order) must(order.account_id === row.account_id, "the account is not that of the order");
    const payments = (data.payments ?? []).filter(({ invoice_id }) => invoice_id === row.id);
    must(isDeepStrictEqual(payments, row.payments), "its payments are not those there are");
    must(
      payments.every(({ currency }) => currency === row.currency),
      "a payment is in another currency",
    );
    must(
      (data.invoices ?? []).filter(({ number }) => number !== null && number === row.number).length < 2,
      "number twice",
    );
  },
  orders: (row: Row & { order_items: Row[]; cost_scheme: string; number_of_students: number }, data, must) => {
    must(row.order_items.length === row.number_of_students, "number_of_students is not the number of items");
    must(
      row.order_items.every(({ order_id }) => order_id === row.id),
      "an item is of another order",
    );
    const variant = find(data, "catalogVariants", row.catalog_variant_id);
    const planned = variant?.variantable_type === "PlannedCourse" ? variant.variantable_id : null;
    must(row.planned_course_id === planned, "planned_course_id is not that of the variant");
    const units = row.cost_scheme === "student" ? row.number_of_students : 1;
    if (row.cost_scheme === "tbd")
      must(row.total_cost_excl === null && row.cost === null, "a price that is to be decided");
    else {
      const excl = row.cost === null ? 0 : roundHalfAway(cents(row.cost) * units);
      must(cents(row.total_cost_excl) === excl, "total_cost_excl is not the price of the places");
      must(cents(row.total_cost_incl) === excl + roundHalfAway(excl * 0.21), "total_cost_incl is without VAT");
    }
    if (row.cost_scheme === "free") must(row.cost === null, "a free order has a price");
  },
  plannedCourses: (
    row: Row & { status: string; start_date: string | null; end_date: string | null; max_participants: number | null },
    data,
    must,
  ) => {
    const { status, start_date: start, end_date: end } = row;
    if (status === "planned" && start) must(start > today, "planned, but begun");
    if (status === "active" && start && end) must(start <= today && end >= today, "active outside its dates");
    if (status === "completed" && end) must(end <= today, "completed before its end");
    must((row.type === "FlexiblePlannedCourse") === (start === null), "dates do not fit the type");
    const takes = ["confirmed", "active", "completed"];
    const enrolled = (data.enrollments ?? []).filter(
      (each) => each.planned_course_id === row.id && takes.includes(String(each.status)),
    );
    must(row.current_participants === enrolled.length, "participants are not counted");
    must(row.available_places === (row.max_participants === null || enrolled.length < row.max_participants), "places");
    must((row.cost === null) === !["student", "order"].includes(String(row.cost_scheme)), "price and scheme disagree");
  },
  enrollments: (row: Row & { status: string; grade: Row | null }, data, must) => {
    const status = find(data, "plannedCourses", row.planned_course_id)?.status;
    const fitting = { confirmed: "planned", active: "active", completed: "completed" }[row.status];
    if (fitting) must(status === fitting, `${row.status} in a course that is ${String(status)}`);
    const grade = (data.grades ?? []).find(
      (each) => each.gradeable_type === "Enrollment" && each.gradeable_id === row.id,
    );
    must(isDeepStrictEqual(grade ?? null, row.grade), "its grade is not the one there is");
  },
  grades: (row: Row, _, must) => {
    if (row.score !== null) must(Number(row.score) >= 5.5 === (row.result === "passed"), "score and result disagree");
  },
  accounts: (row: Row, data, must) => {
    must((row.account_type === "personal") === (row.personal_user_id !== null), "type and user disagree");
    const users = (data.affiliations ?? []).filter(({ account_id }) => account_id === row.id);
    must(row.users_count === users.length, "users are not counted");
  },
  attendances: (row: Row, data, must) => {
    const planned = find(data, "enrollments", row.enrollment_id)?.planned_course_id;
    must(find(data, "meetings", row.meeting_id)?.planned_course_id === planned, "meeting of another course");
  },
  catalogVariants: (row: Row, data, must) => {
    const product = find(data, "catalogProducts", row.product_id);
    const of =
      row.variantable_type === "PlannedCourse"
        ? find(data, "plannedCourses", row.variantable_id)?.course_id
        : find(data, "programEditions", row.variantable_id)?.program_id;
    must(product?.productable_id === of, "product of another course");
    must(row.currency === product?.currency, "currency of another product");
  },
  catalogProducts: (row: Row, data, must) => {
    const same = (data.catalogProducts ?? []).filter(
      (each) => each.productable_type === row.productable_type && each.productable_id === row.productable_id,
    );
    must(same.length === 1, "a second product of the same");
  },
  categories: (row: Row, data, must) => {
    const count = (name: string, field: string) => (data[name] ?? []).filter((each) => each[field] === row.id).length;
    must(row.courses_count === count("courses", "category_id"), "courses are not counted");
    must(row.products_count === count("catalogProducts", "category_id"), "products are not counted");
    must(row.children_count === count("categories", "parent_id"), "children are not counted");
  },
  meetingLocations: (row: Row, data, must) => {
    const there = find(data, "courseLocations", row.course_location_id)?.address;
    must(JSON.stringify(there) === JSON.stringify(row.address), "address of another place");
  },
  programElements: (row: Row & { element: Row }, data, must) => {
    must(row.element.course_id === row.course_id, "element of another course");
    const planned = find(data, "plannedCourses", row.planned_course_id);
    if (planned) must(planned.course_id === row.course_id, "planned course of another course");
  },
  programEditions: (row: Row, data, must) => {
    const enrolled = (data.programEnrollments ?? []).filter(
      ({ edition_id, state }) => edition_id === row.id && state !== "canceled",
    );
    must(row.current_participants === enrolled.length, "participants are not counted");
  },
  credits: (row: Row, data, must) => {
    const enrollment = find(data, "enrollments", row.enrollment_id);
    if (enrollment) must(enrollment.student_id === row.student_id, "student of another enrollment");
  },
  tasks: (row: Row, _, must) => {
    must((row.completed_at === null) === (row.completed_by_id === null), "completed by nobody");
    must((row.assignee_id === null) === (row.assigned_by_id === null), "assigned by nobody");
    must((row.subject_id === null) === (row.subject_type === null), "a subject in part");
  },
  teachers: (row: Row, data, must) => {
    const user = find(data, "users", row.id);
    must(user?.first_name === row.first_name && user?.email === row.email, "user with another name");
    const places = (data.teacherEnrollments ?? []).filter(({ teacher_id }) => teacher_id === row.id);
    must(row.teacher_enrollments_count === places.length, "places are not counted");
  },
  customRecords: (row: Row, data, must) => {
    must(
      (data.customObjects ?? []).some(({ slug }) => slug === row.object_slug),
      "no such custom object",
    );
  },
};
