import { spawn } from "node:child_process";

/** Options of a command. */
export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds before the command is killed. Default 180 000. */
  readonly timeout?: number;
}

/** Thrown when a command ends with a status other than 0. */
export class CommandFailed extends Error {}

/**
 * Runs a command to its end and returns its stdout.
 * @throws CommandFailed with the command and the end of its output.
 */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...cleanEnvironment(), ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: options.timeout ?? 180_000,
    });
    let stdout = "";
    let all = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk;
      all += chunk;
    });
    child.stderr.on("data", (chunk: Buffer) => {
      all += chunk;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) return resolve(stdout);
      reject(new CommandFailed(`${command} ${args.join(" ")} ended with ${code ?? signal}\n${all.slice(-4000)}`));
    });
  });
}

// A consumer must not inherit this script's settings for npm, Node or a proxy.
function cleanEnvironment(): NodeJS.ProcessEnv {
  const hidden =
    /^(npm_(?!config_(userconfig|cache|registry))|NODE_OPTIONS$|NODE_USE_ENV_PROXY$|EDUCATION_ADMIN_|INIT_CWD$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !hidden.test(name)));
}
