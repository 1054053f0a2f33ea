/** A problem that a model can correct; its message becomes the answer. */
export class ToolProblem extends Error {
  readonly code: string;
  constructor(message: string, code = "input") {
    super(message);
    this.code = code;
  }
}
