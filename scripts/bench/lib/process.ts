import { type ChildProcess, fork, spawn } from "node:child_process";

export interface Finished {
  readonly stdout: string;
  /** Milliseconds from its start to its end. */
  readonly wallMs: number;
}

/** Runs a program to its end. @throws Error with its output if it fails. */
export function run(command: string, args: readonly string[], cwd?: string): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const wallMs = performance.now() - started;
      if (code === 0) resolve({ stdout, wallMs });
      else reject(new Error(`${command} ${args.join(" ")} ended with ${code}\n${stdout}\n${stderr}`));
    });
  });
}

/** A long-running process that answers each message with one message. */
export class Worker {
  readonly #child: ChildProcess;

  constructor(program: string, args: readonly string[] = [], execArgv: readonly string[] = []) {
    this.#child = fork(program, [...args], { execArgv: [...execArgv], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  }

  /** Sends a question and waits for the answer. @throws Error if the process ends instead. */
  ask<Answer>(question: unknown): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`a worker ended with ${code} instead of answering`));
      this.#child.once("exit", onExit);
      this.#child.once("message", (answer) => {
        this.#child.off("exit", onExit);
        resolve(answer as Answer);
      });
      this.#child.send(question as object);
    });
  }

  stop(): void {
    this.#child.disconnect();
    this.#child.kill();
  }
}
