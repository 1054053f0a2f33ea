import { fileURLToPath } from "node:url";

/** Folders, as absolute paths. */
export const BENCH = fileURLToPath(new URL("..", import.meta.url));
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Generated clients and the programs that the bench runs; ignored by git. */
export const GENERATED = `${BENCH}generated`;
export const PROGRAMS = `${GENERATED}/programs`;
export const DOCUMENT = `${ROOT}docs/performance.md`;
export const CHARTS = `${ROOT}docs/charts`;
