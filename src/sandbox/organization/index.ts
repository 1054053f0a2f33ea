import type { Domain } from "../engine/domain.js";
import { organizationBehaviours } from "./behaviours.js";

/** The Organization API in the sandbox. @internal */
export const organization: Omit<Domain<never>, "seeds"> = {
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
