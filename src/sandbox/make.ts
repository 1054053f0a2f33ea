import type * as z from "zod/mini";
import type { Schema } from "../core/model.js";
import * as schemas from "../schemas.js";
import type { Identified, Records } from "./data/collection.js";
import { hashText, mix, Random } from "./data/random.js";
import type { Store } from "./data/store.js";
import { allFactories } from "./domains.js";
import { sample } from "./sample.js";

/**
 * Makes a record or a body that its schema accepts, with the fields given. Every record made gets another identifier;
 * nothing is stored.
 */
export type Factory<T> = (fields?: Partial<T>) => T;

/** A factory for every record and every body, named as its type. */
export interface Factories {
  readonly account: Factory<schemas.Account>;
  readonly accountCreate: Factory<schemas.AccountCreate>;
  readonly accountUpdate: Factory<schemas.AccountUpdate>;
  readonly address: Factory<schemas.Address>;
  readonly addressPatchPayload: Factory<schemas.AddressPatchPayload>;
  readonly addressPayload: Factory<schemas.AddressPayload>;
  readonly adminCatalogVariant: Factory<schemas.AdminCatalogVariant>;
  readonly adminCatalogVariantUpdate: Factory<schemas.AdminCatalogVariantUpdate>;
  readonly adminComment: Factory<schemas.AdminComment>;
  readonly affiliation: Factory<schemas.Affiliation>;
  readonly affiliationCreate: Factory<schemas.AffiliationCreate>;
  readonly affiliationUpdate: Factory<schemas.AffiliationUpdate>;
  readonly attendance: Factory<schemas.Attendance>;
  readonly attendanceRecord: Factory<schemas.AttendanceRecord>;
  readonly attendanceSet: Factory<schemas.AttendanceSet>;
  readonly attendanceSummary: Factory<schemas.AttendanceSummary>;
  readonly authentication: Factory<schemas.Authentication>;
  readonly authenticationCreate: Factory<schemas.AuthenticationCreate>;
  readonly catalogProduct: Factory<schemas.CatalogProduct>;
  readonly catalogProductUpdate: Factory<schemas.CatalogProductUpdate>;
  readonly catalogVariant: Factory<schemas.CatalogVariant>;
  readonly catalogVariantUpdate: Factory<schemas.CatalogVariantUpdate>;
  readonly category: Factory<schemas.Category>;
  readonly categoryCreate: Factory<schemas.CategoryCreate>;
  readonly categoryUpdate: Factory<schemas.CategoryUpdate>;
  readonly certificate: Factory<schemas.Certificate>;
  readonly comment: Factory<schemas.Comment>;
  readonly commentCreate: Factory<schemas.CommentCreate>;
  readonly commentUpdate: Factory<schemas.CommentUpdate>;
  readonly contact: Factory<schemas.Contact>;
  readonly course: Factory<schemas.Course>;
  readonly courseCreate: Factory<schemas.CourseCreate>;
  readonly courseEdition: Factory<schemas.CourseEdition>;
  readonly courseEnrollment: Factory<schemas.CourseEnrollment>;
  readonly courseLead: Factory<schemas.CourseLead>;
  readonly courseLeadPayload: Factory<schemas.CourseLeadPayload>;
  readonly courseLocation: Factory<schemas.CourseLocation>;
  readonly courseLocationCreate: Factory<schemas.CourseLocationCreate>;
  readonly courseLocationUpdate: Factory<schemas.CourseLocationUpdate>;
  readonly courseTab: Factory<schemas.CourseTab>;
  readonly courseTabContent: Factory<schemas.CourseTabContent>;
  readonly courseTabContentOpenPayload: Factory<schemas.CourseTabContentOpenPayload>;
  readonly courseTabContentPayload: Factory<schemas.CourseTabContentPayload>;
  readonly courseTabContentWithTab: Factory<schemas.CourseTabContentWithTab>;
  readonly courseTabSummary: Factory<schemas.CourseTabSummary>;
  readonly courseUpdate: Factory<schemas.CourseUpdate>;
  readonly courseVariant: Factory<schemas.CourseVariant>;
  readonly courseVariantCreate: Factory<schemas.CourseVariantCreate>;
  readonly credit: Factory<schemas.Credit>;
  readonly creditCategory: Factory<schemas.CreditCategory>;
  readonly creditDefinition: Factory<schemas.CreditDefinition>;
  readonly creditType: Factory<schemas.CreditType>;
  readonly customAssociation: Factory<schemas.CustomAssociation>;
  readonly customFieldOption: Factory<schemas.CustomFieldOption>;
  readonly customFieldOptionCreate: Factory<schemas.CustomFieldOptionCreate>;
  readonly customFieldOptionUpdate: Factory<schemas.CustomFieldOptionUpdate>;
  readonly customObject: Factory<schemas.CustomObject>;
  readonly customObjectField: Factory<schemas.CustomObjectField>;
  readonly customRecord: Factory<schemas.CustomRecord>;
  readonly customRecordCreate: Factory<schemas.CustomRecordCreate>;
  readonly customRecordUpdate: Factory<schemas.CustomRecordUpdate>;
  readonly department: Factory<schemas.Department>;
  readonly discountCode: Factory<schemas.DiscountCode>;
  readonly editionDescriptionSection: Factory<schemas.EditionDescriptionSection>;
  readonly educator: Factory<schemas.Educator>;
  readonly emailSend: Factory<schemas.EmailSend>;
  readonly enrollment: Factory<schemas.Enrollment>;
  readonly enrollmentAwardCertificate: Factory<schemas.EnrollmentAwardCertificate>;
  readonly enrollmentUpdate: Factory<schemas.EnrollmentUpdate>;
  readonly grade: Factory<schemas.Grade>;
  readonly gradeCreate: Factory<schemas.GradeCreate>;
  readonly gradeUpdate: Factory<schemas.GradeUpdate>;
  readonly invoice: Factory<schemas.Invoice>;
  readonly invoiceCreate: Factory<schemas.InvoiceCreate>;
  readonly invoiceItem: Factory<schemas.InvoiceItem>;
  readonly invoiceItemPayload: Factory<schemas.InvoiceItemPayload>;
  readonly invoicePdf: Factory<schemas.InvoicePdf>;
  readonly invoiceVat: Factory<schemas.InvoiceVat>;
  readonly invoiceVatCreate: Factory<schemas.InvoiceVatCreate>;
  readonly label: Factory<schemas.Label>;
  readonly labelAddToOrder: Factory<schemas.LabelAddToOrder>;
  readonly labelCreate: Factory<schemas.LabelCreate>;
  readonly labelUpdate: Factory<schemas.LabelUpdate>;
  readonly lead: Factory<schemas.Lead>;
  readonly leadCreate: Factory<schemas.LeadCreate>;
  readonly leadProduct: Factory<schemas.LeadProduct>;
  readonly leadProductPayload: Factory<schemas.LeadProductPayload>;
  readonly material: Factory<schemas.Material>;
  readonly materialCreate: Factory<schemas.MaterialCreate>;
  readonly materialGroup: Factory<schemas.MaterialGroup>;
  readonly materialGroupCreate: Factory<schemas.MaterialGroupCreate>;
  readonly materialGroupUpdate: Factory<schemas.MaterialGroupUpdate>;
  readonly materialUpdate: Factory<schemas.MaterialUpdate>;
  readonly meeting: Factory<schemas.Meeting>;
  readonly meetingCreate: Factory<schemas.MeetingCreate>;
  readonly meetingLocation: Factory<schemas.MeetingLocation>;
  readonly meetingLocationCreate: Factory<schemas.MeetingLocationCreate>;
  readonly meetingLocationUpdate: Factory<schemas.MeetingLocationUpdate>;
  readonly meetingUpdate: Factory<schemas.MeetingUpdate>;
  readonly order: Factory<schemas.Order>;
  readonly orderComment: Factory<schemas.OrderComment>;
  readonly organizationAddress: Factory<schemas.OrganizationAddress>;
  readonly organizationMeeting: Factory<schemas.OrganizationMeeting>;
  readonly payment: Factory<schemas.Payment>;
  readonly plannedCourseMeetingCreate: Factory<schemas.PlannedCourseMeetingCreate>;
  readonly planningAttendeePayload: Factory<schemas.PlanningAttendeePayload>;
  readonly planningMaterialPayload: Factory<schemas.PlanningMaterialPayload>;
  readonly programEdition: Factory<schemas.ProgramEdition>;
  readonly programEnrollment: Factory<schemas.ProgramEnrollment>;
}

/** Makes the factories of a sandbox. @internal */
export function createFactories(store: Store, seed: number): Factories {
  const factories: Record<string, Factory<Record<string, unknown>>> = {};
  const byName = allFactories();
  for (const [exported, schema] of Object.entries(schemas)) {
    const name = /^(\w+)(?<!Query|Path)Schema$/.exec(exported)?.[1];
    if (name === undefined) continue;
    // Records in the store look like its own; the others are made from their schema alone.
    const stored = byName[name]?.(store) ?? (store as unknown as Record<string, unknown>)[`${name}s`];
    const records = stored as Records<Identified> | undefined;
    let made = 0;
    factories[name] = (fields = {}) => {
      const number = made++;
      if (!records) {
        const drawn = sample(schema as Schema, new Random(mix(hashText(`${name} ${number}`), seed)));
        return { ...(drawn as object), ...fields };
      }
      const { id = records.draft().id + number } = fields as { id?: number };
      return { ...only(records.draft({ ...fields, id }), schema as z.ZodMiniObject), ...fields };
    };
  }
  return factories as unknown as Factories;
}

// The store keeps more of some records than one rendering shows.
function only(record: object, schema: z.ZodMiniObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name in schema.shape));
}
