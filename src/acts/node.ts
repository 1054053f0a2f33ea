/** The `./acts` entry, for Node: common tasks of a school, each carried out only once, however often it is started. */
export type { ActOptions } from "./node-act.js";
export { type AttendanceLists, type MarkedAttendance, markAttendance, type StudentName } from "./node-attendance.js";
export { type Credited, type CreditPart, credit } from "./node-credit.js";
export { type Enrolled, type Enrolling, enroll } from "./node-enroll.js";
export { type PaymentReceived, type RecordedPayment, recordPayment } from "./node-payment.js";
export { type Rescheduled, type Rescheduling, reschedule } from "./node-reschedule.js";
