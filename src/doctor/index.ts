/** The `./doctor` entry: reads once what the service does where the library relies on it, and says where they differ. */
export type { DoctorStatus } from "./check.js";
export { type DoctorFinding, type DoctorOptions, type DoctorReport, doctor } from "./doctor.js";
export { type FormatReportOptions, formatReport } from "./report.js";
