import { expect } from "vitest";
import type { RunningProgram } from "../../support/program.ts";

/** What a program printed when it ended with this status; anything else fails. */
export async function finished(running: RunningProgram, code = 0): Promise<string> {
  const ended = await running.ended;
  expect(ended).toMatchObject({ code });
  return ended.output;
}

/** The lines of a text. */
export const linesOf = (output: string) => output.trim().split("\n");
/** What a program printed, a JSON text a line. */
export const jsonLines = async (running: RunningProgram, code = 0) =>
  linesOf(await finished(running, code)).map((line) => JSON.parse(line) as Record<string, unknown>);
/** What a program printed, one JSON text. */
export const json = async (running: RunningProgram, code = 0) => JSON.parse(await finished(running, code)) as unknown;

/** The newest record of a collection. */
export const last = <T>(records: Iterable<T>) => [...records].at(-1) as T;
