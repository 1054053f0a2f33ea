import { createInterface } from "node:readline/promises";
import { type Terminal, UsageError } from "./terminal.js";

export interface Question {
  /** Text to print before the question, as whole lines. */
  readonly before: string | (() => Promise<string>);
  readonly question: string;
  readonly otherwise: string;
}

/** Asks a person at a terminal. @throws UsageError if there is no terminal, or the person presses Ctrl-C or Ctrl-D. */
export async function ask({ stderr }: Terminal, { before, question, otherwise }: Question): Promise<string> {
  if (!stderr.isTTY || !process.stdin.isTTY) throw new UsageError(otherwise);
  stderr.write(typeof before === "string" ? before : await before());
  const questions = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<never>((_, reject) => {
      questions.once("close", () => reject(new UsageError("Nothing was sent")));
    });
    return (await Promise.race([questions.question(question), closed])).trim();
  } finally {
    questions.close();
  }
}
