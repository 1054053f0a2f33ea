// Runs sequences of commands, counts the operations, and reports the first deviation.
import fc from "fast-check";
import { commands, compareAll } from "./commands.ts";
import { type Beginning, type Library, modelWorld } from "./world.ts";

export interface ModelFigures {
  readonly sequences: number;
  /** How often each operation was carried out, or refused with a status, such as `approve order: 422`. */
  readonly operations: Readonly<Record<string, number>>;
  /** The first deviation, reduced to the shortest sequence that shows it, or null. */
  readonly deviation: string | null;
}

/** Compares the sandbox with the model in this many sequences. */
export async function runModel(
  library: Library,
  options: { seed: number; sequences: number; beginning?: Beginning },
): Promise<ModelFigures> {
  const world = modelWorld(library, options.beginning);
  let sequences = 0;
  let tally: ReadonlyMap<string, number> = new Map();
  const property = fc.asyncProperty(fc.commands(commands(), { maxCommands: 30, size: "max" }), async (sequence) => {
    sequences++;
    const { model, real } = world.begin();
    await fc.asyncModelRun(() => ({ model, real }), sequence);
    await compareAll(model, real);
    ({ tally } = real);
  });
  const details = await fc.check(property, { seed: options.seed, numRuns: options.sequences });
  const deviation = details.failed ? `${fc.defaultReportMessage(details)}\n${String(details.errorInstance)}` : null;
  const operations = Object.fromEntries([...tally].sort(([one], [other]) => (one < other ? -1 : 1)));
  return { sequences, operations, deviation };
}
