import { type ChildProcess, fork } from "node:child_process";

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
