import { fileURLToPath } from "node:url";

/** Folders, as absolute paths. */
export const BENCH = fileURLToPath(new URL("..", import.meta.url));
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** The folder for generated clients and for the programs that the bench runs; git ignores it. */
export const GENERATED = `${BENCH}generated`;
export const PROGRAMS = `${GENERATED}/programs`;
export const DOCUMENT = `${ROOT}docs/performance.md`;
