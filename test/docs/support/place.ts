import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { onTestFinished } from "vitest";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../../src/sandbox/index.ts";
import { listen } from "../../../src/sandbox/node.ts";

/** Examples that consist of one program, by folder name. */
export const EXAMPLES = ["lms-provisioning"];

/** The service and the folder that an example uses while it runs. */
export interface Place {
  readonly sandbox: Sandbox;
  readonly cwd: string;
  readonly env: Record<string, string>;
  /** Reads a file that the example wrote. */
  read(name: string): string;
  /** Reads the rows of a CSV file that the example wrote. */
  rows(name: string): Record<string, string>[];
}

/** A sandbox over HTTP and an empty folder, for one test. */
export async function place(options: SandboxOptions = { size: "small" }): Promise<Place> {
  const sandbox = createSandbox(options);
  const server = await listen(sandbox);
  onTestFinished(() => server.close());
  const cwd = mkdtempSync(join(tmpdir(), "example-"));
  const read = (name: string) => readFileSync(join(cwd, name), "utf8");
  return {
    sandbox,
    cwd,
    env: { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey },
    read,
    rows: (name) => parse(read(name), { columns: true }) as Record<string, string>[],
  };
}
