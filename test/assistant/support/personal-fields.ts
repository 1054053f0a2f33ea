/**
 * The fields that may identify a person according to the service's descriptions, by the class under which they may be
 * shown. Written by hand, so that a test fails if the library puts a field into another class.
 */
export const PERSONAL: Readonly<Record<string, string>> = {
  names: `accountSchema.name accountSchema.slug addressSchema.addressee contactSchema.first_name contactSchema.last_name
    contactSchema.middle_name invoiceSchema.account_name leadSchema.company_name leadSchema.first_name leadSchema.last_name
    leadSchema.middle_name organizationSchema.name planningConflictSchema.resource_name teacherSchema.avatar_url
    teacherSchema.first_name teacherSchema.last_name teacherSchema.middle_name teacherSchema.slug thesisSchema.authors
    thesisSchema.supervisors userSchema.avatar_url userSchema.first_name userSchema.last_name userSchema.middle_name userSchema.slug`,
  contact: `accountSchema.email accountSchema.phone addressSchema.address addressSchema.address_line2 addressSchema.city
    addressSchema.postal_code contactSchema.email educatorSchema.email educatorSchema.phone educatorSchema.signup_contact_info
    leadSchema.email leadSchema.phone leadSchema.website_url organizationAddressSchema.address organizationAddressSchema.address_line2
    organizationAddressSchema.city organizationAddressSchema.country organizationAddressSchema.postal_code
    organizationAddressSchema.state_province teacherSchema.email userSchema.email`,
  numbers: `authenticationSchema.uid teacherSchema.employee_number userSchema.employee_number userSchema.student_number`,
  notes: `accountSignupAnswerSchema.value adminCommentSchema.content adminTaskSchema.description adminTaskSchema.name
    attendanceRecordSchema.comment attendanceSchema.comment attendanceSummarySchema.comment commentSchema.content creditSchema.description
    gradeSchema.comment invoiceItemSchema.name invoiceSchema.description invoiceSchema.footnote invoiceSchema.reference_id
    leadSchema.comment leadSchema.referral_text leadSchema.title meetingSchema.description meetingSchema.description_dashboard
    orderCommentSchema.content orderSchema.customer_comment organizationMeetingSchema.description planningAttendeeSchema.comment
    planningMaterialSchema.comment taskSchema.description taskSchema.name teacherSchema.note teacherSchema.teacher_description
    teacherSchema.teacher_headline thesisSchema.abstract thesisSchema.keywords thesisSchema.subtitle thesisSchema.title
    userSchema.description userSchema.notes_user userSchema.teacher_description userSchema.teacher_headline`,
  custom: `accountSchema.custom adminCatalogVariantSchema.custom adminCatalogVariantSchema.custom_associations
    adminCatalogVariantSchema.properties catalogProductSchema.custom catalogProductSchema.custom_associations
    catalogVariantSchema.custom catalogVariantSchema.custom_associations catalogVariantSchema.properties courseSchema.custom
    customRecordSchema.display_name customRecordSchema.properties orderSchema.custom plannedCourseSchema.custom
    teacherSchema.custom userSchema.custom`,
  never: `certificateSchema.pdf_url invoicePdfSchema.data invoiceSchema.pdf_url invoiceSchema.xml_url pluginDataSchema.data
    thesisSchema.file_url webhookNotificationFailedSchema.data webhookNotificationSchema.data webhookSchema.url
    webhookSendAttemptSchema.response`,
};
