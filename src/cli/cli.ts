#!/usr/bin/env node
import { runCli } from "./cli-main.js";
import { outputProblem } from "./system-problem.js";

process.stdout.on("error", (error) => {
  const problem = outputProblem(error);
  if (problem !== null) process.stderr.write(problem);
  process.exit(problem === null ? 0 : 1);
});
// Where nobody reads what people are told, there is nobody to tell.
process.stderr.on("error", () => undefined);
process.exitCode = await runCli(process.argv.slice(2), process);
