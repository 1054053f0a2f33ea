/** The `./doctor` entry: reads once how the service behaves where the library relies on it, and reports differences. */
export type { DoctorStatus } from "./check.js";
export { type DoctorFinding, type DoctorOptions, type DoctorReport, doctor } from "./doctor.js";
export { type FormatReportOptions, formatReport } from "./report.js";
