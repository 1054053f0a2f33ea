/** A problem that a model can correct. The model gets its message as the answer. */
export class ToolProblem extends Error {
  readonly code: string;
  constructor(message: string, code = "input") {
    super(message);
    this.code = code;
  }
}
