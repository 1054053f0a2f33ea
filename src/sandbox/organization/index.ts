import type { Domain } from "../data/domain.js";
import { organizationBehaviours } from "./behaviours.js";
import { organizationSeeds } from "./seed.js";
import type { OrganizationCollections } from "./store.js";

/** The Organization API in the sandbox. @internal */
export const organization: Domain<OrganizationCollections> = {
  seeds: organizationSeeds,
  behaviours: organizationBehaviours,
  factories: {
    attendanceRecord: (store) => store.organization.attendanceRecords,
    contact: (store) => store.organization.contacts,
    courseEdition: (store) => store.organization.courseEditions,
    courseEnrollment: (store) => store.organization.courseEnrollments,
    organizationMeeting: (store) => store.organization.meetings,
    organizationProgramEdition: (store) => store.organization.programEditions,
    organizationProgramEnrollment: (store) => store.organization.programEnrollments,
  },
};
