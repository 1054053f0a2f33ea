// Written by npm run generate from src/models and src/resources; do not edit.
import type { FieldClass } from "../core/field-class.js";

/** Fields of each record by class of content, keyed by the exported name of its schema; fields that hold records are left out. */
export const fieldClasses: Readonly<Record<string, { readonly [Class in FieldClass]?: string }>> = {
  accountSchema: {
    identifier: "id label_ids personal_user_id",
    plain: "account_type users_count visible updated_at created_at",
    name: "name slug",
    contact: "email phone",
    custom: "custom",
  },
  accountSignupAnswerSchema: { identifier: "id signup_question_id", note: "value" },
  addressSchema: {
    identifier: "id",
    plain: "updated_at created_at",
    name: "addressee",
    contact: "address postal_code city country address_line2 state_province",
  },
  adminCatalogVariantSchema: {
    identifier: "id product_id variantable_id",
    plain:
      "name sku cost_scheme cost currency variantable_type availability available_places is_published show_on_website updated_at created_at",
    custom: "properties custom custom_associations",
  },
  adminCommentSchema: {
    identifier: "id creator_id commentable_id",
    plain: "updated_at created_at commentable_type",
    note: "content",
  },
  adminPlanningEventSchema: {
    identifier: "id meeting_id meeting_location_id planning_meeting_location_ids",
    plain: "name start_date_time end_date_time",
  },
  adminTaskSchema: {
    identifier: "id creator_id completed_by_id assigned_by_id assignee_id subject_id label_ids",
    plain: "completed_at due_date starred subject_type updated_at created_at",
    note: "name description",
  },
  affiliationSchema: { identifier: "id account_id user_id", plain: "key_contact updated_at created_at" },
  attendanceRecordSchema: {
    identifier: "id meeting_id enrollment_id user_id course_edition_id",
    plain: "start_date_time end_date_time attendance_state",
    note: "comment",
  },
  attendanceSchema: {
    identifier: "id meeting_id enrollment_id",
    plain: "state updated_at created_at",
    note: "comment",
  },
  attendanceSummarySchema: { identifier: "meeting_id enrollment_id", plain: "state", note: "comment" },
  authenticationSchema: {
    identifier: "id user_id authentication_provider_id",
    plain: "otp_enabled updated_at created_at",
    number: "uid",
  },
  catalogProductSchema: {
    identifier: "id label_ids productable_id category_id",
    plain:
      "name slug cost_scheme cost currency productable_type avatar position conditions_or_default is_published show_on_website signup_url updated_at created_at",
    custom: "custom custom_associations",
  },
  catalogVariantSchema: {
    identifier: "id product_id variantable_id",
    plain:
      "name sku cost_scheme cost currency variantable_type availability available_places is_published show_on_website updated_at created_at",
    custom: "properties custom custom_associations",
  },
  categorySchema: {
    identifier: "id parent_id",
    plain:
      "name position avatar avatar_url products_count courses_count children_count slug description is_published meta_title meta_description updated_at created_at",
  },
  certificateSchema: { identifier: "id certifiable_id", plain: "certifiable_type created_at", document: "pdf_url" },
  commentSchema: { identifier: "id creator_id", plain: "updated_at created_at", note: "content" },
  contactSchema: { identifier: "id", name: "first_name middle_name last_name", contact: "email" },
  courseEditionSchema: {
    identifier: "id course_template_id",
    plain: "name start_date end_date status course_template_name",
  },
  courseEnrollmentSchema: {
    identifier: "id course_edition_id contact_id",
    plain: "start_date end_date status grade graduation_state",
  },
  courseLeadSchema: { identifier: "id lead_id course_id planned_course_id" },
  courseLocationSchema: { identifier: "id", plain: "name updated_at created_at" },
  courseSchema: {
    identifier: "id certificate_template_id category_id label_ids",
    plain:
      "position starting_price signup_url slug slug_history avatar avatar_url avatar_thumb_url conditions_or_default website_url name code duration level meta_title meta_description result cost cost_scheme is_published updated_at created_at",
    custom: "custom",
  },
  courseTabContentSchema: { identifier: "id course_tab_id", plain: "content" },
  courseTabContentWithTabSchema: { identifier: "id course_tab_id", plain: "content" },
  courseTabSchema: { identifier: "id", plain: "name position" },
  courseTabSummarySchema: { identifier: "id", plain: "name position" },
  courseVariantSchema: { identifier: "id", plain: "name updated_at created_at" },
  createdPaymentSchema: {
    identifier: "id invoice_id payment_method_id gateway_id",
    plain: "amount currency status date",
  },
  createdResponseSchema: { identifier: "location", plain: "result" },
  creditCategorySchema: { identifier: "id", plain: "name" },
  creditDefinitionSchema: { identifier: "id", plain: "credits" },
  creditSchema: {
    identifier: "id student_id course_id enrollment_id",
    plain: "credits created_at",
    note: "description",
  },
  creditTypeSchema: { identifier: "id", plain: "name" },
  customAssociationSchema: { identifier: "id", plain: "name slug" },
  customFieldOptionSchema: { identifier: "id", plain: "value enabled" },
  customObjectFieldSchema: { identifier: "id", plain: "slug title field_type" },
  customObjectSchema: { identifier: "id", plain: "name_singular name_plural slug" },
  customObjectWithFieldsSchema: { identifier: "id", plain: "name_singular name_plural slug" },
  customRecordSchema: { identifier: "id", plain: "active", custom: "display_name properties" },
  departmentSchema: { identifier: "id", plain: "name" },
  discountCodeSchema: {
    identifier: "id",
    plain: "name discount_code discount_type amount max_usage usage_count start_date expiration_date",
  },
  editionDescriptionSectionContentSchema: { identifier: "edition_description_section_id", plain: "content" },
  editionDescriptionSectionSchema: { identifier: "id", plain: "name" },
  educatorSchema: {
    identifier: "id",
    plain:
      "slug standard_planning_text default_invoice_vat_multiplier website_url signup_default_account_type currency country time_zone name locale terms_url",
    contact: "phone signup_contact_info email",
  },
  enrollmentSchema: {
    identifier: "id student_id planned_course_id order_id",
    plain: "start_date end_date status graduation_state updated_at created_at",
  },
  gradeSchema: {
    identifier: "id grader_id gradeable_id",
    plain: "result grade score gradeable_type updated_at created_at",
    note: "comment",
  },
  invoiceItemSchema: {
    identifier: "id invoice_vat_id catalog_variant_id",
    plain: "units unit_price updated_at created_at",
    note: "name",
  },
  invoicePdfSchema: { document: "data" },
  invoiceSchema: {
    identifier: "id order_id account_id invoice_set_id",
    plain:
      "number_int order_number status expiration_date opened_at currency total_incl total_excl total_open number feature updated_at created_at",
    name: "account_name",
    note: "reference_id description footnote",
    document: "pdf_url xml_url",
  },
  invoiceVatSchema: { identifier: "id", plain: "name percentage has_vat" },
  labelSchema: { identifier: "id", plain: "name color model_type created_at updated_at" },
  leadProductSchema: { identifier: "catalog_product_id catalog_variant_id" },
  leadSchema: {
    identifier: "id account_id user_id administrator_id label_ids",
    plain: "creation_method value status quality wants_newsletter updated_at created_at",
    name: "company_name first_name middle_name last_name",
    contact: "email phone website_url",
    note: "referral_text title comment",
  },
  materialGroupSchema: { identifier: "id", plain: "name updated_at created_at" },
  materialSchema: { identifier: "id material_group_id", plain: "name use_type updated_at created_at" },
  meetingLocationSchema: { identifier: "id course_location_id", plain: "name capacity updated_at created_at" },
  meetingSchema: {
    identifier: "id planned_course_id meeting_location_id planning_meeting_location_ids",
    plain: "name start_date_time end_date_time updated_at created_at",
    note: "description description_dashboard",
  },
  orderCommentSchema: { identifier: "id creator_id", note: "content" },
  orderItemSchema: { identifier: "id order_id student_id", plain: "updated_at created_at" },
  orderSchema: {
    identifier:
      "id catalog_variant_id creator_id account_id planned_course_id payment_method_id payment_option_id label_ids referral_id",
    plain:
      "number status number_of_students origin total_cost_excl total_cost_incl cost cost_scheme discount_code total_discount updated_at created_at start_date end_date",
    note: "customer_comment",
    custom: "custom",
  },
  organizationAccountSchema: { identifier: "account_id organization_id" },
  organizationAddressSchema: { contact: "address address_line2 postal_code city country state_province" },
  organizationAffiliationSchema: { identifier: "id organization_id user_id", plain: "key_contact" },
  organizationInvoiceSchema: { identifier: "invoice_id organization_id" },
  organizationMeetingSchema: {
    identifier: "id course_edition_id",
    plain: "name start_date_time end_date_time meeting_location_name attendance_status",
    note: "description",
  },
  organizationOrderSchema: { identifier: "organization_id order_id" },
  organizationProgramEditionSchema: { identifier: "id", plain: "name program_template_name" },
  organizationProgramEnrollmentSchema: {
    identifier: "id program_edition_id contact_id",
    plain: "state grade graduation_state",
  },
  organizationSchema: { identifier: "id primary_account_id", name: "name" },
  paymentMethodSchema: { identifier: "id plugin_id", plain: "name gateway" },
  paymentOptionSchema: { identifier: "id", plain: "name available_from extra_cost percentage multiplier" },
  paymentSchema: { identifier: "id invoice_id payment_method_id gateway_id", plain: "amount currency status date" },
  personalProgramElementSchema: { identifier: "id enrollment_id course_id course_enrollment_id element_id" },
  plannedCourseSchema: {
    identifier: "id course_id course_variant_id course_location_id",
    plain:
      "status duration_in_days availability_state payable current_participants confirmed_active_and_completed_enrollments_count requested_enrollments_count available_places canvas_link currency cost_multiplier is_published type start_date end_date min_participants max_participants cost_scheme cost updated_at created_at",
    custom: "custom",
  },
  planningAttendeeSchema: {
    identifier: "id attendable_id teacher_id teacher_role_id",
    plain: "attendable_type",
    note: "comment",
  },
  planningConflictSchema: {
    identifier: "resource_id event_id conflicting_event_id",
    plain:
      "resource_type event_type event_start_date_time event_end_date_time conflicting_event_type conflicting_event_start_date_time conflicting_event_end_date_time start_date_time end_date_time",
    name: "resource_name",
  },
  planningEventSchema: {
    identifier: "id meeting_id meeting_location_id planning_meeting_location_ids",
    plain: "name start_date_time end_date_time",
  },
  planningLocationSchema: { identifier: "id course_location_id", plain: "name capacity updated_at created_at" },
  planningMaterialSchema: { identifier: "material_id", plain: "amount", note: "comment" },
  planningRequiredTeacherGroupSchema: { identifier: "id teacher_label_ids", plain: "quantity" },
  pluginDataSchema: { identifier: "id", document: "data" },
  programEditionBlockElementSchema: { plain: "name credits element_type" },
  programEditionCourseElementSchema: { identifier: "course_id planned_course_id", plain: "name credits element_type" },
  programEditionElectiveElementSchema: { plain: "name credits element_type" },
  programEditionEvaluationElementSchema: { plain: "name credits element_type" },
  programEditionSchema: {
    identifier: "id program_id",
    plain:
      "name cost cost_scheme min_participants max_participants current_participants is_published start_date end_date",
  },
  programEditionThesisElementSchema: { identifier: "course_id planned_course_id", plain: "name credits element_type" },
  programElementSchema: { identifier: "id edition_id course_id planned_course_id", plain: "position" },
  programEnrollmentSchema: {
    identifier: "id student_id edition_id personal_program_id label_ids order_id",
    plain: "state graduation_state graduation_date",
  },
  programSchema: {
    identifier: "id category_id",
    plain: "signup_url name cost cost_scheme is_published conditions slug",
  },
  referralSchema: { identifier: "id", plain: "name" },
  relatedRecordSchema: { identifier: "id" },
  signupQuestionSchema: {
    identifier: "id",
    plain:
      "position field_type title slug required for_type visibility for_student for_customer choices system_name use_as_duplicate_indicator",
  },
  taskSchema: {
    identifier: "id creator_id completed_by_id assigned_by_id assignee_id subject_id",
    plain: "completed_at due_date starred subject_type updated_at created_at",
    note: "name description",
  },
  teacherEnrollmentSchema: {
    identifier: "id planned_course_id teacher_id teacher_role_id",
    plain: "updated_at created_at",
  },
  teacherRoleSchema: { identifier: "id", plain: "name updated_at created_at" },
  teacherSchema: {
    identifier: "id label_ids",
    plain: "active teacher_enrollments_count locale updated_at created_at",
    name: "first_name middle_name last_name slug avatar_url",
    contact: "email",
    number: "employee_number",
    note: "note teacher_headline teacher_description",
    custom: "custom",
  },
  thesisSchema: {
    identifier: "id",
    plain: "date confidentiality locale",
    name: "authors supervisors",
    note: "title subtitle keywords abstract",
    document: "file_url",
  },
  userSchema: {
    identifier: "id label_ids",
    plain: "roles teacher_enrollments_count locale wants_newsletter updated_at created_at",
    name: "first_name middle_name last_name slug avatar_url",
    contact: "email",
    number: "employee_number student_number",
    note: "notes_user description teacher_headline teacher_description",
    custom: "custom",
  },
  webhookNotificationFailedSchema: {
    identifier: "id event_id webhook_id",
    plain: "status created_at",
    document: "data",
  },
  webhookNotificationSchema: { identifier: "id event_id", plain: "status", document: "data" },
  webhookSchema: { identifier: "id", plain: "created_at updated_at active events", document: "url" },
  webhookSendAttemptSchema: { plain: "status_code created_at", document: "response" },
};
