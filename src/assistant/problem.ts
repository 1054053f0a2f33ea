import { didYouMean } from "../core/option-checks.js";

/** Something a model can correct: it becomes the answer. */
export class ToolProblem extends Error {
  readonly code: string;
  constructor(message: string, code = "input") {
    super(message);
    this.code = code;
  }
}

/** A name that a model has made up, shortened, and the nearest of those that there are. */
export function unknownName(name: string, known: readonly string[], orElse = ""): string {
  const short = name.slice(0, 60);
  return `"${short}"${didYouMean(short, known) || orElse}`;
}
