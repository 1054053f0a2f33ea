import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { runCli } from "../../src/cli/main.js";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";

/** A new folder, deleted when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "types-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A sandbox served over HTTP, and a function that runs the `types` command against it. */
export interface Served {
  readonly sandbox: Sandbox;
  run(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }>;
}

/** Serves a sandbox until the test ends. */
export async function serve(options: SandboxOptions = {}): Promise<Served> {
  const sandbox = createSandbox({ size: "small", ...options });
  const { url, close } = await listen(sandbox);
  onTestFinished(() => close());
  const env = { EDUCATION_ADMIN_BASE_URL: url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  return {
    sandbox,
    async run(...args) {
      const written = { stdout: "", stderr: "" };
      const output = (name: keyof typeof written) => ({ write: (text: string) => (written[name] += text) });
      const status = await runCli(["types", ...args], { env, stdout: output("stdout"), stderr: output("stderr") });
      return { status, ...written };
    },
  };
}
