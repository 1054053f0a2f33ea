import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { MainClient } from "../../../src/index.js";
import { createSandbox } from "../../../src/sandbox/index.js";

/** The service carries out a request and its response is lost. */
export const LOST = { reset: true, applied: true } as const;

/** A seeded school, its client and an empty folder for marks. */
export function school() {
  const marks = mkdtempSync(join(tmpdir(), "acts-"));
  onTestFinished(() => rmSync(marks, { recursive: true }));
  const sandbox = createSandbox({ size: "medium", skipWaits: true });
  const client = new MainClient({ ...connectionOf(sandbox), retry: { limit: 1 } });
  return { sandbox, client, store: sandbox.store, marks, options: { marks, settleMs: 0 } };
}
/** The connection to a sandbox. */
export const connectionOf = ({ baseUrl, apiKey, fetch, clock }: ReturnType<typeof createSandbox>) => ({
  baseUrl,
  apiKey,
  fetch,
  clock,
});

/** Writes that a sandbox got. */
export const writes = ({ sandbox }: ReturnType<typeof school>) =>
  sandbox.requests.filter(({ method }) => method !== "GET");
