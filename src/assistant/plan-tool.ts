import { ToolProblem } from "./problem.js";

/**
 * Replaces `#plan-tool` in browsers and Workers (see `imports` in package.json), which cannot write plan files.
 * @throws ToolProblem always.
 */
export async function planTool(): Promise<never> {
  throw new ToolProblem("plans are files: this tool needs Node, Bun or Deno", "refused");
}
