import { run } from "./process.ts";
import type { Context, Passed } from "./row.ts";

/** The steps of the smoke suite, all of which a run must have taken. */
export const STEPS: readonly string[] = [
  "list",
  "iterate",
  "create",
  "lookup",
  "typed error",
  "abort",
  "webhook verification",
];

/** What a run of the smoke suite prints: one line of JSON, the last one. */
interface Printed {
  readonly version?: string;
  readonly steps: readonly string[];
}

/**
 * Runs a program that runs the smoke suite: it gets the service's address and key as its last two arguments.
 * @param version of the tool under test; default: what the program says of itself.
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

/** @throws Error when a step is missing. */
export function checkSteps(steps: readonly string[]): string {
  if (steps.join() !== STEPS.join()) throw new Error(`the smoke suite took the steps ${steps.join(", ")}`);
  return `${steps.length} smoke steps`;
}
