import { run } from "../lib/process.ts";
import type { Context, Passed } from "./row.ts";

/** Steps of the smoke suite; every run must complete all of them. */
export const STEPS: readonly string[] = [
  "list",
  "iterate",
  "create",
  "lookup",
  "typed error",
  "abort",
  "webhook verification",
];

/** Result of the smoke suite: the last line of its output, as JSON. */
interface Printed {
  readonly version?: string;
  readonly steps: readonly string[];
}

/**
 * Runs a program that contains the smoke suite, with the service's address and key as its last two arguments.
 * @param options `version` is the version of the tool under test; default: the version that the program prints.
 */
export async function runSmoke(
  context: Context,
  command: string,
  args: readonly string[],
  options: { cwd: string; version?: string; env?: Record<string, string> },
): Promise<Passed> {
  const { url, apiKey } = await context.service();
  const { cwd, env = {} } = options;
  const printed = await run(command, [...args, url, apiKey], { cwd, env, timeout: 60_000 });
  const found = JSON.parse(printed.trim().split("\n").at(-1) ?? "") as Printed;
  return { version: options.version ?? found.version ?? "", note: checkSteps(found.steps) };
}

/** Returns a note with the number of steps. @throws Error if a step is missing. */
export function checkSteps(steps: readonly string[]): string {
  if (steps.join() !== STEPS.join()) throw new Error(`the smoke suite ran the steps ${steps.join(", ")}`);
  return `${steps.length} smoke steps`;
}
