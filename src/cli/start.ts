import { outputProblem } from "./system-problem.js";
import { versionOfPackage } from "./version.js";

process.stdout.on("error", (error) => {
  const problem = outputProblem(error);
  if (problem !== null) process.stderr.write(problem);
  process.exit(problem === null ? 0 : 1);
});
// Ignores a closed error output: no other output can report it.
process.stderr.on("error", () => undefined);
const args = process.argv.slice(2);
if (args.length === 1 && /^(-v|--version)$/.test(args[0] ?? "")) process.stdout.write(`${versionOfPackage()}\n`);
else {
  // Loaded only here: printing the version needs neither the parser nor the command tables.
  const { runCli } = await import("./main.js");
  process.exitCode = await runCli(args, process);
}
