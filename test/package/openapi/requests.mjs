// One request for each operation that a sandbox of 60 people accepts.

// Path parameters of operations that need identifiers other than 1.
const PATHS = {
  "attendances.get": { meeting_id: "1", enrollment_id: "1" },
  "authentications.delete": { user_id: "10", id: "10" },
  // An order that waits for approval, and a paid invoice with its payment.
  "orders.deny": { id: "9" },
  "payments.deleteForInvoice": { invoice_id: "2", id: "1" },
  "payments.listForInvoice": { invoice_id: "2" },
  // The only group without materials.
  "materialGroups.delete": { id: "4" },
  // The first role is in use.
  "teacherRoles.delete": { id: "3" },
  "webhooks.get": { id: "webhook-1" },
  "webhooks.update": { id: "webhook-1" },
  "webhooks.delete": { id: "webhook-1" },
  "webhooks.listNotifications": { webhook_id: "webhook-1" },
  "webhooks.listFailedNotifications": { webhook_id: "webhook-1" },
};
const NAMES = { object_type: "accounts", field_slug: "sector", object_slug: "equipment" };
// Operations that need a new record, because every seeded one has editions, enrollments or elements.
const PREPARED = {
  "programEditions.createElements": "programEditions",
  "programEditions.delete": "programEditions",
  "programs.delete": "programs",
};
// Body fields of operations that need values other than the sample's.
const BODIES = {
  // The first user already belongs to the first organization, and is a teacher.
  "organizationAffiliations.create": { user_id: 2 },
  "teachers.create": { user_id: 60 },
  // A rule that a schema cannot express requires this field.
  "courses.create": { cost: "450.00" },
  "programEditions.create": { cost: 450 },
  "programs.create": { cost: 450 },
  "meetings.create": { end_date_time: "2030-06-03T10:00:00.000Z" },
  "meetings.createForPlannedCourse": { end_date_time: "2030-06-03T10:00:00.000Z" },
  "grades.create": { gradeable_type: "Enrollment" },
};

/** The path of an operation's request; inserts the record that it needs. */
export function prepare(id, path, { store }) {
  const record = PREPARED[id] ? store[PREPARED[id]].insert().id : 1;
  return path.replace(/\{(\w+)\}/g, (_, name) => PATHS[id]?.[name] ?? NAMES[name] ?? String(record));
}

/** The body of an operation's request. */
export function bodyFor(id, sample) {
  return { ...sample, ...BODIES[id] };
}

/** The smallest value that a schema of the document allows. */
export function sampleOf(document, schema, name = "") {
  if (schema.$ref) return sampleOf(document, document.components.schemas[schema.$ref.split("/").at(-1)], name);
  const [form] = schema.allOf ?? schema.oneOf ?? schema.anyOf ?? [];
  if (form) return sampleOf(document, form, name);
  const [known] = schema.enum ?? schema["x-extensible-enum"] ?? [];
  if (known !== undefined) return known;
  switch (schema.type) {
    case "object": {
      const fields = (schema.required ?? []).map((field) => [
        field,
        sampleOf(document, schema.properties[field], field),
      ]);
      return Object.fromEntries(fields);
    }
    case "array":
      return [sampleOf(document, schema.items, name)];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return (
        { date: "2030-06-03", "date-time": "2030-06-03T09:00:00.000Z", decimal: "10.00" }[schema.format] ?? text(name)
      );
  }
}

function text(name) {
  if (/email/.test(name)) return "office@school.example";
  return /url/.test(name) ? "https://school.example/hook" : "text";
}
