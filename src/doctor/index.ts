/**
 * The `./doctor` entry: checks once how the service behaves wherever the library relies on it, and reports differences.
 */
export type { DoctorStatus } from "./check.js";
export { type DoctorFinding, type DoctorOptions, type DoctorReport, doctor } from "./doctor.js";
export { type FormatReportOptions, formatReport } from "./report.js";
