import * as z from "zod/mini";
import { model, openModel, type Schema } from "../../core/model.js";
import { fieldsOf } from "../../core/validation/traits.js";
import { dateTime } from "../../models/dates.js";
import * as schemas from "../../schemas.js";
import type { CollectionName } from "./store.js";

// A record as the store keeps it: with fields that are in the path instead, or under a number where the APIs show text.
function stored(schema: Schema, more: z.core.$ZodShape): Schema {
  return model(() => ({ ...(fieldsOf(schema) as z.core.$ZodShape), ...more }));
}

const emailSchema = /* @__PURE__ */ model(() => ({
  id: z.int(),
  user_id: z.int(),
  from: z.string(),
  subject: z.string(),
  body: z.string(),
  sent_at: dateTime(),
}));

const departmentSchema = /* @__PURE__ */ openModel(() => ({ id: z.int(), name: z.string() }));

/** The schema of the records of every collection, with every field that they have. @internal */
export const STORED_SCHEMAS: Readonly<Record<CollectionName, Schema>> = /* @__PURE__ */ (() => ({
  accounts: schemas.accountSchema,
  affiliations: schemas.affiliationSchema,
  attendances: schemas.attendanceSchema,
  authentications: schemas.authenticationSchema,
  catalogProducts: schemas.catalogProductSchema,
  catalogVariants: schemas.adminCatalogVariantSchema,
  categories: schemas.categorySchema,
  certificates: schemas.certificateSchema,
  comments: schemas.adminCommentSchema,
  courseLocations: schemas.courseLocationSchema,
  courses: schemas.courseSchema,
  courseTabs: schemas.courseTabSchema,
  courseVariants: schemas.courseVariantSchema,
  creditCategories: schemas.creditCategorySchema,
  credits: schemas.creditSchema,
  customAssociations: stored(schemas.customAssociationSchema, { object_type: z.string() }),
  customFieldOptions: stored(schemas.customFieldOptionSchema, { object_type: z.string(), field_slug: z.string() }),
  customObjects: schemas.customObjectSchema,
  customRecords: stored(schemas.customRecordSchema, { object_slug: z.string() }),
  departments: departmentSchema,
  discountCodes: schemas.discountCodeSchema,
  editionDescriptionSections: schemas.editionDescriptionSectionSchema,
  educators: schemas.educatorSchema,
  emails: emailSchema,
  enrollments: schemas.enrollmentSchema,
  grades: schemas.gradeSchema,
  invoices: schemas.invoiceSchema,
  invoiceVats: schemas.invoiceVatSchema,
  labels: schemas.labelSchema,
  leads: schemas.leadSchema,
  materialGroups: schemas.materialGroupSchema,
  materials: schemas.materialSchema,
  meetingLocations: schemas.meetingLocationSchema,
  meetings: schemas.meetingSchema,
  orders: schemas.orderSchema,
  organizationAccounts: stored(schemas.organizationAccountSchema, { id: z.int() }),
  organizationAffiliations: schemas.organizationAffiliationSchema,
  organizations: schemas.organizationSchema,
  paymentMethods: schemas.paymentMethodSchema,
  paymentOptions: schemas.paymentOptionSchema,
  payments: schemas.paymentSchema,
  personalProgramElements: schemas.personalProgramElementSchema,
  plannedCourses: schemas.plannedCourseSchema,
  planningEvents: schemas.adminPlanningEventSchema,
  programEditions: schemas.programEditionSchema,
  programElements: stored(schemas.programElementSchema, { element: schemas.programEditionElementSchema }),
  programEnrollments: schemas.programEnrollmentSchema,
  programs: schemas.programSchema,
  referrals: schemas.referralSchema,
  signupQuestions: schemas.signupQuestionSchema,
  tasks: schemas.adminTaskSchema,
  teacherEnrollments: schemas.teacherEnrollmentSchema,
  teacherRoles: schemas.teacherRoleSchema,
  teachers: schemas.teacherSchema,
  theses: schemas.thesisSchema,
  users: schemas.userSchema,
  webhookNotifications: model(() => ({
    id: z.int(),
    webhook_id: z.int(),
    event_id: z.string(),
    data: z.record(z.string(), z.unknown()),
    status: schemas.WebhookNotificationStatus.open,
    send_attempts: z.array(schemas.webhookSendAttemptSchema),
    created_at: dateTime(),
  })),
  webhooks: stored(schemas.webhookSchema, {
    id: z.int(),
    url: z.string(),
    active: z.boolean(),
    // Names of events, or patterns of them.
    events: z.array(z.string()),
  }),
}))();
