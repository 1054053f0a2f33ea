import { ToolProblem } from "./problem.js";

/**
 * Stands in for `#plan-tool` in browsers and Workers, by package.json's `imports`: they cannot write plan files.
 * @throws ToolProblem always.
 */
export async function planTool(): Promise<never> {
  throw new ToolProblem("plans are files: this tool needs Node, Bun or Deno", "refused");
}
