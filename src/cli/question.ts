import { createInterface } from "node:readline/promises";
import { type Terminal, UsageError } from "./terminal.js";

interface Question {
  /** Text to print before the question, as whole lines. */
  readonly before: string | (() => Promise<string>);
  /** Default: "Carry it out?" */
  readonly question?: string;
  /** The error message if stdin or stderr is not a terminal. */
  readonly otherwise: string;
  /** The error message if the answer is not yes. Default: "Nothing was sent". */
  readonly refused?: string;
}

/**
 * Asks a person at a terminal. @throws UsageError if there is no terminal, or the answer is not yes, as after
 * Ctrl-C or Ctrl-D.
 */
export async function confirm({ stderr }: Terminal, asked: Question): Promise<true> {
  const { before, question = "Carry it out?", otherwise, refused = "Nothing was sent" } = asked;
  if (!stderr.isTTY || !process.stdin.isTTY) throw new UsageError(otherwise);
  stderr.write(typeof before === "string" ? before : await before());
  const questions = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<never>((_, reject) => {
      questions.once("close", () => reject(new UsageError(refused)));
    });
    const answer = await Promise.race([questions.question(`${question} Type yes: `), closed]);
    if (answer.trim().toLowerCase() === "yes") return true;
    throw new UsageError(refused);
  } finally {
    questions.close();
  }
}
