import { runCli } from "../../src/cli/main.js";

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command line in this process. @param terminal makes the outputs look like a terminal; by default they are none.
 */
export async function runLine(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  terminal: { readonly isTTY?: boolean; readonly columns?: number } = {},
): Promise<Ran> {
  const written = { stdout: "", stderr: "" };
  const output = (name: keyof typeof written) => ({
    ...terminal,
    write(chunk: string | Uint8Array, callback?: () => void) {
      written[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      callback?.();
    },
    on: () => undefined,
    off: () => undefined,
  });
  const status = await runCli(args, { env, stdout: output("stdout"), stderr: output("stderr") });
  return { status, ...written };
}
