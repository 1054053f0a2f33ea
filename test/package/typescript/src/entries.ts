// Checks the declarations of every entry completely, because skipLibCheck is off. ./sandbox/msw and ./opentelemetry
// need packages that are not installed here.
export type * as acts from "education-admin-sdk/acts";
export type * as assistant from "education-admin-sdk/assistant";
export type * as bulk from "education-admin-sdk/bulk";
export type * as doctor from "education-admin-sdk/doctor";
export type * as erase from "education-admin-sdk/erase";
export type * as exported from "education-admin-sdk/export";
export type * as mirror from "education-admin-sdk/mirror";
export type * as operations from "education-admin-sdk/operations";
export type * as proxy from "education-admin-sdk/proxy";
export type * as sandbox from "education-admin-sdk/sandbox";
export type * as served from "education-admin-sdk/sandbox/node";
export type * as school from "education-admin-sdk/school";
export type * as schools from "education-admin-sdk/schools";
export type * as postgres from "education-admin-sdk/stores/postgres";
export type * as redis from "education-admin-sdk/stores/redis";
export type * as sqlite from "education-admin-sdk/stores/sqlite";
export type * as twin from "education-admin-sdk/twin";
export type * as webhooks from "education-admin-sdk/webhooks";
