import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { runCli } from "../../../src/cli/main.js";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.js";
import { listen } from "../../../src/sandbox/node.js";
import { testFolder } from "./folder.js";

export interface Office {
  readonly at: (name: string) => string;
  readonly sandbox: Sandbox;
  /** Runs `bulk` with arguments. */
  type(...args: string[]): Promise<{ readonly status: number; readonly text: string }>;
  /** The words of a command as /bin/sh hands them to npx, without the names of the package and of `bulk`. */
  wordsOf(command: string): string[];
}

/** A served school, and the command line of its office. */
export async function office(options: Parameters<typeof createSandbox>[0] = { size: "small" }): Promise<Office> {
  const at = testFolder();
  const sandbox = createSandbox(options);
  const { url, close } = await listen(sandbox, { port: 0 });
  onTestFinished(() => close());
  const env = { EDUCATION_ADMIN_BASE_URL: url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  writeFileSync(at("npx"), `#!/bin/sh\nfor word in "$@"; do printf '%s\\0' "$word"; done\n`);
  chmodSync(at("npx"), 0o700);
  return {
    at,
    sandbox,
    type: (...args) => type(args, env),
    wordsOf(command) {
      const shell = { env: { PATH: `${at(".")}:${process.env.PATH}` }, encoding: "utf8" as const };
      const [name, group, ...words] = execFileSync("/bin/sh", ["-c", command], shell).split("\0").slice(0, -1);
      if (name !== "education-admin-sdk" || group !== "bulk") throw new Error(`not a command of bulk: ${command}`);
      return words;
    },
  };
}

/** Runs `bulk` with arguments. */
export async function type(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  let text = "";
  const output = {
    write(more: string) {
      text += more;
    },
  };
  const status = await runCli(["bulk", ...args], { env, stdout: output, stderr: output });
  return { status, text };
}

/** The command that an output proposes; empty if there is none. */
export function proposedIn(text: string): string {
  return /^npx education-admin-sdk bulk .*$/m.exec(text)?.[0] ?? "";
}
