import { ToolProblem } from "./problem.js";

/**
 * What browsers and Workers get as `#plan-tool`, by package.json's `imports`: a plan is a file, which they cannot write.
 * @throws ToolProblem always.
 */
export async function planTool(): Promise<never> {
  throw new ToolProblem("plans are files: this tool needs Node, Bun or Deno", "refused");
}
